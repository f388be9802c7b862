/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics of random runs, by every combination of keys, against sums made the
 * slow way: for each row of the answer all rows of the timeline are gone through.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

enum { THREADS = 7, OBJECTS = 9, STACKS = 14, EVENTS = 1500, MAX_HOLD_UPS = EVENTS };

/* So many, of so few objects and stacks, that folding pays without loss. */
enum { FOLDED_EVENTS = 400000 };

/** One hold-up as the timeline shows it. */
struct hold_up {
    uint64_t thread_id;
    const char *thread, *state, *object, *class_name, *method, *source;
    int32_t line;
    int64_t duration_ns;
};

static struct hold_up hold_ups[MAX_HOLD_UPS];
static size_t hold_up_count;

static const char *const states[] = {"blocked", "waiting", "reentering", "joining",
                                     "parked"};
static const char *const groups[] = {"main", "pool", NULL};

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void define(tm_model *model)
{
    const tm_sink *sink = tm_model_sink(model);

    for (uint64_t i = 1; i <= 4; i++) {
        /* Two classes of one name, one in the libraries. */
        static const char *const names[] = {"app.A", "app.B", "app.A", "java.util.L"};
        tm_class class = {
            .id = i, .name = names[i - 1], .source = i % 2 ? "A.java" : 0};
        tm_method method = {.id = i, .class_id = i, .name = i % 2 ? "run" : "call"};

        assert_int_equal(sink->define_class(sink->payload, &class), TM_OK);
        assert_int_equal(sink->define_method(sink->payload, &method), TM_OK);
    }
    for (uint64_t i = 1; i <= OBJECTS; i++) {
        tm_object object = {.id = i, .class_id = i % 5};

        assert_int_equal(sink->define_object(sink->payload, &object), TM_OK);
    }
    /* Two pairs of stacks share a caller. */
    for (uint32_t i = 1; i <= STACKS; i++) {
        tm_frame frames[] = {{.method = 4, .location = -1},
                             {.method = i % 4, .location = -1, .line = (int32_t)i % 3}};
        tm_stack stack = {.id = i, .frames = frames, .frame_count = 2};

        assert_int_equal(sink->define_stack(sink->payload, &stack), TM_OK);
    }
    for (uint64_t i = 1; i <= THREADS; i++) {
        char name[16];
        tm_object object = {.id = 1000 + i, .class_id = 2, .thread = i};
        tm_thread thread = {
            .id = i, .object = 1000 + i, .name = name, .group = groups[i % 3]};

        snprintf(name, sizeof(name), "t%d", (int)i / 2);
        assert_int_equal(sink->define_object(sink->payload, &object), TM_OK);
        assert_int_equal(sink->define_thread(sink->payload, &thread), TM_OK);
    }
}

/* Threads that begin hold-ups of all kinds and end most of them. */
static tm_model *random_run(uint64_t seed, int events, size_t limit_bytes)
{
    tm_model_options options = {.size = sizeof(options),
                                .memory_limit_bytes = limit_bytes};
    static const uint16_t pairs[][2] = {
        {TM_EVENT_CONTENDED_ENTER, TM_EVENT_CONTENDED_ENTERED},
        {TM_EVENT_WAIT, TM_EVENT_WAITED},
        {TM_EVENT_PARK, TM_EVENT_UNPARKED},
        {TM_EVENT_SLEEP, TM_EVENT_SLEPT},
        {TM_EVENT_JOIN, TM_EVENT_JOINED},
    };
    tm_event last[THREADS + 1] = {{0}};
    uint64_t objects = events > EVENTS ? 2 : OBJECTS;
    uint64_t stacks = events > EVENTS ? 2 : STACKS;
    int64_t time_ns = 0;
    tm_model *model;

    assert_int_equal(tm_model_new(&model, &options), TM_OK);
    define(model);
    for (int i = 0; i < events; i++) {
        uint64_t r = next_random(&seed);
        uint64_t thread = r % THREADS + 1;
        tm_event *now = &last[thread];
        int pair = (int)(r >> 8 & 0xff) % 5;

        time_ns += (int64_t)((r >> 16 & 0x3ff) << (r >> 26 & 7));
        if (now->kind && r >> 32 & 7) {
            now->kind++; /* the end of each pair is the next kind */
        } else {
            *now = (tm_event){.thread = thread, .kind = pairs[pair][0]};
            now->object = pair < 3 ? (r >> 36) % (objects + 1) : 0;
            now->peer = pair == 4 ? (r >> 40) % (THREADS + 1) : 0;
            now->stack = (uint32_t)((r >> 44) % (stacks + 1));
        }
        now->time_ns = time_ns;
        if ((r >> 48) % 4 == 0) {
            tm_event notify = {.time_ns = time_ns,
                               .thread = thread,
                               .kind = TM_EVENT_NOTIFY_ALL,
                               .object = (r >> 50) % OBJECTS + 1};

            assert_int_equal(tm_model_ingest(model, &notify, 1), TM_OK);
        }
        assert_int_equal(tm_model_ingest(model, now, 1), TM_OK);
        for (size_t p = 0; p < sizeof(pairs) / sizeof(*pairs); p++)
            if (now->kind == pairs[p][1])
                now->kind = 0;
    }
    return model;
}

