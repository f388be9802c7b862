/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rings' file. It grows by some slots at a time, on the drainer's thread, before
 * they are wanted: a thread of the program that needs a ring takes one that is ready,
 * and never waits for a disk. The file's blocks are reserved: a store to a page without
 * a block is lost when the disk is full.
 *
 * A lock on the file, which ends with the process however that ends, shows a reader
 * that the run goes on and that it must leave the rings alone.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#endif
#include "rings/ring_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SPARE_AT_FIRST = 16, SPARE_LEAST = 8 };
/* No ring takes more than one part of so many of a limit. */
enum { LEAST_RINGS = 256 };

/* From so many bytes of rings on, new ones are of the smallest kind. */
static const uint64_t GENEROUS_BYTES = UINT64_C(64) << 20;

static size_t ring_bytes_now(const tm__rings *rings)
{
    return rings->file_bytes < GENEROUS_BYTES ? rings->wanted_bytes
                                              : TM__RING_BYTES_MIN;
}

/* @return errno, 0: `bytes` more of the file are there, mapped at *out */
static int extend(tm__rings *rings, void **out, size_t bytes)
{
    int error = posix_fallocate(rings->file, (off_t)rings->file_bytes, (off_t)bytes);

    if (error)
        return error;
    *out = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, rings->file,
                (off_t)rings->file_bytes);
    if (*out == MAP_FAILED)
        return errno;
    /* Or the first store has the kernel read ahead, and clear, all of it: 3 ms. */
    madvise(*out, bytes, MADV_RANDOM);
    return 0;
}

/* Add slots to the file. @return errno */
static int add(tm__rings *rings, int count)
{
    size_t ring_bytes = ring_bytes_now(rings);
    size_t slot_bytes = TM__RING_PAGE_BYTES + ring_bytes;
    void *slots;
    int error = extend(rings, &slots, (size_t)count * slot_bytes);

    if (error)
        return error;
    /* Rings lie side by side: a huge page would make all of them resident. */
    madvise(slots, (size_t)count * slot_bytes, MADV_NOHUGEPAGE);
    for (int i = 0; i < count; i++) {
        tm__mirror slot = {(unsigned char *)slots + (size_t)i * slot_bytes, slot_bytes,
                           &rings->was_cut};
        tm__ring ring = {0};

        tm__ring_init(&ring, ring_bytes, rings->file_bytes);
        tm__mirror_put(&slot, 0, &ring, sizeof(ring));
        rings->file_bytes += slot_bytes;
        pthread_mutex_lock(&rings->lock);
        rings->spare[rings->spare_count++] = slot;
        pthread_mutex_unlock(&rings->lock);
    }
    return 0;
}

static tm__ring *in_memory(size_t ring_bytes)
{
    size_t bytes = TM__RING_PAGE_BYTES + ring_bytes;
    void *slot = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (slot == MAP_FAILED)
        return NULL;
    madvise(slot, bytes, MADV_NOHUGEPAGE);
    tm__ring_init(slot, ring_bytes, 0);
    return slot;
}

/* Where the file and the link to it go. @return errno */
static int make_paths(tm__rings *rings, const char *trace, const char *where,
                      uint64_t run_id)
{
    char folder[PATH_MAX];
    int used;

    rings->link_path[0] = 0;
    used =
        snprintf(rings->file_path, TM__RINGS_PATH_BYTES, "%s" TM__RINGS_SUFFIX, trace);
    if (used < 0 || used >= TM__RINGS_PATH_BYTES)
        return ENAMETOOLONG;
    unlink(rings->file_path);
    if (!where[0])
        return 0;
    memcpy(rings->link_path, rings->file_path, TM__RINGS_PATH_BYTES);
    snprintf(rings->file_path, TM__RINGS_PATH_BYTES, "%s", where);
    if (!realpath(where, folder))
        return errno;
    used = snprintf(rings->file_path, TM__RINGS_PATH_BYTES,
                    "%s/threadmodel-%016llx" TM__RINGS_SUFFIX, folder,
                    (unsigned long long)run_id);
    return used < 0 || used >= TM__RINGS_PATH_BYTES ? ENAMETOOLONG : 0;
}

