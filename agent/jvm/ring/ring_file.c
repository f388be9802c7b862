/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rings' file. It grows by some slots at a time, on the writer's thread, before
 * they are wanted: a thread of the program that is in need of a ring takes one that
 * is ready, and never waits for a disk. The file's blocks are reserved: what is stored
 * to a page that has none is not in the file when the disk is full.
 *
 * A lock on the file, which ends with the process whatever ends that, tells a reader
 * that the run goes on and the rings are no business of its own.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#endif
#include "ring/ring_file.h"

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

enum { SPARE_AT_FIRST = 16, SPARE_LEAST = 8, SPARE_MOST = 64 };
enum { PATH_BYTES = 4200 };
/* Of a limit, no ring takes more than one part of so many. */
enum { LEAST_RINGS = 256 };

/* From so many bytes of rings on, new ones are of the smallest kind. */
static const uint64_t GENEROUS_BYTES = UINT64_C(64) << 20;

static char file_path[PATH_BYTES];
static char link_path[PATH_BYTES]; /* "": there is no link */
static int file = -1;
static uint64_t file_bytes;
static size_t wanted_bytes;
static uint64_t most_bytes; /* of rings and copies; 0: no limit */
static uint64_t used_bytes; /* under spare_lock */
static tm__rings_header header;
static tm__mirror header_mirror;
static pthread_mutex_t spare_lock = PTHREAD_MUTEX_INITIALIZER;
static tm__mirror spare[SPARE_MOST]; /* slots that no ring has */
static int spare_count;
static int is_changed; /* by others, which was said */

static size_t ring_bytes_now(void)
{
    return file_bytes < GENEROUS_BYTES ? wanted_bytes : TM__RING_BYTES_MIN;
}

/* @return errno, 0: `bytes` more of the file are there, mapped at *out */
static int extend(void **out, size_t bytes)
{
    int error = posix_fallocate(file, (off_t)file_bytes, (off_t)bytes);

    if (error)
        return error;
    *out =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)file_bytes);
    if (*out == MAP_FAILED)
        return errno;
    /* Or the first store has the kernel read ahead, and clear, all of it: 3 ms. */
    madvise(*out, bytes, MADV_RANDOM);
    return 0;
}

