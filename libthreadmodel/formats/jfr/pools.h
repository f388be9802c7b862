/* SPDX-License-Identifier: Apache-2.0 */
/* The constants of one chunk, by their keys: where they are, read when asked for. */
#ifndef TM_FORMATS_JFR_POOLS_H
#define TM_FORMATS_JFR_POOLS_H

#include "formats/jfr/jfr_metadata.h"
#include "formats/notes.h"

enum tm__jfr_pool_kind {
    TM__JFR_POOL_THREAD,
    TM__JFR_POOL_GROUP,
    TM__JFR_POOL_CLASS,
    TM__JFR_POOL_METHOD,
    TM__JFR_POOL_STACK,
    TM__JFR_POOL_SYMBOL,
    TM__JFR_POOL_STRING,
    TM__JFR_POOL_CAUSE, ///< of inflations
    TM__JFR_POOL_STATE, ///< of sampled threads
    TM__JFR_POOL_COUNT
};

/** Fields of the types of constants, as slots; see pools.c for their names. */
enum tm__jfr_constant_slot {
    TM__JFR_THREAD_OS_NAME = 0,
    TM__JFR_THREAD_OS_ID,
    TM__JFR_THREAD_JAVA_NAME,
    TM__JFR_THREAD_JAVA_ID,
    TM__JFR_THREAD_GROUP,
    TM__JFR_THREAD_VIRTUAL,
    TM__JFR_GROUP_NAME = 0,
    TM__JFR_CLASS_NAME = 0,
    TM__JFR_METHOD_CLASS = 0,
    TM__JFR_METHOD_NAME,
    TM__JFR_METHOD_SIGNATURE,
    TM__JFR_STACK_TRUNCATED = 0,
    TM__JFR_STACK_FRAMES,
    TM__JFR_SYMBOL_TEXT = 0,
    TM__JFR_CAUSE_TEXT = 0,
    TM__JFR_STATE_NAME = 0,
    TM__JFR_FRAME_METHOD = 0,
    TM__JFR_FRAME_LINE,
    TM__JFR_FRAME_LOCATION,
    TM__JFR_CONSTANT_SLOTS = 6
};

typedef struct tm__jfr_constant {
    uint32_t offset;   ///< of its value in the chunk
    uint32_t resolved; ///< what it was found to be, for whoever asks; TM__NONE
} tm__jfr_constant;

typedef struct tm__jfr_pool {
    tm__map map; ///< key: constants[]
    tm__jfr_constant *constants;
    uint32_t count;
    uint32_t capacity;
    tm__jfr_program program;
    int is_compiled;
} tm__jfr_pool;

typedef struct tm__jfr_pools {
    tm__memory *memory;
    tm__jfr_metadata *metadata;
    tm__jfr_pool pools[TM__JFR_POOL_COUNT];
    tm__jfr_program frame; ///< reads one frame of a stack
    const uint8_t *base;   ///< of the chunk
    const uint8_t *limit;
} tm__jfr_pools;

void tm__jfr_pools_init(tm__jfr_pools *pools, tm__memory *memory,
                        tm__jfr_metadata *metadata);

/**
 * Forget all constants and compile what reads those of the chunk's types.
 * @param base  the chunk's bytes, lent as long as constants are asked for
 * @return TM_OK or TM_ENOMEM
 */
int tm__jfr_pools_start(tm__jfr_pools *pools, const uint8_t *base,
                        const uint8_t *limit);

/**
 * Take in a checkpoint event.
 * @param cursor  behind the event's size and type
 * @param end     of the event
 * @return TM_OK; TM_EDAMAGED: constants up to the cursor are known; TM_ENOMEM
 */
int tm__jfr_pools_add(tm__jfr_pools *pools, tm__jfr_cursor *cursor, const uint8_t *end);

/** @return a constant; NULL: there is none of that key */
tm__jfr_constant *tm__jfr_constant_find(tm__jfr_pools *pools, int pool, uint64_t key);

/**
 * Read a constant's fields.
 * @param[out] values  TM__JFR_CONSTANT_SLOTS of them; 0 for what the type lacks
 */
void tm__jfr_constant_read(const tm__jfr_pools *pools, int pool,
                           const tm__jfr_constant *constant, uint64_t *values);

/** A cursor at an offset of the chunk. */
tm__jfr_cursor tm__jfr_pools_at(const tm__jfr_pools *pools, uint64_t offset);

void tm__jfr_pools_free(tm__jfr_pools *pools);

#endif
