/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What-if for services, judged by services that are computed: clients send one request
 * after the other, and what a change makes of their rate is known, for the service can
 * be computed with the change as well.
 *
 *     station   work, and then asleep with the one lock held
 *     pool      the same with one of some permits, which are passed on in a queue
 *     writer    readers work, unless a writer is asleep with the lock held
 *     sender    clients wait for a sender that is asleep before each batch
 */
#include "support/played_services.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

#include "support/scarce.h"

static int by_time(const void *left, const void *right)
{
    const numbered *l = left, *r = right;

    if (l->event.time_ns != r->event.time_ns)
        return l->event.time_ns < r->event.time_ns ? -1 : 1;
    return l->number < r->number ? -1 : 1;
}

static void define(const tm_sink *sink)
{
    static const char *const names[] = {"work", "query", "get", "give"};
    tm_run run = {.size = sizeof(run), .policy = TM_POLICY_HOTSPOT};
    tm_class class = {.size = sizeof(class), .id = 1, .name = "app.Service"};

    assert_int_equal(sink->run(sink->payload, &run), TM_OK);
    assert_int_equal(sink->define_class(sink->payload, &class), TM_OK);
    for (uint64_t i = LOCK; i <= KIND; i++) {
        tm_object object = {.size = sizeof(object), .id = i, .class_id = 1};

        assert_int_equal(sink->define_object(sink->payload, &object), TM_OK);
    }
    for (uint64_t i = WORK; i < STACKS; i++) {
        tm_method method = {
            .size = sizeof(method), .id = i, .class_id = 1, .name = names[i - WORK]};
        tm_frame frame = {.method = i, .location = -1};
        tm_stack stack = {
            .size = sizeof(stack), .id = i, .frames = &frame, .frame_count = 1};

        assert_int_equal(sink->define_method(sink->payload, &method), TM_OK);
        assert_int_equal(sink->define_stack(sink->payload, &stack), TM_OK);
    }
}

static tm_model *recorded(service *it, int length_us, const tm_allocator *hook)
{
    tm_model_options options = {.size = sizeof(options), .allocator = hook};
    tm_model *model;

    it->length_us = length_us;

    it->events = calloc(EVENTS, sizeof(*it->events));
    assert_non_null(it->events);
    it->run(it);
    qsort(it->events, it->count, sizeof(*it->events), by_time);
    assert_int_equal(tm_model_new(&model, &options), TM_OK);
    define(tm_model_sink(model));
    for (size_t i = 0; i < it->count; i++)
        assert_int_equal(tm_model_ingest(model, &it->events[i].event, 1), TM_OK);
    free(it->events);
    return model;
}

static double rate_of(service it)
{
    it.length_us = RUN_US;
    it.run(&it);
    return it.requests / (RUN_US / 1e6);
}

static double changed_rate(service it, double factor)
{
    it.asleep_us = (int)(it.asleep_us * factor);
    return rate_of(it);
}

static void assert_near(const tm_model *model, const tm_whatif_options *options,
                        double real, int is_near)
{
    tm_table *table;

    assert_int_equal(tm_whatif_predict(&table, model, options), TM_OK);
    assert_false(tm_table_is_null(table, "throughput", 0));
    if (is_near)
        assert_in_range(
            (uint64_t)(tm_table_double(table, "throughput")[0] / real * 100), 85, 115);
    assert_true(tm_table_double(table, "throughput_low")[0] <= real);
    assert_true(tm_table_double(table, "throughput_high")[0] >= real);
    tm_table_free(table);
}

/* The rate is in the interval for sleeps of each factor, and the middle is near it for
 * those that are not below one. */
static void assert_right(service it, uint32_t change, double near_from)
{
    static const double factors[] = {0.1, 0.25, 0.5, 0.75, 1};
    service as_it_is = it;
    tm_model *model = recorded(&as_it_is, RUN_US, NULL);

    for (size_t i = 0; i < sizeof(factors) / sizeof(*factors); i++) {
        tm_whatif_options options = {
            .size = sizeof(options), .change = change, .factor = factors[i]};

        if (change == TM_WHATIF_HOLDS)
            options.class_name = "app.Service";
        else
            options.method =
                change == TM_WHATIF_USES ? "app.Service.get" : "app.Service.query";
        assert_near(model, &options, changed_rate(it, factors[i]),
                    factors[i] >= near_from);
    }
    tm_model_free(model);
}

