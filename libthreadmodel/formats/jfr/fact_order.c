/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JFR writes an event when it ends, into a buffer of its thread, and buffers to the
 * file as they fill: a chunk of half a million events is a shuffle of some thousand
 * runs. Sorted by counting, eleven bits a turn from the lowest: the times of a chunk
 * seldom spread over more than 2^33 ns, so three turns do, each two passes in order.
 * Time and number share one word, for as long as both have room in it; a chunk of hours
 * is sorted by comparing.
 */
#include "formats/jfr/fact_order.h"

#include "base/error.h"

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

static void place(uint64_t *to, const uint64_t *from, size_t count, unsigned shift)
{
    size_t starts[DIGITS] = {0}, sum = 0;

    for (size_t i = 0; i < count; i++)
        starts[from[i] >> shift & (DIGITS - 1)]++;
    for (size_t i = 0; i < DIGITS; i++) {
        size_t here = starts[i];

        starts[i] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        to[starts[from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

static unsigned bits_of(uint64_t number)
{
    return number ? 64 - (unsigned)__builtin_clzll(number) : 0;
}

/* The earliest time, how far the latest is from it, and how many there are. */
static uint64_t measure(const tm__jfr_fact *facts, uint32_t count, int64_t *least_ns,
                        uint32_t *instants)
{
    int64_t least = INT64_MAX, most = INT64_MIN;

    *instants = 0;
    for (uint32_t i = 0; i < count; i++) {
        const tm__jfr_fact *fact = &facts[i];
        int64_t first = fact->start_kind ? fact->start_ns : fact->end_ns;
        int64_t last = fact->end_kind ? fact->end_ns : fact->start_ns;

        least = first < least ? first : least;
        most = last > most ? last : most;
        *instants += (fact->start_kind != 0) + (fact->end_kind != 0);
    }
    *least_ns = least;
    return count ? (uint64_t)most - (uint64_t)least : 0;
}

static int sort_keys(tm__jfr_order *order, const tm__jfr_fact *facts, uint32_t count,
                     int64_t least_ns, unsigned time_bits, unsigned number_bits)
{
    uint64_t *keys, *spare;
    uint32_t filled = 0;

    if (tm__reserve(order->memory, &order->keys, &order->key_capacity,
                    2 * (size_t)order->count, sizeof(*order->keys)) < 0)
        return tm__failure();
    keys = order->keys;
    spare = keys + order->count;
    for (uint32_t i = 0; i < count; i++) {
        const tm__jfr_fact *fact = &facts[i];

        if (fact->start_kind)
            keys[filled++] = ((uint64_t)fact->start_ns - (uint64_t)least_ns)
                                 << number_bits |
                             (uint64_t)i * 2;
        if (fact->end_kind)
            keys[filled++] = ((uint64_t)fact->end_ns - (uint64_t)least_ns)
                                 << number_bits |
                             ((uint64_t)i * 2 + 1);
    }
    for (unsigned bits = 0; bits < time_bits; bits += DIGIT_BITS) {
        uint64_t *sorted = spare;

        place(spare, keys, filled, number_bits + bits);
        spare = keys;
        keys = sorted;
    }
    order->sorted = keys;
    order->mask = (UINT64_C(1) << number_bits) - 1;
    return TM_OK;
}

static int by_number(const void *payload, uint32_t left, uint32_t right)
{
    (void)payload;
    return (left > right) - (left < right);
}

static int sort_wide(tm__jfr_order *order, const tm__jfr_fact *facts, uint32_t count)
{
    uint32_t filled = 0;

    if (tm__reserve(order->memory, &order->wide, &order->wide_capacity,
                    2 * (size_t)order->count, sizeof(*order->wide)) < 0)
        return tm__failure();
    for (uint32_t i = 0; i < count; i++) {
        if (facts[i].start_kind)
            order->wide[filled++] = (tm__sortable){facts[i].start_ns, i * 2};
        if (facts[i].end_kind)
            order->wide[filled++] = (tm__sortable){facts[i].end_ns, i * 2 + 1};
    }
    tm__sort(order->wide, order->wide + filled, filled, by_number, NULL);
    order->sorted = NULL;
    return TM_OK;
}

int tm__jfr_order_make(tm__jfr_order *order, const tm__jfr_fact *facts, uint32_t count)
{
    int64_t least_ns;
    uint64_t spread = measure(facts, count, &least_ns, &order->count);
    unsigned time_bits = bits_of(spread), number_bits = bits_of((uint64_t)count * 2);

    if (order->count > UINT32_MAX / 4)
        return tm__fail(TM_ELIMIT, "%u events in a chunk, more than %u", order->count,
                        UINT32_MAX / 4);
    if (time_bits + number_bits <= 64)
        return sort_keys(order, facts, count, least_ns, time_bits, number_bits);
    return sort_wide(order, facts, count);
}

void tm__jfr_order_free(tm__jfr_order *order)
{
    tm__free(order->memory, order->keys, order->key_capacity * sizeof(*order->keys));
    tm__free(order->memory, order->wide, order->wide_capacity * sizeof(*order->wide));
}
