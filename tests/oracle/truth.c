/* SPDX-License-Identifier: Apache-2.0 */
/* The book that the world keeps of itself: states, owners, wakers, deadlocks. */
#include "world.h"

void truth_span(struct world *w, int t, int state, enum showing showing)
{
    struct thread *th = &w->threads[t];

    th->spans =
        grown(th->spans, th->span_count, &th->span_capacity, sizeof(struct span));
    th->spans[th->span_count++] =
        (struct span){w->now_ns, state, th->deadlock, showing, th->hold};
}

void truth_state(struct world *w, int t, int state, enum showing showing)
{
    w->threads[t].state = state;
    truth_span(w, t, state, showing);
}

void truth_note_owner(struct world *w, int object, int owner)
{
    struct object *o = &w->objects[object];

    o->owners =
        grown(o->owners, o->owner_count, &o->owner_capacity, sizeof(struct ownership));
    o->owners[o->owner_count++] = (struct ownership){w->now_ns, owner};
}

void truth_own(struct world *w, int object, int owner)
{
    struct object *o = &w->objects[object];

    if (owner == NONE) {
        o->releaser = o->owner;
        o->released_ns = w->now_ns;
    }
    o->owner = owner;
    /* No event says that a synchronizer changed hands: what was read before is over. */
    if (o->is_synchronizer && o->stated != owner)
        o->stated = NONE;
    truth_note_owner(w, object, owner);
}

void truth_permit(struct world *w, int object, int t, bool has)
{
    if (has) {
        struct sharing s = {object, t, w->now_ns, -1};

        APPEND(w, sharing, s);
        return;
    }
    for (size_t i = w->sharing_count; i-- > 0;)
        if (w->sharings[i].object == object && w->sharings[i].thread == t) {
            w->sharings[i].end_ns = w->now_ns;
            return;
        }
}

void truth_share(struct world *w, int object, int t, bool has)
{
    w->objects[object].reader_count += has ? 1 : -1;
    truth_permit(w, object, t, has);
}

bool truth_reads(const struct world *w, int object, int t)
{
    for (size_t i = 0; i < w->sharing_count; i++)
        if (w->sharings[i].object == object && w->sharings[i].thread == t &&
            w->sharings[i].end_ns < 0)
            return true;
    return false;
}

static bool shared_within(const struct world *w, int object, int t, int64_t from_ns,
                          int64_t to_ns)
{
    for (size_t i = 0; i < w->sharing_count; i++) {
        const struct sharing *s = &w->sharings[i];

        if (s->object == object && s->thread == t && s->start_ns <= from_ns &&
            (s->end_ns < 0 || s->end_ns >= to_ns))
            return true;
    }
    return false;
}

/* Several threads can own it within one nanosecond: each of them did. */
bool truth_owned_at(const struct world *w, int object, int owner, int64_t time_ns)
{
    const struct object *o = &w->objects[object];
    int before = NONE;

    if (shared_within(w, object, owner, time_ns, time_ns))
        return true;

    for (size_t i = 0; i < o->owner_count && o->owners[i].time_ns <= time_ns; i++) {
        if (o->owners[i].time_ns < time_ns)
            before = o->owners[i].owner;
        else if (o->owners[i].owner == owner)
            return true;
    }
    return before == owner;
}

/* Given up and taken again within one nanosecond is one time. */
bool truth_tenure(const struct world *w, int object, int t, int64_t time_ns,
                  struct stretch_held *held)
{
    const struct object *o = &w->objects[object];

    *held = (struct stretch_held){-1, -1};
    for (size_t i = 0; i < o->owner_count; i++) {
        if (o->owners[i].owner == t && held->start_ns < 0) {
            *held = (struct stretch_held){o->owners[i].time_ns, -1};
        } else if (o->owners[i].owner != t && held->start_ns >= 0) {
            held->end_ns = o->owners[i].time_ns;
            for (size_t next = i + 1; next < o->owner_count; next++)
                if (o->owners[next].time_ns == held->end_ns &&
                    o->owners[next].owner == t) {
                    held->end_ns = -1;
                    i = next;
                    break;
                }
            if (held->end_ns >= time_ns && held->start_ns <= time_ns)
                return true;
            if (held->end_ns >= 0)
                held->start_ns = -1;
        }
    }
    if (held->start_ns >= 0 && held->start_ns <= time_ns)
        return true;
    for (size_t i = 0; i < w->sharing_count; i++) {
        const struct sharing *s = &w->sharings[i];

        if (s->object == object && s->thread == t && s->start_ns <= time_ns &&
            (s->end_ns < 0 || s->end_ns >= time_ns)) {
            *held = (struct stretch_held){s->start_ns, s->end_ns};
            return true;
        }
    }
    return false;
}

bool truth_retook_at(const struct world *w, int object, int t, int64_t time_ns)
{
    const struct object *o = &w->objects[object];
    bool gave = false;

    for (size_t i = 1; i < o->owner_count; i++) {
        if (o->owners[i].time_ns != time_ns)
            continue;
        if (gave && o->owners[i].owner == t)
            return true;
        gave = gave || o->owners[i - 1].owner == t;
    }
    return false;
}

