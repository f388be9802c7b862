/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What-if questions: which holds to scale, and the answers as a table. A ranking asks
 * about some dozens of classes and callers, at most 32 of them in one march.
 */
#include <threadmodel/whatif.h>

#include <stdio.h>
#include <string.h>

#include "analysis/forecast.h"
#include "analysis/path.h"
#include "base/sort.h"
#include "table/builder.h"

enum {
    DEFAULT_COUNT = 20,
    LABEL_BYTES = 1024,
    LANE_TIMES = 1 << 22 ///< that are kept at most: with very many threads fewer lanes
};

#define FACTOR_AT_MOST 1e6
#define LONGEST_NS 1e18 /* 31 years, far from where times overflow */

static const tm__column_spec columns[] = {
    {"class", TM_TYPE_STRING},    {"method", TM_TYPE_STRING},
    {"object", TM_TYPE_STRING},   {"factor", TM_TYPE_DOUBLE},
    {"length_ns", TM_TYPE_INT64}, {"gain_ns", TM_TYPE_INT64},
    {"holds", TM_TYPE_INT64},     {"hold_ns", TM_TYPE_INT64},
    {"note", TM_TYPE_STRING},
};

/** One what-if: holds of the places that match, TM__NONE for any. */
typedef struct candidate {
    uint32_t class_name; ///< strings
    uint32_t method;     ///< strings
    int64_t holds;
    int64_t hold_ns;
    int64_t gain_ns;
} candidate;

typedef struct question {
    const tm_model *model;
    const tm_whatif_options *options;
    tm__memory memory;
    tm__march march;
    tm__holds holds;
    tm__path path;
    uint8_t *chosen;  ///< an object; NULL: none is asked about
    uint32_t *masks;  ///< a place
    tm__triples seen; ///< classes on the path; (class, method): candidates[] + 1
    TM__ARRAY(candidate, candidates);
} question;

static int matches(const question *q, const candidate *it, const tm__place *place)
{
    return (it->class_name == TM__NONE || it->class_name == place->class_name) &&
           (it->method == TM__NONE || it->method == place->method) &&
           (!q->chosen || place->is_chosen);
}

static int add_candidate(question *q, uint32_t class_name, uint32_t method)
{
    if (tm__reserve(&q->memory, &q->candidates, &q->candidates_capacity,
                    (size_t)q->candidates_count + 1, sizeof(candidate)) < 0)
        return TM_ENOMEM;
    q->candidates[q->candidates_count++] =
        (candidate){.class_name = class_name, .method = method};
    return TM_OK;
}

static int forecast_some(question *q, candidate *some, uint32_t count)
{
    tm__forecast forecast = {.holds = &q->holds,
                             .masks = q->masks,
                             .lane_count = count,
                             .factor = q->options->factor,
                             .last_thread = q->path.thread};
    int rc;

    for (uint32_t p = 0; p < q->holds.places_count; p++) {
        q->masks[p] = 0;
        for (uint32_t l = 0; l < count; l++)
            if (matches(q, &some[l], &q->holds.places[p]))
                q->masks[p] |= UINT32_C(1) << l;
    }
    rc = tm__forecast_run(&forecast, q->model, &q->memory, &q->march);
    for (uint32_t l = 0; l < count && rc == TM_OK; l++)
        some[l].gain_ns = forecast.gain_ns[l];
    return rc;
}

static int forecast_all(question *q)
{
    uint32_t threads = q->model->threads_count ? q->model->threads_count : 1;
    uint32_t lanes = LANE_TIMES / threads;
    int rc = TM_OK;

    q->masks =
        tm__zalloc(&q->memory, ((size_t)q->holds.places_count + 1) * sizeof(*q->masks));
    if (!q->masks)
        return TM_ENOMEM;
    if (lanes > TM__FORECAST_LANES)
        lanes = TM__FORECAST_LANES;
    if (lanes == 0)
        lanes = 1;
    for (uint32_t done = 0; done < q->candidates_count && rc == TM_OK; done += lanes) {
        uint32_t left = q->candidates_count - done;

        rc = forecast_some(q, q->candidates + done, left < lanes ? left : lanes);
    }
    return rc;
}

static void count_holds(question *q)
{
    for (uint32_t i = 0; i < q->candidates_count; i++) {
        candidate *it = &q->candidates[i];

        it->holds = it->hold_ns = 0;
        for (uint32_t p = 0; p < q->holds.places_count; p++)
            if (matches(q, it, &q->holds.places[p])) {
                it->holds += q->holds.places[p].holds;
                it->hold_ns += q->holds.places[p].hold_ns;
            }
    }
}

static void put_limits(const question *q, tm__builder *builder)
{
    tm__path_put_limits(&q->path, q->model, builder);
    tm__builder_limit(builder,
                      "A gain is an upper bound: threads keep the order in which they "
                      "got each lock, and only holds that others were seen to wait for "
                      "are scaled.");
    if (tm__path_unexplained_ns(&q->path))
        tm__builder_limit(builder, "Unexplained time is kept as long as it was: what "
                                   "it waited for may hang on the lock, too.");
    if (q->model->deadlocks_count)
        tm__builder_limit(builder, "There was a deadlock: its threads are predicted to "
                                   "stand where they stood, though with other holds it "
                                   "might not have come about.");
}

