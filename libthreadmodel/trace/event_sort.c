/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An agent empties one thread's buffer after the other, so what is to be sorted are
 * a few long rising runs: a merge sort of the runs that are there takes log2(runs)
 * passes, and one look where there is nothing to do.
 */
#include "trace/event_sort.h"

#include <threadmodel/error.h>

#include "base/error.h"

/* The end of the rising run that begins at `start`. */
static uint32_t run_end(const tm__order_key *keys, uint32_t start, uint32_t count)
{
    uint32_t end = start + 1;

    while (end < count && keys[end - 1].time_ns <= keys[end].time_ns)
        end++;
    return end < count ? end : count;
}

/* Merge [first, middle) and [middle, last): of equal times the left one is first. */
static void merge(tm__order_key *to, const tm__order_key *from, uint32_t first,
                  uint32_t middle, uint32_t last)
{
    uint32_t left = first, right = middle;

    for (uint32_t i = first; i < last; i++)
        if (left < middle &&
            (right == last || from[left].time_ns <= from[right].time_ns))
            to[i] = from[left++];
        else
            to[i] = from[right++];
}

int tm__order_events(tm__order *order, const uint32_t **arrivals,
                     const tm_event *events, uint32_t count)
{
    tm__order_key *from, *to, *swapped;

    if (tm__reserve(order->memory, &order->keys, &order->key_capacity,
                    2 * (size_t)count, sizeof(*order->keys)) < 0 ||
        tm__reserve(order->memory, &order->arrivals, &order->arrival_capacity, count,
                    sizeof(*order->arrivals)) < 0)
        return tm__failure();
    from = order->keys;
    to = order->keys + count;
    for (uint32_t i = 0; i < count; i++)
        from[i] = (tm__order_key){events[i].time_ns, i};
    while (count > 0 && run_end(from, 0, count) < count) {
        for (uint32_t first = 0, last; first < count; first = last) {
            uint32_t middle = run_end(from, first, count);

            last = middle < count ? run_end(from, middle, count) : count;
            merge(to, from, first, middle, last);
        }
        swapped = from;
        from = to;
        to = swapped;
    }
    for (uint32_t i = 0; i < count; i++)
        order->arrivals[i] = from[i].arrival;
    *arrivals = order->arrivals;
    return TM_OK;
}

int tm__order_positions(tm__order *order, const uint32_t **positions,
                        const uint32_t *arrivals, uint32_t count)
{
    uint32_t *ranks;

    if (tm__reserve(order->memory, &order->ranks, &order->rank_capacity,
                    (size_t)count + 1, sizeof(*order->ranks)) < 0)
        return tm__failure();
    ranks = order->ranks;
    for (uint32_t i = 0; i < count; i++)
        ranks[arrivals[i]] = i;
    ranks[count] = count;
    for (uint32_t i = count; i-- > 0;)
        if (ranks[i] > ranks[i + 1])
            ranks[i] = ranks[i + 1];
    *positions = ranks;
    return TM_OK;
}

void tm__order_free(tm__order *order)
{
    tm__free(order->memory, order->keys, order->key_capacity * sizeof(*order->keys));
    tm__free(order->memory, order->arrivals,
             order->arrival_capacity * sizeof(*order->arrivals));
    tm__free(order->memory, order->ranks, order->rank_capacity * sizeof(*order->ranks));
}
