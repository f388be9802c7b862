/* SPDX-License-Identifier: Apache-2.0 */
/* The events of one block as columns of small numbers, and back. */
#ifndef TM_TRACE_COLUMNS_H
#define TM_TRACE_COLUMNS_H

#include <threadmodel/event.h>

#include "trace/coding.h"

/** Sections of a data block. */
enum tm__section {
    TM__SECTION_DEFINITIONS = 1,
    TM__SECTION_KIND = 2,
    TM__SECTION_FLAGS = 3,
    TM__SECTION_TIME = 4,
    TM__SECTION_VALUE = 5,
    TM__SECTION_THREAD_IDS = 6,
    TM__SECTION_THREAD = 7,
    TM__SECTION_PEER = 8,
    TM__SECTION_OBJECT_IDS = 9,
    TM__SECTION_OBJECT = 10,
    TM__SECTION_STACK_IDS = 11,
    TM__SECTION_STACK = 12,
    TM__SECTION_END = 13,
};

/** One section: its tag, its length, its bytes. @return TM_OK or TM_ENOMEM */
int tm__section_put(tm__bytes *out, enum tm__section tag, const uint8_t *data,
                    size_t length);

/** The ids of one number space in a block, in order of first use, from 1. */
typedef struct tm__id_dictionary {
    uint64_t *ids; ///< ids[0] is not used
    uint32_t *slots;
    uint32_t count; ///< with ids[0]
    uint32_t id_capacity;
    uint32_t slot_capacity;
    uint32_t slot_mask;
} tm__id_dictionary;

/** The state of packing and unpacking, kept between blocks. Zero but for memory. */
typedef struct tm__columns {
    tm__memory *memory;
    tm__bytes scratch;
    tm__id_dictionary threads, objects, stacks;
} tm__columns;

/**
 * Append the sections of some events.
 *
 * @param order  order[i] is the event to put i-th, by rising time; NULL: as they are
 * @return TM_OK or TM_ENOMEM
 */
int tm__columns_put(tm__columns *columns, tm__bytes *out, const tm_event *events,
                    const uint32_t *order, uint32_t count);

/**
 * Fill events from the sections of a block.
 *
 * @param sections  by tag; an absent one is empty
 * @return TM_OK, TM_ENOMEM, TM_EDAMAGED
 */
int tm__columns_get(tm__columns *columns, tm_event *events, uint32_t count,
                    const tm__cursor sections[TM__SECTION_END], int64_t first_ns,
                    int64_t last_ns);

void tm__columns_free(tm__columns *columns);

#endif