/* @return errno */
static int make_file(tm__rings *rings)
{
    void *page;
    int error;

    rings->file = open(rings->file_path,
                       O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (rings->file < 0)
        return errno;
    if (flock(rings->file, LOCK_EX | LOCK_NB) < 0)
        return errno;
    error = extend(rings, &page, TM__RING_PAGE_BYTES);
    if (error)
        return error;
    rings->file_bytes = TM__RING_PAGE_BYTES;
    if (!rings->is_guarded)
        tm__mirrors_open();
    rings->is_guarded = 1;
    rings->header_mirror = (tm__mirror){page, TM__RING_PAGE_BYTES, &rings->was_cut};
    tm__mirror_put(&rings->header_mirror, 0, &rings->header, sizeof(rings->header));
    error = add(rings, SPARE_AT_FIRST);
    if (!error && rings->link_path[0] &&
        symlink(rings->file_path, rings->link_path) < 0)
        error = errno;
    return error;
}

int tm__rings_open(tm__rings *rings, size_t ring_bytes, const char *trace,
                   const char *where, uint64_t run_id, uint64_t limit_bytes,
                   char *error, size_t error_bytes)
{
    int is_wanted = strcmp(where, "none") != 0;
    int rc;

    rings->most_bytes = limit_bytes;
    rings->wanted_bytes = ring_bytes;
    while (limit_bytes && rings->wanted_bytes > TM__RING_BYTES_MIN &&
           rings->wanted_bytes > limit_bytes / LEAST_RINGS)
        rings->wanted_bytes /= 2;
    rings->is_changed = 0;
    atomic_store(&rings->was_cut, 0);
    tm__rings_header_init(&rings->header, run_id);
    if (!trace)
        return 0;
    rc = make_paths(rings, trace, is_wanted ? where : "", run_id);
    if (!is_wanted)
        return 0;
    if (rc == 0)
        rc = make_file(rings);
    if (rc == 0)
        return 0;
    tm__rings_close(rings, 0);
    snprintf(
        error, error_bytes,
        "%s: %s; if the process is killed, the events in the threads' buffers are lost",
        rings->file_path, strerror(rc));
    return -1;
}

/* The memory of a ring and its copy. */
static uint64_t bytes_of(size_t ring_bytes, int has_mirror)
{
    return (has_mirror ? 2 : 1) * (uint64_t)(TM__RING_PAGE_BYTES + ring_bytes);
}

static void release(tm__rings *rings, size_t ring_bytes, const tm__mirror *mirror)
{
    pthread_mutex_lock(&rings->lock);
    rings->used_bytes -= bytes_of(ring_bytes, mirror->bytes != NULL);
    pthread_mutex_unlock(&rings->lock);
    if (mirror->bytes)
        munmap(mirror->bytes, mirror->length);
}

tm__ring *tm__rings_acquire(tm__rings *rings, tm__mirror *mirror)
{
    size_t ring_bytes = rings->wanted_bytes;
    uint64_t bytes;
    tm__ring *ring;

    *mirror = (tm__mirror){0};
    pthread_mutex_lock(&rings->lock);
    if (rings->spare_count > 0)
        ring_bytes = rings->spare[rings->spare_count - 1].length - TM__RING_PAGE_BYTES;
    bytes = bytes_of(ring_bytes, rings->spare_count > 0);
    if (rings->most_bytes && rings->used_bytes + bytes > rings->most_bytes)
        ring_bytes = 0;
    else if (rings->spare_count > 0)
        *mirror = rings->spare[--rings->spare_count];
    rings->used_bytes += bytes_of(ring_bytes, mirror->bytes != NULL);
    pthread_mutex_unlock(&rings->lock);
    ring = in_memory(ring_bytes);
    if (!ring)
        release(rings, ring_bytes, mirror);
    return ring;
}

void tm__rings_release(tm__rings *rings, tm__ring *ring, const tm__mirror *mirror)
{
    size_t ring_bytes = (size_t)ring->capacity;

    munmap(ring, TM__RING_PAGE_BYTES + ring_bytes);
    release(rings, ring_bytes, mirror);
}

void tm__rings_prepare(tm__rings *rings)
{
    int have;

    pthread_mutex_lock(&rings->lock);
    have = rings->spare_count;
    pthread_mutex_unlock(&rings->lock);
    /* Where all are taken at once, a burst of new threads has begun: expect more. */
    if (rings->file >= 0 && !rings->is_changed && have < SPARE_LEAST)
        add(rings, have == 0 ? TM__RINGS_SPARE_MOST : SPARE_AT_FIRST);
}

const char *tm__rings_changed(tm__rings *rings)
{
    struct stat status;
    const char *what = NULL;

    if (rings->file < 0 || rings->is_changed)
        return NULL;
    if (fstat(rings->file, &status) < 0 || status.st_nlink == 0)
        what = "removed";
    else if (atomic_load(&rings->was_cut) ||
             (uint64_t)status.st_size < rings->file_bytes)
        what = "cut";
    rings->is_changed = what != NULL;
    return what;
}

/* State a number of the header, in memory and in the file. */
static void state(tm__rings *rings, tm__ring_mark *mark, uint64_t value)
{
    tm__ring_mark_set(mark, value);
    tm__mirror_put(&rings->header_mirror,
                   (size_t)((char *)mark - (char *)&rings->header), mark,
                   sizeof(*mark));
}

void tm__rings_begin_round(tm__rings *rings, int64_t horizon_ns)
{
    state(rings, &rings->header.horizon, (uint64_t)horizon_ns);
}

void tm__rings_begin_advance(tm__rings *rings)
{
    state(rings, &rings->header.is_advancing, 1);
}

void tm__rings_end_advance(tm__rings *rings, uint64_t events)
{
    state(rings, &rings->header.events, events);
    state(rings, &rings->header.is_advancing, 0);
}

/* The trace is unlocked by now: who began another has its own rings there. */
static void remove_own(const tm__rings *rings)
{
    char target[TM__RINGS_PATH_BYTES];
    struct stat status;
    ssize_t length;

    if (fstat(rings->file, &status) == 0 && status.st_nlink > 0)
        unlink(rings->file_path);
    if (!rings->link_path[0])
        return;
    length = readlink(rings->link_path, target, sizeof(target));
    if (length > 0 && (size_t)length == strlen(rings->file_path) &&
        memcmp(target, rings->file_path, (size_t)length) == 0)
        unlink(rings->link_path);
}

void tm__rings_close(tm__rings *rings, int keep)
{
    if (rings->file < 0)
        return;
    if (!keep)
        remove_own(rings);
    close(rings->file);
    rings->file = -1;
    rings->file_bytes = 0;
    pthread_mutex_lock(&rings->lock);
    while (rings->spare_count > 0) {
        rings->spare_count--;
        munmap(rings->spare[rings->spare_count].bytes,
               rings->spare[rings->spare_count].length);
    }
    pthread_mutex_unlock(&rings->lock);
    if (rings->header_mirror.bytes)
        munmap(rings->header_mirror.bytes, rings->header_mirror.length);
    rings->header_mirror = (tm__mirror){0};
}

void tm__rings_leave(tm__rings *rings)
{
    if (rings->is_guarded)
        tm__mirrors_close();
    rings->is_guarded = 0;
}
