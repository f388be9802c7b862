/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples are rows of tables, so that no nanosecond is there twice or missing: of
 * waiters the statistics by whole stack and class, of owners the blame by class and the
 * stack where the owner acquired the lock. Stacks that no sample has are left out.
 */
#include "export/stack_samples.h"

#include <stdio.h>

#include <threadmodel/blame.h>
#include <threadmodel/statistics.h>
#include <threadmodel/timeline.h>

#include "base/error.h"

static const int states[] = {TM_STATE_BLOCKED, TM_STATE_WAITING, TM_STATE_REENTERING,
                             TM_STATE_JOINING, TM_STATE_PARKED,  TM_STATE_IO};

enum { STATES = sizeof(states) / sizeof(*states) };

/* Stacks of one made-up frame, by numbers that no stack of a table has. */
enum { UNKNOWN_STACK = -1, WAKE_UP = -2 };

/* The frames of all stacks; those of one are side by side. */
typedef struct stack_table {
    tm_table *table;
    uint32_t *first; ///< row of a stack's innermost frame + 1; 0: it has none
    size_t count;    ///< stacks
} stack_table;

tm__sample_names tm__sample_names_of(int side)
{
    return side == TM_EXPORT_OWNERS
               ? (tm__sample_names){"owner_contentions", "owner_delay"}
               : (tm__sample_names){"contentions", "delay"};
}

static int find_stacks(stack_table *found, const tm__export *to)
{
    const int32_t *stacks;
    size_t rows;
    int rc = tm_stack_list(&found->table, to->model);

    if (rc < 0)
        return rc;
    rows = tm_table_row_count(found->table);
    stacks = tm_table_int32(found->table, "stack");
    found->count = rows ? (size_t)stacks[rows - 1] + 1 : 0;
    found->first = tm__zalloc(to->memory, (found->count + 1) * sizeof(*found->first));
    if (!found->first)
        return TM_ENOMEM;
    for (size_t i = rows; i > 0; i--)
        found->first[stacks[i - 1]] = (uint32_t)i;
    return TM_OK;
}

static void forget_stacks(stack_table *found, const tm__export *to)
{
    if (found->first)
        tm__free(to->memory, found->first, (found->count + 1) * sizeof(*found->first));
    tm_table_free(found->table);
}

static int intern(tm__stack_samples *profile, uint32_t *out, const char *text)
{
    return tm__strings_intern(&profile->strings, out, text ? text : "");
}

/* The number of what a key names, which is `count` where it is new. */
static int number_of(tm__map *numbers, uint64_t key, uint32_t count, uint32_t *out)
{
    *out = tm__map_find(numbers, key);
    if (*out != TM__NONE)
        return TM_OK;
    *out = count;
    return tm__map_put(numbers, key, count);
}

static int find_function(tm__stack_samples *profile, uint32_t *out, const char *name,
                         const char *file)
{
    tm__function it;
    int rc = intern(profile, &it.name, name);

    if (rc == TM_OK)
        rc = intern(profile, &it.file, file);
    if (rc == TM_OK)
        rc = tm__reserve(profile->memory, &profile->functions,
                         &profile->functions_capacity,
                         (size_t)profile->functions_count + 1, sizeof(it));
    if (rc == TM_OK)
        rc = number_of(&profile->function_numbers, (uint64_t)it.name << 32 | it.file,
                       profile->functions_count, out);
    if (rc == TM_OK && *out == profile->functions_count)
        profile->functions[profile->functions_count++] = it;
    return rc;
}

static int add_place(tm__stack_samples *profile, const char *method, const char *file,
                     int32_t line)
{
    tm__location it = {.line = line};
    uint32_t number;
    int rc = find_function(profile, &it.function, method, file);

    if (rc == TM_OK)
        rc = tm__reserve(profile->memory, &profile->locations,
                         &profile->locations_capacity,
                         (size_t)profile->locations_count + 1, sizeof(it));
    if (rc == TM_OK)
        rc = tm__reserve(profile->memory, &profile->places, &profile->places_capacity,
                         (size_t)profile->places_count + 1, sizeof(*profile->places));
    if (rc == TM_OK)
        rc = number_of(&profile->location_numbers,
                       (uint64_t)it.function << 32 | (uint32_t)line,
                       profile->locations_count, &number);
    if (rc < 0)
        return rc;
    if (number == profile->locations_count)
        profile->locations[profile->locations_count++] = it;
    profile->places[profile->places_count++] = number;
    return TM_OK;
}