/* Add slots to the file. @return errno */
static int add(int count)
{
    size_t ring_bytes = ring_bytes_now();
    size_t slot_bytes = TM__RING_PAGE_BYTES + ring_bytes;
    void *slots;
    int error = extend(&slots, (size_t)count * slot_bytes);

    if (error)
        return error;
    /* Rings lie side by side: a huge page would make all of them resident. */
    madvise(slots, (size_t)count * slot_bytes, MADV_NOHUGEPAGE);
    for (int i = 0; i < count; i++) {
        tm__mirror slot = {(unsigned char *)slots + (size_t)i * slot_bytes, slot_bytes};
        tm__ring ring = {0};

        tm__ring_init(&ring, ring_bytes, file_bytes);
        tm__mirror_put(&slot, 0, &ring, sizeof(ring));
        file_bytes += slot_bytes;
        pthread_mutex_lock(&spare_lock);
        spare[spare_count++] = slot;
        pthread_mutex_unlock(&spare_lock);
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
static int make_paths(const char *trace, const char *where, uint64_t run_id)
{
    char folder[PATH_MAX];
    int used;

    link_path[0] = 0;
    used = snprintf(file_path, PATH_BYTES, "%s" TM__RINGS_SUFFIX, trace);
    if (used < 0 || used >= PATH_BYTES)
        return ENAMETOOLONG;
    unlink(file_path);
    if (!where[0])
        return 0;
    memcpy(link_path, file_path, PATH_BYTES);
    snprintf(file_path, PATH_BYTES, "%s", where);
    if (!realpath(where, folder))
        return errno;
    used = snprintf(file_path, PATH_BYTES, "%s/threadmodel-%016llx" TM__RINGS_SUFFIX,
                    folder, (unsigned long long)run_id);
    return used < 0 || used >= PATH_BYTES ? ENAMETOOLONG : 0;
}

/* @return errno */
static int make_file(void)
{
    void *page;
    int error;

    file = open(file_path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return errno;
    if (flock(file, LOCK_EX | LOCK_NB) < 0)
        return errno;
    error = extend(&page, TM__RING_PAGE_BYTES);
    if (error)
        return error;
    file_bytes = TM__RING_PAGE_BYTES;
    tm__mirrors_open();
    header_mirror = (tm__mirror){page, TM__RING_PAGE_BYTES};
    tm__mirror_put(&header_mirror, 0, &header, sizeof(header));
    error = add(SPARE_AT_FIRST);
    if (!error && link_path[0] && symlink(file_path, link_path) < 0)
        error = errno;
    return error;
}

int tm__rings_open(size_t ring_bytes, const char *trace, const char *where,
                   uint64_t run_id, uint64_t limit_bytes, char *error,
                   size_t error_bytes)
{
    int is_wanted = strcmp(where, "none") != 0;
    int rc;

    most_bytes = limit_bytes;
    wanted_bytes = ring_bytes;
    while (limit_bytes && wanted_bytes > TM__RING_BYTES_MIN &&
           wanted_bytes > limit_bytes / LEAST_RINGS)
        wanted_bytes /= 2;
    is_changed = 0;
    tm__rings_header_init(&header, run_id);
    if (!trace)
        return 0;
    rc = make_paths(trace, is_wanted ? where : "", run_id);
    if (!is_wanted)
        return 0;
    if (rc == 0)
        rc = make_file();
    if (rc == 0)
        return 0;
    tm__rings_close(0);
    snprintf(
        error, error_bytes,
        "%s: %s; if the process is killed, the events in the threads' buffers are lost",
        file_path, strerror(rc));
    return -1;
}

/* What a ring takes, and its copy. */
static uint64_t bytes_of(size_t ring_bytes, int has_mirror)
{
    return (has_mirror ? 2 : 1) * (uint64_t)(TM__RING_PAGE_BYTES + ring_bytes);
}

static void release(size_t ring_bytes, const tm__mirror *mirror)
{
    pthread_mutex_lock(&spare_lock);
    used_bytes -= bytes_of(ring_bytes, mirror->bytes != NULL);
    pthread_mutex_unlock(&spare_lock);
    if (mirror->bytes)
        munmap(mirror->bytes, mirror->length);
}

tm__ring *tm__rings_acquire(tm__mirror *mirror)
{
    size_t ring_bytes = wanted_bytes;
    uint64_t bytes;
    tm__ring *ring;

    *mirror = (tm__mirror){0};
    pthread_mutex_lock(&spare_lock);
    if (spare_count > 0)
        ring_bytes = spare[spare_count - 1].length - TM__RING_PAGE_BYTES;
    bytes = bytes_of(ring_bytes, spare_count > 0);
    if (most_bytes && used_bytes + bytes > most_bytes)
        ring_bytes = 0;
    else if (spare_count > 0)
        *mirror = spare[--spare_count];
    used_bytes += bytes_of(ring_bytes, mirror->bytes != NULL);
    pthread_mutex_unlock(&spare_lock);
    ring = in_memory(ring_bytes);
    if (!ring)
        release(ring_bytes, mirror);
    return ring;
}

void tm__rings_release(tm__ring *ring, const tm__mirror *mirror)
{
    size_t ring_bytes = ring->capacity;

    munmap(ring, TM__RING_PAGE_BYTES + ring_bytes);
    release(ring_bytes, mirror);
}

void tm__rings_prepare(void)
{
    int have;

    pthread_mutex_lock(&spare_lock);
    have = spare_count;
    pthread_mutex_unlock(&spare_lock);
    /* All at once are a burst of new threads, of which there will be more. */
    if (file >= 0 && !is_changed && have < SPARE_LEAST)
        add(have == 0 ? SPARE_MOST : SPARE_AT_FIRST);
}

const char *tm__rings_changed(void)
{
    static char sentence[PATH_BYTES + 64];
    struct stat status;
    const char *what = NULL;

    if (file < 0 || is_changed)
        return NULL;
    if (fstat(file, &status) < 0 || status.st_nlink == 0)
        what = "removed";
    else if (tm__mirrors_were_cut() || (uint64_t)status.st_size < file_bytes)
        what = "cut";
    if (!what)
        return NULL;
    is_changed = 1;
    snprintf(sentence, sizeof(sentence), "%s was %s by another program", file_path,
             what);
    return sentence;
}

/* State a number of the header, in memory and in the file. */
static void state(tm__ring_mark *mark, uint64_t value)
{
    tm__ring_mark_set(mark, value);
    tm__mirror_put(&header_mirror, (size_t)((char *)mark - (char *)&header), mark,
                   sizeof(*mark));
}

void tm__rings_begin_round(int64_t horizon_ns)
{
    state(&header.horizon, (uint64_t)horizon_ns);
}

void tm__rings_begin_advance(void)
{
    state(&header.is_advancing, 1);
}

void tm__rings_end_advance(uint64_t events)
{
    state(&header.events, events);
    state(&header.is_advancing, 0);
}

void tm__rings_close(int keep)
{
    if (file < 0)
        return;
    if (!keep) {
        unlink(file_path);
        if (link_path[0])
            unlink(link_path);
    }
    close(file);
    file = -1;
    file_bytes = 0;
    pthread_mutex_lock(&spare_lock);
    while (spare_count > 0) {
        spare_count--;
        munmap(spare[spare_count].bytes, spare[spare_count].length);
    }
    pthread_mutex_unlock(&spare_lock);
    if (header_mirror.bytes)
        munmap(header_mirror.bytes, header_mirror.length);
    header_mirror = (tm__mirror){0};
}
