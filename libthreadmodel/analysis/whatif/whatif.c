/* SPDX-License-Identifier: Apache-2.0 */
/* What-if questions: what they name is looked up once, the rest is candidates.c's. */
#include <threadmodel/whatif.h>

#include <stdio.h>
#include <string.h>

#include "analysis/path/path_why.h"
#include "analysis/whatif/candidate_search.h"
#include "analysis/whatif/candidates_replay.h"
#include "analysis/whatif/throughput.h"
#include "base/error.h"
#include "base/grouped.h"
#include "base/sized.h"
#include "model/deadlocks/deadlock_search.h"
#include "model/entities/entity_names.h"
#include "model/entities/methods.h"
#include "table/builder.h"
#include "table/tables.h"

enum { DEFAULT_COUNT = 20, LABEL_BYTES = 1024 };

#define FACTOR_AT_MOST 1e6
#define LONGEST_NS 1e18 /* 31 years, far from where times overflow */

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

    if (all->processors.most > 0) {
        snprintf(sentence, sizeof(sentence),
                 "Of the run's %s processors the program had as many that %.1f threads "
                 "run at once without slowing one another. So it is in the replay.",
                 tm__group_digits(all->model->run.processors).text,
                 all->processors.most);
        tm__builder_caveat(builder, sentence);
    } else if (!all->processors.is_known) {
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

static void put_caveats(const tm__candidates *all, tm__builder *builder)
{
    tm__path_put_caveats(&all->path, all->model, builder);
    tm__builder_caveat(
        builder,
        "Gains come from a replay of the run in which threads contend for locks anew. "
        "Of 36 changes that were really made to programs, the gain was between the "
        "bounds in 34, and predicted within 20 % or twice the measuring error in 30; "
        "on an overloaded machine in 25 and in 21.");
    tm__builder_caveat(builder,
                       "Uncontended holds are not seen, and keep their length.");
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
        "cannot tell: no thread slept in it, and there are no CPU samples",
        "cannot tell: no use of it was seen",
        "cannot tell: no wait for it was seen to be ended by another thread",
    };

    if (!it->scaled && all->options->change == TM_WHATIF_METHOD && all->samples.count)
        return "cannot tell: no thread slept in it, and no CPU sample is in it";
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

static void put_throughput(tm__builder *builder, const tm__candidates *all,
                           const tm__candidate *candidate, const tm__load *load,
                           const tm__throughput *it)
{
    enum { COLUMNS = 12 };

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
    tm__put_string(builder, tm__next_bottleneck(load, all, candidate));
}

/* The run of a service is as long as its load, so its length is the time in which the
 * requests of the steady time would have been served. */
static tm__gain gain_of_service(const tm__load *load, const tm__throughput *it)
{
    double ns = load->seconds * 1e9;

    return (tm__gain){.is_known = it->is_known,
                      .low_ns = (int64_t)(ns * (1 - load->rate / it->low)),
                      .middle_ns = (int64_t)(ns * (1 - load->rate / it->middle)),
                      .high_ns = (int64_t)(ns * (1 - load->rate / it->high))};
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
    tm__gain gain = tm__gain_of(all, it);

    if (load->is_service && throughput->is_known)
        gain = gain_of_service(load, throughput);
    else if (load->is_service)
        gain = (tm__gain){0};
    tm__put_string(builder, tm_whatif_change_name((int)options->change));
    tm__put_string(builder, tm__strings_get(strings, it->class_name));
    tm__put_string(builder, tm__strings_get(strings, it->method));
    tm__put_string(builder, options->object);
    if (options->change == TM_WHATIF_PERMITS) {
        tm__put_null(builder);
        tm__put_int32(builder, (int32_t)options->permits);
    } else {
        tm__put_double(builder, options->factor);
        tm__put_null(builder);
    }
    put_known_ns(builder, gain.is_known,
                 (load->is_service ? (int64_t)(load->seconds * 1e9)
                                   : tm_model_length_ns(all->model)) -
                     gain.middle_ns);
    put_known_ns(builder, gain.is_known, gain.middle_ns);
    put_known_ns(builder, gain.is_known, gain.low_ns);
    put_known_ns(builder, gain.is_known, gain.high_ns);
    tm__put_int64(builder, it->scaled);
    tm__put_int64(builder, it->scaled_ns);
    tm__put_string(builder, load->is_service ? note_of_service(all, it, throughput)
                                             : note_of(all, it));
    put_throughput(builder, all, it, load, throughput);
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
        "second while the rate was steady, for %.1f s. Predictions for them assume "
        "a closed load: as many at once after the change. Of 46 changes that were "
        "really "
        "made to services, the rate was between the bounds in 43, predicted within 15 "
        "%% "
        "in 43, and the 99th percentile within 25 %% in 30.%s",
        kind->is_stated ? "stated" : "inferred and not stated", load->in_flight,
        load->rate, load->seconds,
        load->is_service
            ? " The run is as long as its load: length and gain are of the "
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

static int answer(tm_table **out, tm__candidates *all, int is_asked)
{
    tm__builder builder;
    tm__load load = {0};
    tm__libraries libraries = {all->options->libraries, all->options->library_count};
    int rc = all->items_count ? tm__load_open(&load, all->model, &all->part, &libraries)
                              : TM_OK;

    tm__builder_start(&builder, &tm__whatif_table, 0, &all->model->memory.hook);
    for (uint32_t i = 0; rc == TM_OK && i < all->items_count && !builder.failed; i++) {
        tm__throughput throughput;

        rc = tm__throughput_of(&throughput, &load, all, &all->items[i]);
        /* A row of a ranking that ranks by nothing would only repeat a caveat. */
        if (rc == TM_OK && (is_asked || throughput.is_known ||
                            tm__gain_of(all, &all->items[i]).is_known))
            put_row(&builder, all, &all->items[i], &load, &throughput);
    }
    if (all->is_part)
        put_part(all, &builder);
    put_caveats(all, &builder);
    put_load(&load, &builder);
    tm__load_close(&load);
    if (rc < 0) {
        tm__builder_abandon(&builder);
        return rc;
    }
    return tm__builder_finish(&builder, out);
}

static int check_factor(const tm_model *model, double factor)
{
    if (!(factor >= 0 && factor <= FACTOR_AT_MOST))
        return tm__fail(TM_EINVAL, "factor %g is not from 0 to %g", factor,
                        FACTOR_AT_MOST);
    if (factor > 1 && (double)tm_model_length_ns(model) * factor > LONGEST_NS)
        return tm__fail(TM_EINVAL, "factor %g would make the run longer than %g ns",
                        factor, LONGEST_NS);
    return TM_OK;
}

static int find_class(const tm__candidates *all, uint32_t *name)
{
    *name = TM__NONE;
    if (!all->options->class_name)
        return TM_OK;
    for (uint32_t i = 0; i < all->model->entities.classes_count; i++) {
        const char *text = tm__class_name(all->model, i);

        if (text && strcmp(text, all->options->class_name) == 0) {
            *name = all->model->entities.classes[i].name;
            return TM_OK;
        }
    }
    return tm__fail(TM_ENOTFOUND, "there is no class %.200s in this run",
                    all->options->class_name);
}

static int find_method(const tm__candidates *all, uint32_t *name)
{
    *name = TM__NONE;
    if (!all->options->method)
        return TM_OK;
    for (uint32_t i = 0; i < all->model->entities.methods_count; i++) {
        const char *text = tm__method_name(all->model, i);

        if (text && strcmp(text, all->options->method) == 0) {
            *name = all->model->entities.methods[i].full_name;
            return TM_OK;
        }
    }
    return tm__fail(TM_ENOTFOUND, "there is no method %.200s in this run",
                    all->options->method);
}

/* Objects made from hashes may share a label; then all of them are meant. */
static int find_object(tm__candidates *all)
{
    char label[LABEL_BYTES];
    uint32_t *groups;
    int found = 0;

    if (!all->options->object)
        return TM_OK;
    groups = tm__candidates_choose_objects(all);
    if (!groups)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < all->model->entities.objects_count; i++) {
        tm__object_label(all->model, i, label, sizeof(label));
        if (strcmp(label, all->options->object) == 0) {
            groups[i] = 0;
            found = 1;
        }
    }
    if (!found)
        return tm__fail(TM_ENOTFOUND, "there is no object %.200s in this run",
                        all->options->object);
    return TM_OK;
}

static int check_question(const tm_model *model, tm_whatif_options *options)
{
    int rc = check_factor(model, options->factor);

    if (rc < 0)
        return rc;
    if (options->change >= TM_WHATIF_END)
        return tm__fail(TM_EINVAL, "unknown what-if change %u", options->change);
    if (!options->class_name && !options->method && !options->object)
        return tm__fail(TM_EINVAL, "a what-if needs a class, a method or an object");
    if (options->change != TM_WHATIF_HOLDS && (!options->method || options->object))
        return tm__fail(TM_EINVAL, "what-if of %s: name a method, and no object",
                        tm_whatif_change_name((int)options->change));
    if (options->permits > INT32_MAX)
        return tm__fail(TM_EINVAL, "too many permits: %u", options->permits);
    if (!options->permits)
        options->permits = 1;
    return TM_OK;
}

/* Look up what the question names. */
static int find_subject(tm__candidates *all)
{
    uint32_t class_name, method, change = all->options->change;
    int rc = find_class(all, &class_name);

    if (rc == TM_OK)
        rc = find_method(all, &method);
    if (rc == TM_OK)
        rc = find_object(all);
    if (rc == TM_OK)
        rc = tm__candidates_open_model(all);
    if (rc == TM_OK && change != TM_WHATIF_HOLDS)
        rc = tm__candidates_choose_method(all, method);
    if (rc == TM_OK && (change == TM_WHATIF_USES || change == TM_WHATIF_PERMITS))
        rc = tm__candidates_choose_waits(all, class_name);
    if (rc == TM_OK)
        rc = tm__candidates_gather(all);
    return rc == TM_OK
               ? tm__candidates_add(all, class_name, method, all->groups ? 0 : TM__NONE)
               : rc;
}

int tm_whatif_predict(tm_table **out, const tm_model *model,
                      const tm_whatif_options *given)
{
    tm_whatif_options options;
    tm__candidates all;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    TM__CHECK(given);
    rc = TM__READ(&options, given, tm_whatif_options, class_name);
    if (rc == TM_OK)
        rc = check_question(model, &options);
    if (rc < 0)
        return rc;
    tm__candidates_open(&all, model, &options);
    if (model->event_count) {
        rc = find_subject(&all);
        if (rc == TM_OK)
            rc = tm__candidates_replay(&all);
    }
    if (rc == TM_OK)
        rc = answer(out, &all, 1);
    tm__candidates_close(&all);
    return rc;
}

int tm_whatif_rank(tm_table **out, const tm_model *model,
                   const tm_whatif_options *given)
{
    tm_whatif_options options;
    tm__candidates all;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    rc = TM__READ(&options, given, tm_whatif_options, class_name);
    if (rc < 0)
        return rc;
    TM__CHECK(!options.class_name && !options.method && !options.object &&
              options.change == TM_WHATIF_HOLDS);
    rc = check_factor(model, options.factor);
    if (rc < 0)
        return rc;
    tm__candidates_open(&all, model, &options);
    rc = tm__candidates_open_model(&all);
    if (rc == TM_OK)
        rc = tm__candidates_gather(&all);
    if (rc == TM_OK)
        rc = tm__candidates_find(&all, options.count ? options.count : DEFAULT_COUNT);
    if (rc == TM_OK)
        rc = tm__candidates_replay(&all);
    if (rc == TM_OK)
        rc = tm__candidates_sort(&all);
    if (rc == TM_OK)
        rc = answer(out, &all, 0);
    tm__candidates_close(&all);
    return rc;
}