static int add_frames(tm__stack_samples *profile, const stack_table *from,
                      int64_t number)
{
    const int32_t *stacks = tm_table_int32(from->table, "stack");
    const int32_t *lines = tm_table_int32(from->table, "line");
    size_t rows = tm_table_row_count(from->table);
    int rc = TM_OK;

    for (size_t i = from->first[number] - 1;
         rc == TM_OK && i < rows && stacks[i] == number; i++) {
        const char *method = tm_table_string(from->table, "method", i);

        rc = add_place(profile, method ? method : "[unknown method]",
                       tm_table_string(from->table, "source", i),
                       tm_table_is_null(from->table, "line", i) ? 0 : lines[i]);
    }
    return rc;
}

static int find_stack(tm__stack_samples *profile, const stack_table *from,
                      int64_t number, uint32_t *out)
{
    tm__frames it = {.first = profile->places_count};
    int rc = tm__reserve(profile->memory, &profile->stacks, &profile->stacks_capacity,
                         (size_t)profile->stacks_count + 1, sizeof(it));

    if (number >= 0 && ((size_t)number >= from->count || from->first[number] == 0))
        number = UNKNOWN_STACK;
    if (rc == TM_OK)
        rc = number_of(&profile->stack_numbers, (uint64_t)number, profile->stacks_count,
                       out);
    if (rc < 0 || *out != profile->stacks_count)
        return rc;
    if (number >= 0)
        rc = add_frames(profile, from, number);
    else
        rc = add_place(profile,
                       number == WAKE_UP ? "[wake-up latency]" : "[unknown stack]",
                       NULL, 0);
    it.count = profile->places_count - it.first;
    profile->stacks[profile->stacks_count++] = it;
    return rc;
}

static int add_sample(tm__stack_samples *profile, const stack_table *from,
                      int64_t stack, tm__sample sample)
{
    int rc = TM_OK;

    if (sample.count == 0 && sample.total_ns == 0)
        return TM_OK;
    rc = find_stack(profile, from, stack, &sample.stack);
    if (rc == TM_OK)
        rc = tm__reserve(profile->memory, &profile->samples, &profile->samples_capacity,
                         (size_t)profile->samples_count + 1, sizeof(sample));
    if (rc == TM_OK)
        profile->samples[profile->samples_count++] = sample;
    return rc;
}

static int64_t stack_in(const tm_table *table, const char *column, size_t row)
{
    return tm_table_is_null(table, column, row) ? UNKNOWN_STACK
                                                : tm_table_int32(table, column)[row];
}

static int add_waiters(tm__stack_samples *profile, const tm_table *sums, int state,
                       const stack_table *from)
{
    const int64_t *counts, *totals;
    char column[40];
    int rc = TM_OK;

    snprintf(column, sizeof(column), "%s_count", tm_state_name(state));
    counts = tm_table_int64(sums, column);
    snprintf(column, sizeof(column), "%s_total_ns", tm_state_name(state));
    totals = tm_table_int64(sums, column);
    for (size_t row = 0; rc == TM_OK && row < tm_table_row_count(sums); row++) {
        tm__sample it = {.state = state, .count = counts[row], .total_ns = totals[row]};

        rc = intern(profile, &it.class_name, tm_table_string(sums, "class", row));
        if (rc == TM_OK)
            rc = add_sample(profile, from, stack_in(sums, "stack", row), it);
    }
    return rc;
}

/* Time in which the lock was free has no owner: it is a sample of its own. */
static int add_owners(tm__stack_samples *profile, const tm_table *sums, int state,
                      const stack_table *from)
{
    const int64_t *counts = tm_table_int64(sums, "count");
    const int64_t *totals = tm_table_int64(sums, "total_ns");
    const int64_t *latencies = tm_table_int64(sums, "latency_ns");
    int rc = TM_OK;

    for (size_t row = 0; rc == TM_OK && row < tm_table_row_count(sums); row++) {
        int is_latency = latencies[row] > 0 && latencies[row] == totals[row];
        tm__sample of_nobody = {.state = state,
                                .count = is_latency ? counts[row] : 0,
                                .total_ns = latencies[row]};
        tm__sample it = {.state = state,
                         .count = is_latency ? 0 : counts[row],
                         .total_ns = totals[row] - latencies[row]};

        rc = intern(profile, &it.class_name, tm_table_string(sums, "class", row));
        of_nobody.class_name = it.class_name;
        if (rc == TM_OK)
            rc = add_sample(profile, from, stack_in(sums, "owner_stack", row), it);
        if (rc == TM_OK)
            rc = add_sample(profile, from, WAKE_UP, of_nobody);
    }
    return rc;
}

