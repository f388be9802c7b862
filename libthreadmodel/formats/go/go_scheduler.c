/* SPDX-License-Identifier: Apache-2.0 */
/* Events by their types, and what is known of goroutines, Ms and Ps. No two events have
 * the same time, so no state lasts for none. */
#include "formats/go/go_scheduler.h"

#include <string.h>

#include "formats/go/go_step.h"

int tm__go_scheduler_init(tm__go_scheduler *self, tm__memory *memory)
{
    *self = (tm__go_scheduler){.memory = memory};
    tm__go_names_init(&self->names, memory);
    tm__map_init(&self->goroutine_map, memory);
    tm__map_init(&self->p_map, memory);
    tm__map_init(&self->m_map, memory);
    self->out =
        tm__zalloc(memory, (TM__GO_OUT_EVENTS + TM__GO_OUT_SPARE) * sizeof(*self->out));
    return self->out ? TM_OK : TM_ENOMEM;
}

/* Find or add what is known of an id. */
#define ROW(self, what, type, row_id, index)                                           \
    row(&(self)->what##_map, &(self)->what##s, &(self)->what##_count,                  \
        &(self)->what##_capacity, sizeof(type), row_id, index)

static int row(tm__map *map, void *rows, uint32_t *count, uint32_t *capacity,
               size_t bytes, uint64_t id, uint32_t *index)
{
    char *all;

    *index = tm__map_find(map, id);
    if (*index != TM__NONE)
        return TM_MORE;
    if (tm__reserve(map->memory, rows, capacity, (size_t)*count + 1, bytes) < 0 ||
        tm__map_put(map, id, *count) < 0)
        return TM_ENOMEM;
    memcpy(&all, rows, sizeof(all));
    memset(all + *count * bytes, 0, bytes);
    *index = (*count)++;
    return TM_OK;
}

int tm__go_find_goroutine(tm__go_scheduler *self, uint64_t id, uint32_t *index)
{
    int rc;

    if (id == 0 || id >= TM__GO_LATER_LIVES)
        return TM_EDAMAGED;
    rc = ROW(self, goroutine, tm__go_goroutine, id, index);
    if (rc == TM_OK)
        self->goroutines[*index].id = id;
    return rc < 0 ? rc : TM_OK;
}

int tm__go_find_p(tm__go_scheduler *self, uint64_t id, uint32_t *index)
{
    int rc = ROW(self, p, tm__go_p, id, index);

    if (rc == TM_OK)
        self->ps[*index].id = id;
    return rc < 0 ? rc : TM_OK;
}

int tm__go_find_m(tm__go_scheduler *self, uint64_t id, uint32_t *index)
{
    int rc = ROW(self, m, tm__go_m, id, index);

    if (rc == TM_OK)
        self->ms[*index] = (tm__go_m){TM__NONE, TM__NONE};
    return rc;
}

int tm__go_stack_at(const tm__go_step *at, uint64_t number, uint32_t *id)
{
    return tm__go_define_stack(&at->self->names, at->generation,
                               tm__go_stack_of(at->generation, number), at->sink, id);
}

int tm__go_object_at(const tm__go_step *at, uint64_t stack, uint64_t reason,
                     const char *what, uint64_t *object)
{
    return tm__go_define_object(&at->self->names, at->generation,
                                tm__go_stack_of(at->generation, stack), reason, what,
                                at->sink, object);
}

int tm__go_name_at(const tm__go_step *at, const tm__go_goroutine *it, uint64_t stack,
                   int innermost, int *is_named)
{
    tm__go_name_of name = {it->thread, it->id, it->lives, innermost};

    return tm__go_define_thread(at->generation, &name,
                                tm__go_stack_of(at->generation, stack), at->sink,
                                is_named);
}

int tm__go_define_life(const tm__go_step *at, const tm__go_goroutine *it,
                       uint64_t stack, int innermost, tm__go_goroutine *life)
{
    int is_named = 0, rc;

    *life = (tm__go_goroutine){
        .id = it->id,
        .thread = it->lives ? TM__GO_LATER_LIVES + at->self->later_lives : it->id,
        .lives = it->lives + 1,
        .generation = at->generation->number,
    };
    rc = tm__go_name_at(at, life, stack, innermost, &is_named);
    life->is_named = (uint8_t)is_named;
    return rc;
}

void tm__go_begin_life(const tm__go_step *at, tm__go_goroutine *it,
                       const tm__go_goroutine *life)
{
    at->self->later_lives += life->lives > 1;
    *it = *life;
}

static int on_stopped_world(const tm__go_step *at)
{
    tm__go_goroutine *it = tm__go_running(at);

    if (!it)
        return TM_EDAMAGED;
    if (at->stream->type == TM__GO_STW_BEGIN) {
        it->stopped_ns = at->time_ns;
    } else if (it->stopped_ns) {
        tm__go_emit(at, TM_EVENT_GC_PAUSE, 0)->value = at->time_ns - it->stopped_ns;
        it->stopped_ns = 0;
    }
    return TM_OK;
}

static int read_event(const tm__go_step *at)
{
    switch (at->stream->type) {
    case TM__GO_PROCS_CHANGE:
        if (at->stream->arguments[0] > at->self->processors)
            at->self->processors = at->stream->arguments[0];
        return TM_OK;
    case TM__GO_PROC_START: return tm__go_on_p_start(at);
    case TM__GO_PROC_STOP: return tm__go_on_p_stop(at);
    case TM__GO_PROC_STEAL: return tm__go_on_p_steal(at);
    case TM__GO_PROC_STATUS: return tm__go_on_p_status(at);
    case TM__GO_CREATE:
    case TM__GO_CREATE_BLOCKED: return tm__go_on_create(at);
    case TM__GO_CREATE_SYSCALL: return tm__go_on_create_syscall(at);
    case TM__GO_START: return tm__go_on_start(at);
    case TM__GO_DESTROY:
    case TM__GO_STOP:
    case TM__GO_BLOCK: return tm__go_on_leave(at);
    case TM__GO_DESTROY_SYSCALL: return tm__go_on_destroy_syscall(at);
    case TM__GO_UNBLOCK: return tm__go_on_unblock(at);
    case TM__GO_SWITCH:
    case TM__GO_SWITCH_DESTROY: return tm__go_on_switch(at);
    case TM__GO_SYSCALL_BEGIN: return tm__go_on_syscall_begin(at);
    case TM__GO_SYSCALL_END: return tm__go_on_syscall_end(at);
    case TM__GO_SYSCALL_END_BLOCKED: return tm__go_on_syscall_end_blocked(at);
    case TM__GO_STATUS:
    case TM__GO_STATUS_STACK: return tm__go_on_status(at);
    case TM__GO_STW_BEGIN:
    case TM__GO_STW_END: return on_stopped_world(at);
    case TM__GO_TASK_BEGIN:
    case TM__GO_TASK_END:
    case TM__GO_REGION_BEGIN:
    case TM__GO_REGION_END: return tm__go_on_unit(at);
    default: return TM_OK;
    }
}

int tm__go_scheduler_read(tm__go_scheduler *self, const tm__go_generation *generation,
                          const tm__go_stream *stream, const tm_sink *sink)
{
    tm__go_m nobody = {TM__NONE, TM__NONE};
    tm__go_step at = {self, generation, stream, sink, &nobody, stream->time_ns};
    uint32_t m;
    int rc;

    if (at.time_ns <= self->last_ns)
        at.time_ns = self->last_ns + 1;
    if (stream->thread != TM__GO_NO_THREAD) {
        rc = tm__go_find_m(self, stream->thread, &m);
        if (rc < 0)
            return rc;
        at.m = &self->ms[m];
    }
    rc = read_event(&at);
    if (rc == TM_OK)
        self->last_ns = at.time_ns;
    return rc;
}

int tm__go_scheduler_sample(tm__go_scheduler *self, const tm__go_generation *generation,
                            const tm__go_sample *sample, const tm_sink *sink)
{
    tm__go_step at = {self, generation, NULL, sink, NULL, sample->time_ns};
    const tm__go_goroutine *it = tm__go_goroutine_of(&at, sample->goroutine);
    tm_event *event;
    uint32_t stack;
    int rc;

    if (!it || it->status != TM__GO_RUNNING)
        return TM_OK;
    rc = tm__go_stack_at(&at, sample->stack, &stack);
    if (rc < 0)
        return rc;
    if (at.time_ns <= self->last_ns)
        at.time_ns = self->last_ns + 1;
    event = tm__go_emit(&at, TM_EVENT_CPU_SAMPLE, it->thread);
    event->stack = stack;
    self->last_ns = at.time_ns;
    return TM_OK;
}

void tm__go_scheduler_free(tm__go_scheduler *self)
{
    tm__memory *memory = self->memory;

    if (!memory)
        return;
    tm__go_names_free(&self->names);
    tm__map_clear(&self->goroutine_map);
    tm__map_clear(&self->p_map);
    tm__map_clear(&self->m_map);
    tm__free(memory, self->goroutines,
             self->goroutine_capacity * sizeof(*self->goroutines));
    tm__free(memory, self->ps, self->p_capacity * sizeof(*self->ps));
    tm__free(memory, self->ms, self->m_capacity * sizeof(*self->ms));
    if (self->out)
        tm__free(memory, self->out,
                 (TM__GO_OUT_EVENTS + TM__GO_OUT_SPARE) * sizeof(*self->out));
}