static void sleep_within_a_hold_is_queued_for(void **state)
{
    (void)state;
    assert_right((service){.run = run_station, .work_us = 6000, .asleep_us = 3000},
                 TM_WHATIF_METHOD, 0);
    assert_right((service){.run = run_station, .work_us = 6000, .asleep_us = 3000},
                 TM_WHATIF_HOLDS, 0);
}

static void permits_that_are_passed_on_are_released_once(void **state)
{
    service pool = {.run = run_pool, .work_us = 2000, .asleep_us = 10000, .permits = 2};
    service as_it_is = pool;
    tm_model *model = recorded(&as_it_is, RUN_US, NULL);

    (void)state;
    for (uint32_t more = 1; more <= MOST_PERMITS - 2; more++) {
        tm_whatif_options options = {.size = sizeof(options),
                                     .change = TM_WHATIF_PERMITS,
                                     .method = "app.Service.get",
                                     .permits = more};

        pool.permits = 2 + (int)more;
        assert_near(model, &options, rate_of(pool), 1);
    }
    tm_model_free(model);
    pool.permits = 2;
    assert_right(pool, TM_WHATIF_USES, 0);
}

static void sleep_of_a_writer_stops_all_readers(void **state)
{
    (void)state;
    for (uint32_t change = TM_WHATIF_HOLDS; change <= TM_WHATIF_METHOD; change++) {
        assert_right(
            (service){
                .run = run_writer, .work_us = 2000, .asleep_us = 8000, .gap_us = 4000},
            change, 0);
        assert_right(
            (service){
                .run = run_writer, .work_us = 1500, .asleep_us = 5000, .gap_us = 20000},
            change, 0);
    }
}

/* Where the sleep is about as long as what the clients do meanwhile, or shorter,
 * whether they come in time for the next batch is not known, so the interval is wide.
 */
static void sleep_of_a_sender_delays_its_batch(void **state)
{
    (void)state;
    assert_right(
        (service){
            .run = run_sender, .work_us = 2000, .asleep_us = 10000, .gap_us = 1000},
        TM_WHATIF_METHOD, 0.5);
}

static void running_out_of_memory_leaves_nothing_behind(void **state)
{
    service services[] = {
        {.run = run_station, .work_us = 6000, .asleep_us = 3000},
        {.run = run_writer, .work_us = 2000, .asleep_us = 8000, .gap_us = 4000}};

    (void)state;
    for (size_t i = 0; i < sizeof(services) / sizeof(*services); i++) {
        struct scarce scarce;
        tm_allocator hook = scarce_hook(&scarce, SIZE_MAX);
        tm_model *model = recorded(&services[i], SHORT_US, &hook);
        tm_whatif_options options = {.size = sizeof(options),
                                     .change = TM_WHATIF_METHOD,
                                     .method = "app.Service.query",
                                     .factor = 0.5};
        size_t live = scarce.live_blocks, calls = 0;
        int rc, is_known = 0;

        do {
            tm_table *table;

            scarce.calls_left = calls++;
            rc = tm_whatif_predict(&table, model, &options);
            assert_true(rc == TM_OK || rc == TM_ENOMEM);
            if (rc == TM_OK)
                is_known = !tm_table_is_null(table, "throughput", 0);
            tm_table_free(table);
            tm_model_ingest(model, NULL, 0); /* what is kept goes */
            assert_int_equal(scarce.live_blocks, live);
        } while (rc == TM_ENOMEM);
        assert_true(is_known);
        scarce.calls_left = SIZE_MAX;
        tm_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sleep_within_a_hold_is_queued_for),
        cmocka_unit_test(permits_that_are_passed_on_are_released_once),
        cmocka_unit_test(sleep_of_a_writer_stops_all_readers),
        cmocka_unit_test(sleep_of_a_sender_delays_its_batch),
        cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
