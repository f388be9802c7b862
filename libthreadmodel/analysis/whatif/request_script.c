/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queueing of a request is left out, for it queues anew. Time with a lock or a
 * permit lies between ACQUIRE and RELEASE; running needs a
 * processor for the part that it had one; a sleep or another wait is spent in a place.
 */
#include "analysis/whatif/request_script.h"

#include "analysis/units/unit_walk.h"
#include "analysis/whatif/request_claims.h"
#include "analysis/whatif/request_places.h"
#include "base/error.h"
#include "base/search.h"
#include "model/intervals/cpu.h"

/* Requests that are used of very many, steps of all of them, and what one has at a
 * time. */
enum { REQUESTS_AT_MOST = 20000, WRITTEN_AT_MOST = 4000000, DEPTH_AT_MOST = 16 };

/* So much later than its queueing ends a thread may have what it queued for. */
enum { SLACK_NS = 1000000 };

typedef struct writer {
    tm__requests *to;
    const tm__load *load;
    const tm__candidates *all;
    tm__claims claims;
    tm__places places;
    const tm__claim *open[DEPTH_AT_MOST]; ///< that the request has now
    uint32_t open_count;
    uint32_t next;        ///< claims.items[], the next of the thread
    uint32_t last;        ///< and after its last
    uint32_t processors;  ///< stations[]; TM__NONE: not known
    double on_processor;  ///< of the time in which requests run
    uint32_t steps_first; ///< steps[] of the request
    int has_failed;
} writer;

/* ---- steps ---- */

static void add_step(writer *w, tm__request_step step)
{
    tm__requests *to = w->to;
    tm__request_step *before =
        to->steps_count > w->steps_first ? &to->steps[to->steps_count - 1] : NULL;

    if (step.action == TM__REQUEST_SPENDS && before &&
        before->action == TM__REQUEST_SPENDS) {
        before->ns += step.ns;
        before->changed_ns += step.changed_ns;
        return;
    }
    if (tm__reserve(to->memory, &to->steps, &to->steps_capacity,
                    (size_t)to->steps_count + 1, sizeof(*to->steps)) < 0)
        w->has_failed = 1;
    else
        to->steps[to->steps_count++] = step;
}

static void spend(writer *w, double ns, double changed_ns)
{
    if (ns > 0 || changed_ns > 0)
        add_step(w, (tm__request_step){ns, changed_ns, 0, TM__REQUEST_SPENDS});
}

static void take(writer *w, uint32_t station)
{
    add_step(w, (tm__request_step){0, 0, station, TM__REQUEST_ACQUIRES});
}

static void give(writer *w, uint32_t station)
{
    add_step(w, (tm__request_step){0, 0, station, TM__REQUEST_RELEASES});
}

static void spend_at(writer *w, uint32_t station, double ns, double changed_ns)
{
    take(w, station);
    spend(w, ns, changed_ns);
    give(w, station);
}

/* ---- what a request has ---- */

static int has(const writer *w, uint32_t station)
{
    for (uint32_t i = 0; i < w->open_count; i++)
        if (w->open[i]->station == station)
            return 1;
    return 0;
}

static int is_scaled(const writer *w)
{
    for (uint32_t i = 0; i < w->open_count; i++)
        if (w->open[i]->is_scaled)
            return 1;
    return 0;
}

static int is_in_asked(const writer *w)
{
    for (uint32_t i = 0; i < w->open_count; i++)
        if (w->open[i]->is_asked)
            return 1;
    return 0;
}

static void release_until(writer *w, int64_t until_ns)
{
    for (uint32_t i = w->open_count; i-- > 0;)
        if (w->open[i]->end_ns <= until_ns) {
            give(w, w->open[i]->station);
            w->open[i] = w->open[--w->open_count];
        }
}

static void take_more(writer *w, int64_t at_ns)
{
    for (; w->next < w->last && w->claims.items[w->next].start_ns <= at_ns; w->next++) {
        const tm__claim *it = &w->claims.items[w->next];

        if (it->end_ns <= at_ns || has(w, it->station) ||
            w->open_count == DEPTH_AT_MOST)
            continue;
        take(w, it->station);
        w->open[w->open_count++] = it;
    }
}

/* The next instant at which it takes or gives something. */
static int64_t next_turn_ns(const writer *w, int64_t end_ns)
{
    if (w->next < w->last && w->claims.items[w->next].start_ns < end_ns)
        end_ns = w->claims.items[w->next].start_ns;
    for (uint32_t i = 0; i < w->open_count; i++)
        if (w->open[i]->end_ns < end_ns)
            end_ns = w->open[i]->end_ns;
    return end_ns;
}

/* ---- parts ---- */

/* The place that a part queues for. @return stations[]; TM__NONE: nothing that is one
 */
