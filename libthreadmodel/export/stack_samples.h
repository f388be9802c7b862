/* SPDX-License-Identifier: Apache-2.0 */
/* The stacks of a run with what threads were blocked for at each, or what their owners
 * blocked others for: what formats of profiles are made of. */
#ifndef TM_EXPORT_STACK_SAMPLES_H
#define TM_EXPORT_STACK_SAMPLES_H

#include "base/map.h"
#include "base/strings.h"
#include "export/export_state.h"

/* Every list has an entry 0 that stands for "none", as the formats want it. */

typedef struct tm__function {
    uint32_t name; ///< in the strings
    uint32_t file;
} tm__function;

typedef struct tm__location {
    uint32_t function;
    int32_t line; ///< 0: not known
} tm__location;

typedef struct tm__frames {
    uint32_t first; ///< in places, innermost frame first
    uint32_t count;
} tm__frames;

typedef struct tm__sample {
    uint32_t stack;
    int32_t state;       ///< enum tm_state
    uint32_t class_name; ///< in the strings; 0: not known
    int64_t count;
    int64_t total_ns;
} tm__sample;

typedef struct tm__stack_samples {
    tm__memory *memory;
    tm__strings strings; ///< 0: ""
    tm__map function_numbers, location_numbers, stack_numbers;
    tm__function *functions;
    tm__location *locations;
    uint32_t *places; ///< locations, stack by stack
    tm__frames *stacks;
    tm__sample *samples; ///< has no entry for "none"
    uint32_t functions_count, functions_capacity;
    uint32_t locations_count, locations_capacity;
    uint32_t places_count, places_capacity;
    uint32_t stacks_count, stacks_capacity;
    uint32_t samples_count, samples_capacity;
} tm__stack_samples;

/** "contentions" and "delay", or what owners are to blame for. */
typedef struct tm__sample_names {
    const char *count;
    const char *total;
} tm__sample_names;

/** @param side  enum tm_export_side */
tm__sample_names tm__sample_names_of(int side);

/** Begin a profile without samples. @return TM_OK, TM_ENOMEM; to be freed in any case
 */
int tm__stack_samples_open(tm__stack_samples *profile, tm__memory *memory);

/** Add the samples of one side, state by state.
 * @return TM_OK, TM_ENOMEM */
int tm__stack_samples_add(tm__stack_samples *profile, const tm__export *to, int side);

void tm__stack_samples_free(tm__stack_samples *profile);

#endif
