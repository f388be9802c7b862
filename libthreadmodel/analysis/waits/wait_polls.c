/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two threads that each own a lock and try for the other's, with a timeout and in a
 * loop, wake all the time and yet cannot go on. A series of tries counts as one wait if
 * the thread did nothing else, and each try found the same owner:
 *
 *      ppppppp=ppppppp=ppppppp=ppp     tries for one lock, which one thread owns
 */
#include "analysis/waits/wait_polls.h"

#include "analysis/timeline/wakeup_edge.h"
#include "analysis/timeline/blocking.h"
#include "base/saturate.h"

/* A series has so many tries and lasts so long, and so many times as long as all tries
 * of the thread before it; the time between them takes one part in so many of that. */
enum { TRIES_AT_LEAST = 10, LEAST_NS = 1000000000, TIMES_USUAL = 3, PARTS = 20 };

static int is_try(const tm__interval *first, const tm__interval *last,
                  const tm__interval *like)
{
    return first->state == like->state && first->object == like->object &&
           first->traits & TM__TRAIT_TIMED && last->peer != TM__NONE;
}

/* For how long a thread waited with timeouts in the same state before an interval. */
static int64_t tried_ns(const tm__wait_graph *graph, const tm__thread *thread,
                        uint32_t before)
{
    int64_t sum_ns = 0;

    for (uint32_t i = 0; i < before; i++)
        if (thread->intervals[i].state == thread->intervals[before].state &&
            thread->intervals[i].traits & TM__TRAIT_TIMED)
            sum_ns = tm__sum(sum_ns, tm__interval_end_ns(graph->model, thread, i) -
                                         thread->intervals[i].start_ns);
    return sum_ns;
}

uint32_t tm__wait_first_poll(const tm__wait_graph *graph, uint32_t thread,
                             uint32_t index)
{
    const tm__thread *it = &graph->model->entities.threads[thread];
    uint32_t at = tm__interval_first_blocking(it, index), found = at, tries = 0;
    const tm__interval *like = &it->intervals[at];
    uint32_t owner = it->intervals[index].peer, last = index;
    int64_t between_ns = 0, length_ns;

    if (like->object == TM__NONE || owner == TM__NONE)
        return TM__NONE;
    for (;;) {
        if (!is_try(&it->intervals[at], &it->intervals[last], like) ||
            it->intervals[last].peer != owner)
            break;
        found = at;
        tries++;
        /* Before it the thread runs, or would if it had a processor, which does not
         * count; and then another wait. */
        for (last = at; last > 0 && !tm__is_stopped(it->intervals[last - 1].state);) {
            last--;
            if (it->intervals[last].state != TM_STATE_RUNNABLE)
                between_ns = tm__sum(between_ns, it->intervals[last + 1].start_ns -
                                                     it->intervals[last].start_ns);
        }
        if (last == at || last == 0)
            break;
        at = tm__interval_first_blocking(it, --last);
    }
    length_ns = graph->at_ns - it->intervals[found].start_ns;
    return tries >= TRIES_AT_LEAST && length_ns >= LEAST_NS &&
                   between_ns <= length_ns / PARTS &&
                   tried_ns(graph, it, found) <= length_ns / TIMES_USUAL
               ? found
               : TM__NONE;
}
