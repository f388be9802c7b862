/* SPDX-License-Identifier: Apache-2.0 */
#include "record/shared_rings.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/own_thread.h"

static unsigned char *the_rings;
static uint32_t the_rings_most;

static tm__ring *ring_at(uint32_t number)
{
    return (tm__ring *)(void *)(the_rings + (size_t)number * (TM__RING_HEADER_BYTES +
                                                              tm__the_ring_bytes));
}

uint32_t tm__ring_number(const tm__ring *ring)
{
    return (uint32_t)((size_t)((const unsigned char *)ring - the_rings) /
                      (TM__RING_HEADER_BYTES + tm__the_ring_bytes));
}

static void set_state(const tm__ring *ring, uint32_t state)
{
    atomic_store_explicit(&tm__the_control->states[tm__ring_number(ring)], state,
                          memory_order_release);
}

static void raise_used_end(uint32_t end)
{
    uint32_t before = atomic_load(&tm__the_control->used_end);

    while (before < end &&
           !atomic_compare_exchange_weak(&tm__the_control->used_end, &before, end))
        ;
}

tm__ring *tm__ring_claim(void)
{
    /* Without a recorder nobody frees the rings of threads that end. */
    if (atomic_load_explicit(&tm__the_control->stopped, memory_order_relaxed))
        return NULL;
    for (uint32_t i = 0; i < the_rings_most; i++) {
        _Atomic uint32_t *state = &tm__the_control->states[i];
        uint32_t unused = TM__RING_FREE;
        tm__ring *ring;

        if (atomic_load_explicit(state, memory_order_relaxed) != TM__RING_FREE)
            continue;
        if (!atomic_compare_exchange_strong(state, &unused, TM__RING_CLAIMED))
            continue;
        ring = ring_at(i);
        memset(ring, 0, sizeof(*ring));
        ring->image = *tm__the_image;
        ring->thread = atomic_fetch_add(&tm__the_control->next_thread, 1) + 1;
        ring->pid = tm__the_process;
        raise_used_end(i + 1);
        set_state(ring, TM__RING_USED);
        return ring;
    }
    return NULL;
}

void tm__ring_unclaim(const tm__ring *ring)
{
    set_state(ring, TM__RING_LEFT);
}

/* Whether it is laid out as the recorder does, for a file of that size. */
static int read_sizes(const tm__control *control, uint64_t bytes)
{
    tm__the_ring_bytes = control->ring_bytes;
    the_rings_most = control->rings_most;
    return control->magic == TM__REGION_MAGIC &&
           tm__the_ring_bytes >= TM__RING_BYTES_LEAST &&
           tm__the_ring_bytes <= TM__RING_BYTES_MOST &&
           (tm__the_ring_bytes & (tm__the_ring_bytes - 1)) == 0 && the_rings_most > 0 &&
           the_rings_most <= TM__RINGS_MOST &&
           tm__region_bytes(tm__the_ring_bytes, the_rings_most) == bytes;
}

static void *map_region(const char *path)
{
    int descriptor = open(path, O_RDWR | O_CLOEXEC);
    void *memory = MAP_FAILED;
    struct stat facts;
    int is_ours;

    if (descriptor < 0)
        return NULL;
    /* The recorder may be gone, and the name be another file's. */
    if (fstat(descriptor, &facts) != 0 || (uint64_t)facts.st_size < TM__CONTROL_BYTES ||
        (fcntl(descriptor, F_GET_SEALS) & F_SEAL_SHRINK) == 0) {
        close(descriptor);
        errno = EPROTO;
        return NULL;
    }
    memory = mmap(NULL, (size_t)facts.st_size, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_NORESERVE, descriptor, 0);
    close(descriptor);
    if (memory == MAP_FAILED)
        return NULL;
    is_ours = read_sizes(memory, (uint64_t)facts.st_size);
    if (is_ours) {
        madvise(memory, (size_t)facts.st_size, MADV_DONTDUMP);
        return memory;
    }
    munmap(memory, (size_t)facts.st_size);
    errno = EPROTO;
    return NULL;
}

uint32_t tm__rings_map(const char *path)
{
    tm__the_control = map_region(path);
    if (!tm__the_control)
        return 0;
    the_rings = (unsigned char *)tm__the_control + TM__CONTROL_BYTES;
    return the_rings_most;
}
