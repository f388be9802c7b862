/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ranking of changes: locks, which share their replays, and a few of other kinds,
 * each asked as if it were alone. Some dozen replays of the run.
 */
#include "analysis/whatif/ranking.h"

#include "analysis/whatif/candidate_search.h"
#include "analysis/whatif/candidates_replay.h"
#include "analysis/whatif/throughput.h"
#include "analysis/whatif/whatif_rows.h"
#include "base/error.h"
#include "model/entities/entity_names.h"
#include "model/entities/methods.h"
#include "model/intervals/context.h"
#include "table/tables.h"

enum { DEFAULT_COUNT = 20, METHODS_AT_MOST = 3 };

/* In fewer of the samples a method is not worth a change. */
enum { SHARE_OF_SAMPLES = 10 };

#define FACTOR_AT_MOST 1e6
#define LONGEST_NS 1e18 /* 31 years, far from where times overflow */

int tm__whatif_check_factor(const tm_model *model, double factor)
{
    if (!(factor >= 0 && factor <= FACTOR_AT_MOST))
        return tm__fail(TM_EINVAL, "factor %g is not from 0 to %g", factor,
                        FACTOR_AT_MOST);
    if (factor > 1 && (double)tm_model_length_ns(model) * factor > LONGEST_NS)
        return tm__fail(TM_EINVAL, "factor %g would make the run longer than %g ns",
                        factor, LONGEST_NS);
    return TM_OK;
}

static tm__ranked *add_item(tm__ranking *ranking)
{
    tm__ranked *it;

    if (ranking->count == TM__RANKED_KINDS)
        return NULL;
    it = tm__zalloc(&ranking->memory, sizeof(*it));
    if (!it)
        return NULL;
    it->options = ranking->options;
    tm__candidates_open(&it->all, ranking->model, &it->options);
    ranking->items[ranking->count++] = it;
    return it;
}

/* ---- locks ---- */

int tm__ranking_open(tm__ranking *ranking, const tm_model *model,
                     const tm_whatif_options *options)
{
    tm__libraries libraries = {options->libraries, options->library_count};
    uint32_t count = options->count ? options->count : DEFAULT_COUNT;
    tm__ranked *it;
    int rc;

    *ranking = (tm__ranking){.model = model, .options = *options};
    tm__memory_init(&ranking->memory, &model->memory.hook);
    it = add_item(ranking);
    if (!it)
        return tm__failure();
    rc = tm__candidates_open_model(&it->all);
    if (rc == TM_OK)
        rc = tm__candidates_gather(&it->all);
    if (rc == TM_OK)
        rc = tm__load_open(&ranking->load, model, &it->all.part, &libraries);
    if (rc == TM_OK)
        rc = tm__candidates_find(&it->all, &ranking->load, count);
    return rc == TM_OK ? tm__candidates_replay(&it->all, &ranking->load) : rc;
}

/* ---- changes of other kinds ---- */

static int is_same(const tm__gain_question *a, const tm__gain_question *b)
{
    return a->change == b->change && a->class_name == b->class_name &&
           a->method == b->method && a->object == b->object;
}

static int is_tried(const tm__ranking *ranking, const tm__gain_question *question)
{
    for (uint32_t i = 1; i < ranking->count; i++)
        if (is_same(&ranking->items[i]->question, question))
            return 1;
    return 0;
}

static int choose_endpoint(tm__ranked *it)
{
    uint32_t object = it->question.object;
    uint32_t *groups = tm__candidates_choose_objects(&it->all);

    if (!groups)
        return tm__failure();
    groups[object] = 0;
    tm__object_label(it->all.model, object, it->object, sizeof(it->object));
    it->options.object = it->object;
    tm__candidates_choose_endpoint(&it->all);
    return TM_OK;
}

/* As whoever asks for that change alone. */
static int choose(tm__ranked *it)
{
    const tm__gain_question *question = &it->question;
    int rc;

    if (question->change == TM_WHATIF_PROCESSORS)
        return TM_OK;
    if (question->change == TM_WHATIF_IO)
        return choose_endpoint(it);
    rc = tm__candidates_choose_method(&it->all, question->method);
    if (rc == TM_OK && question->change != TM_WHATIF_METHOD)
        rc = tm__candidates_choose_waits(&it->all, question->class_name);
    return rc;
}

int tm__ranking_add(tm__ranking *ranking, const tm__gain_question *question)
{
    tm__ranked *it;
    int rc;

    if (is_tried(ranking, question) || ranking->count == TM__RANKED_KINDS)
        return TM_OK;
    it = add_item(ranking);
    if (!it)
        return tm__failure();
    it->question = *question;
    it->options.change = question->change;
    it->options.permits = question->change == TM_WHATIF_PROCESSORS
                              ? (uint32_t)ranking->model->run.processors
                              : ranking->model->entities.threads_count;
    rc = tm__candidates_open_model(&it->all);
    if (rc == TM_OK)
        rc = choose(it);
    if (rc == TM_OK)
        rc = tm__candidates_gather(&it->all);
    if (rc == TM_OK)
        rc = tm__candidates_add(&it->all, question->class_name, question->method,
                                it->all.groups ? 0 : TM__NONE);
    return rc == TM_OK ? tm__candidates_replay(&it->all, &ranking->load) : rc;
}

