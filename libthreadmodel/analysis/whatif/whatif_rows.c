/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answer to a what-if: a row for each change, and what the rows rest on. A
 * service's run is as long as its load, so there changes are measured by requests.
 */
#include "analysis/whatif/whatif_rows.h"

#include <stdio.h>

#include "analysis/path/path_why.h"
#include "analysis/whatif/request_play.h"
#include "analysis/whatif/throughput.h"
#include "base/grouped.h"
#include "base/sort.h"
#include "model/deadlocks/deadlock_search.h"
#include "table/builder.h"
#include "table/tables.h"

enum { NEXT_COLUMNS = 4 };

static int had_deadlock(const tm_model *model)
{
    for (uint32_t i = 0; i < model->deadlocks.cycles_count; i++)
        if (!model->deadlocks.cycles[i].withdrawn)
            return 1;
    return 0;
}

static void put_processors(const tm__candidates *all, tm__builder *builder)
{
    char sentence[160];

    if (all->facts.processors.most > 0) {
        snprintf(sentence, sizeof(sentence),
                 "The run had %s processor%s, enough for %.1f threads at once. The "
                 "replay has the same.",
                 tm__group_digits(all->model->run.processors).text,
                 all->model->run.processors == 1 ? "" : "s",
                 all->facts.processors.most);
        tm__builder_caveat(builder, sentence);
    } else if (!all->facts.processors.is_known) {
        tm__builder_caveat(builder,
                           "How many processors there were, or how long threads had "
                           "them, is not known: the replay has as many as threads "
                           "want.");
    }
}

static int is_image(const tm__candidates *all)
{
    return tm__replay_is_image(all->off_ns, all->forced,
                               tm_model_length_ns(all->model));
}

/* The replay without a change is compared with the run first. */
static void put_difference(const tm__candidates *all, tm__builder *builder)
{
    char sentence[200];
    int64_t run_ns = tm_model_length_ns(all->model);

    if (all->forced)
        tm__builder_caveat(
            builder, "Without a change threads deadlock in the replay, which they "
                     "did not in the run, so nothing is predicted from it.");
    else if (!is_image(all) && run_ns > 0) {
        snprintf(sentence, sizeof(sentence),
                 "Without a change the replay takes %.0f %% of the run's time. It "
                 "predicts nothing if it differs by more than an eighth.",
                 100.0 * (double)(run_ns + all->off_ns) / (double)run_ns);
        tm__builder_caveat(builder, sentence);
    }
}

/* The caveats of a run whose length the work decides. */
static void put_caveats(const tm__candidates *all, tm__builder *builder)
{
    tm__path_put_caveats(&all->path, all->model, builder);
    tm__builder_caveat(
        builder,
        "Gains come from a replay of the run in which threads contend for locks anew. "
        "Of 36 changes that were really made to programs, the gain was between the "
        "bounds in 34, and predicted within 20 % or twice the measuring error in 30; "
        "on an overloaded machine in 25 and in 21.");
    put_processors(all, builder);
    put_difference(all, builder);
    if (all->samples.count)
        tm__builder_caveat(builder, "CPU samples say which part of its running time a "
                                    "thread is in the method.");
    if (tm__path_unexplained_ns(&all->path))
        tm__builder_caveat(builder, "Unexplained waits end when they ended: what they "
                                    "waited for may depend on the change, too.");
    if (had_deadlock(all->model))
        tm__builder_caveat(
            builder, "There was a deadlock: its threads stay deadlocked in the replay, "
                     "though with other holds it might not have occurred.");
}

static const char *note_of(const tm__candidates *all, const tm__candidate *it)
{
    static const char *const nothing[TM_WHATIF_END] = {
        "cannot tell: no thread waited for a hold of it",
        "cannot tell: no thread slept or was in I/O in it, and there are no CPU "
        "samples",
        "cannot tell: no use of it was seen",
        "cannot tell: no wait for it was seen to be ended by another thread",
        "cannot tell: no thread waited for it in I/O that is not idle",
        "cannot tell: no count shows that a thread wanted a processor",
    };

    if (!it->scaled && all->options->change == TM_WHATIF_METHOD && all->samples.count)
        return "cannot tell: no thread slept or was in I/O in it, and no CPU sample is "
               "in it";
    if (!it->scaled)
        return nothing[all->options->change];
    if (!tm__is_replayed(all))
        return "cannot tell: of a part of a run, this is predicted for requests alone";
    if (all->is_too_long)
        return "cannot tell: the run is too long to be replayed";
    if (it->unlinked_ns)
        return "cannot tell: no recorded event links its thread to the end";
    if (all->forced)
        return "cannot tell: threads deadlock in the replay even without the change";
    if (!is_image(all))
        return "cannot tell: even without the change the replay is not as long as the "
               "run";
    if (it->forced)
        return "cannot tell: with the change threads deadlock in the replay";
    return NULL;
}

