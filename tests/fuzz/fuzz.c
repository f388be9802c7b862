/* SPDX-License-Identifier: Apache-2.0 */
/* Asking everything, and memory that runs out, for all fuzz targets. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/source.h"

void fuzz_fail(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: not so: %s\n", file, line, condition);
    abort();
}

static void *resize(void *payload, void *block, size_t bytes)
{
    fuzz_memory *memory = payload;

    if (bytes == 0) {
        free(block);
        return NULL;
    }
    if (memory->calls_left == 0)
        return NULL;
    memory->calls_left--;
    return realloc(block, bytes);
}

tm_allocator fuzz_allocator(fuzz_memory *memory)
{
    return (tm_allocator){resize, memory};
}

static int count_bytes(void *payload, const char *bytes, size_t count)
{
    size_t *total = payload;

    /* Touch them all, so that a sanitizer sees each. */
    for (size_t i = 0; i < count; i++)
        *total += 1 + (bytes[i] == '\0');
    return TM_OK;
}

/* Every cell is readable, and a string's code is in its dictionary. */
static void read_cells(const tm_table *table)
{
    size_t rows = tm_table_row_count(table);

    for (size_t c = 0; c < tm_table_column_count(table); c++) {
        const char *name = tm_table_column_name(table, c);
        const int32_t *codes = tm_table_codes(table, name);
        size_t categories = tm_table_category_count(table, name);
        int column = tm_table_column(table, name);

        for (size_t row = 0; row < rows; row++) {
            int null = tm_table_cell_is_null(table, column, row);

            FUZZ_CHECK(null == 0 || null == 1);
            if (codes == NULL)
                continue;
            FUZZ_CHECK(null == (codes[row] < 0));
            FUZZ_CHECK(null || (size_t)codes[row] < categories);
            FUZZ_CHECK(null == (tm_table_cell_string(table, column, row) == NULL));
        }
    }
}

static void read_answer(int rc, tm_table *table)
{
    size_t total = 0;

    if (rc != TM_OK) {
        FUZZ_CHECK(rc < 0 && table == NULL && tm_error_text()[0] != '\0');
        return;
    }
    read_cells(table);
    FUZZ_CHECK(tm_table_write_csv(table, count_bytes, &total) == TM_OK);
    FUZZ_CHECK(tm_table_write_json(table, count_bytes, &total) == TM_OK);
    FUZZ_CHECK(total > 0);
    tm_table_free(table);
}

/* A row that has children has their time, and each but the root is a part of one. */
static void check_tiles(const tm_table *table)
{
    size_t rows = tm_table_row_count(table);
    const int64_t *time_ns = tm_table_int64(table, "time_ns");
    const int32_t *parent = tm_table_int32(table, "parent");
    int64_t *rest_ns = malloc((rows + 1) * sizeof(*rest_ns));

    FUZZ_CHECK(rest_ns != NULL);
    for (size_t row = 0; row < rows; row++) {
        rest_ns[row] = time_ns[row];
        if (row > 0) {
            FUZZ_CHECK(parent[row] >= 1 && (size_t)parent[row] <= row);
            /* Sums that do not fit are not compared below. */
            (void)__builtin_sub_overflow(rest_ns[parent[row] - 1], time_ns[row],
                                         &rest_ns[parent[row] - 1]);
        }
    }
    for (size_t row = 0; row < rows && time_ns[0] < INT64_MAX; row++)
        FUZZ_CHECK(rest_ns[row] == 0 || rest_ns[row] == time_ns[row]);
    free(rest_ns);
}

static void ask_about_causes(const tm_model *model, const tm_selection *window)
{
    tm_cause_options options = TM_CAUSE_OPTIONS_INIT;
    tm_table *table;

    for (int i = 0; i < 4; i++) {
        int rc;

        options.flags = i < 2 ? 0 : i == 2 ? TM_CAUSES_SLOWEST : TM_CAUSES_THREADS;
        options.depth = i == 1 ? 3 : 0;
        rc = tm_cause_list(&table, model, i == 1 ? window : NULL, &options);
        if (rc == TM_OK)
            check_tiles(table);
        read_answer(rc, table);
    }
}

