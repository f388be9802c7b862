/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trying changes. One is replayed three times, with what is uncertain at both of its
 * bounds and in the middle, and each time beside the same run unchanged. The replays of
 * a bound have one script, which they read, and are shared among a caller's threads.
 */
#include <string.h>

#include "analysis/whatif/candidate_counts.h"
#include "analysis/whatif/candidates.h"
#include "analysis/whatif/candidates_replay.h"
#include "analysis/whatif/candidates_settle.h"
#include "analysis/whatif/gain.h"
#include "analysis/whatif/holds.h"
#include "analysis/whatif/run_slice.h"
#include "analysis/whatif/script.h"
#include "analysis/whatif/script_signals.h"
#include "analysis/whatif/simulation.h"
#include "base/parallel.h"

/** Replays that one part of the work makes, one after the other. */
typedef struct replayer {
    tm__memory memory;
    uint8_t *scalings;    ///< enum tm__scaling of each place
    int64_t *saved_ns;    ///< a thread
    int64_t *finished_ns; ///< a thread
} replayer;

/** The replays of one bound. */
typedef struct replays {
    tm__candidates *all;
    const tm__script *script;
    int bound;
    replayer unchanged;
    tm__replay_outcome recorded; ///< of the unchanged one
    replayer parts[TM__PARTS_MAX];
    size_t part_count;
} replays;

static size_t threads_bytes(const tm__candidates *all)
{
    return ((size_t)all->model->entities.threads_count + 1) * sizeof(int64_t);
}

static int open_replayer(replayer *r, const tm__candidates *all)
{
    tm__memory_init(&r->memory, &all->model->memory.hook);
    r->scalings = tm__zalloc(&r->memory, (size_t)all->played->places_count + 1);
    r->saved_ns = tm__zalloc(&r->memory, threads_bytes(all));
    r->finished_ns = tm__zalloc(&r->memory, threads_bytes(all));
    return r->scalings && r->saved_ns && r->finished_ns ? TM_OK : TM_ENOMEM;
}

static void close_replayer(replayer *r, const tm__candidates *all)
{
    tm__free(&r->memory, r->scalings, (size_t)all->played->places_count + 1);
    tm__free(&r->memory, r->saved_ns, threads_bytes(all));
    tm__free(&r->memory, r->finished_ns, threads_bytes(all));
}

/* Where a thread has done its work earlier, by as much as it saves, and the run does
 * not end earlier for it, what it did may be waited for in ways that are not recorded:
 * by sockets, files, flags. */
static void note_unlinked(const replays *at, const replayer *r, tm__candidate *it)
{
    const tm__candidates *all = at->all;

    for (uint32_t i = 0; i < all->model->entities.threads_count; i++) {
        int64_t earlier_ns = at->unchanged.finished_ns[i] - r->finished_ns[i];
        int64_t *most_ns = all->ends[i] ? &it->hidden_ns : &it->unlinked_ns;

        if (r->saved_ns[i] > *most_ns && earlier_ns > r->saved_ns[i] / 2 &&
            it->gains_ns[TM__HOLDS_LIKELY] < r->saved_ns[i] / 2)
            *most_ns = r->saved_ns[i];
    }
}

static void choose_places(const tm__candidates *all, const tm__candidate *it,
                          uint8_t *scalings)
{
    uint32_t change = all->options->change;

    for (uint32_t p = 0; p < all->played->places_count; p++)
        scalings[p] = it && change != TM_WHATIF_PERMITS &&
                              tm__candidate_matches(all, it, &all->played->places[p])
                          ? TM__SCALING_CHOSEN
                          : TM__SCALING_NONE;
    scalings[all->played->places_count] = all->served.servers ? TM__SCALING_GONE
                                          : it && change == TM_WHATIF_USES
                                              ? TM__SCALING_CHOSEN
                                              : TM__SCALING_NONE;
}

/* The program has as large a part of more processors. */
static double times_processors(const tm__candidates *all)
{
    double had = (double)all->model->run.processors;

    return had > 0 ? (had + all->options->permits) / had : 1;
}

static int replay(const replays *at, replayer *r, const tm__candidate *it,
                  tm__replay_outcome *out)
{
    const tm__candidates *all = at->all;
    uint32_t change = all->options->change;
    tm__simulation replay = {
        .script = at->script,
        .memory = &r->memory,
        .scalings = r->scalings,
        .ends = all->ends,
        .factor = all->options->factor,
        .processors = it && change == TM_WHATIF_PROCESSORS ? times_processors(all) : 1,
        .more_permits = it && change == TM_WHATIF_PERMITS ? all->options->permits : 0,
        .group = it ? it->group : TM__NONE,
        .scales_method = it && tm__is_of_delays(change) && all->options->factor != 1,
        .scales_service = it && change == TM_WHATIF_USES,
        .scales_waits = at->bound != TM__HOLDS_SHORT,
        .plays_on = at->bound == TM__HOLDS_LIKELY,
        .scales_hidden = at->bound != TM__HOLDS_SHORT,
        .moves_unknown = at->bound == TM__HOLDS_LONG,
        .saved_ns = r->saved_ns,
        .finished_ns = r->finished_ns};
    int rc;

    choose_places(all, it, r->scalings);
    for (uint32_t i = 0; i < all->model->entities.threads_count; i++) {
        r->saved_ns[i] = 0;
        r->finished_ns[i] = INT64_MIN;
    }
    rc = tm__simulate(&replay);
    for (uint32_t i = 0; i < all->model->entities.threads_count; i++)
        if (r->finished_ns[i] == INT64_MIN)
            r->finished_ns[i] = replay.length_ns;
    *out = (tm__replay_outcome){replay.length_ns, replay.until_ns, replay.forced};
    return rc;
}

