/* SPDX-License-Identifier: Apache-2.0 */
/* See trace_index.h. Entries are coded at once: eight bytes each instead of forty. */
#include "trace/trace_index.h"

#include <threadmodel/error.h>

#include "base/error.h"

int tm__index_reserve(tm__index *index)
{
    return tm__bytes_reserve(&index->entries, 5 * TM__VARINT_BYTES);
}

void tm__index_add(tm__index *index, const tm__index_entry *entry)
{
    uint8_t *at = index->entries.data + index->entries.length;

    at = tm__encode_varint(at, entry->offset - index->offset);
    at = tm__encode_varint(at, entry->events);
    at = tm__encode_varint(at, entry->definitions);
    at = tm__encode_varint(
        at, tm__zigzag((uint64_t)entry->first_ns - (uint64_t)index->last_ns));
    at = tm__encode_varint(at, (uint64_t)entry->last_ns - (uint64_t)entry->first_ns);
    index->entries.length = (size_t)(at - index->entries.data);
    index->entry_count++;
    index->offset = entry->offset;
    index->last_ns = entry->last_ns;
    if (entry->events > 0) {
        if (index->events == 0 || entry->first_ns < index->run_first_ns)
            index->run_first_ns = entry->first_ns;
        if (index->events == 0 || entry->last_ns > index->run_last_ns)
            index->run_last_ns = entry->last_ns;
    }
    index->blocks++;
    index->events += entry->events;
    index->definitions += entry->definitions;
}

int tm__index_put(const tm__index *index, tm__bytes *raw)
{
    uint8_t *at;

    if (tm__bytes_reserve(raw, 2 * TM__VARINT_BYTES) < 0)
        return tm__failure();
    at = tm__encode_varint(raw->data + raw->length, index->previous);
    at = tm__encode_varint(at, index->entry_count);
    raw->length = (size_t)(at - raw->data);
    return tm__bytes_append(raw, index->entries.data, index->entries.length);
}

void tm__index_next(tm__index *index, uint64_t offset)
{
    index->entries.length = 0;
    index->entry_count = 0;
    index->previous = offset;
    index->offset = 0;
    index->last_ns = 0;
}

int tm__index_put_end(const tm__index *index, tm__bytes *raw)
{
    uint8_t *at;

    if (tm__bytes_reserve(raw, 4 * TM__VARINT_BYTES) < 0)
        return tm__failure();
    at = tm__encode_varint(raw->data + raw->length, index->previous);
    at = tm__encode_varint(at, index->blocks);
    at = tm__encode_varint(at, index->events);
    at = tm__encode_varint(at, index->definitions);
    raw->length = (size_t)(at - raw->data);
    return TM_OK;
}