/* The time in which a lock with readers had none. */
static int64_t unread_ns(const struct world *w, int object, int64_t from_ns,
                         int64_t to_ns)
{
    for (size_t i = 0; i < w->sharing_count && from_ns < to_ns; i++) {
        const struct sharing *s = &w->sharings[i];

        /* They are in the order of their starts. */
        if (s->object != object || (s->end_ns >= 0 && s->end_ns <= from_ns))
            continue;
        if (s->start_ns >= to_ns)
            break;
        if (s->start_ns > from_ns)
            return s->start_ns - from_ns +
                   (s->end_ns < 0 ? 0 : unread_ns(w, object, s->end_ns, to_ns));
        from_ns = s->end_ns < 0 ? to_ns : s->end_ns;
    }
    return from_ns < to_ns ? to_ns - from_ns : 0;
}

int64_t truth_free_ns(const struct world *w, int object, int64_t from_ns, int64_t to_ns)
{
    const struct object *o = &w->objects[object];
    int64_t sum_ns = 0, free_ns = from_ns;

    for (size_t i = 0; i < o->owner_count && o->owners[i].time_ns < to_ns; i++) {
        if (o->owners[i].owner != NONE && free_ns >= 0) {
            if (o->owners[i].time_ns > free_ns)
                sum_ns += unread_ns(w, object, free_ns, o->owners[i].time_ns);
            free_ns = -1;
        } else if (o->owners[i].owner == NONE && free_ns < 0) {
            free_ns = o->owners[i].time_ns > from_ns ? o->owners[i].time_ns : from_ns;
        }
    }
    if (free_ns >= 0)
        sum_ns += unread_ns(w, object, free_ns, to_ns);
    return sum_ns;
}

/* Whether nobody else owned it between two times. */
bool truth_owned_within(const struct world *w, int object, int owner, int64_t from_ns,
                        int64_t to_ns)
{
    const struct object *o = &w->objects[object];

    if (shared_within(w, object, owner, from_ns, to_ns))
        return true;
    for (size_t i = 0; i < o->owner_count && o->owners[i].time_ns < to_ns; i++)
        if (o->owners[i].time_ns > from_ns && o->owners[i].owner != owner &&
            o->owners[i].owner != NONE)
            return false;
    return truth_owned_at(w, object, owner, from_ns);
}

/* The thread that last released it before `owner` acquired it, at `time_ns` or before.
 */
int truth_releaser(const struct world *w, int object, int owner, int64_t time_ns)
{
    const struct object *o = &w->objects[object];
    int last = NONE, releaser = NONE;

    for (size_t i = 0; i < o->owner_count && o->owners[i].time_ns <= time_ns; i++) {
        if (o->owners[i].owner == NONE)
            continue;
        if (o->owners[i].owner == owner)
            releaser = last;
        last = o->owners[i].owner;
    }
    return releaser;
}

bool truth_is_next(const struct world *w, int object, int t, int64_t from_ns)
{
    const struct object *o = &w->objects[object];
    int64_t first_ns = INT64_MAX, own_ns = INT64_MAX;

    for (size_t i = 0; i < o->owner_count; i++) {
        const struct ownership *it = &o->owners[i];

        if (it->owner == NONE || it->time_ns < from_ns || it->time_ns > first_ns)
            continue;
        first_ns = it->time_ns;
        own_ns = it->owner == t ? first_ns : own_ns;
    }
    for (size_t i = 0; i < w->sharing_count; i++) {
        const struct sharing *s = &w->sharings[i];

        if (s->object != object || s->start_ns < from_ns || s->start_ns > first_ns)
            continue;
        first_ns = s->start_ns;
        own_ns = s->thread == t ? first_ns : own_ns;
    }
    return own_ns == first_ns && own_ns != INT64_MAX;
}

int truth_hold(struct world *w, int t, int object, int state, bool seen)
{
    struct hold h = {.thread = t,
                     .object = object,
                     .target = w->threads[t].target,
                     .state = state,
                     .waker = NONE,
                     .begin_ns = w->now_ns,
                     .end_ns = -1,
                     .done_ns = -1,
                     .begin_seen = seen};

    APPEND(w, hold, h);
    return w->threads[t].hold = (int)w->hold_count - 1;
}

void truth_cause(struct world *w, int t, enum cause cause, int waker, bool seen)
{
    struct hold *h = &w->holds[w->threads[t].hold];

    h->cause = cause;
    h->waker = waker;
    h->waker_ns = w->now_ns;
    h->waker_seen = seen;
}

int64_t truth_permit_ns(const struct world *w, int object, int t, int64_t from_ns,
                        int64_t to_ns, int64_t *free_ns)
{
    int64_t had_ns = 0;

    *free_ns = 0;
    for (int64_t now_ns = from_ns; now_ns < to_ns; now_ns++) {
        int count = 0;
        bool has = false;

        for (size_t i = 0; i < w->sharing_count; i++) {
            const struct sharing *s = &w->sharings[i];

            if (s->object != object || s->start_ns > now_ns ||
                (s->end_ns >= 0 && s->end_ns <= now_ns))
                continue;
            count++;
            has = has || s->thread == t;
        }
        had_ns += has;
        *free_ns += !has && count < w->objects[object].all_permits;
    }
    return had_ns;
}
