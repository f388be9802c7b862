/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same answer by another way. Any events go into two models: into one at once, into
 * the other in parts of any size with questions in between; their answers are the same.
 * And sums, groups and histograms are what a slow count over the timeline gives.
 *
 * The first bytes choose policy, size of the parts and a window; each 8 bytes after
 * them are an event.
 */
#include <stdlib.h>
#include <string.h>

#include "events.h"

enum { HEAD = 4, MOST_EVENTS = 2048 };

static const char *const states[] = {"blocked", "waiting", "reentering", "joining",
                                     "parked"};
enum { STATES = sizeof(states) / sizeof(*states) };

/* Time in one state, cut by the window that is asked about. */
typedef struct stretch {
    uint64_t thread;
    const char *class_name; ///< NULL: unknown
    const char *object;     ///< the same
    const char *state;
    int64_t start_ns;
    int64_t end_ns;
} stretch;

typedef struct book {
    stretch *items;
    size_t count;
    int is_unsure; ///< whether two of them are one
} book;

typedef struct figures {
    int64_t count;
    int64_t total_ns;
    int64_t min_ns;
    int64_t max_ns;
} figures;

static int is_same(const char *left, const char *right)
{
    return left == right || (left && right && !strcmp(left, right));
}

static int is_counted(const char *state)
{
    for (size_t i = 0; i < STATES; i++)
        if (!strcmp(state, states[i]))
            return 1;
    return 0;
}

/* Cut a stretch to the window. @return 0: nothing of it lies there */
static int cut(stretch *item, const tm_selection *window)
{
    int64_t low = window->from_ns > 0 ? window->from_ns : INT64_MIN;
    int64_t high = window->to_ns > 0 ? window->to_ns : INT64_MAX;
    int is_at_edge = item->start_ns == item->end_ns && item->end_ns == low;

    if (item->start_ns >= high || (item->end_ns <= low && !is_at_edge))
        return 0;
    if (item->start_ns < low)
        item->start_ns = low;
    if (item->end_ns > high)
        item->end_ns = high;
    return 1;
}

/* A blocking interval is the rows of one state, and those of a deadlock that follow. */
static book read_timeline(const tm_table *timeline, const tm_selection *window)
{
    const uint64_t *thread = tm_table_uint64(timeline, "thread_id");
    const int64_t *start_ns = tm_table_int64(timeline, "start_ns");
    const int64_t *end_ns = tm_table_int64(timeline, "end_ns");
    size_t rows = tm_table_row_count(timeline), kept = 0;
    book all = {calloc(rows + 1, sizeof(stretch)), 0, 0};
    int is_open = 0, is_stuck = 0;

    FUZZ_CHECK(all.items != NULL);
    for (size_t row = 0; row < rows; row++) {
        const char *state = tm_table_string(timeline, "state", row);
        stretch *last = &all.items[all.count - (all.count > 0)];

        /* A snapshot elsewhere begins another one of the same state. If a thread queues
         * again, the rows do not show whether it is another one. */
        if (is_open && last->thread == thread[row] &&
            (!strcmp(state, "deadlocked") ||
             (is_stuck && !strcmp(state, last->state) &&
              is_same(tm_table_string(timeline, "object", row), last->object)))) {
            is_stuck = !strcmp(state, "deadlocked");
            last->end_ns = end_ns[row];
            continue;
        }
        if (is_open && last->thread == thread[row] && !strcmp(state, "reentering") &&
            !strcmp(last->state, state))
            all.is_unsure = 1;
        is_stuck = 0;
        is_open = is_counted(state);
        if (is_open)
            all.items[all.count++] = (stretch){thread[row],
                                               tm_table_string(timeline, "class", row),
                                               tm_table_string(timeline, "object", row),
                                               state,
                                               start_ns[row],
                                               end_ns[row]};
    }
    for (size_t i = 0; i < all.count; i++)
        if (cut(&all.items[i], window))
            all.items[kept++] = all.items[i];
    all.count = kept;
    return all;
}