/* Questions about a whole run have one replay of it, but for those about a resource,
 * whose permits they state. */
static int replay_recorded(replays *at)
{
    tm__replay_facts *facts = &at->all->facts;
    const tm__unchanged *known = &facts->unchanged[at->bound];
    int is_of_run = !at->script->slice && !at->script->served, rc;

    if (is_of_run && known->finished_ns) {
        at->recorded = known->outcome;
        memcpy(at->unchanged.finished_ns, known->finished_ns, facts->threads_bytes);
        return TM_OK;
    }
    rc = replay(at, &at->unchanged, NULL, &at->recorded);
    if (is_of_run && rc == TM_OK)
        tm__replay_facts_note(facts, at->bound, &at->recorded,
                              at->unchanged.finished_ns);
    return rc;
}

static int replay_unchanged(replays *at)
{
    tm__candidates *all = at->all;
    int64_t recorded_ns = 0;
    int rc = open_replayer(&at->unchanged, all);

    if (rc == TM_OK)
        rc = replay_recorded(at);
    all->forced += at->recorded.forced;
    if (rc < 0 || at->bound != TM__HOLDS_LIKELY)
        return rc;
    for (uint32_t i = 0; i < all->model->entities.threads_count; i++)
        if (all->ends[i] && at->script->ended_ns[i] > recorded_ns)
            recorded_ns = at->script->ended_ns[i];
    all->off_ns = at->recorded.length_ns - recorded_ns;
    return TM_OK;
}

static int replay_one(const replays *at, replayer *r, tm__candidate *it)
{
    tm__replay_outcome own;
    int rc = replay(at, r, it, &own);

    if (rc < 0)
        return rc;
    it->gains_ns[at->bound] = at->recorded.length_ns - own.length_ns;
    it->forced += own.forced;
    if (at->bound != TM__HOLDS_LIKELY)
        return TM_OK;
    it->absorbed_ns = own.until_ns - at->recorded.until_ns;
    if (tm__is_of_delays(at->all->options->change))
        note_unlinked(at, r, it);
    return TM_OK;
}

/* Candidates go round the parts: neighbours take about as long. */
static int replay_part(void *context, size_t part)
{
    replays *at = context;
    replayer *r = &at->parts[part];
    int rc = open_replayer(r, at->all);

    for (size_t i = part; rc == TM_OK && i < at->all->items_count; i += at->part_count)
        if (at->all->items[i].scaled && !at->all->items[i].is_settled)
            rc = replay_one(at, r, &at->all->items[i]);
    return rc;
}

static int replay_all(tm__candidates *all, const tm__script *script, int bound)
{
    replays at = {.all = all, .script = script, .bound = bound};
    const tm_executor *executor = &all->model->executor;
    int rc = replay_unchanged(&at);

    tm__candidates_settle(all, bound != TM__HOLDS_LIKELY);
    at.part_count = tm__parts_of(executor);
    if (at.part_count > all->items_count)
        at.part_count = all->items_count;
    if (rc == TM_OK)
        rc = tm__do_parts(executor, at.part_count, replay_part, &at);
    close_replayer(&at.unchanged, all);
    for (size_t i = 0; i < at.part_count; i++)
        close_replayer(&at.parts[i], all);
    return rc;
}

static int replay_at(tm__candidates *all, tm__script *script, int bound)
{
    int rc = tm__script_write(script);

    if (rc == 1) {
        all->is_too_long = 1;
        return TM_OK;
    }
    if (rc < 0)
        return rc;
    if (bound == TM__HOLDS_LIKELY && tm__is_of_delays(all->options->change)) {
        tm__count_delays(all, script);
        tm__candidates_settle(all, 0);
        if (tm__candidates_are_settled(all) || !tm__is_replayed(all))
            return TM_OK;
    }
    return replay_all(all, script, bound);
}

/* Whether a thread had to be released: which one, all threads decide. */
static int is_forced(const tm__candidates *all)
{
    uint64_t forced = all->forced;

    for (uint32_t i = 0; i < all->items_count; i++)
        forced += all->items[i].forced;
    return forced > 0;
}