static uint32_t queue_of(const writer *w, uint32_t thread, const tm__unit_part *part)
{
    const tm__interval *at =
        &w->all->model->entities.threads[thread].intervals[part->interval];
    const uint32_t *value = NULL;
    uint32_t wait;

    if (tm__is_lock_block(at)) {
        value = tm__triple_map_find(&w->claims.by_lock, at->object, 0, 0);
        return value && *value != TM__NONE ? *value - 1 : TM__NONE;
    }
    if (w->all->served.roles) {
        wait = tm__wait_at(&w->all->resources, thread, part->interval);
        if (wait != TM__NONE && w->all->served.roles[wait] != TM__WAIT_OTHER)
            return w->claims.asked;
    }
    wait = tm__wait_at(&w->load->resources, thread, part->interval);
    if (wait != TM__NONE)
        value = tm__triple_map_find(&w->claims.by_queue,
                                    w->load->resources.waits[wait].queue, 0, 0);
    return value ? *value - 1 : TM__NONE;
}

/* The work of servers for a wait. @return -1: they did nothing for it */
static double served_ns(const writer *w, uint32_t thread, const tm__unit_part *part)
{
    const tm__served *served = &w->all->served;
    uint32_t wait;

    if (!served->roles || !served->servers)
        return -1;
    wait = tm__wait_at(&w->all->resources, thread, part->interval);
    if (wait == TM__NONE || served->roles[wait] != TM__WAIT_SERVED)
        return -1;
    return (double)served->service_ns[wait];
}

static int claim_follows(const writer *w, uint32_t station, int64_t end_ns)
{
    for (uint32_t i = w->next; i < w->last && i - w->next < DEPTH_AT_MOST &&
                               w->claims.items[i].start_ns <= end_ns + SLACK_NS;
         i++)
        if (w->claims.items[i].station == station)
            return 1;
    return 0;
}

/* How long a part takes after the change, as a factor. */
static double factor_of(const writer *w, uint32_t thread, const tm__unit_part *part)
{
    const tm__candidates *all = w->all;
    double share = 0;

    if (tm__is_of_delays(all->options->change) && part->interval != TM__NONE) {
        if (tm__is_stopped(part->state))
            share =
                tm__asked_delay_share(&all->delays, all->model, thread, part->interval);
        else if (part->state == TM_STATE_RUNNING && all->samples.count)
            share = (double)tm__method_part(&all->samples, thread, part->start_ns,
                                            part->end_ns, TM__HOLDS_LIKELY) /
                    TM__WHOLE;
    }
    return 1 - share * (1 - all->options->factor);
}

static void write_stretch(writer *w, uint32_t thread, const tm__unit_part *part,
                          double ns, double factor)
{
    double changed_ns = ns * (is_scaled(w) ? w->all->options->factor : factor);
    uint32_t place = TM__NONE;

    if (part->state == TM_STATE_RUNNING && w->processors != TM__NONE) {
        spend_at(w, w->processors, ns * w->on_processor, changed_ns * w->on_processor);
        spend(w, ns * (1 - w->on_processor), changed_ns * (1 - w->on_processor));
        return;
    }
    if (!is_in_asked(w))
        place = tm__place_of(&w->places, w->load, thread, part);
    if (place != TM__NONE && place == w->claims.asked &&
        w->all->options->change == TM_WHATIF_USES)
        changed_ns = ns * w->all->options->factor;
    if (place == TM__NONE || has(w, place))
        spend(w, ns, changed_ns);
    else
        spend_at(w, place, ns, changed_ns);
}

static void write_part(writer *w, uint32_t thread, const tm__unit_part *part)
{
    uint32_t queue = TM__NONE;
    int64_t at_ns = part->start_ns;
    double factor = factor_of(w, thread, part);

    if (part->interval != TM__NONE && tm__is_stopped(part->state)) {
        double ns = served_ns(w, thread, part);
        double most = (double)(part->end_ns - part->start_ns);

        queue = queue_of(w, thread, part);
        if (ns >= 0) {
            ns = ns > most ? most : ns;
            spend_at(w, queue, ns,
                     w->all->options->change == TM_WHATIF_USES
                         ? ns * w->all->options->factor
                         : ns);
        } else if (queue != TM__NONE && !has(w, queue) &&
                   !claim_follows(w, queue, part->end_ns)) {
            /* It had it for a time that is not known. */
            take(w, queue);
            give(w, queue);
        }
    }
    while (at_ns < part->end_ns) {
        int64_t until_ns;

        release_until(w, at_ns);
        take_more(w, at_ns);
        until_ns = next_turn_ns(w, part->end_ns);
        if (queue == TM__NONE)
            write_stretch(w, thread, part, (double)(until_ns - at_ns), factor);
        at_ns = until_ns;
    }
}

