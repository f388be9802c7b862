/* SPDX-License-Identifier: Apache-2.0 */
/* The constant part of a rings file, written and checked. */
#include "trace/ring_layout.h"

#include <string.h>

#include "trace/coding.h"

_Static_assert(offsetof(tm__ring, head) == 64 && offsetof(tm__ring, tail) == 128 &&
                   sizeof(tm__ring) <= TM__RING_PAGE_BYTES,
               "as docs/trace-format.md has it");
_Static_assert(offsetof(tm__rings_header, events) == 64,
               "as docs/trace-format.md has it");

static uint32_t header_crc(const tm__rings_header *header)
{
    return tm__crc32((const uint8_t *)header, offsetof(tm__rings_header, constant)) ^
           tm__crc32((const uint8_t *)&header->run_id, sizeof(header->run_id));
}

void tm__rings_header_init(tm__rings_header *header, uint64_t run_id)
{
    header->magic = TM__RINGS_MAGIC;
    header->version = TM__RINGS_VERSION;
    header->run_id = run_id;
    header->constant = header_crc(header);
    tm__ring_mark_set(&header->events, 0);
    tm__ring_mark_set(&header->horizon, 0);
    tm__ring_mark_set(&header->is_advancing, 0);
}

int tm__rings_header_is_whole(const tm__rings_header *header)
{
    return header->magic == TM__RINGS_MAGIC && header->constant == header_crc(header);
}

static uint32_t ring_crc(const tm__ring *ring)
{
    return tm__crc32((const uint8_t *)&ring->capacity, 2 * sizeof(ring->capacity));
}

void tm__ring_init(tm__ring *ring, uint64_t capacity, uint64_t offset)
{
    ring->magic = TM__RING_MAGIC;
    ring->capacity = capacity;
    ring->offset = offset;
    ring->constant = ring_crc(ring);
    atomic_store(&ring->skip_from, UINT64_MAX);
    tm__ring_mark_set(&ring->lost, 0);
    tm__ring_mark_set(&ring->tail, 0);
    tm__ring_mark_set(&ring->next, 0);
}

int tm__ring_is_whole(const tm__ring *ring, uint64_t offset)
{
    return ring->magic == TM__RING_MAGIC && ring->offset == offset &&
           ring->constant == ring_crc(ring) && ring->capacity >= TM__RING_BYTES_MIN &&
           ring->capacity <= TM__RING_BYTES_MAX &&
           (ring->capacity & (ring->capacity - 1)) == 0;
}