static int same(const char *left, const char *right)
{
    return left && right ? strcmp(left, right) == 0 : left == right;
}

static int is_hold_up(const char *state)
{
    static const char *const others[] = {"new", "running", "dead", "unknown"};

    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (same(state, others[i]))
            return 0;
    return 1;
}

/* Rows that touch without running in between, of the same state or a deadlock, are
 * one hold-up. */
static void read_timeline(const tm_table *timeline)
{
    const int64_t *start_ns = tm_table_int64(timeline, "start_ns");
    const int64_t *end_ns = tm_table_int64(timeline, "end_ns");
    const uint64_t *thread_id = tm_table_uint64(timeline, "thread_id");
    struct hold_up *open = NULL;

    hold_up_count = 0;
    for (size_t i = 0; i < tm_table_row_count(timeline); i++) {
        const char *state = tm_table_string(timeline, "state", i);

        if (!is_hold_up(state)) {
            open = NULL;
            continue;
        }
        if (open && open->thread_id == thread_id[i] &&
            (same(state, "deadlocked") || same(state, open->state))) {
            open->duration_ns += end_ns[i] - start_ns[i];
            continue;
        }
        assert_false(same(state, "deadlocked"));
        assert_true(hold_up_count < MAX_HOLD_UPS);
        open = &hold_ups[hold_up_count++];
        *open = (struct hold_up){
            .thread_id = thread_id[i],
            .thread = tm_table_string(timeline, "thread", i),
            .state = state,
            .object = tm_table_string(timeline, "object", i),
            .class_name = tm_table_string(timeline, "class", i),
            .method = tm_table_string(timeline, "method", i),
            .source = tm_table_string(timeline, "source", i),
            .line = tm_table_int32(timeline, "line")[i],
            .duration_ns = end_ns[i] - start_ns[i],
        };
    }
}

static int is_in_row(const struct hold_up *it, const tm_table *table, uint32_t keys,
                     size_t row)
{
    if (keys & (TM_BY_CLASS | TM_BY_OBJECT) &&
        !same(it->class_name, tm_table_string(table, "class", row)))
        return 0;
    if (keys & TM_BY_CALLER &&
        (!same(it->method, tm_table_string(table, "method", row)) ||
         !same(it->source, tm_table_string(table, "source", row)) ||
         it->line != tm_table_int32(table, "line")[row]))
        return 0;
    if (keys & TM_BY_OBJECT && !same(it->object, tm_table_string(table, "object", row)))
        return 0;
    if (keys & TM_BY_THREAD &&
        it->thread_id != tm_table_uint64(table, "thread_id")[row])
        return 0;
    return !(keys & TM_BY_GROUP) ||
           same(groups[it->thread_id % 3], tm_table_string(table, "group", row));
}

static int by_value(const void *left, const void *right)
{
    int64_t l = *(const int64_t *)left, r = *(const int64_t *)right;

    return l < r ? -1 : l > r;
}

static int64_t cell(const tm_table *table, const char *state, const char *what,
                    size_t row)
{
    char name[40];

    snprintf(name, sizeof(name), "%s_%s", state, what);
    assert_non_null(tm_table_int64(table, name));
    return tm_table_int64(table, name)[row];
}

static void check_near(int64_t found, const int64_t *sorted, size_t count, int percent)
{
    int64_t exact = sorted[(count * (size_t)percent + 99) / 100 - 1];

    assert_true(llabs(found - exact) * 100 <= exact * 3);
}