/* ---- requests ---- */

static void write_span(writer *w, const tm__unit_span *span)
{
    const uint32_t *first = w->claims.first;
    tm__unit_walk walk;
    tm__unit_part part;

    w->last = first[span->thread + 1];
    w->next = TM__FIRST_FROM(w->claims.items, tm__claim, start_ns, first[span->thread],
                             w->last, span->start_ns);
    tm__unit_walk_start(&walk, w->load->model, span);
    while (!w->has_failed && tm__unit_walk_next(&walk, &part))
        write_part(w, span->thread, &part);
    release_until(w, INT64_MAX);
}

static int write_request(writer *w, const tm__unit *unit)
{
    tm__requests *to = w->to;
    int64_t at_ns = unit->start_ns;

    if (tm__reserve(to->memory, &to->first, &to->first_capacity,
                    (size_t)to->first_count + 2, sizeof(*to->first)) < 0)
        return tm__failure();
    w->steps_first = to->steps_count;
    for (uint32_t i = 0; i < unit->span_count; i++) {
        const tm__unit_span *span = &w->load->units.spans[unit->span_first + i];

        if (span->start_ns > at_ns)
            spend(w, (double)(span->start_ns - at_ns),
                  (double)(span->start_ns - at_ns));
        write_span(w, span);
        at_ns = span->end_ns;
    }
    if (!to->first_count)
        to->first[to->first_count++] = 0;
    to->first[to->first_count++] = to->steps_count;
    return w->has_failed ? tm__failure() : TM_OK;
}

static int write_requests(writer *w)
{
    const tm__load *load = w->load;
    uint64_t every = load->kind->steady_count / REQUESTS_AT_MOST + 1, number = 0;
    int rc = TM_OK;

    for (uint32_t i = 0; rc == TM_OK && i < load->units.items_count &&
                         w->to->steps_count < WRITTEN_AT_MOST;
         i++)
        if (tm__load_is_steady(load, &load->units.items[i]) && number++ % every == 0)
            rc = write_request(w, &load->units.items[i]);
    return rc;
}

/* ---- processors ---- */

/* Find the part of the running time of requests' threads in which they have a
 * processor. */
static int find_processors(writer *w)
{
    const tm_model *model = w->load->model;
    const tm_whatif_options *options = w->all->options;
    uint32_t more = options->change == TM_WHATIF_PROCESSORS ? options->permits : 0;
    tm__requests *to = w->to;
    double cpu_ns = 0;

    w->processors = TM__NONE;
    for (uint32_t i = 0; i < model->entities.threads_count; i++) {
        int64_t ns = w->load->serves[i] ? tm__cpu_time_ns(&model->intervals, i) : 0;

        if (ns < 0)
            return TM_OK;
        cpu_ns += (double)ns;
    }
    if (!model->run.processors || cpu_ns <= 0 || w->places.running_ns <= 0)
        return TM_OK;
    if (tm__reserve(to->memory, &to->stations, &to->stations_capacity,
                    (size_t)to->stations_count + 1, sizeof(*to->stations)) < 0)
        return tm__failure();
    w->on_processor = cpu_ns / w->places.running_ns;
    w->on_processor = w->on_processor > 1 ? 1 : w->on_processor;
    w->processors = to->stations_count;
    to->stations[to->stations_count++] =
        (tm__station){.kind = TM__STATION_PROCESSORS,
                      .class_name = TM__NONE,
                      .method = TM__NONE,
                      .servers = model->run.processors,
                      .servers_changed = model->run.processors + more};
    return TM_OK;
}

int tm__requests_open(tm__requests *to, const tm__load *load, const tm__candidates *all,
                      const tm__candidate *it, tm__memory *memory)
{
    writer w = {.to = to, .load = load, .all = all};
    int rc;

    *to = (tm__requests){.memory = memory,
                         .pool = TM__NONE,
                         .customers = load->customers,
                         .think_ns = load->think * 1e9};
    rc = tm__claims_find(&w.claims, to, load, all, it);
    if (rc == TM_OK)
        rc = tm__places_find(&w.places, to, load, &w.claims);
    if (rc == TM_OK)
        rc = find_processors(&w);
    if (rc == TM_OK)
        rc = write_requests(&w);
    tm__places_free(&w.places, memory);
    tm__claims_free(&w.claims, load, memory);
    return rc;
}

void tm__requests_close(tm__requests *to)
{
    tm__free(to->memory, to->stations, to->stations_capacity * sizeof(*to->stations));
    tm__free(to->memory, to->steps, to->steps_capacity * sizeof(*to->steps));
    tm__free(to->memory, to->first, to->first_capacity * sizeof(*to->first));
}
