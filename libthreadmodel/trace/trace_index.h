/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index of a trace that is being written: a few bytes a block, put into the file
 * every few thousand blocks, so that a recording of days holds no more of it than
 * one of minutes.
 */
#ifndef TM_TRACE_TRACE_INDEX_H
#define TM_TRACE_TRACE_INDEX_H

#include "trace/coding.h"

enum { TM__INDEX_ENTRIES = 4096 };

typedef struct tm__index {
    tm__bytes entries; ///< coded
    uint32_t entry_count;
    uint64_t previous; ///< offset of the index block before; 0: none
    uint64_t offset;   ///< of the last entry
    int64_t last_ns;   ///< of the last entry
    uint64_t blocks;   ///< of the whole file, as all that follow
    uint64_t events;
    uint64_t definitions;
    int64_t run_first_ns; ///< of all events, while there are any
    int64_t run_last_ns;
} tm__index;

typedef struct tm__index_entry {
    uint64_t offset; ///< of the block's header
    uint32_t events;
    uint32_t definitions;
    int64_t first_ns;
    int64_t last_ns;
} tm__index_entry;

/** Make room for one more entry. @return TM_OK or TM_ENOMEM */
int tm__index_reserve(tm__index *index);

/** Add an entry there is room for. */
void tm__index_add(tm__index *index, const tm__index_entry *entry);

/** Append what an index block holds. @return TM_OK or TM_ENOMEM */
int tm__index_put(const tm__index *index, tm__bytes *raw);

/** The entries are in the file, in an index block at `offset`: begin the next. */
void tm__index_next(tm__index *index, uint64_t offset);

/** Append what the end block holds. @return TM_OK or TM_ENOMEM */
int tm__index_put_end(const tm__index *index, tm__bytes *raw);

#endif
