/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf_event_open() makes a record of 24 bytes at each switch, also for an ordinary
 * user: an event that counts nothing, of user space alone, with context_switch set.
 * An event of one thread and one processor is inherited by all threads that it starts,
 * so one for each processor, opened before the VM has threads, covers all of them. Each
 * processor has one ring, of as much memory as the kernel locks for an ordinary user.
 *
 *     processor 0   [ out 17 | in 21 | out 21 | ...      by time: the records of
 *     processor 1   [ in 17 | ...                        one processor are in order
 */
#include "switches/switch_rings.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_PROCESSORS = 1024,
    MOST_PAGES = 128, /* 512 KiB, what /proc/sys/kernel/perf_event_mlock_kb allows */
    LEAST_PAGES = 8,
    /* Descriptors that are taken from the program for threads met at an attach. */
    MOST_LATE = 1024,
    RECORD_BYTES = 64,
    /* The two of a switch take the kernel 1.2 to 2 us. */
    RECORD_NS = 800
};
static const int64_t WINDOW_NS = INT64_C(1000000000);

/** The fields that follow the header of a record, as sample_type asks for them. */
typedef struct stamp {
    uint32_t process;
    uint32_t thread;
    uint64_t time_ns;
} stamp;

typedef struct ring {
    int fd;
    struct perf_event_mmap_page *page;
    size_t bytes;  ///< of the data, a power of two
    uint64_t head; ///< when the round began
    uint64_t tail;
    tm__switch next;
    int has_next;
} ring;

static ring *rings;
static int ring_count;
static int late[MOST_LATE];
static int late_count;
static uint64_t missed, lost, records;
static int64_t soonest_ns = INT64_MAX; /* the earliest next of all rings */
static int64_t window_ns;              /* when the present one began */
static uint64_t window_records;        /* read by then */

static int open_event(uint32_t os_id, int processor, int is_of_threads)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof(attr),
        .config = PERF_COUNT_SW_DUMMY,
        .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
        .inherit = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .sample_id_all = 1,
        .context_switch = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
    };

#ifdef PERF_ATTR_SIZE_VER7
    /* Processes that the program starts are not ours to record. */
    attr.inherit_thread = is_of_threads ? 1 : 0;
#else
    (void)is_of_threads;
#endif
    return (int)syscall(SYS_perf_event_open, &attr, os_id, processor, -1,
                        PERF_FLAG_FD_CLOEXEC);
}

/* Kernels before 5.13 do not know inherit_thread. */
static int open_any(uint32_t os_id, int processor, int is_of_threads)
{
    int fd = open_event(os_id, processor, is_of_threads);

    return fd < 0 && is_of_threads && (errno == E2BIG || errno == EINVAL)
               ? open_event(os_id, processor, 0)
               : fd;
}

/* @return 0 or an error number */
static int open_ring(ring *it, int processor, uint32_t os_id, int is_of_threads)
{
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    int error = 0;

    *it = (ring){.fd = open_any(os_id, processor, is_of_threads)};
    if (it->fd < 0)
        return errno;
    for (size_t pages = MOST_PAGES; pages >= LEAST_PAGES; pages /= 2) {
        void *page = mmap(NULL, (pages + 1) * page_bytes, PROT_READ | PROT_WRITE,
                          MAP_SHARED, it->fd, 0);

        if (page != MAP_FAILED) {
            it->page = page;
            it->bytes = pages * page_bytes;
            return 0;
        }
        error = errno;
    }
    close(it->fd);
    return error;
}

static void add_late(uint32_t os_id)
{
    if (late_count + ring_count > MOST_LATE) {
        missed++;
        return;
    }
    for (int i = 0; i < ring_count; i++) {
        int processor = i, fd = open_any(os_id, processor, 1);

        if (fd >= 0 && ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, rings[i].fd) == 0) {
            late[late_count++] = fd;
            continue;
        }
        if (fd >= 0)
            close(fd);
        missed += i == 0;
        if (i == 0)
            return;
    }
}

/* The threads that are there already, but the caller's own. */
static void open_late(void)
{
    DIR *folder = opendir("/proc/self/task");
    uint32_t own = (uint32_t)syscall(SYS_gettid);
    struct dirent *entry;

    if (!folder) {
        missed++;
        return;
    }
    while ((entry = readdir(folder)) != NULL) {
        uint32_t os_id = (uint32_t)strtoul(entry->d_name, NULL, 10);

        if (os_id && os_id != own)
            add_late(os_id);
    }
    closedir(folder);
}

int tm__switch_rings_open(uint32_t parent, int is_late)
{
    long count = sysconf(_SC_NPROCESSORS_CONF);
    uint32_t of = parent ? parent : (uint32_t)syscall(SYS_gettid);
    int error = 0;

    if (rings)
        return 0;
    if (count < 1 || count > MOST_PROCESSORS)
        return ENOSYS;
    rings = calloc((size_t)count, sizeof(*rings));
    if (!rings)
        return ENOMEM;
    missed = lost = records = window_records = 0;
    window_ns = 0;
    for (; ring_count < count && !error; ring_count += !error)
        error = open_ring(&rings[ring_count], ring_count, of, parent == 0);
    if (error) {
        tm__switch_rings_close();
        return error;
    }
    if (is_late)
        open_late();
    return 0;
}

