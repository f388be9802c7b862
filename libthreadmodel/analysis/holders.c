/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Segments of ownership: appended to while somebody waits for the object, rewritten
 * in place while nobody does, which is most of the time.
 */
#include "analysis/holders.h"

static int new_segment(tm__holders *s, uint32_t *number, tm__segment item)
{
    if (s->free_segment != TM__NONE) {
        *number = s->free_segment;
        s->free_segment = s->segments[*number].next;
    } else {
        if (tm__reserve(s->memory, &s->segments, &s->segments_capacity,
                        (size_t)s->segments_count + 1, sizeof(item)) < 0)
            return TM_ENOMEM;
        *number = s->segments_count++;
    }
    item.next = TM__NONE;
    item.begun = 0;
    s->segments[*number] = item;
    return TM_OK;
}

/* Free what no block needs any more. */
static void trim(tm__holders *s, tm__lock *it)
{
    while (it->head != it->tail && s->segments[it->head].begun == 0) {
        uint32_t next = s->segments[it->head].next;

        s->segments[it->head].next = s->free_segment;
        s->free_segment = it->head;
        it->head = next;
    }
}

/* Where a thread was last seen to be let in to an object, or to wait for it. */
static uint32_t last_stack(const tm__holders *s, uint32_t object, uint32_t thread)
{
    uint32_t *value;

    if (!s->sites || thread == TM__NONE)
        return TM__NONE;
    value = tm__triples_find(&s->last_stacks, object, thread, 0);
    return value ? *value - 1 : TM__NONE;
}

int tm__holder_note_stack(tm__holders *s, uint32_t object, uint32_t thread,
                          uint32_t stack)
{
    uint32_t *value;

    if (!s->sites || stack == TM__NONE)
        return TM_OK;
    value = tm__triples_at(&s->last_stacks, s->memory, object, thread, 0);
    if (!value)
        return TM_ENOMEM;
    *value = stack + 1;
    return TM_OK;
}

static tm__segment *tail_of(const tm__holders *s, uint32_t object)
{
    uint32_t tail = s->locks[object].tail;

    return tail == TM__NONE ? NULL : &s->segments[tail];
}

/* A new tail, or the old one anew where nobody has looked at it or it took no time. */
static int put_tail(tm__holders *s, uint32_t object, tm__segment next)
{
    tm__lock *it = &s->locks[object];
    tm__segment *tail = tail_of(s, object);
    uint32_t number;

    next.stack = last_stack(s, object, next.owner);
    if (tail && (it->queued == 0 || tail->from_ns == next.from_ns)) {
        next.next = TM__NONE;
        next.begun = tail->begun;
        *tail = next;
        return TM_OK;
    }
    if (new_segment(s, &number, next) < 0)
        return TM_ENOMEM;
    if (it->tail == TM__NONE)
        it->head = number;
    else
        s->segments[it->tail].next = number;
    it->tail = number;
    return TM_OK;
}

int tm__holder_change(tm__holders *s, uint32_t object, int64_t time_ns, uint32_t owner,
                      int provenance)
{
    tm__segment *tail = tail_of(s, object);
    uint32_t stack;

    if (!tail || tail->owner != owner)
        return put_tail(s, object,
                        (tm__segment){.from_ns = time_ns,
                                      .owner = owner,
                                      .provenance = (uint8_t)provenance});
    /* It only goes on. */
    stack = last_stack(s, object, owner);
    if (s->locks[object].queued == 0)
        tail->provenance = (uint8_t)provenance;
    if (stack != TM__NONE)
        tail->stack = stack;
    return TM_OK;
}

void tm__holder_had_it(tm__holders *s, uint32_t object, uint32_t owner)
{
    tm__segment *tail = tail_of(s, object);

    if (!tail || tail->owner == owner)
        return;
    if (tail->owner == TM__NONE) {
        tail->owner = owner;
        tail->provenance = TM_PROVENANCE_INFERRED;
        tail->stack = last_stack(s, object, owner);
    } else {
        tail->owner = TM__NONE;
        tail->provenance = TM_PROVENANCE_UNKNOWN;
        tail->stack = TM__NONE;
    }
}

int tm__holder_stated(tm__holders *s, const tm__statement *it)
{
    const tm__segment *tail = tail_of(s, it->object);
    int64_t from_ns = it->since_ns;

    if (tm__holder_note_stack(s, it->object, it->thread, it->stack) < 0)
        return TM_ENOMEM;
    /* What begins later is told by itself; and this may have come late. */
    if (!s->locks[it->object].queued || it->time_ns < tail->from_ns)
        return TM_OK;
    if (tail->owner == it->thread && tail->provenance >= it->provenance)
        return TM_OK;
    if (from_ns <= tail->from_ns)
        from_ns = tail->from_ns;
    else
        tm__holder_had_it(s, it->object, it->thread);
    return put_tail(s, it->object,
                    (tm__segment){.from_ns = from_ns,
                                  .owner = it->thread,
                                  .provenance = it->provenance});
}

int tm__holder_let_go(tm__holders *s, uint32_t object, int64_t time_ns, uint32_t thread)
{
    const tm__lock *it = &s->locks[object];

    if (it->tail == TM__NONE || s->segments[it->tail].owner != thread)
        return TM_OK;
    return tm__holder_change(s, object, time_ns, TM__NONE, TM_PROVENANCE_UNKNOWN);
}

int tm__holder_block_begins(tm__holders *s, uint32_t object, int64_t time_ns,
                            uint32_t *segment)
{
    tm__lock *it = &s->locks[object];

    if (it->tail == TM__NONE &&
        tm__holder_change(s, object, time_ns, TM__NONE, TM_PROVENANCE_UNKNOWN) < 0)
        return TM_ENOMEM;
    it->queued++;
    *segment = it->tail;
    s->segments[*segment].begun++;
    return TM_OK;
}

void tm__holder_block_ends(tm__holders *s, uint32_t object, uint32_t segment)
{
    tm__lock *it = &s->locks[object];

    s->segments[segment].begun--;
    it->queued--;
    trim(s, it);
}

int tm__holders_open(tm__holders *s, const tm_model *model, tm__memory *memory,
                     int sites)
{
    *s = (tm__holders){
        .model = model, .memory = memory, .free_segment = TM__NONE, .sites = sites};
    s->locks = tm__resize(memory, NULL, 0,
                          ((size_t)model->objects_count + 1) * sizeof(*s->locks));
    if (!s->locks)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < model->objects_count; i++)
        s->locks[i] = (tm__lock){TM__NONE, TM__NONE, 0};
    return TM_OK;
}

void tm__holders_close(tm__holders *s)
{
    if (s->locks)
        tm__free(s->memory, s->locks,
                 ((size_t)s->model->objects_count + 1) * sizeof(*s->locks));
    tm__free(s->memory, s->segments, s->segments_capacity * sizeof(*s->segments));
    tm__triples_free(&s->last_stacks, s->memory);
}