static int add_blame(tm__stack_samples *profile, const tm__export *to, int state,
                     const stack_table *from)
{
    tm_selection part = tm__export_part(to);
    tm_blame_options options = {.size = sizeof(options),
                                .selection = &part,
                                .keys = TM_BLAME_BY_CLASS | TM_BLAME_BY_OWNER_STACK,
                                .states = 1u << state};
    tm_table *sums = NULL;
    int rc = tm_blame_list(&sums, to->model, &options);

    if (rc == TM_OK)
        rc = add_owners(profile, sums, state, from);
    tm_table_free(sums);
    return rc;
}

static int has_owner(int state)
{
    return state == TM_STATE_BLOCKED || state == TM_STATE_REENTERING ||
           state == TM_STATE_PARKED;
}

int tm__stack_samples_add(tm__stack_samples *profile, const tm__export *to, int side)
{
    tm_selection part = tm__export_part(to);
    tm_statistics_options options = {.size = sizeof(options),
                                     .selection = &part,
                                     .keys = TM_STATISTICS_BY_CLASS |
                                             TM_STATISTICS_BY_STACK};
    stack_table from = {0};
    tm_table *sums = NULL;
    int rc = find_stacks(&from, to);

    if (rc == TM_OK && side == TM_EXPORT_WAITERS)
        rc = tm_statistics_list(&sums, to->model, &options);
    for (int i = 0; rc == TM_OK && i < STATES; i++) {
        if (to->options->state && to->options->state != states[i])
            continue;
        if (side == TM_EXPORT_WAITERS)
            rc = add_waiters(profile, sums, states[i], &from);
        else if (has_owner(states[i]))
            rc = add_blame(profile, to, states[i], &from);
    }
    tm_table_free(sums);
    forget_stacks(&from, to);
    return rc;
}

int tm__stack_samples_open(tm__stack_samples *profile, tm__memory *memory)
{
    uint32_t none;

    *profile = (tm__stack_samples){.memory = memory};
    tm__strings_init(&profile->strings, memory);
    tm__map_init(&profile->function_numbers, memory);
    tm__map_init(&profile->location_numbers, memory);
    tm__map_init(&profile->stack_numbers, memory);
    if (intern(profile, &none, "") < 0 ||
        tm__reserve(memory, &profile->functions, &profile->functions_capacity, 1,
                    sizeof(*profile->functions)) < 0 ||
        tm__reserve(memory, &profile->locations, &profile->locations_capacity, 1,
                    sizeof(*profile->locations)) < 0 ||
        tm__reserve(memory, &profile->stacks, &profile->stacks_capacity, 1,
                    sizeof(*profile->stacks)) < 0)
        return tm__failure();
    profile->functions[profile->functions_count++] = (tm__function){0};
    profile->locations[profile->locations_count++] = (tm__location){0};
    profile->stacks[profile->stacks_count++] = (tm__frames){0};
    return TM_OK;
}

void tm__stack_samples_free(tm__stack_samples *profile)
{
    tm__memory *memory = profile->memory;

    tm__free(memory, profile->functions,
             profile->functions_capacity * sizeof(*profile->functions));
    tm__free(memory, profile->locations,
             profile->locations_capacity * sizeof(*profile->locations));
    tm__free(memory, profile->places,
             profile->places_capacity * sizeof(*profile->places));
    tm__free(memory, profile->stacks,
             profile->stacks_capacity * sizeof(*profile->stacks));
    tm__free(memory, profile->samples,
             profile->samples_capacity * sizeof(*profile->samples));
    tm__map_clear(&profile->function_numbers);
    tm__map_clear(&profile->location_numbers);
    tm__map_clear(&profile->stack_numbers);
    tm__strings_clear(&profile->strings);
}