/* The figures of a thread, and of a class where there is one to compare. */
static figures count(const book *all, const char *state, uint64_t thread,
                     const char *const *class_name)
{
    figures found = {0};

    for (size_t i = 0; i < all->count; i++) {
        const stretch *item = &all->items[i];
        int64_t ns = item->end_ns - item->start_ns;

        if (item->thread != thread || strcmp(item->state, state) != 0 ||
            (class_name && !is_same(item->class_name, *class_name)))
            continue;
        if (found.count == 0 || ns < found.min_ns)
            found.min_ns = ns;
        if (ns > found.max_ns)
            found.max_ns = ns;
        if (__builtin_add_overflow(found.total_ns, ns, &found.total_ns))
            found.total_ns = INT64_MAX;
        found.count++;
    }
    return found;
}

static const char *column(char name[40], const char *state, const char *figure)
{
    strcpy(name, state);
    strcat(name, figure);
    return name;
}

static void compare_threads(const tm_model *model, const book *all,
                            const tm_selection *window)
{
    const uint64_t *thread;
    tm_table *table;
    char name[40];

    FUZZ_CHECK(tm_thread_list(&table, model, window) == TM_OK);
    thread = tm_table_uint64(table, "thread_id");
    for (size_t row = 0; row < tm_table_row_count(table); row++)
        for (size_t s = 0; s < STATES; s++) {
            figures wanted = count(all, states[s], thread[row], NULL);

            FUZZ_CHECK(tm_table_int64(table, column(name, states[s], "_count"))[row] ==
                       wanted.count);
            FUZZ_CHECK(
                tm_table_int64(table, column(name, states[s], "_total_ns"))[row] ==
                wanted.total_ns);
        }
    tm_table_free(table);
}

static void compare_groups(const tm_model *model, const book *all,
                           const tm_selection *window)
{
    tm_statistics_options options = {.size = sizeof(options),
                                     .keys = TM_STATISTICS_BY_THREAD |
                                             TM_STATISTICS_BY_CLASS,
                                     .selection = window};
    const uint64_t *thread;
    int64_t counted = 0;
    tm_table *table;
    char name[40];

    FUZZ_CHECK(tm_statistics_list(&table, model, &options) == TM_OK);
    thread = tm_table_uint64(table, "thread_id");
    for (size_t row = 0; row < tm_table_row_count(table); row++) {
        const char *class_name = tm_table_string(table, "class", row);

        for (size_t s = 0; s < STATES; s++) {
            figures wanted = count(all, states[s], thread[row], &class_name);

            FUZZ_CHECK(tm_table_int64(table, column(name, states[s], "_count"))[row] ==
                       wanted.count);
            FUZZ_CHECK(
                tm_table_int64(table, column(name, states[s], "_total_ns"))[row] ==
                wanted.total_ns);
            column(name, states[s], "_min_ns");
            FUZZ_CHECK(tm_table_is_null(table, name, row) == (wanted.count == 0));
            if (wanted.count == 0)
                continue;
            FUZZ_CHECK(tm_table_int64(table, name)[row] == wanted.min_ns);
            column(name, states[s], "_max_ns");
            FUZZ_CHECK(tm_table_int64(table, name)[row] == wanted.max_ns);
            counted += wanted.count;
        }
    }
    FUZZ_CHECK(counted == (int64_t)all->count); /* every interval is in some group */
    tm_table_free(table);
}

static void compare_histograms(const tm_model *model, const book *all,
                               const tm_selection *window)
{
    static const int32_t numbers[] = {TM_STATE_BLOCKED, TM_STATE_WAITING,
                                      TM_STATE_REENTERING, TM_STATE_JOINING,
                                      TM_STATE_PARKED};
    tm_statistics_options options = {.size = sizeof(options), .selection = window};

    for (size_t s = 0; s < STATES; s++) {
        int64_t counted = 0, wanted = 0;
        tm_table *table;

        FUZZ_CHECK(tm_histogram_list(&table, model, &options, numbers[s]) == TM_OK);
        for (size_t row = 0; row < tm_table_row_count(table); row++)
            counted += tm_table_int64(table, "count")[row];
        for (size_t i = 0; i < all->count; i++)
            wanted += !strcmp(all->items[i].state, states[s]);
        FUZZ_CHECK(counted == wanted);
        tm_table_free(table);
    }
}