/* Check one state of one row. @return how many hold-ups it has */
static size_t check_state(const tm_table *table, uint32_t keys, size_t row,
                          const char *state)
{
    static int64_t durations[MAX_HOLD_UPS];
    size_t count = 0;
    int64_t total_ns = 0;

    for (size_t i = 0; i < hold_up_count; i++) {
        if (!same(hold_ups[i].state, state) ||
            !is_in_row(&hold_ups[i], table, keys, row))
            continue;
        total_ns += hold_ups[i].duration_ns;
        durations[count++] = hold_ups[i].duration_ns;
    }
    assert_int_equal(cell(table, state, "count", row), count);
    assert_int_equal(cell(table, state, "total_ns", row), total_ns);
    if (count == 0)
        return 0;
    qsort(durations, count, sizeof(*durations), by_value);
    assert_int_equal(cell(table, state, "min_ns", row), durations[0]);
    assert_int_equal(cell(table, state, "max_ns", row), durations[count - 1]);
    assert_int_equal(cell(table, state, "mean_ns", row),
                     (total_ns * 2 + (int64_t)count) / (2 * (int64_t)count));
    check_near(cell(table, state, "p50_ns", row), durations, count, 50);
    check_near(cell(table, state, "p90_ns", row), durations, count, 90);
    check_near(cell(table, state, "p99_ns", row), durations, count, 99);
    return count;
}

static void check_distinct(const tm_table *table, uint32_t keys, size_t row)
{
    const char *objects[OBJECTS + THREADS + 1];
    uint64_t thread_bits = 0;
    int64_t object_count = 0;

    for (size_t i = 0; i < hold_up_count; i++) {
        const struct hold_up *it = &hold_ups[i];
        int64_t known = 0;

        if (same(it->state, "sleeping") || !is_in_row(it, table, keys, row))
            continue;
        thread_bits |= UINT64_C(1) << it->thread_id;
        while (known < object_count && !same(objects[known], it->object))
            known++;
        if (it->object && known == object_count)
            objects[object_count++] = it->object;
    }
    assert_int_equal(tm_table_int64(table, "objects")[row], object_count);
    assert_int_equal(tm_table_int64(table, "threads")[row],
                     __builtin_popcountll(thread_bits));
}

static void check_answer(const tm_model *model, uint32_t keys,
                         const tm_selection *selection)
{
    tm_statistics_options options = {
        .size = sizeof(options), .keys = keys, .selection = selection};
    size_t counted = 0, expected = 0;
    tm_table *table;

    assert_int_equal(tm_statistics_monitors(&table, model, &options), TM_OK);
    for (size_t row = 0; row < tm_table_row_count(table); row++) {
        size_t before = counted;

        for (size_t s = 0; s < sizeof(states) / sizeof(*states); s++)
            counted += check_state(table, keys, row, states[s]);
        assert_true(counted > before);
        check_distinct(table, keys, row);
        if (row > 0)
            assert_true(cell(table, "blocked", "total_ns", row - 1) >=
                        cell(table, "blocked", "total_ns", row));
    }
    /* Each hold-up stands in one row, so equal sums mean that no row is missing. */
    for (size_t i = 0; i < hold_up_count; i++)
        expected += !same(hold_ups[i].state, "sleeping");
    assert_int_equal(counted, expected);
    tm_table_free(table);
}

static void check_threads(const tm_model *model, const tm_selection *selection)
{
    static const char *const all[] = {"blocked", "waiting",  "reentering",
                                      "joining", "sleeping", "parked"};
    tm_table *table;

    assert_int_equal(tm_statistics_threads(&table, model, selection), TM_OK);
    for (size_t row = 0; row < tm_table_row_count(table); row++) {
        for (size_t s = 0; s < sizeof(all) / sizeof(*all); s++) {
            int64_t count = 0, total_ns = 0;

            for (size_t i = 0; i < hold_up_count; i++) {
                if (hold_ups[i].thread_id != tm_table_uint64(table, "thread_id")[row] ||
                    !same(hold_ups[i].state, all[s]))
                    continue;
                count++;
                total_ns += hold_ups[i].duration_ns;
            }
            assert_int_equal(cell(table, all[s], "count", row), count);
            assert_int_equal(cell(table, all[s], "total_ns", row), total_ns);
        }
    }
    tm_table_free(table);
}

