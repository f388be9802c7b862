/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The workload: a hundred rounds a second. In each, most threads are in a read, an
 * accept or a poll, nearly all of them for long. A thread that has been in one for a
 * millisecond, and neither has a processor nor wants one, is taken to wait.
 */
#include "recorder/claimed_calls.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "endpoint/endpoint.h"
#include "recorder/definitions.h"
#include "recorder/gather_records.h"
#include "recorder/process.h"
#include "recorder/stack_definitions.h"

static const int64_t LONG_NS = INT64_C(1000000);
/* A thread that a debugger stopped must not hold up all others. */
static const int64_t STUCK_NS = INT64_C(2000000000);
/* A program reports its files with its first stack, which may be read later. */
static const int64_t FILES_NS = INT64_C(50000000);

/* Whether a thread has a processor, or wants one. */
static int runs(const tm__ring_reader *reader)
{
    return tm__process_task_state(reader->image->pid, reader->os_id) == 'R';
}

/* The stack of a wait for a futex is a record of the ring's, written before. */
static int has_been_read(const tm__ring_reader *reader)
{
    const tm__ring *ring = reader->ring;

    return atomic_load_explicit(&ring->call.use, memory_order_relaxed) !=
               TM__USE_FUTEX ||
           atomic_load_explicit(&ring->head, memory_order_relaxed) == reader->tail;
}

static int has_files(const tm__image *image)
{
    return image->definitions && image->definitions->modules;
}

/* The key of a descriptor, which is not looked up when a call begins. Its link alone is
 * read: to ask for the facts of a file may last as long as the call. */
static uint64_t key_of_descriptor(uint32_t pid, int fd)
{
    struct stat facts = {0};
    char path[64], link[64];
    ssize_t length;

    snprintf(path, sizeof(path), "/proc/%u/fd/%d", pid, fd);
    length = fd < 0 ? -1 : readlink(path, link, sizeof(link) - 1);
    link[length > 0 ? length : 0] = 0;
    if (strncmp(link, "pipe:", 5) == 0)
        facts.st_mode = S_IFIFO;
    else if (strncmp(link, "/dev/", 5) == 0)
        facts.st_mode = S_IFCHR;
    else if (strncmp(link, "anon_inode:", 11) != 0)
        return 0;
    return tm__endpoint_of_file(&facts).key;
}

static uint64_t endpoint_of(const tm__ring_reader *reader, uint64_t key, uint32_t use,
                            int fd)
{
    uint32_t kind = use & TM__USE_KINDS;

    if (!key && (kind == TM__USE_READ || kind == TM__USE_WRITE))
        key = key_of_descriptor(reader->image->pid, fd);
    return key ? key : tm__endpoint_of(use, -1).key;
}

/* Claim a call; the program may write its fields at any time. */
static void claim(tm__ring_reader *reader, uint64_t since)
{
    tm__kernel_call *call = &reader->ring->call;
    uint64_t key = atomic_load_explicit(&call->key, memory_order_relaxed);
    uint32_t use = atomic_load_explicit(&call->use, memory_order_relaxed);
    uint32_t is_idle = atomic_load_explicit(&call->is_idle, memory_order_relaxed);
    uint32_t stack = atomic_load_explicit(&call->stack, memory_order_relaxed);
    int fd = atomic_load_explicit(&call->fd, memory_order_relaxed);
    uint64_t site = atomic_load_explicit(&call->site, memory_order_relaxed);
    int64_t timeout_ns = atomic_load_explicit(&call->timeout_ns, memory_order_relaxed);
    tm__item *item;

    if (!atomic_compare_exchange_strong(&call->since, &since, TM__CLAIMED))
        return;
    item = tm__gather_item(reader, TM_EVENT_AWAIT, since);
    if (!item)
        return;
    item->object_kind = use == TM__USE_FUTEX ? TM__OBJECT_FUTEX : TM__OBJECT_ENDPOINT;
    item->event.object = use == TM__USE_FUTEX ? key : endpoint_of(reader, key, use, fd);
    item->event.flags = is_idle ? TM_EVENT_IDLE : 0;
    item->object =
        tm__object_at(reader->image, item->event.object, item->object_kind, 0);
    if (use != TM__USE_FUTEX) {
        item->stack = site && has_files(reader->image)
                          ? tm__stack_of_frames(reader->image, &site, 1)
                          : NULL;
    } else {
        item->event.value = timeout_ns > 0 ? timeout_ns : 0;
        item->stack = stack < TM__STACKS_CACHED ? reader->stacks[stack] : NULL;
    }
    if (item->stack)
        item->event.stack = tm__stack_id(item->stack);
}

uint64_t tm__kernel_wait_bound(tm__ring_reader *reader, const tm__tick_clock *clock,
                               uint64_t now)
{
    tm__kernel_call *call = &reader->ring->call;
    uint64_t since = atomic_load_explicit(&call->since, memory_order_acquire);
    uint64_t most = tm__tick_clock_ticks(clock, STUCK_NS);

    if (since != TM__BEGINS)
        reader->seen_call = 0;
    else if (!reader->seen_call)
        reader->seen_call = now;
    if (since == TM__BEGINS)
        return now - reader->seen_call < most ? reader->image->horizon : UINT64_MAX;
    if (since < TM__CALL_VALUES || since > now || since < reader->image->horizon)
        return UINT64_MAX;
    if (now - since < tm__tick_clock_ticks(clock, LONG_NS))
        return since;
    if (!has_been_read(reader) && now - since < most)
        return since;
    if (!has_files(reader->image) &&
        now - since < tm__tick_clock_ticks(clock, FILES_NS))
        return since;
    if (!runs(reader)) {
        claim(reader, since);
        /* The thread may have come back meanwhile. */
        return atomic_load(&call->since) == since ? since : UINT64_MAX;
    }
    if (now - since < most)
        return since;
    atomic_compare_exchange_strong(&call->since, &since, TM__ABANDONED);
    return UINT64_MAX;
}
