/* SPDX-License-Identifier: Apache-2.0 */
/* One line of a contention log: from text to numbers. */
#ifndef TM_FORMATS_CONTENTION_LOG_LINE_H
#define TM_FORMATS_CONTENTION_LOG_LINE_H

#include <threadmodel/definition.h>

#include "base/memory.h"
#include "formats/contention/dialect.h"

typedef struct tm__log_record {
    int kind; ///< enum tm_event_kind
    int64_t time_ns;
    uint32_t thread; ///< hashes, as those below; 0: none
    uint32_t object;
    uint32_t owner;
    uint32_t target;
    const char *name; ///< not ended by a zero byte; NULL: the line has none
    size_t name_length;
    int has_stack;

    tm__memory *memory;
    tm_frame *frames;
    uint32_t frame_count;
    uint32_t frame_capacity;
} tm__log_record;

/**
 * Read a line.
 *
 * @param record    its memory is set; frames are kept from line to line
 * @param[out] why  what is wrong with the line; NULL: nothing
 * @return TM_OK, TM_ENOMEM
 */
int tm__log_record_read(tm__log_record *record, const tm__log_dialect *dialect,
                        const char *text, size_t length, const char **why);

void tm__log_record_free(tm__log_record *record);

/** Up to `digits` hexadecimal digits. @return what follows; NULL: there is none */
const char *tm__log_hex(const char *at, const char *end, int digits, uint64_t *value);

#endif