int tm__switch_rings_are_open(void)
{
    return ring_count > 0;
}

uint64_t tm__switch_rings_missed(void)
{
    return missed;
}

void tm__switch_rings_put_refusal(char *text, size_t room, int error,
                                  const char *instead)
{
    int is_forbidden = error == EACCES || error == EPERM;

    snprintf(text, room,
             "When threads had a processor is not recorded: perf_event_open failed "
             "(%s). %s %s",
             strerror(error),
             is_forbidden
                 ? "kernel.perf_event_paranoid must be 2 or less, and a container's "
                   "seccomp profile must allow the call."
                 : "The kernel or its configuration does not support it.",
             instead);
}

int tm__switch_rings_put_losses(char *text, size_t room)
{
    if (!lost)
        return 0;
    snprintf(
        text, room,
        "%llu switches of processors were lost: the kernel's rings were full. Some "
        "time of threads is in a wrong state.",
        (unsigned long long)lost);
    return 1;
}

int tm__switch_rings_cost_too_much(int64_t now_ns, double share)
{
    uint64_t made = records - window_records;
    int64_t passed_ns = now_ns - window_ns;

    if (passed_ns < WINDOW_NS)
        return 0;
    window_ns = now_ns;
    window_records += made;
    /* The first window has no beginning. */
    return passed_ns < 10 * WINDOW_NS &&
           (double)made * RECORD_NS > share * (double)passed_ns * ring_count;
}

void tm__switch_rings_stop(void)
{
    for (int i = 0; i < late_count; i++)
        ioctl(late[i], PERF_EVENT_IOC_DISABLE, 0);
    for (int i = 0; i < ring_count; i++)
        ioctl(rings[i].fd, PERF_EVENT_IOC_DISABLE, 0);
}

/* ---- records ---- */

/* A record may go on at the beginning of the ring. */
static void copy(void *to, const ring *it, uint64_t from, size_t bytes)
{
    const char *data = (const char *)it->page + it->page->data_offset;
    size_t at = (size_t)(from & (it->bytes - 1));
    size_t first = it->bytes - at < bytes ? it->bytes - at : bytes;

    memcpy(to, data + at, first);
    memcpy((char *)to + first, data, bytes - first);
}

static void read_lost(const char *record)
{
    uint64_t count;

    memcpy(&count, record + sizeof(struct perf_event_header) + sizeof(uint64_t),
           sizeof(count));
    lost += count;
}

/* @return 1: it is a switch */
static int read_record(ring *it, const struct perf_event_header *header,
                       const char *record)
{
    stamp at;

    if (header->type == PERF_RECORD_LOST)
        read_lost(record);
    if (header->type != PERF_RECORD_SWITCH ||
        header->size < sizeof(*header) + sizeof(at))
        return 0;
    memcpy(&at, record + sizeof(*header), sizeof(at));
    it->next = (tm__switch){
        .time_ns = (int64_t)at.time_ns,
        .os_id = at.thread,
        .is_out = (header->misc & PERF_RECORD_MISC_SWITCH_OUT) != 0,
        .is_preempted = (header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0,
    };
    return 1;
}

static void load(ring *it)
{
    while (!it->has_next && it->head - it->tail >= sizeof(struct perf_event_header)) {
        struct perf_event_header header;
        char record[RECORD_BYTES];

        copy(&header, it, it->tail, sizeof(header));
        if (header.size < sizeof(header) || header.size > it->head - it->tail) {
            it->tail = it->head; /* not a record */
            return;
        }
        if (header.size <= sizeof(record)) {
            copy(record, it, it->tail, header.size);
            it->has_next = read_record(it, &header, record);
        }
        it->tail += header.size;
    }
}

static void find_soonest(void)
{
    soonest_ns = INT64_MAX;
    for (int i = 0; i < ring_count; i++)
        if (rings[i].has_next && rings[i].next.time_ns < soonest_ns)
            soonest_ns = rings[i].next.time_ns;
}

void tm__switch_rings_begin_round(void)
{
    for (int i = 0; i < ring_count; i++) {
        ring *it = &rings[i];

        __atomic_store_n(&it->page->data_tail, it->tail, __ATOMIC_RELEASE);
        it->head = __atomic_load_n(&it->page->data_head, __ATOMIC_ACQUIRE);
        load(it);
    }
    find_soonest();
}

int64_t tm__switch_rings_peek_ns(void)
{
    return ring_count ? soonest_ns : INT64_MAX;
}

int tm__switch_rings_next(tm__switch *out, int64_t until_ns)
{
    if (!ring_count || soonest_ns > until_ns)
        return 0;
    for (int i = 0; i < ring_count; i++) {
        ring *it = &rings[i];

        if (!it->has_next || it->next.time_ns != soonest_ns)
            continue;
        *out = it->next;
        records++;
        it->has_next = 0;
        load(it);
        find_soonest();
        return 1;
    }
    return 0;
}

void tm__switch_rings_close(void)
{
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);

    while (late_count > 0)
        close(late[--late_count]);
    for (int i = 0; i < ring_count; i++) {
        munmap(rings[i].page, rings[i].bytes + page_bytes);
        close(rings[i].fd);
    }
    free(rings);
    rings = NULL;
    ring_count = 0;
}
