/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics of random runs that evict in bounded memory, against those of the same
 * runs as a whole.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

#include "support/group_runs.h"

/* So many, of so few objects and stacks, that evicting pays without loss. */
enum { EVICTED_EVENTS = 400000 };

/* Writes a table to memory; the buffer is large enough for what is asked here. */
struct page {
    char text[1 << 16];
    size_t used;
};

static int take(void *payload, const char *bytes, size_t count)
{
    struct page *page = payload;

    assert_true(page->used + count < sizeof(page->text));
    memcpy(page->text + page->used, bytes, count);
    page->used += count;
    page->text[page->used] = '\0';
    return TM_OK;
}

static void write_answer(struct page *page, const tm_model *model, uint32_t keys)
{
    tm_statistics_options options = {.size = sizeof(options), .keys = keys};
    tm_table *table;

    page->used = 0;
    assert_int_equal(keys ? tm_statistics_list(&table, model, &options)
                          : tm_thread_list(&table, model, NULL),
                     TM_OK);
    assert_int_equal(tm_table_write_csv(table, take, page), TM_OK);
    tm_table_free(table);
}

static int was_evicted(const tm_model *model)
{
    tm_table *table;
    int is_evicted = 0;

    assert_int_equal(tm_diagnostic_list(&table, model), TM_OK);
    for (size_t i = 0; i < tm_table_row_count(table); i++)
        is_evicted |= same(tm_table_string(table, "cause", i),
                           tm_diagnostic_name(TM_DIAGNOSTIC_EVICTED));
    tm_table_free(table);
    return is_evicted;
}

/* The keys have names in their rows, as equal rows without go by order of sight. */
static void eviction_changes_no_sum(void **state)
{
    static struct page whole, evicted;

    (void)state;
    for (uint64_t seed = 21; seed <= 23; seed++) {
        tm_model *model = random_run(seed, EVICTED_EVENTS, 0);
        tm_model *bounded =
            random_run(seed, EVICTED_EVENTS, tm_model_memory_bytes(model) / 4 * 3);

        assert_true(was_evicted(bounded));
        assert_false(was_evicted(model));
        for (uint32_t keys = 0;
             keys <= (TM_STATISTICS_BY_CLASS | TM_STATISTICS_BY_CALLER); keys++) {
            write_answer(&whole, model, keys);
            write_answer(&evicted, bounded, keys);
            assert_string_equal(evicted.text, whole.text);
        }
        tm_model_free(model);
        tm_model_free(bounded);
    }
}

/* Far too little memory: sums are kept by class, and only which objects they were
 * for and who called is given up. */
static void eviction_under_any_limit_keeps_sums_by_thread_and_class(void **state)
{
    static const char *const columns[] = {
        "threads",          "blocked_count",  "blocked_total_ns", "blocked_p90_ns",
        "waiting_count",    "waiting_min_ns", "waiting_total_ns", "reentering_total_ns",
        "joining_total_ns", "parked_count",   "parked_max_ns",    "parked_mean_ns",
    };
    static struct page whole, evicted;

    (void)state;
    for (uint64_t seed = 31; seed <= 33; seed++) {
        tm_model *model = random_run(seed, EVENTS, 0),
                 *bounded = random_run(seed, EVENTS, 1);
        tm_table *expected, *answer;

        write_answer(&whole, model, 0);
        write_answer(&evicted, bounded, 0);
        assert_string_equal(evicted.text, whole.text);
        assert_int_equal(tm_statistics_list(&expected, model, NULL), TM_OK);
        assert_int_equal(tm_statistics_list(&answer, bounded, NULL), TM_OK);
        assert_int_equal(tm_table_row_count(answer), tm_table_row_count(expected));
        for (size_t row = 0; row < tm_table_row_count(answer); row++)
            for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
                assert_int_equal(tm_table_int64(answer, columns[i])[row],
                                 tm_table_int64(expected, columns[i])[row]);
            }
        assert_non_null(strstr(tm_table_caveat(answer, 0), "evicted"));
        tm_table_free(expected);
        tm_table_free(answer);
        tm_model_free(model);
        tm_model_free(bounded);
    }
}

/* ---- threads and objects that come and go ---- */

enum { SLOTS = 8, PASSING_EVENTS = 300000, RECENT = 4 };

struct passing {
    tm_model *model;
    uint64_t random, threads, objects;
    int64_t now_ns;
    struct {
        uint64_t thread, object;
        int begun; ///< the kind of event that began a block; 0: none did
    } slots[SLOTS];
};

static uint64_t draw(struct passing *it, uint64_t bound)
{
    it->random = it->random * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (it->random >> 33) % bound;
}

