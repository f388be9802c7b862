/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A place is a method in which requests sleep or wait. Two things are learned from all
 * of them:
 *
 *     how many were there at once     it admits at least as many
 *     what those with a permit did    a request that found a permit free does the same,
 *                                     and no event shows its use
 */
#include "analysis/whatif/request_places.h"

#include "analysis/units/unit_walk.h"
#include "base/error.h"
#include "base/search.h"

/* More ends than this are not put in order: how many there were at once stays unknown.
 */
enum { EDGES_AT_MOST = 1 << 21 };

/* The places of a request at a time are among its last claims. */
enum { PLACES_AT_MOST = 1 << 12, DEPTH_AT_MOST = 16 };

/* A place is part of a pool's use if so much of its time is, of requests that were seen
 * to use the pool. */
#define IN_POOL_SHARE 0.75

typedef struct finder {
    tm__places *places;
    tm__requests *to;
    const tm__load *load;
    const tm__claims *claims;
    uint32_t thread;
    uint32_t first, last; ///< claims.items[] of the span
    int uses_pool;
} finder;

static uint32_t method_of(const tm__load *load, uint32_t thread,
                          const tm__unit_part *part)
{
    if (part->interval == TM__NONE || !tm__is_stopped(part->state) ||
        tm__is_lock_block(
            &load->model->entities.threads[thread].intervals[part->interval]))
        return TM__NONE;
    return tm__unit_cause_of(&load->units, thread, part).method;
}

/* @return NULL: no memory, or too many, and then rc is TM_OK */
static tm__place_sum *sum_of(finder *f, uint32_t method, int *rc)
{
    tm__places *places = f->places;
    tm__requests *to = f->to;
    uint32_t *value = tm__triple_map_at(&places->by_method, to->memory, method, 0, 0);

    *rc = value ? TM_OK : tm__failure();
    if (value && !*value && places->sums_count >= PLACES_AT_MOST)
        *value = TM__NONE;
    if (!value || *value == TM__NONE)
        return NULL;
    if (!*value) {
        if (tm__reserve(to->memory, &places->sums, &places->sums_capacity,
                        (size_t)places->sums_count + 1, sizeof(*places->sums)) < 0 ||
            tm__reserve(to->memory, &to->stations, &to->stations_capacity,
                        (size_t)to->stations_count + 1, sizeof(*to->stations)) < 0) {
            *value = TM__NONE;
            *rc = tm__failure();
            return NULL;
        }
        places->sums[places->sums_count] =
            (tm__place_sum){.station = to->stations_count, .pool = TM__NONE};
        to->stations[to->stations_count++] = (tm__station){
            .kind = TM__STATION_PLACE, .class_name = TM__NONE, .method = method};
        *value = ++places->sums_count;
    }
    return &places->sums[*value - 1];
}

static int add_edges(finder *f, uint32_t sum, const tm__unit_part *part)
{
    tm__places *places = f->places;

    if (places->edges_count + 2 > EDGES_AT_MOST)
        return TM_OK;
    if (tm__reserve(f->to->memory, &places->edges, &places->edges_capacity,
                    (size_t)places->edges_count + 2, sizeof(*places->edges)) < 0)
        return tm__failure();
    places->edges[places->edges_count++] = (tm__sortable){part->start_ns, 2 * sum + 1};
    places->edges[places->edges_count++] = (tm__sortable){part->end_ns, 2 * sum};
    return TM_OK;
}

/* The use of a pool in which an instant lies. @return stations[] or TM__NONE */
static uint32_t pool_at(const finder *f, int64_t time_ns)
{
    uint32_t after = TM__FIRST_AFTER(f->claims->items, tm__claim, start_ns, f->first,
                                     f->last, time_ns);

    for (uint32_t i = after; i-- > f->first && after - i <= DEPTH_AT_MOST;) {
        const tm__claim *it = &f->claims->items[i];

        if (time_ns < it->end_ns &&
            f->to->stations[it->station].kind == TM__STATION_POOL)
            return it->station;
    }
    return TM__NONE;
}

