/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The effect of one event on goroutines, Ms and Ps. Each function below returns as
 * tm__go_scheduler_read() does. Whatever can fail comes first in it, and changes
 * nothing that matters; so an event for which there was no memory is read again.
 */
#ifndef TM_FORMATS_GO_STEP_H
#define TM_FORMATS_GO_STEP_H

#include "formats/go/go_state.h"

/** An event, and who is on its thread. */
typedef struct tm__go_step {
    tm__go_scheduler *self;
    const tm__go_generation *generation;
    const tm__go_stream *stream;
    const tm_sink *sink;
    tm__go_m *m;
    int64_t time_ns;
} tm__go_step;

/* A goroutine or P that was seen; NULL: none. */
static inline tm__go_goroutine *tm__go_goroutine_of(const tm__go_step *at, uint64_t id)
{
    uint32_t index = tm__map_find(&at->self->goroutine_map, id);

    return index == TM__NONE ? NULL : &at->self->goroutines[index];
}

static inline tm__go_p *tm__go_p_of(const tm__go_step *at, uint64_t id)
{
    uint32_t index = tm__map_find(&at->self->p_map, id);

    return index == TM__NONE ? NULL : &at->self->ps[index];
}

static inline tm__go_goroutine *tm__go_running(const tm__go_step *at)
{
    return at->m->goroutine == TM__NONE ? NULL
                                        : &at->self->goroutines[at->m->goroutine];
}

static inline tm__go_p *tm__go_present_p(const tm__go_step *at)
{
    return at->m->p == TM__NONE ? NULL : &at->self->ps[at->m->p];
}

/* The goroutine that runs, on a P; NULL: what comes contradicts that. */
static inline tm__go_goroutine *tm__go_on_p(const tm__go_step *at, int status)
{
    tm__go_goroutine *it = tm__go_running(at);

    return it && tm__go_present_p(at) && it->status == status ? it : NULL;
}

/* Whether an event is the next of those that a counter puts in order. */
static inline int tm__go_is_next(const tm__go_step *at, uint64_t generation,
                                 uint64_t counter, uint64_t number)
{
    return generation == at->generation->number && number == counter + 1;
}

static inline tm_event *tm__go_emit(const tm__go_step *at, int kind, uint64_t thread)
{
    tm_event *event = &at->self->out[at->self->out_count++];

    *event =
        (tm_event){.time_ns = at->time_ns, .thread = thread, .kind = (uint16_t)kind};
    return event;
}

/** Find or add what is known of an id. @return TM_OK or TM_ENOMEM; of a goroutine
 * TM_EDAMAGED: no goroutine has that id; of an M TM_MORE: it was known */
int tm__go_find_goroutine(tm__go_scheduler *self, uint64_t id, uint32_t *index);
int tm__go_find_p(tm__go_scheduler *self, uint64_t id, uint32_t *index);
int tm__go_find_m(tm__go_scheduler *self, uint64_t id, uint32_t *index);

/** Have the sink know a stack, a thing waited for, a goroutine. */
int tm__go_stack_at(const tm__go_step *at, uint64_t number, uint32_t *id);
int tm__go_object_at(const tm__go_step *at, uint64_t stack, uint64_t reason,
                     const char *what, uint64_t *object);
int tm__go_name_at(const tm__go_step *at, const tm__go_goroutine *it, uint64_t stack,
                   int innermost, int *is_named);

/**
 * Note what a goroutine begins to wait for at a stack whose object is known.
 * A goroutine that another one created, which accepts connections, reads the requests
 * of its client where it first reads from the network.
 */
void tm__go_note_io(const tm__go_step *at, tm__go_goroutine *it, uint64_t stack);

/**
 * Have the sink know the next life of a goroutine that is absent.
 * @param[out] life  what it then is, for tm__go_begin_life()
 */
int tm__go_define_life(const tm__go_step *at, const tm__go_goroutine *it,
                       uint64_t stack, int innermost, tm__go_goroutine *life);
void tm__go_begin_life(const tm__go_step *at, tm__go_goroutine *it,
                       const tm__go_goroutine *life);

#endif