static void check_run(uint64_t seed, const tm_selection *selection)
{
    tm_model *model = random_run(seed, EVENTS, 0);
    tm_table *timeline;

    assert_int_equal(tm_timeline_list(&timeline, model, selection), TM_OK);
    read_timeline(timeline);
    assert_true(hold_up_count > 50);
    for (uint32_t keys = 1; keys < 32; keys++)
        check_answer(model, keys, selection);
    check_threads(model, selection);
    tm_table_free(timeline);
    tm_model_free(model);
}

static void sums_agree_with_the_timeline(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++)
        check_run(seed, NULL);
}

static void sums_agree_with_the_timeline_in_a_window(void **state)
{
    static const uint64_t threads[] = {1, 2, 3, 6};

    (void)state;
    for (uint64_t seed = 11; seed <= 14; seed++) {
        tm_selection window = {.size = sizeof(window),
                               .threads = threads,
                               .thread_count = 4,
                               .from_ns = 1000000 + (int64_t)seed,
                               .to_ns = 6000000};

        check_run(seed, &window);
    }
}

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
    assert_int_equal(keys ? tm_statistics_monitors(&table, model, &options)
                          : tm_statistics_threads(&table, model, NULL),
                     TM_OK);
    assert_int_equal(tm_table_write_csv(table, take, page), TM_OK);
    tm_table_free(table);
}

static int was_folded(const tm_model *model)
{
    tm_table *table;
    int is_folded = 0;

    assert_int_equal(tm_diagnostics_list(&table, model), TM_OK);
    for (size_t i = 0; i < tm_table_row_count(table); i++)
        is_folded |= same(tm_table_string(table, "cause", i),
                          tm_diagnostic_name(TM_DIAGNOSTIC_FOLDED));
    tm_table_free(table);
    return is_folded;
}

/* Of keys whose rows have names, as equal rows without go by order of sight. */
static void folding_changes_no_sum(void **state)
{
    static struct page whole, folded;

    (void)state;
    for (uint64_t seed = 21; seed <= 23; seed++) {
        tm_model *model = random_run(seed, FOLDED_EVENTS, 0);
        tm_model *bounded =
            random_run(seed, FOLDED_EVENTS, tm_model_memory_bytes(model) / 4 * 3);

        assert_true(was_folded(bounded));
        assert_false(was_folded(model));
        for (uint32_t keys = 0; keys <= (TM_BY_CLASS | TM_BY_CALLER); keys++) {
            write_answer(&whole, model, keys);
            write_answer(&folded, bounded, keys);
            assert_string_equal(folded.text, whole.text);
        }
        tm_model_free(model);
        tm_model_free(bounded);
    }
}

/* Far too little memory: sums are kept by class, and only which objects they were
 * for and who called is given up. */
static void folding_under_any_limit_keeps_sums_by_thread_and_class(void **state)
{
    static const char *const columns[] = {
        "threads",          "blocked_count",  "blocked_total_ns", "blocked_p90_ns",
        "waiting_count",    "waiting_min_ns", "waiting_total_ns", "reentering_total_ns",
        "joining_total_ns", "parked_count",   "parked_max_ns",    "parked_mean_ns",
    };
    static struct page whole, folded;

    (void)state;
    for (uint64_t seed = 31; seed <= 33; seed++) {
        tm_model *model = random_run(seed, EVENTS, 0),
                 *bounded = random_run(seed, EVENTS, 1);
        tm_table *expected, *answer;

        write_answer(&whole, model, 0);
        write_answer(&folded, bounded, 0);
        assert_string_equal(folded.text, whole.text);
        assert_int_equal(tm_statistics_monitors(&expected, model, NULL), TM_OK);
        assert_int_equal(tm_statistics_monitors(&answer, bounded, NULL), TM_OK);
        assert_int_equal(tm_table_row_count(answer), tm_table_row_count(expected));
        for (size_t row = 0; row < tm_table_row_count(answer); row++)
            for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
                assert_int_equal(tm_table_int64(answer, columns[i])[row],
                                 tm_table_int64(expected, columns[i])[row]);
            }
        assert_non_null(strstr(tm_table_limit(answer, 0), "folded"));
        tm_table_free(expected);
        tm_table_free(answer);
        tm_model_free(model);
        tm_model_free(bounded);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_agree_with_the_timeline),
        cmocka_unit_test(sums_agree_with_the_timeline_in_a_window),
        cmocka_unit_test(folding_changes_no_sum),
        cmocka_unit_test(folding_under_any_limit_keeps_sums_by_thread_and_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