static int note_part(finder *f, const tm__unit_part *part)
{
    uint32_t method = method_of(f->load, f->thread, part), pool;
    double ns = (double)(part->end_ns - part->start_ns);
    tm__place_sum *sum;
    int rc;

    if (part->state == TM_STATE_RUNNING)
        f->places->running_ns += ns;
    if (method == TM__NONE)
        return TM_OK;
    sum = sum_of(f, method, &rc);
    if (!sum)
        return rc;
    if (f->uses_pool) {
        pool = pool_at(f, part->start_ns);
        sum->total_ns += ns;
        if (pool != TM__NONE && sum->pool == TM__NONE)
            sum->pool = pool;
        if (pool != TM__NONE && sum->pool == pool)
            sum->in_pool_ns += ns;
    }
    return add_edges(f, (uint32_t)(sum - f->places->sums), part);
}

static int note_span(finder *f, const tm__unit_span *span)
{
    const tm__claims *claims = f->claims;
    uint32_t last = claims->first[span->thread + 1];
    tm__unit_walk walk;
    tm__unit_part part;
    int rc = TM_OK;

    f->thread = span->thread;
    f->first = TM__FIRST_FROM(claims->items, tm__claim, start_ns,
                              claims->first[span->thread], last, span->start_ns);
    f->last = TM__FIRST_FROM(claims->items, tm__claim, start_ns, f->first, last,
                             span->end_ns);
    f->uses_pool = 0;
    for (uint32_t i = f->first; i < f->last; i++)
        f->uses_pool |=
            f->to->stations[claims->items[i].station].kind == TM__STATION_POOL;
    tm__unit_walk_start(&walk, f->load->model, span);
    while (rc == TM_OK && tm__unit_walk_next(&walk, &part))
        rc = note_part(f, &part);
    return rc;
}

/* Ends go before begins of the same instant. */
static int by_kind(const void *payload, uint32_t left, uint32_t right)
{
    (void)payload;
    return (int)(left & 1) - (int)(right & 1);
}

static int count_at_once(finder *f)
{
    tm__places *places = f->places;
    size_t bytes = (size_t)places->edges_count * sizeof(tm__sortable);
    tm__sortable *spare = tm__resize(f->to->memory, NULL, 0, bytes + 1);

    if (!spare)
        return TM_ENOMEM;
    tm__sort(places->edges, spare, places->edges_count, by_kind, NULL);
    tm__free(f->to->memory, spare, bytes + 1);
    if (places->edges_count + 2 > EDGES_AT_MOST)
        return TM_OK;
    for (uint32_t i = 0; i < places->edges_count; i++) {
        tm__place_sum *sum = &places->sums[places->edges[i].number / 2];

        if (!(places->edges[i].number & 1)) {
            sum->now -= sum->now > 0;
            continue;
        }
        if (++sum->now > sum->most)
            sum->most = sum->now;
    }
    for (uint32_t i = 0; i < places->sums_count; i++)
        f->to->stations[places->sums[i].station].seen = places->sums[i].most;
    return TM_OK;
}

int tm__places_find(tm__places *places, tm__requests *to, const tm__load *load,
                    const tm__claims *claims)
{
    finder f = {.places = places, .to = to, .load = load, .claims = claims};
    int rc = TM_OK;

    *places = (tm__places){0};
    for (uint32_t i = 0; rc == TM_OK && i < load->units.items_count; i++) {
        const tm__unit *unit = &load->units.items[i];

        if (!tm__unit_is_of(&load->units, unit, load->kind))
            continue;
        for (uint32_t s = 0; rc == TM_OK && s < unit->span_count; s++)
            rc = note_span(&f, &load->units.spans[unit->span_first + s]);
    }
    return rc == TM_OK ? count_at_once(&f) : rc;
}

uint32_t tm__place_of(const tm__places *places, const tm__load *load, uint32_t thread,
                      const tm__unit_part *part)
{
    uint32_t method = method_of(load, thread, part);
    const uint32_t *value = method == TM__NONE
                                ? NULL
                                : tm__triple_map_find(&places->by_method, method, 0, 0);
    const tm__place_sum *sum;

    if (!value || *value == TM__NONE)
        return TM__NONE;
    sum = &places->sums[*value - 1];
    return sum->pool != TM__NONE && sum->in_pool_ns >= IN_POOL_SHARE * sum->total_ns
               ? sum->pool
               : sum->station;
}

void tm__places_free(tm__places *places, tm__memory *memory)
{
    tm__triple_map_free(&places->by_method, memory);
    tm__free(memory, places->sums, places->sums_capacity * sizeof(*places->sums));
    tm__free(memory, places->edges, places->edges_capacity * sizeof(*places->edges));
}
