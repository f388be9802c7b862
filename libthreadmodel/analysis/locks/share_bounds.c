/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/locks/share_bounds.h"

#include <stdlib.h>

#include "model/entities/object.h"
#include "model/ownership/tenure.h"
#include "model/ownership/tenure_bounds.h"

void tm__share_bounds(const tm__dealer *dealer, tm__bounds *bounds, uint32_t object,
                      const tm__tenure *it, const tm__tenure *next, int64_t end_ns)
{
    uint32_t *near =
        dealer->near && it->owner != TM__NONE ? &dealer->near[it->owner] : NULL;

    tm__tenure_bounds(bounds, dealer->model, object, it, next, end_ns,
                      near ? *near : TM__NONE);
    if (near)
        *near = bounds->at;
}

const tm__tenure *tm__last_to_leave(const tm__dealer *dealer, uint32_t object,
                                    const tm__tenure *first, int64_t at_ns,
                                    int64_t end_ns, tm__bounds *bounds,
                                    const tm__tenure **next)
{
    const tm_model *model = dealer->model;
    const tm__tenure *best = first, *it = *next;
    tm__bounds other;

    for (; it && it->flags & TM__TENURE_SHARED && it->got_ns <= at_ns;
         it = tm__tenure_next(model, it)) {
        if (it->owner == TM__NONE)
            continue;
        tm__share_bounds(dealer, &other, object, it, tm__tenure_next(model, it),
                         end_ns);
        if (other.released_ns > bounds->released_ns ||
            (other.released_ns == bounds->released_ns &&
             !tm__tenure_is_reported_over(best) && tm__tenure_is_reported_over(it))) {
            *bounds = other;
            best = it;
        }
    }
    *next = it;
    if (tm__tenure_is_reported_over(best))
        return best;
    /* One that came later, and is known to have been the last. */
    while (it && it->flags & TM__TENURE_SHARED && it->got_ns < bounds->released_ns &&
           !(tm__tenure_is_reported_over(it) && it->had_ns >= bounds->released_ns))
        it = tm__tenure_next(model, it);
    if (it && it->flags & TM__TENURE_SHARED && it->got_ns < bounds->released_ns) {
        bounds->released_ns = it->got_ns;
        *next = it;
    }
    return best;
}

int64_t tm__share_begins_ns(const tm__dealer *dealer, uint32_t object,
                            const tm__tenure *it)
{
    tm__bounds bounds;

    if (it->flags & TM__TENURE_HANDED || it->owner == TM__NONE)
        return it->got_ns;
    tm__share_bounds(dealer, &bounds, object, it, NULL, it->got_ns);
    return bounds.got_latest_ns;
}

enum { HOLDS_LOOKED_AT = 64, HOLDS_MIN = 8 };

static int by_length(const void *left, const void *right)
{
    int64_t l = *(const int64_t *)left, r = *(const int64_t *)right;

    return l < r ? -1 : l > r;
}

int64_t tm__short_hold_ns(tm__dealer *dealer, uint32_t object)
{
    const tm_model *model = dealer->model;
    const tm__tenure *it =
        tm__tenure_at(model, model->entities.details[object].first_tenure);
    int64_t *known = &dealer->short_holds_ns[object], holds_ns[HOLDS_LOOKED_AT];
    size_t count = 0;

    if (*known >= 0)
        return *known;
    for (const tm__tenure *next; it && count < HOLDS_LOOKED_AT; it = next) {
        tm__bounds bounds;

        next = tm__tenure_next(model, it);
        if (!next || !(it->flags & next->flags & TM__TENURE_HANDED) ||
            it->owner == TM__NONE)
            continue;
        tm__tenure_bounds(&bounds, model, object, it, next, next->got_ns, TM__NONE);
        holds_ns[count++] = bounds.released_ns - it->got_ns;
    }
    qsort(holds_ns, count, sizeof(*holds_ns), by_length);
    *known = count < HOLDS_MIN ? 0 : holds_ns[count / 4];
    return *known;
}
