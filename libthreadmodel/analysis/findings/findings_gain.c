/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gain of findings: the few by which a thread lost most are asked of what-if. The
 * gain of a service is in requests a second, that of another run in its length; where
 * neither can be predicted the card says what threads lost in all.
 */
#include "analysis/findings/finding.h"
#include "analysis/findings/findings_gain.h"
#include "analysis/findings/gain_words.h"

#include "analysis/path/path.h"
#include "analysis/timeline/wakeup_edge.h"
#include "analysis/whatif/gain_ask.h"
#include "analysis/whatif/replay_facts.h"
#include "base/parallel.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

/* A replay takes as long as a few other questions together: many are asked of a run
 * of a few hundred thousand intervals, and of one of many millions none. */
enum { ASKED_AT_MOST = 12, INTERVALS_AT_MOST = 12 << 20 };

/* Shares of requests' time from which a card is worth it: for time lost by queueing for
 * other requests; and for delays that occur without other requests, too. Below the
 * latter, their own work takes more. */
#define WORTH_QUEUEING 0.25
#define WORTH_DELAY 0.5

void tm__ask_without_sleeps(tm__finding *finding, const tm__findings *findings,
                            int state, uint32_t place)
{
    if (state != TM_STATE_SLEEPING || place == TM__NONE)
        return;
    finding->change = TM_WHATIF_METHOD;
    finding->change_method = findings->places.items[place].method;
}

static int is_load_of(const tm__load *load)
{
    return load->is_service || load->is_timed;
}

tm__gain_question tm__finding_question(const tm__finding *item, const tm__load *load)
{
    tm__gain_question question = {.change = item->change,
                                  .class_name = item->class_name,
                                  .method = item->change_method,
                                  .object = item->change_object};

    if (item->change == TM_WHATIF_END)
        return question;
    if (is_load_of(load) && item->batch_method != TM__NONE) {
        question.change = TM_WHATIF_METHOD;
        question.method = item->batch_method;
    }
    if (question.change != TM_WHATIF_PERMITS && question.change != TM_WHATIF_USES)
        question.class_name = TM__NONE;
    return question;
}

static uint32_t replays_allowed(const tm_model *model)
{
    uint64_t intervals = 1;
    uint64_t allowed;

    for (uint32_t t = 0; t < model->entities.threads_count; t++)
        intervals += model->entities.threads[t].interval_count;
    allowed = INTERVALS_AT_MOST / intervals;
    return allowed < ASKED_AT_MOST ? (uint32_t)allowed : ASKED_AT_MOST;
}

int tm__gives_length(const tm__findings *findings, const tm__path *path, uint32_t i)
{
    const tm__segment *it = &path->segments[i];

    return it->thread == path->thread && tm__is_inert(it->state) &&
           tm__segment_end_ns(path, i) - it->start_ns >= findings->run_ns / 2;
}

static int is_length_given(const tm__findings *findings, const tm__path *path)
{
    for (uint32_t i = 0; i < path->segments_count; i++)
        if (tm__gives_length(findings, path, i))
            return 1;
    return 0;
}

static int gains_nothing(const tm__findings *findings, const tm__gain *gain)
{
    return gain->middle_ns < findings->run_ns / 100 &&
           gain->high_ns < findings->run_ns / 20;
}

/*
 * Whether the replay can be believed. It cannot where threads blocked one another in
 * it, or where even the unchanged replay differs from the run. A gain far below what a
 * thread lost came from handoffs that were not seen, in programs that were really
 * changed; most of all where the lost time was long. So little gain is believed only of
 * queueing that took less than a quarter of the run, and if threads do not wait longer
 * for what is not recorded instead, as a server's workers do for requests.
 */
static int is_reliable(const tm__findings *findings, const tm__finding *item,
                       const tm__gain *gain)
{
    int is_lock = item->lock_group != TM__NONE;

    if (!gain->is_known)
        return 0;
    if (gain->middle_ns >= item->bound_ns / (is_lock ? 4 : 2))
        return 1;
    return item->change == TM_WHATIF_PERMITS && gains_nothing(findings, gain) &&
           gain->absorbed_ns < item->bound_ns / 4 &&
           item->bound_ns < findings->run_ns / 4;
}

/** The questions put to the run: the locks together, and each other item by itself. */
typedef struct asked {
    const tm__findings *findings;
    tm__load load;                     ///< of the run, for each question
    tm__finding *items[ASKED_AT_MOST]; ///< the locks first
    tm__gain gains[ASKED_AT_MOST];
    uint32_t count;
    uint32_t lock_count;
    size_t part_count;
} asked;