static void ask_about_locks(const tm_model *model, const tm_selection *window)
{
    static const uint32_t keys[] = {0, TM_BLAME_BY_CLASS | TM_BLAME_BY_OWNER_METHOD,
                                    TM_BLAME_BY_THREAD | TM_BLAME_BY_CALLER,
                                    TM_BLAME_BY_OBJECT | TM_BLAME_BY_OWNER};
    tm_table *table;
    int rc;

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        tm_blame_options options = {.size = sizeof(options), .keys = keys[i]};

        options.selection = i % 2 ? window : NULL;
        rc = tm_blame_list(&table, model, &options);
        read_answer(rc, table);
        options.of = TM_BLAME_OF_RESOURCES;
        rc = tm_blame_list(&table, model, &options);
        read_answer(rc, table);
    }
    rc = tm_blocker_list(&table, model, window);
    read_answer(rc, table);
    rc = tm_hold_group(&table, model, NULL);
    read_answer(rc, table);
    rc = tm_hold_list(&table, model, window);
    read_answer(rc, table);
    rc = tm_resource_list(&table, model, NULL);
    read_answer(rc, table);
    rc = tm_resource_list(&table, model, window);
    read_answer(rc, table);
    rc = tm_resource_use_list(&table, model, window);
    read_answer(rc, table);
    rc = tm_unit_list(&table, model, NULL, NULL);
    read_answer(rc, table);
    rc = tm_unit_kind_list(&table, model, window, NULL);
    read_answer(rc, table);
    rc = tm_unit_part_list(&table, model, NULL, NULL);
    read_answer(rc, table);
    ask_about_causes(model, window);
    rc = tm_lock_order_list(&table, model);
    read_answer(rc, table);
    rc = tm_lock_edge_list(&table, model);
    read_answer(rc, table);
    rc = tm_finding_list(&table, model);
    read_answer(rc, table);
    rc = tm_verdict_list(&table, model);
    read_answer(rc, table);
    rc = tm_verdict_member_list(&table, model);
    read_answer(rc, table);
    rc = tm_statistics_sum(&table, model, NULL);
    read_answer(rc, table);
    rc = tm_histogram_list(&table, model, NULL, TM_STATE_WAITING);
    read_answer(rc, table);
}

/* The segments lie end to end, and end within the run. */
static void check_path(const tm_table *path, int64_t length_ns)
{
    const int64_t *start = tm_table_int64(path, "start_ns");
    const int64_t *end = tm_table_int64(path, "end_ns");
    int64_t at = 0;

    for (size_t i = 0; i < tm_table_row_count(path); i++) {
        FUZZ_CHECK(start[i] == at && end[i] > at);
        at = end[i];
    }
    FUZZ_CHECK(at <= length_ns);
}

static void ask_why(const tm_model *model)
{
    for (uint64_t thread = 0; thread < 4; thread++) {
        tm_explain_options options = {
            .size = sizeof(options), .thread = thread, .count = 100};
        tm_table *table;
        int rc = tm_explanation_list(&table, model, &options);

        read_answer(rc, table);
        options.at_ns = tm_model_length_ns(model) / 2;
        rc = tm_explanation_list(&table, model, &options);
        read_answer(rc, table);
    }
}

/* The replay counts in doubles, exact up to 104 days from the earliest time to the
 * last.
 */
static void check_no_gain(const tm_model *model, int64_t gain_ns)
{
    int64_t span_ns = tm_model_length_ns(model), error_ns;
    tm_table *timeline;

    if (tm_timeline_list(&timeline, model, NULL) != TM_OK)
        return;
    for (size_t row = 0; row < tm_table_row_count(timeline); row++) {
        int64_t start_ns = tm_table_int64(timeline, "start_ns")[row];

        if (start_ns < -span_ns)
            span_ns = start_ns == INT64_MIN ? INT64_MAX : -start_ns;
    }
    tm_table_free(timeline);
    error_ns = span_ns >> 50;
    FUZZ_CHECK(gain_ns >= -error_ns && gain_ns <= error_ns);
}

static void ask_paths(const tm_model *model)
{
    tm_table *table;
    int rc;

    for (uint32_t walk = 0; walk < 2; walk++) {
        tm_path_options options = {.size = sizeof(options), .walk = walk};

        rc = tm_path_list(&table, model, &options);
        if (rc == TM_OK)
            check_path(table, tm_model_length_ns(model));
        read_answer(rc, table);
        options.thread = 1 + walk;
        options.keys = walk ? 15 : 0;
        rc = tm_path_sum(&table, model, &options);
        read_answer(rc, table);
    }
    for (int factor = 0; factor < 3; factor++) {
        tm_whatif_options options = {
            .size = sizeof(options), .factor = factor, .class_name = "a.B"};

        rc = tm_whatif_predict(&table, model, &options);
        if (rc == TM_OK && factor == 1 && tm_table_row_count(table))
            check_no_gain(model, tm_table_int64(table, "gain_ns")[0]);
        read_answer(rc, table);
    }
    rc = tm_whatif_predict(&table, model,
                           &(tm_whatif_options){.size = sizeof(tm_whatif_options),
                                                .object = "socket",
                                                .change = TM_WHATIF_IO});
    read_answer(rc, table);
    rc = tm_whatif_rank(&table, model, NULL);
    read_answer(rc, table);
    ask_why(model);
}

