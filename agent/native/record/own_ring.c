/* SPDX-License-Identifier: Apache-2.0 */
#include "record/own_ring.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>

#include "record/own_thread.h"
#include "record/real.h"

static void wake_recorder(void)
{
    atomic_fetch_add(&tm__the_control->woken, 1);
    TM__FOUND(syscall)
    (SYS_futex, &tm__the_control->woken, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static unsigned char *bytes_of(tm__ring *ring, uint64_t at)
{
    return (unsigned char *)ring + TM__RING_HEADER_BYTES +
           (at & (tm__the_ring_bytes - 1));
}

tm__record *tm__ring_reserve(tm__ring *ring, uint32_t bytes)
{
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    uint64_t used = head - atomic_load_explicit(&ring->tail, memory_order_acquire);
    uint64_t to_end = tm__the_ring_bytes - (head & (tm__the_ring_bytes - 1));
    uint64_t padding = to_end < bytes ? to_end : 0;
    tm__record *record;

    if (used + padding + bytes > tm__the_ring_bytes)
        return NULL;
    if (padding) {
        record = (tm__record *)(void *)bytes_of(ring, head);
        record->kind = TM__PADDING;
        record->bytes = (uint32_t)padding;
        atomic_store_explicit(&ring->head, head + padding, memory_order_release);
    }
    return (tm__record *)(void *)bytes_of(ring, head + padding);
}

void tm__ring_commit(tm__ring *ring, uint32_t bytes)
{
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    uint64_t used = head - atomic_load_explicit(&ring->tail, memory_order_relaxed);

    atomic_store_explicit(&ring->head, head + bytes, memory_order_release);
    if (used < tm__the_ring_bytes / 2 && used + bytes >= tm__the_ring_bytes / 2)
        wake_recorder();
}

int tm__ring_write_pieces(tm__ring *ring, int kind, uint64_t object, uint64_t peer,
                          const void *first, size_t first_bytes, const void *second,
                          size_t second_bytes)
{
    size_t length = first_bytes + second_bytes;
    uint32_t bytes = (uint32_t)(sizeof(tm__record) + (length + 7) / 8 * 8);
    tm__record *record = tm__ring_reserve(ring, bytes);

    if (!record)
        return -1;
    *record = (tm__record){.kind = (uint16_t)kind,
                           .stack = TM__STACK_NONE,
                           .bytes = bytes,
                           .time = tm__now(),
                           .object = object,
                           .peer = peer,
                           .value = (int64_t)length};
    memcpy(record + 1, first, first_bytes);
    memcpy((unsigned char *)(record + 1) + first_bytes, second, second_bytes);
    tm__ring_commit(ring, bytes);
    return 0;
}