/** The findings whose gains are asked for. */
typedef struct asker {
    const tm__findings *findings;
    tm__finding *const *items;
} asker;

static int needs_run(const void *context, int64_t off_ns, uint64_t forced)
{
    const asker *it = context;

    return !it->findings->is_length_given &&
           tm__replay_is_image(off_ns, forced, it->findings->run_ns);
}

/* An unreliable gain stays unreliable: a bound only raises `high_ns` and `forced`. */
static int needs_item(const void *context, uint32_t item, const tm__gain *gain)
{
    const asker *it = context;

    return is_reliable(it->findings, it->items[item], gain);
}

static int ask_locks(asked *all)
{
    uint32_t groups[ASKED_AT_MOST];
    asker context = {all->findings, all->items};
    tm__replays_needed needed = {&context, needs_run, needs_item};

    for (uint32_t i = 0; i < all->lock_count; i++)
        groups[i] = all->items[i]->lock_group;
    return all->lock_count ? tm__gain_ask_locks(all->gains, &all->load,
                                                all->findings->lock_group_of, groups,
                                                all->lock_count, &needed)
                           : TM_OK;
}

static int ask_part(void *context, size_t part)
{
    asked *all = context;
    int rc = TM_OK;

    for (size_t i = all->lock_count + part; rc == TM_OK && i < all->count;
         i += all->part_count) {
        const tm__finding *item = all->items[i];
        tm__gain_question question = tm__finding_question(item, &all->load);
        asker one = {all->findings, &all->items[i]};
        tm__replays_needed needed = {&one, needs_run, needs_item};

        rc = tm__gain_ask(&all->gains[i], &all->load, &question, &needed,
                          all->part_count == 1);
    }
    return rc;
}

/* The rate counts if there are requests: as a share of the run it is the time in which
 * as many as there were would be served. */
static void judge_requests(const tm__findings *findings, tm__finding *item,
                           const tm__gain_requests *to)
{
    double run_ns = (double)findings->run_ns;

    item->has_gain = 1;
    item->gain_low_ns = (int64_t)(run_ns * (1 - to->now / to->low));
    item->gain_ns = (int64_t)(run_ns * (1 - to->now / to->middle));
    item->gain_high_ns = (int64_t)(run_ns * (1 - to->now / to->high));
}

/* Whether the share of requests' time decides if a card is above the line, and not how
 * long threads were stopped beside the length of the run. */
static int is_by_share(const tm__finding *item, const tm__gain_requests *to)
{
    return to->is_load && to->is_known && !item->is_saturated;
}

/* The time that requests of a load need for themselves is not a problem: their own
 * sleeps, the work that is done for one of them. A worker or an event loop that is
 * never idle is a problem: requests queue before it, and their own time does not
 * include that. So is an endpoint on which most of their time is spent: it is not part
 * of the request. */
static int is_own_need(const tm__finding *item, const tm__gain_requests *to)
{
    if (!is_by_share(item, to))
        return 0;
    if (item->is_io)
        return item->is_unit_share_known && to->share < WORTH_DELAY;
    switch (item->change) {
    case TM_WHATIF_METHOD: return to->lost < WORTH_DELAY;
    default: return to->lost < WORTH_QUEUEING;
    }
}

/* An item that is never asked about may still be known to take little of the requests'
 * time, and classes that are loaded before the rate is steady take none of it. */
static void judge_share(tm__finding *item, const tm__load *load)
{
    if (!load->is_open || (!load->is_service && !load->is_timed))
        return;
    if (item->is_unit_share_known && item->unit_share < WORTH_DELAY)
        item->minor = 1;
    if (item->has_end && item->until_ns < load->kind->steady_from_ns)
        item->minor = 1;
}

/* A replay in which units of work wait as long as before, though they would not have
 * to, shows that they wait for what was not recorded: for the next request, say. */
static int is_for_requests(const tm__findings *findings, const tm__gain *gain)
{
    const tm__gain_requests *to = &gain->requests;

    return to->is_load || findings->is_length_given ||
           (tm__gains_requests(to) && gains_nothing(findings, gain));
}