void fuzz_ask_all(const tm_model *model)
{
    static const uint32_t keys[] = {
        TM_STATISTICS_BY_CLASS, TM_STATISTICS_BY_CLASS | TM_STATISTICS_BY_CALLER,
        TM_STATISTICS_BY_OBJECT, TM_STATISTICS_BY_THREAD | TM_STATISTICS_BY_GROUP,
        TM_STATISTICS_BY_STACK};
    tm_selection window = {.size = sizeof(window), .from_ns = 1000, .to_ns = 20000};
    tm_table *table;
    int rc;

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        tm_statistics_options options = {.size = sizeof(options), .keys = keys[i]};

        options.selection = i % 2 ? &window : NULL;
        rc = tm_statistics_list(&table, model, &options);
        read_answer(rc, table);
    }
    rc = tm_thread_list(&table, model, NULL);
    read_answer(rc, table);
    rc = tm_timeline_list(&table, model, NULL);
    read_answer(rc, table);
    rc = tm_timeline_list(&table, model, &window);
    read_answer(rc, table);
    rc = tm_stack_list(&table, model);
    read_answer(rc, table);
    rc = tm_interaction_list(&table, model, NULL);
    read_answer(rc, table);
    rc = tm_deadlock_list(&table, model);
    read_answer(rc, table);
    ask_paths(model);
    rc = tm_diagnostic_list(&table, model);
    read_answer(rc, table);
    rc = tm_caveat_list(&table, model);
    read_answer(rc, table);
    ask_about_locks(model, &window);
    FUZZ_CHECK(tm_model_length_ns(model) >= 0);
    FUZZ_CHECK(tm_model_run(model) != NULL);
}

typedef struct meter {
    size_t used;
    size_t peak;
} meter;

/* Each block is preceded by its size. */
static void *measured(void *payload, void *block, size_t bytes)
{
    meter *it = payload;
    size_t *head = block ? (size_t *)block - 2 : NULL;
    size_t before = head ? head[0] : 0;

    if (bytes == 0) {
        it->used -= before;
        free(head);
        return NULL;
    }
    head = realloc(head, bytes + 2 * sizeof(*head));
    if (!head)
        return NULL;
    head[0] = bytes;
    it->used += bytes - before;
    if (it->used > it->peak)
        it->peak = it->used;
    return head + 2;
}

void fuzz_read_bounded(const uint8_t *bytes, size_t count, size_t times, size_t plus)
{
    meter used = {0, 0};
    tm_allocator allocator = {measured, &used};
    tm_source_options options = {.size = sizeof(options), .allocator = &allocator};
    tm_source *source;
    tm_model *model;
    int rc = tm__source_open_memory(&source, "input", bytes, count, &options);

    if (rc != TM_OK) {
        FUZZ_CHECK(source == NULL && used.used == 0);
        return;
    }
    FUZZ_CHECK(tm_model_new(&model, NULL) == TM_OK);
    do
        rc = tm_source_read(source, tm_model_sink(model));
    while (rc == TM_MORE);
    /* A file in which nothing can be read is refused, and one that is packed too well
     * is not read on. */
    FUZZ_CHECK(rc == TM_OK || rc == TM_EDAMAGED || rc == TM_EVERSION ||
               rc == TM_ELIMIT ||
               (rc == TM_EFORMAT && tm_model_event_count(model) == 0));
    FUZZ_CHECK(tm_source_position_bytes(source) <= count);
    tm_source_close(source);
    fuzz_ask_all(model);
    tm_model_free(model);
    FUZZ_CHECK(used.used == 0);
    FUZZ_CHECK(used.peak <= times * count + plus);
}

void fuzz_read_behind(const char *head, const uint8_t *bytes, size_t count,
                      size_t times, size_t plus)
{
    size_t length = strlen(head);
    uint8_t *file = malloc(length + count);

    FUZZ_CHECK(file != NULL);
    memcpy(file, head, length);
    if (count > 0)
        memcpy(file + length, bytes, count);
    fuzz_read_bounded(file, length + count, times, plus);
    free(file);
    if (count > 0)
        fuzz_read_bounded(bytes, count, times, plus);
}