static void pass(struct passing *it, size_t slot, int kind)
{
    tm_event event = {.time_ns = it->now_ns += 1 + (int64_t)draw(it, 50),
                      .thread = it->slots[slot].thread,
                      .object = it->slots[slot].object,
                      .kind = (uint16_t)kind};

    if (kind == TM_EVENT_WAITED)
        event.flags = draw(it, 2) ? TM_EVENT_TIMED_OUT : 0;
    assert_int_equal(tm_model_ingest(it->model, &event, 1), TM_OK);
}

static void begin_thread(struct passing *it, size_t slot)
{
    const tm_sink *sink = tm_model_sink(it->model);
    tm_thread thread = {.size = sizeof(thread), .id = ++it->threads, .name = "passing"};

    assert_int_equal(sink->define_thread(sink->payload, &thread), TM_OK);
    it->slots[slot].thread = thread.id;
    it->slots[slot].object = 0;
    pass(it, slot, TM_EVENT_THREAD_START);
}

static void choose_object(struct passing *it, size_t slot)
{
    const tm_sink *sink = tm_model_sink(it->model);
    tm_object object = {.size = sizeof(object), .class_id = 1};

    if (it->objects > RECENT && draw(it, 4)) {
        it->slots[slot].object = it->objects - draw(it, RECENT);
        return;
    }
    object.id = it->slots[slot].object = ++it->objects;
    assert_int_equal(sink->define_object(sink->payload, &object), TM_OK);
}

static void step_slot(struct passing *it, size_t slot)
{
    static const int begins[] = {TM_EVENT_CONTENDED_ENTER, TM_EVENT_WAIT, TM_EVENT_PARK,
                                 TM_EVENT_SLEEP};
    static const int ends[] = {TM_EVENT_CONTENDED_ENTERED, TM_EVENT_WAITED,
                               TM_EVENT_UNPARKED, TM_EVENT_SLEPT};
    uint64_t which = draw(it, 4);

    if (it->slots[slot].begun) {
        for (size_t i = 0; i < 4; i++)
            if (begins[i] == it->slots[slot].begun)
                pass(it, slot, ends[i]);
        it->slots[slot].begun = 0;
    } else if (draw(it, 8) == 0) {
        pass(it, slot, TM_EVENT_THREAD_END);
        begin_thread(it, slot);
    } else {
        choose_object(it, slot);
        pass(it, slot, begins[which]);
        it->slots[slot].begun = begins[which];
    }
}

static tm_model *passing_run(uint64_t seed, size_t limit_bytes)
{
    tm_model_options options = {.size = sizeof(options),
                                .memory_limit_bytes = limit_bytes};
    struct passing it = {.random = seed};
    tm_class class = {.size = sizeof(class), .id = 1, .name = "Passing"};
    const tm_sink *sink;

    assert_int_equal(tm_model_new(&it.model, &options), TM_OK);
    sink = tm_model_sink(it.model);
    assert_int_equal(sink->define_class(sink->payload, &class), TM_OK);
    for (size_t i = 0; i < SLOTS; i++)
        begin_thread(&it, i);
    for (int i = 0; i < PASSING_EVENTS; i++)
        step_slot(&it, draw(&it, SLOTS));
    return it.model;
}

static int64_t sum_of(const tm_table *table, const char *column)
{
    int64_t sum = 0;

    for (size_t row = 0; row < tm_table_row_count(table); row++)
        sum += tm_table_int64(table, column)[row];
    return sum;
}

/* The run has some 17,000 threads and 35,000 objects. */
static void forgetting_changes_no_total(void **state)
{
    static const char *const columns[] = {"blocked_count", "blocked_total_ns",
                                          "waiting_count", "waiting_total_ns",
                                          "parked_count",  "parked_total_ns"};

    (void)state;
    for (uint64_t seed = 41; seed <= 43; seed++) {
        tm_model *model = passing_run(seed, 0);
        tm_model *bounded = passing_run(seed, tm_model_memory_bytes(model) / 8);
        tm_table *expected, *answer, *all, *left;

        assert_int_equal(tm_thread_list(&all, model, NULL), TM_OK);
        assert_int_equal(tm_thread_list(&left, bounded, NULL), TM_OK);
        assert_true(tm_table_row_count(left) < tm_table_row_count(all) / 2);
        assert_int_equal(tm_statistics_list(&expected, model, NULL), TM_OK);
        assert_int_equal(tm_statistics_list(&answer, bounded, NULL), TM_OK);
        for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
            assert_int_equal(sum_of(answer, columns[i]), sum_of(expected, columns[i]));
            assert_int_equal(sum_of(left, columns[i]), sum_of(all, columns[i]));
        }
        assert_int_equal(sum_of(left, "sleeping_total_ns"),
                         sum_of(all, "sleeping_total_ns"));
        tm_table_free(all);
        tm_table_free(left);
        tm_table_free(expected);
        tm_table_free(answer);
        tm_model_free(model);
        tm_model_free(bounded);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eviction_changes_no_sum),
        cmocka_unit_test(eviction_under_any_limit_keeps_sums_by_thread_and_class),
        cmocka_unit_test(forgetting_changes_no_total),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