static void put_known_ns(tm__builder *builder, int is_known, int64_t ns)
{
    if (is_known)
        tm__put_int64(builder, ns);
    else
        tm__put_null(builder);
}

static void put_next(tm__builder *builder, const tm__candidates *all,
                     const tm__next *next)
{
    static const char *const kinds[] = {"lock", "pool", "processors", "place"};
    const tm__strings *strings = &all->model->entities.strings;

    if (next->kind == TM__NONE) {
        for (int i = 0; i < NEXT_COLUMNS; i++)
            tm__put_null(builder);
        return;
    }
    tm__put_string(builder, next->kind == TM__STATION_PROCESSORS ? "processors"
                            : next->method != TM__NONE
                                ? tm__strings_get(strings, next->method)
                                : tm__strings_get(strings, next->class_name));
    tm__put_string(builder, kinds[next->kind]);
    tm__put_double(builder, next->in_use);
    tm__put_int32(builder, (int32_t)next->servers);
}

static void put_throughput(tm__builder *builder, const tm__candidates *all,
                           const tm__load *load, const tm__throughput *it)
{
    enum { COLUMNS = 11 + NEXT_COLUMNS };

    if (!it->is_known) {
        for (int i = 0; i < COLUMNS; i++)
            tm__put_null(builder);
        return;
    }
    tm__put_string(builder,
                   tm__strings_get(&all->model->entities.strings, load->kind->name));
    tm__put_double(builder, load->rate);
    tm__put_double(builder, it->middle);
    tm__put_double(builder, it->low);
    tm__put_double(builder, it->high);
    tm__put_int64(builder, (int64_t)(load->in_flight / load->rate * 1e9));
    tm__put_int64(builder, it->mean_ns);
    tm__put_int64(builder, it->mean_low_ns);
    tm__put_int64(builder, it->mean_high_ns);
    tm__put_int64(builder, it->p99_now_ns);
    tm__put_int64(builder, it->p99_ns);
    put_next(builder, all, &it->next);
}

/* Its length does not depend on the change. Where threads only seem to make units until
 * a given time, the replay is asked. */
static int is_load(const tm__load *load)
{
    return load->is_service || load->model->run.ending == TM_ENDING_WENT_ON;
}

/* A run that is as long as its load: the time in which the requests of the steady time
 * would have been served. */
static tm__gain gain_of_load(const tm__load *load, const tm__throughput *it)
{
    double ns = load->seconds * 1e9;

    return (tm__gain){.is_known = it->is_known,
                      .low_ns = (int64_t)(ns * (1 - load->rate / it->low)),
                      .middle_ns = (int64_t)(ns * (1 - load->rate / it->middle)),
                      .high_ns = (int64_t)(ns * (1 - load->rate / it->high))};
}

/* By the measure of the run: requests where it is as long as its load, else its length.
 */
static tm__gain gain_of(const tm__candidates *all, const tm__candidate *it,
                        const tm__load *load, const tm__throughput *throughput)
{
    if (is_load(load) && throughput->is_known)
        return gain_of_load(load, throughput);
    return load->is_service ? (tm__gain){0} : tm__gain_of(all, it);
}

static const char *note_of_service(const tm__candidates *all, const tm__candidate *it,
                                   const tm__throughput *throughput)
{
    if (throughput->is_known)
        return NULL;
    if (!it->scaled)
        return note_of(all, it);
    return "cannot tell: the run is as long as its load, and no request waits for this";
}

