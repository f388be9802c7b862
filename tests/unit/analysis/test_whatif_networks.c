/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What-if for random closed networks, whose rate with a change can be computed. Clients
 * think, and send requests that sleep, hold locks and use pools, one after the other or
 * one within the other. As in a recording, no event
 * shows that a lock or a permit was free.
 */
#include "support/random_networks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

/* ---- the network ---- */

/* ---- its recording ---- */

static int by_time(const void *left, const void *right)
{
    const numbered *l = left, *r = right;

    if (l->event.time_ns != r->event.time_ns)
        return l->event.time_ns < r->event.time_ns ? -1 : 1;
    return l->number < r->number ? -1 : 1;
}

static void define(const tm_sink *sink)
{
    tm_run run = {.size = sizeof(run), .policy = TM_POLICY_HOTSPOT};
    char names[STAGES][STACKS_EACH][16], classes[STAGES][16];

    assert_int_equal(sink->run(sink->payload, &run), TM_OK);
    for (uint64_t i = 0; i <= STAGES; i++) {
        tm_object object = {.size = sizeof(object), .class_id = i + 1};
        tm_class class = {.size = sizeof(class), .id = i + 1, .name = "app.Service"};

        if (i < STAGES) {
            snprintf(classes[i], sizeof(classes[i]), "app.S%d", (int)i);
            class.name = classes[i];
        }
        object.id = i < STAGES ? OBJECTS + i : KIND;
        assert_int_equal(sink->define_class(sink->payload, &class), TM_OK);
        assert_int_equal(sink->define_object(sink->payload, &object), TM_OK);
    }
    for (int i = 0; i < STAGES; i++)
        for (int what = SLEEPS; what <= GIVES; what++) {
            static const char *const verbs[] = {"", "sleep", "get", "give"};
            uint64_t id = stack_of(i, what);
            tm_method method = {
                .size = sizeof(method), .id = id, .class_id = (uint64_t)i + 1};
            tm_frame frame = {.method = id, .location = -1};
            tm_stack stack = {
                .size = sizeof(stack), .id = id, .frames = &frame, .frame_count = 1};

            snprintf(names[i][what], sizeof(names[i][what]), "%s", verbs[what]);
            method.name = names[i][what];
            assert_int_equal(sink->define_method(sink->payload, &method), TM_OK);
            assert_int_equal(sink->define_stack(sink->payload, &stack), TM_OK);
        }
}

static tm_model *recorded(network it)
{
    tm_model *model;

    it.events = calloc(EVENTS, sizeof(*it.events));
    assert_non_null(it.events);
    rate_of(&it, RECORDED);
    qsort(it.events, it.count, sizeof(*it.events), by_time);
    assert_int_equal(tm_model_new(&model, NULL), TM_OK);
    define(tm_model_sink(model));
    for (size_t i = 0; i < it.count; i++)
        assert_int_equal(tm_model_ingest(model, &it.events[i].event, 1), TM_OK);
    free(it.events);
    return model;
}

/* ---- predictions ---- */

typedef struct tally {
    int asked, predicted, inside, near;
} tally;

static void judge(tally *sum, const tm_model *model, network changed,
                  const tm_whatif_options *options)
{
    double real = rate_of(&changed, COMPUTED), low, middle, high;
    tm_table *table;

    sum->asked++;
    if (tm_whatif_predict(&table, model, options) != TM_OK)
        return;
    if (tm_table_row_count(table) && !tm_table_is_null(table, "throughput", 0)) {
        low = tm_table_double(table, "throughput_low")[0];
        middle = tm_table_double(table, "throughput")[0];
        high = tm_table_double(table, "throughput_high")[0];
        sum->predicted++;
        sum->inside += low <= real && real <= high;
        sum->near += middle / real * 100 > 100 - NEAR_PERCENT &&
                     middle / real * 100 < 100 + NEAR_PERCENT;
        if (getenv("TM_SHOW_NETWORKS"))
            printf("change %u %s: now %.0f predicted %.0f (%.0f to %.0f), computed "
                   "%.0f%s\n",
                   options->change,
                   options->method ? options->method : options->class_name,
                   tm_table_double(table, "throughput_now")[0], middle, low, high, real,
                   low <= real && real <= high ? "" : " *");
    }
    tm_table_free(table);
}

static void judge_network(tally sums[TM_WHATIF_END], const network *it)
{
    tm_model *model = recorded(*it);

    for (int i = 0; i < it->stages_count; i++) {
        char class_name[16], sleeps[24], gets[24];
        tm_whatif_options options = {.size = sizeof(options), .factor = 0.5};
        network changed = *it;

        snprintf(class_name, sizeof(class_name), "app.S%d", i);
        snprintf(sleeps, sizeof(sleeps), "app.S%d.sleep", i);
        snprintf(gets, sizeof(gets), "app.S%d.get", i);
        changed.stages[i].length_us /= 2;
        options.change = TM_WHATIF_METHOD;
        options.method = sleeps;
        judge(&sums[TM_WHATIF_METHOD], model, changed, &options);
        if (it->stages[i].kind == LOCK && !it->stages[i].is_within) {
            options.change = TM_WHATIF_HOLDS;
            options.method = NULL;
            options.class_name = class_name;
            judge(&sums[TM_WHATIF_HOLDS], model, changed, &options);
        } else if (it->stages[i].kind == POOL) {
            options.change = TM_WHATIF_USES;
            options.method = gets;
            judge(&sums[TM_WHATIF_USES], model, changed, &options);
            changed.stages[i] = it->stages[i];
            changed.stages[i].permits += 2;
            options.change = TM_WHATIF_PERMITS;
            options.permits = 2;
            judge(&sums[TM_WHATIF_PERMITS], model, changed, &options);
        }
    }
    tm_model_free(model);
}

static void rates_of_random_networks_are_inside(void **state)
{
    tally sums[TM_WHATIF_END] = {{0}}, all = {0};
    uint64_t random = 1;

    (void)state;
    for (int i = 0; i < NETWORKS; i++) {
        network it = random_network(&random);

        judge_network(sums, &it);
    }
    for (int i = 0; i < TM_WHATIF_END; i++) {
        printf("# %s: %d asked, %d predicted, inside %d, within %d %%: %d\n",
               tm_whatif_change_name(i), sums[i].asked, sums[i].predicted,
               sums[i].inside, NEAR_PERCENT, sums[i].near);
        all.asked += sums[i].asked;
        all.predicted += sums[i].predicted;
        all.inside += sums[i].inside;
        all.near += sums[i].near;
    }
    assert_true(all.predicted > NETWORKS);
    assert_true(all.inside * 10 >= all.predicted * 9);
    assert_true(all.near * 10 >= all.predicted * 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_of_random_networks_are_inside),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