static void judge_gain(const tm__findings *findings, tm__finding *item,
                       const tm__gain *gain)
{
    if (is_by_share(item, &gain->requests))
        item->minor = 0;
    item->requests = gain->requests;
    item->is_of_requests = is_for_requests(findings, gain);
    if (item->is_of_requests) {
        if (gain->requests.is_known)
            judge_requests(findings, item, &gain->requests);
    } else {
        item->has_gain = is_reliable(findings, item, gain);
        item->gain_ns = gain->middle_ns;
        item->gain_low_ns = gain->low_ns;
        item->gain_high_ns = gain->high_ns;
    }
    /* Nothing that has units of work waits for these sleeps. */
    if (!item->has_gain && item->change == TM_WHATIF_METHOD && !item->is_io &&
        gain->requests.are_units && !gain->requests.is_known)
        item->minor = 1;
    if (item->has_gain && item->gain_ns < findings->run_ns / 100 &&
        item->gain_high_ns < findings->run_ns / 20)
        item->minor = 1;
    item->is_own_need = is_own_need(item, &gain->requests);
    item->minor |= item->is_own_need || item->paces;
    /* What ends the loop is not known: the run need not be shorter. */
    item->has_gain &= !item->paces || item->is_own_need;
}

/* ---- whom to ask ---- */

/* The one by which a thread lost most, of those that were not asked yet. A cause that
 * took little of the run may have taken much of the time of a load's requests. */
static tm__finding *next_to_ask(tm__findings *findings, int is_load)
{
    tm__finding *best = NULL;

    for (uint32_t i = 0; i < findings->items_count; i++) {
        tm__finding *it = &findings->items[i];

        if (it->change != TM_WHATIF_END && (is_load || !it->minor) && !it->is_asked &&
            (!best || it->bound_ns > best->bound_ns))
            best = it;
    }
    return best;
}

static void choose(asked *all, tm__findings *findings, uint32_t allowed)
{
    int is_load = is_load_of(&all->load);
    tm__finding *rest[ASKED_AT_MOST], *item;
    uint32_t rest_count = 0;

    while (all->count + rest_count < allowed &&
           (item = next_to_ask(findings, is_load))) {
        item->is_asked = 1;
        item->change = tm__finding_question(item, &all->load).change;
        if (item->lock_group != TM__NONE)
            all->items[all->count++] = item;
        else
            rest[rest_count++] = item;
    }
    all->lock_count = all->count;
    for (uint32_t i = 0; i < rest_count; i++)
        all->items[all->count++] = rest[i];
}

/* Whether anything is said by how units of work fare. */
static int is_about_units(const tm__findings *findings)
{
    for (uint32_t i = 0; i < findings->items_count; i++)
        if (findings->items[i].change != TM_WHATIF_END ||
            findings->items[i].is_unit_share_known || findings->items[i].has_end)
            return 1;
    return 0;
}

static int ask_all(tm__findings *findings)
{
    const tm_executor *executor = &findings->model->executor;
    asked all = {.findings = findings};
    uint32_t allowed = replays_allowed(findings->model);
    int rc = TM_OK;

    if (allowed && is_about_units(findings))
        rc = tm__load_open(&all.load, findings->model, NULL, NULL);
    if (rc == TM_OK)
        choose(&all, findings, allowed);
    all.part_count = tm__parts_of(executor);
    if (all.part_count > all.count - all.lock_count)
        all.part_count = all.count - all.lock_count;
    if (rc == TM_OK)
        rc = ask_locks(&all);
    /* Replays of all of these, unless the run's length is given, or its load's. */
    if (rc == TM_OK && all.part_count > 1 && !findings->is_length_given &&
        !is_load_of(&all.load))
        rc = tm__replay_facts_prepare(findings->model);
    if (rc == TM_OK && all.part_count)
        rc = tm__do_parts(executor, all.part_count, ask_part, &all);
    for (uint32_t i = 0; rc == TM_OK && i < all.count; i++)
        judge_gain(findings, all.items[i], &all.gains[i]);
    for (uint32_t i = 0; rc == TM_OK && i < findings->items_count; i++)
        judge_share(&findings->items[i], &all.load);
    tm__load_close(&all.load);
    return rc;
}

int tm__findings_ask_gains(tm__findings *findings)
{
    static const tm_path_options whole_run = {.size = sizeof(whole_run)};
    tm__path path;
    int rc;

    /* Findings of dumps take an unknown time, and a replay is of the whole run. */
    if (tm__model_is_of_dumps(findings->model))
        return TM_OK;
    if (findings->is_part) {
        tm__gain_words_of_part(findings);
        return TM_OK;
    }
    rc = tm__path_walk(&path, findings->model, &whole_run);
    findings->is_length_given = rc == TM_OK && is_length_given(findings, &path);
    tm__path_free(&path);
    if (rc == TM_OK)
        rc = ask_all(findings);
    if (rc == TM_OK)
        tm__gain_words(findings);
    return rc;
}