static void compare_sums(const tm_model *model, const tm_selection *window)
{
    tm_table *timeline;
    book all;

    if (window->from_ns >= tm_model_length_ns(model))
        return; /* refused */
    FUZZ_CHECK(tm_timeline_list(&timeline, model, NULL) == TM_OK);
    all = read_timeline(timeline, window);
    if (!all.is_unsure) {
        compare_threads(model, &all, window);
        compare_groups(model, &all, window);
        compare_histograms(model, &all, window);
    }
    free(all.items);
    tm_table_free(timeline);
}

static tm_model *open_model(int policy)
{
    tm_model_options options = {.size = sizeof(options), .policy = policy};
    tm_model *model;

    FUZZ_CHECK(tm_model_new(&model, &options) == TM_OK);
    fuzz_define_some(tm_model_sink(model));
    return model;
}

static int hash_bytes(void *payload, const char *bytes, size_t count)
{
    uint64_t *hash = payload;

    for (size_t i = 0; i < count; i++)
        *hash = (*hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return TM_OK;
}

static int list_timeline(tm_table **out, const tm_model *model)
{
    return tm_timeline_list(out, model, NULL);
}

static int list_interactions(tm_table **out, const tm_model *model)
{
    return tm_interaction_list(out, model, NULL);
}

static int list_holds(tm_table **out, const tm_model *model)
{
    return tm_hold_list(out, model, NULL);
}

static int (*const questions[])(tm_table **, const tm_model *) = {
    list_timeline,      list_interactions,  list_holds,
    tm_deadlock_list,   tm_diagnostic_list, tm_stack_list,
    tm_lock_order_list, tm_lock_edge_list,  tm_finding_list};

static uint64_t answer(size_t question, const tm_model *model)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    tm_table *table;

    FUZZ_CHECK(questions[question](&table, model) == TM_OK);
    FUZZ_CHECK(tm_table_write_csv(table, hash_bytes, &hash) == TM_OK);
    tm_table_free(table);
    return hash;
}

static void compare_models(const tm_model *left, const tm_model *right)
{
    for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++)
        FUZZ_CHECK(answer(i, left) == answer(i, right));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static tm_event events[MOST_EVENTS];
    tm_selection window = {.size = sizeof(window)};
    size_t pending = 0, part, number = 0;
    tm_model *whole, *parted;
    int64_t now = 0;

    if (count < HEAD)
        return 0;
    for (size_t at = HEAD; at + FUZZ_EVENT_BYTES <= count && pending < MOST_EVENTS;
         at += FUZZ_EVENT_BYTES)
        events[pending++] = fuzz_event(bytes + at, &now);
    window.from_ns = 16 * (int64_t)bytes[2];
    window.to_ns = bytes[3] ? window.from_ns + 16 * (int64_t)bytes[3] : 0;
    whole = open_model(bytes[0] % 4);
    parted = open_model(bytes[0] % 4);
    FUZZ_CHECK(tm_model_ingest(whole, events, pending) == TM_OK);
    part = 1 + bytes[1] % 64u;
    for (size_t at = 0; at < pending; at += part) {
        size_t left = pending - at;

        FUZZ_CHECK(tm_model_ingest(parted, events + at, left < part ? left : part) ==
                   TM_OK);
        if (number++ % 8 == 0)
            compare_sums(parted, &window);
    }
    compare_models(whole, parted);
    compare_sums(whole, &window);
    tm_model_free(whole);
    tm_model_free(parted);
    return 0;
}