/* ---- methods that run ---- */

/* Count the samples of each method, by its name. @return how many there are of all */
static uint64_t count_samples(const tm__ranking *ranking, uint32_t *of_method)
{
    const tm_model *model = ranking->model;
    const uint32_t *callers = ranking->items[0]->all.callers;
    uint64_t count = 0;

    for (uint32_t i = 0; i < model->intervals.contexts_count; i++) {
        const tm__context *it = &model->intervals.contexts[i];
        uint32_t frame = it->kind == TM_EVENT_CPU_SAMPLE && it->stack != TM__NONE
                             ? callers[it->stack]
                             : TM__NONE;

        count += it->kind == TM_EVENT_CPU_SAMPLE;
        if (frame != TM__NONE && model->entities.frames[frame].method != TM__NONE)
            of_method[model->entities.frames[frame].method]++;
    }
    return count;
}

static int add_top_methods(tm__ranking *ranking, uint32_t *of_method, uint64_t samples)
{
    const tm_model *model = ranking->model;
    int rc = TM_OK;

    for (int i = 0; rc == TM_OK && i < METHODS_AT_MOST; i++) {
        uint32_t top = 0;

        for (uint32_t m = 1; m < model->entities.methods_count; m++)
            if (of_method[m] > of_method[top])
                top = m;
        if (!model->entities.methods_count || !of_method[top] ||
            of_method[top] < samples / SHARE_OF_SAMPLES)
            break;
        of_method[top] = 0;
        if (model->entities.methods[top].full_name == TM__NONE)
            continue;
        rc = tm__ranking_add(
            ranking,
            &(tm__gain_question){.change = TM_WHATIF_METHOD,
                                 .class_name = TM__NONE,
                                 .method = model->entities.methods[top].full_name,
                                 .object = TM__NONE});
    }
    return rc;
}

int tm__ranking_add_methods(tm__ranking *ranking)
{
    const tm_model *model = ranking->model;
    size_t bytes = ((size_t)model->entities.methods_count + 1) * sizeof(uint32_t);
    uint32_t *of_method = tm__zalloc(&ranking->memory, bytes);
    uint64_t samples;
    int rc = of_method ? TM_OK : TM_ENOMEM;

    samples = of_method ? count_samples(ranking, of_method) : 0;
    if (samples)
        rc = add_top_methods(ranking, of_method, samples);
    tm__free(&ranking->memory, of_method, bytes);
    return rc;
}

/* ---- the answer ---- */

static uint32_t count_rows(const tm__ranking *ranking)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < ranking->count; i++)
        count += ranking->items[i]->all.items_count;
    return count;
}

static int fill_rows(tm__whatif_row *rows, tm__ranking *ranking)
{
    uint32_t count = 0;
    int rc = TM_OK;

    for (uint32_t i = 0; i < ranking->count; i++) {
        tm__candidates *all = &ranking->items[i]->all;

        for (uint32_t k = 0; rc == TM_OK && k < all->items_count; k++) {
            rows[count] = (tm__whatif_row){.all = all, .it = &all->items[k]};
            rc = tm__throughput_of(&rows[count].throughput, &ranking->load, all,
                                   &all->items[k]);
            count++;
        }
    }
    return rc;
}

int tm__ranking_answer(tm_table **out, tm__ranking *ranking)
{
    const tm_whatif_options *options = &ranking->options;
    uint32_t count = count_rows(ranking);
    size_t bytes = ((size_t)count + 1) * sizeof(tm__whatif_row);
    tm__whatif_row *rows = tm__zalloc(&ranking->memory, bytes);
    tm__builder builder;
    int rc = rows ? fill_rows(rows, ranking) : TM_ENOMEM;

    tm__builder_start(&builder, &tm__whatif_table, 0, &ranking->model->memory.hook);
    if (rc == TM_OK)
        rc = tm__whatif_put_ranked(&builder, rows, count,
                                   options->count ? options->count : DEFAULT_COUNT,
                                   &ranking->load, &ranking->memory);
    tm__whatif_put_caveats(&builder, &ranking->items[0]->all, &ranking->load);
    tm__free(&ranking->memory, rows, bytes);
    return tm__builder_close(&builder, out, rc);
}

void tm__ranking_close(tm__ranking *ranking)
{
    tm__load_close(&ranking->load);
    for (uint32_t i = 0; i < ranking->count; i++) {
        tm__candidates_close(&ranking->items[i]->all);
        tm__free(&ranking->memory, ranking->items[i], sizeof(tm__ranked));
    }
}