static void put_row(tm__builder *builder, const tm__candidates *all,
                    const tm__candidate *it, const tm__load *load,
                    const tm__throughput *throughput)
{
    const tm__strings *strings = &all->model->entities.strings;
    const tm_whatif_options *options = all->options;
    tm__gain gain = gain_of(all, it, load, throughput);
    int64_t now_ns = is_load(load) && throughput->is_known
                         ? (int64_t)(load->seconds * 1e9)
                         : tm_model_length_ns(all->model);

    tm__put_string(builder, tm_whatif_change_name((int)options->change));
    tm__put_string(builder, tm__strings_get(strings, it->class_name));
    tm__put_string(builder, tm__strings_get(strings, it->method));
    if (options->object)
        tm__put_text(builder, options->object);
    else
        tm__put_null(builder);
    if (tm__is_of_more(options->change)) {
        tm__put_null(builder);
        tm__put_int32(builder, (int32_t)options->permits);
    } else {
        tm__put_double(builder, options->factor);
        tm__put_null(builder);
    }
    put_known_ns(builder, gain.is_known, now_ns - gain.middle_ns);
    put_known_ns(builder, gain.is_known, gain.middle_ns);
    put_known_ns(builder, gain.is_known, gain.low_ns);
    put_known_ns(builder, gain.is_known, gain.high_ns);
    tm__put_int64(builder, it->scaled);
    tm__put_int64(builder, it->scaled_ns);
    tm__put_string(builder, is_load(load) && (load->is_service || throughput->is_known)
                                ? note_of_service(all, it, throughput)
                                : note_of(all, it));
    put_throughput(builder, all, load, throughput);
}

static void put_load(const tm__load *load, tm__builder *builder)
{
    char sentence[600];
    const tm__unit_kind *kind = load->kind;

    if (!kind)
        return;
    snprintf(
        sentence, sizeof(sentence),
        "Requests are units of work %s by the producer, %.1f at once and %.1f a "
        "second while the rate was steady, for %.1f s. Predictions for them assume a "
        "closed load of %u clients, as many as had a request at once, who think for "
        "%.1f ms between requests. Of a method in which requests sleep or wait only is "
        "known how many were there at once: the least rate assumes no more.%s",
        kind->is_stated ? "stated" : "inferred and not stated", load->in_flight,
        load->rate, load->seconds, load->customers, load->think * 1e3,
        is_load(load) ? " The run is as long as its load: length and gain are of the "
                        "time in which these requests would be served."
                      : "");
    tm__builder_caveat(builder, sentence);
}

static void put_part(const tm__candidates *all, tm__builder *builder)
{
    tm__scope_put_part(&all->part, all->model, builder);
    tm__builder_caveat(builder, "Only what begins in this part changes; the length is "
                                "that of the whole run.");
}

static int is_known(const tm__whatif_row *row, const tm__load *load)
{
    return row->throughput.is_known ||
           gain_of(row->all, row->it, load, &row->throughput).is_known;
}

int tm__whatif_put_ranked(tm__builder *builder, const tm__whatif_row *rows,
                          uint32_t count, uint32_t most, const tm__load *load,
                          tm__memory *memory)
{
    size_t bytes = 2 * ((size_t)count + 1) * sizeof(tm__sortable);
    tm__sortable *order = tm__resize(memory, NULL, 0, bytes);
    uint32_t known = 0;

    if (!order)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        if (is_known(&rows[i], load))
            order[known++] = (tm__sortable){
                -gain_of(rows[i].all, rows[i].it, load, &rows[i].throughput).middle_ns,
                i};
    tm__sort(order, order + known, known, NULL, NULL);
    for (uint32_t i = 0; i < known && i < most && !builder->failed; i++) {
        const tm__whatif_row *row = &rows[order[i].number];

        put_row(builder, row->all, row->it, load, &row->throughput);
    }
    tm__free(memory, order, bytes);
    return builder->failed;
}

void tm__whatif_put_caveats(tm__builder *builder, const tm__candidates *all,
                            const tm__load *load)
{
    if (all->is_part)
        put_part(all, builder);
    if (!load->is_service)
        put_caveats(all, builder);
    tm__builder_caveat(builder,
                       "Uncontended holds are not seen, and keep their length.");
    put_load(load, builder);
}

int tm__whatif_answer(tm_table **out, tm__candidates *all, const tm__load *load)
{
    tm__builder builder;
    tm__throughput throughput;
    int rc = TM_OK;

    tm__builder_start(&builder, &tm__whatif_table, 0, &all->model->memory.hook);
    for (uint32_t i = 0; rc == TM_OK && i < all->items_count; i++) {
        rc = tm__throughput_of(&throughput, load, all, &all->items[i]);
        if (rc == TM_OK)
            put_row(&builder, all, &all->items[i], load, &throughput);
    }
    tm__whatif_put_caveats(&builder, all, load);
    return tm__builder_close(&builder, out, rc);
}