static void put_row(tm__builder *builder, const question *q, const candidate *it)
{
    const tm__strings *strings = &q->model->strings;

    tm__put_string(builder, tm__strings_get(strings, it->class_name));
    tm__put_string(builder, tm__strings_get(strings, it->method));
    tm__put_string(builder, q->options->object);
    tm__put_double(builder, q->options->factor);
    tm__put_int64(builder, tm_model_length_ns(q->model) - it->gain_ns);
    tm__put_int64(builder, it->gain_ns);
    tm__put_int64(builder, it->holds);
    tm__put_int64(builder, it->hold_ns);
    tm__put_string(builder, it->holds ? NULL : "no hold of it was waited for");
}

static int by_hold(const void *payload, uint32_t left, uint32_t right)
{
    const question *q = payload;
    int64_t a = q->candidates[left].hold_ns, b = q->candidates[right].hold_ns;

    if (a != b)
        return a > b ? -1 : 1;
    return left < right ? -1 : 1;
}

/* Sort the candidates, by what was gained or, before that is known, by holds. */
static int sort_candidates(question *q)
{
    size_t count = q->candidates_count, bytes = (count + 1) * sizeof(tm__sortable);
    size_t sorted_bytes = (count + 1) * sizeof(candidate);
    tm__sortable *order = tm__resize(&q->memory, NULL, 0, 2 * bytes);
    candidate *sorted = tm__resize(&q->memory, NULL, 0, sorted_bytes);

    if (order && sorted) {
        for (uint32_t i = 0; i < count; i++)
            order[i] = (tm__sortable){-q->candidates[i].gain_ns, i};
        tm__sort(order, order + count + 1, count, by_hold, q);
        for (uint32_t i = 0; i < count; i++)
            sorted[i] = q->candidates[order[i].number];
        if (count)
            memcpy(q->candidates, sorted, count * sizeof(*sorted));
    }
    tm__free(&q->memory, order, 2 * bytes);
    tm__free(&q->memory, sorted, sorted_bytes);
    return order && sorted ? TM_OK : TM_ENOMEM;
}

static uint32_t class_of(const tm_model *model, uint32_t object)
{
    uint32_t index = object == TM__NONE ? TM__NONE : model->objects[object].class_index;

    return index == TM__NONE ? TM__NONE : model->classes[index].name;
}

/* Note a class that the path goes through: of what it waits for, or hands over. */
static int note_classes(question *q)
{
    for (uint32_t i = 0; i < q->path.segments_count; i++) {
        uint32_t object, stack, class_name, *value;

        tm__segment_subject(q->model, &q->path.segments[i], &object, &stack);
        class_name = class_of(q->model, object);
        if (class_name == TM__NONE)
            continue;
        value = tm__triples_at(&q->seen, &q->memory, class_name, TM__NONE, 0);
        if (!value)
            return TM_ENOMEM;
        *value = 1;
    }
    return TM_OK;
}

static int is_noted(question *q, uint32_t class_name)
{
    uint32_t *value;

    if (class_name == TM__NONE)
        return 0;
    value = tm__triples_at(&q->seen, &q->memory, class_name, TM__NONE, 0);
    if (!value)
        return TM_ENOMEM;
    if (!*value)
        *value = 2; /* a slot must not stay free */
    return *value == 1;
}

static int add_once(question *q, uint32_t class_name, uint32_t method)
{
    uint32_t *value = tm__triples_at(&q->seen, &q->memory, class_name, method, 1);

    if (!value)
        return TM_ENOMEM;
    if (*value)
        return TM_OK;
    *value = 1;
    return add_candidate(q, class_name, method);
}

static int find_candidates(question *q, uint32_t count)
{
    int rc = note_classes(q);

    for (uint32_t p = 0; p < q->holds.places_count && rc == TM_OK; p++) {
        const tm__place *place = &q->holds.places[p];

        rc = place->holds ? is_noted(q, place->class_name) : 0;
        if (rc <= 0)
            continue;
        rc = add_once(q, place->class_name, TM__NONE);
        if (rc == TM_OK && place->method != TM__NONE)
            rc = add_once(q, place->class_name, place->method);
    }
    if (rc < 0)
        return rc;
    count_holds(q);
    rc = sort_candidates(q);
    if (q->candidates_count > count)
        q->candidates_count = count;
    return rc;
}

static int gather(question *q)
{
    const tm_path_options whole = {.size = sizeof(whole)};
    tm__libraries libraries = {q->options->libraries, q->options->library_count};
    int rc = tm__path_walk(&q->path, q->model, &whole);

    if (rc == TM_OK)
        rc = tm__march_open(&q->march, q->model, &q->memory);
    if (rc == TM_OK)
        rc = tm__holds_gather(&q->holds, q->model, &q->memory, &q->march, q->chosen,
                              &libraries);
    return rc;
}