/* @return TM_OK or TM_ENOMEM; 1: others are needed as well */
static int replay_bounds(tm__candidates *all, tm__script *script)
{
    static const int bounds[] = {TM__HOLDS_LIKELY, TM__HOLDS_SHORT, TM__HOLDS_LONG};
    int rc = TM_OK;

    script->holds = all->played;
    for (int i = 0;
         rc == TM_OK && i < 3 && !all->is_too_long && !tm__candidates_are_settled(all);
         i++) {
        if (!all->played->ends || all->played->bound != bounds[i]) {
            all->played->bound = bounds[i];
            rc = tm__holds_gather(all->played);
        }
        if (rc == TM_OK)
            rc = replay_at(all, script, bounds[i]);
        tm__candidates_settle(all, 1);
        if (rc == TM_OK && script->slice && is_forced(all))
            return 1;
    }
    return rc;
}

/* Where threads share processors, or permits, each of them depends on all others. */
static int is_sliced(const tm__candidates *all)
{
    return all->options->change != TM_WHATIF_PROCESSORS &&
           all->options->change != TM_WHATIF_PERMITS && !all->served.resources &&
           !all->samples.count && all->facts.processors.most <= 0;
}

/* Replay the part of the run that decides its length: as long as nobody had to be
 * released, the rest makes no difference.
 * @return TM_OK or TM_ENOMEM; 1: all of the run has to be replayed */
static int replay_slice(tm__candidates *all, tm__script *script)
{
    size_t bytes = all->items_count * sizeof(*all->items);
    tm__candidate *before;
    int rc = is_sliced(all) ? tm__run_slice_find(&all->slice, script, all->ends) : 1;

    if (rc)
        return rc;
    before = tm__resize(&all->memory, NULL, 0, bytes);
    if (!before)
        return TM_ENOMEM;
    memcpy(before, all->items, bytes);
    all->slice_holds.groups = all->holds.groups;
    all->slice_holds.callers = all->holds.callers;
    all->slice_holds.part = all->holds.part;
    all->slice_holds.slice = &all->slice;
    all->played = &all->slice_holds;
    script->slice = &all->slice;
    rc = replay_bounds(all, script);
    if (rc == 1) {
        memcpy(all->items, before, bytes);
        all->off_ns = 0;
        all->forced = 0;
    }
    script->slice = NULL;
    tm__holds_free(&all->slice_holds);
    tm__free(&all->memory, before, bytes);
    return rc;
}

static int find_facts(tm__candidates *all)
{
    int rc = tm__replay_facts_open(&all->facts, all->model, &all->path, &all->memory,
                                   all->is_alone);

    all->signals = all->facts.signals;
    if (rc < 0 || !all->served.resources)
        return rc;
    all->served_rows = all->signals.rows = tm__signal_rows_served(
        &all->facts.signals, all->model, &all->memory, &all->served);
    return all->served_rows ? TM_OK : TM_ENOMEM;
}

static int replay_at_bounds(tm__candidates *all)
{
    tm__script script = {
        .model = all->model,
        .memory = &all->memory,
        .signals = &all->signals,
        .processors = &all->facts.processors,
        .served = all->served.resources ? &all->served : NULL,
        .stacks = all->options->change == TM_WHATIF_METHOD ? all->stacks : NULL,
        .endpoint = all->delays.objects,
        .samples = all->samples.count ? &all->samples : NULL,
        .idle = all->idle,
        .begin_ns = all->path.begin_ns,
        .end_ns = all->path.end_ns};
    int rc;

    tm__count_served(all);
    tm__count_wanting(all);
    /* The changes of holds and permits are known before there is a script. */
    if (!tm__is_of_delays(all->options->change))
        tm__candidates_settle(all, 0);
    if (tm__candidates_are_settled(all))
        return TM_OK;
    rc = find_facts(all);
    if (rc == TM_OK)
        rc = replay_slice(all, &script);
    if (rc == 1) {
        all->played = &all->holds;
        rc = replay_bounds(all, &script);
    }
    tm__script_free(&script);
    return rc;
}

static int is_no_image(const void *context, int64_t off_ns, uint64_t forced)
{
    (void)context;
    (void)off_ns;
    (void)forced;
    return 0;
}

int tm__candidates_replay(tm__candidates *all, const tm__load *load)
{
    static const tm__replays_needed none = {.of_run = is_no_image};

    all->is_put_off = 0;
    if (!all->items_count)
        return TM_OK;
    if (load->is_service)
        all->needed = &none;
    tm__candidates_count_holds(all);
    return replay_at_bounds(all);
}

int tm__candidates_put_off(tm__candidates *all, const tm__load *load)
{
    tm__candidates_count_holds(all);
    tm__count_served(all);
    if (tm__is_of_delays(all->options->change)) {
        uint32_t sleeps = tm__count_sleeps(all);

        if (!sleeps)
            return tm__candidates_replay(all, load);
        for (uint32_t i = 0; i < all->items_count; i++)
            all->items[i].scaled = sleeps;
    }
    all->is_put_off = 1;
    return TM_OK;
}