static int answer(tm_table **out, const question *q)
{
    tm__builder builder;

    tm__builder_start(&builder, "whatif", columns, sizeof(columns) / sizeof(*columns),
                      &q->model->memory.hook);
    for (uint32_t i = 0; i < q->candidates_count && !builder.failed; i++)
        put_row(&builder, q, &q->candidates[i]);
    put_limits(q, &builder);
    return tm__builder_finish(&builder, out);
}

static void close_question(question *q)
{
    size_t masks = (size_t)q->holds.places_count + 1;

    tm__free(&q->memory, q->masks, masks * sizeof(*q->masks));
    tm__free(&q->memory, q->chosen, (size_t)q->model->objects_count + 1);
    tm__free(&q->memory, q->candidates, q->candidates_capacity * sizeof(candidate));
    tm__triples_free(&q->seen, &q->memory);
    tm__holds_free(&q->holds);
    tm__march_close(&q->march);
    tm__path_free(&q->path);
}

static void open_question(question *q, const tm_model *model,
                          const tm_whatif_options *options)
{
    *q = (question){.model = model, .options = options};
    tm__memory_init(&q->memory, &model->memory.hook);
    q->path = (tm__path){.memory = q->memory, .thread = TM__NONE};
    q->march = (tm__march){.model = model, .memory = &q->memory};
    q->holds = (tm__holds){.model = model, .memory = &q->memory};
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

static int find_class(const question *q, uint32_t *name)
{
    *name = TM__NONE;
    if (!q->options->class_name)
        return TM_OK;
    for (uint32_t i = 0; i < q->model->classes_count; i++) {
        const char *text = tm__class_name(q->model, i);

        if (text && strcmp(text, q->options->class_name) == 0) {
            *name = q->model->classes[i].name;
            return TM_OK;
        }
    }
    return tm__fail(TM_ENOTFOUND, "there is no class %.200s in this run",
                    q->options->class_name);
}

static int find_method(const question *q, uint32_t *name)
{
    *name = TM__NONE;
    if (!q->options->method)
        return TM_OK;
    for (uint32_t i = 0; i < q->model->methods_count; i++) {
        const char *text = tm__method_name(q->model, i);

        if (text && strcmp(text, q->options->method) == 0) {
            *name = q->model->methods[i].full_name;
            return TM_OK;
        }
    }
    return tm__fail(TM_ENOTFOUND, "there is no method %.200s in this run",
                    q->options->method);
}

/* Objects made from hashes may share a label; then all of them are meant. */
static int find_object(question *q)
{
    char label[LABEL_BYTES];
    int found = 0;

    if (!q->options->object)
        return TM_OK;
    q->chosen = tm__zalloc(&q->memory, (size_t)q->model->objects_count + 1);
    if (!q->chosen)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < q->model->objects_count; i++) {
        tm__object_label(q->model, i, label, sizeof(label));
        if (strcmp(label, q->options->object) == 0)
            found = q->chosen[i] = 1;
    }
    if (!found)
        return tm__fail(TM_ENOTFOUND, "there is no object %.200s in this run",
                        q->options->object);
    return TM_OK;
}

int tm_whatif(tm_table **out, const tm_model *model, const tm_whatif_options *options)
{
    uint32_t class_name, method;
    question q;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    TM__CHECK(options);
    TM__CHECK(options->size >= sizeof(*options));
    rc = check_factor(model, options->factor);
    if (rc == TM_OK && !options->class_name && !options->method && !options->object)
        rc = tm__fail(TM_EINVAL, "what-if of nothing: a class, method or object is "
                                 "to be named");
    if (rc < 0)
        return rc;
    open_question(&q, model, options);
    if (model->event_count) {
        rc = find_class(&q, &class_name);
        if (rc == TM_OK)
            rc = find_method(&q, &method);
        if (rc == TM_OK)
            rc = find_object(&q);
        if (rc == TM_OK)
            rc = gather(&q);
        if (rc == TM_OK)
            rc = add_candidate(&q, class_name, method);
        if (rc == TM_OK)
            rc = forecast_all(&q);
    }
    if (rc == TM_OK) {
        count_holds(&q);
        rc = answer(out, &q);
    }
    close_question(&q);
    return rc;
}

int tm_whatif_rank(tm_table **out, const tm_model *model,
                   const tm_whatif_options *options)
{
    static const tm_whatif_options free_locks = {.size = sizeof(free_locks)};
    question q;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    if (!options)
        options = &free_locks;
    TM__CHECK(options->size >= sizeof(*options));
    TM__CHECK(!options->class_name && !options->method && !options->object);
    rc = check_factor(model, options->factor);
    if (rc < 0)
        return rc;
    open_question(&q, model, options);
    rc = gather(&q);
    if (rc == TM_OK)
        rc = find_candidates(&q, options->count ? options->count : DEFAULT_COUNT);
    if (rc == TM_OK)
        rc = forecast_all(&q);
    if (rc == TM_OK)
        rc = sort_candidates(&q);
    if (rc == TM_OK)
        rc = answer(out, &q);
    close_question(&q);
    return rc;
}
