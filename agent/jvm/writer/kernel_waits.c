/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The workload: some twenty rounds a second. In each, some threads are in a read, an
 * accept or a poll. A thread that has been in one for a millisecond is taken to wait: a
 * call that may use a processor for that long, since it moves many bytes, is first
 * looked up in the kernel's list of threads.
 */
#include "writer/kernel_waits.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "endpoint/endpoint.h"
#include "ident/io_objects.h"
#include "ring/recording_state.h"

static const int64_t LONG_NS = INT64_C(1000000);
/* A thread that a debugger stopped must not hold up all others. */
static const int64_t STUCK_NS = INT64_C(2000000000);

/** A call that goes on. */
typedef struct claim {
    tm__buffer *buffer;
    int64_t since_ns;
    uint64_t thread;
    uint32_t use;
    int fd;
} claim;

static claim *claims; /* by rising time, from `next` on */
static size_t next, count, capacity;

static int by_time(const void *a, const void *b)
{
    const claim *one = a, *other = b;

    if (one->since_ns != other->since_ns)
        return one->since_ns < other->since_ns ? -1 : 1;
    return one->thread < other->thread ? -1 : one->thread > other->thread;
}

/* Whether a thread has a processor, or wants one. */
static int runs(const tm__buffer *buffer)
{
    char path[64], text[512];
    const char *state;
    ssize_t length;
    int fd;

    snprintf(path, sizeof(path), "/proc/self/task/%llu/stat",
             (unsigned long long)buffer->os_id);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    length = read(fd, text, sizeof(text) - 1);
    close(fd);
    text[length > 0 ? length : 0] = 0;
    state = strrchr(text, ')');
    return state && state[1] == ' ' && state[2] == 'R';
}

static int reserve(void)
{
    claim *grown;

    if (next > 0) {
        memmove(claims, claims + next, (count - next) * sizeof(*claims));
        count -= next;
        next = 0;
    }
    if (count < capacity)
        return 0;
    grown = realloc(claims, (capacity + 256) * sizeof(*claims));
    if (!grown)
        return -1;
    claims = grown;
    capacity += 256;
    return 0;
}

/* @return 1: it is the writer's now */
static int take(tm__buffer *b, int64_t since_ns)
{
    tm__kernel_call *call = &b->call;
    claim it = {b, since_ns, atomic_load(&call->thread), atomic_load(&call->use),
                atomic_load(&call->fd)};
    int64_t bare = since_ns;

    if (reserve() != 0)
        return 0;
    /* Before it is known to be the writer's: its thread takes this back at the end. */
    if (!b->is_shared) {
        atomic_store(&b->stacks.bare_kind, TM_EVENT_AWAIT);
        atomic_store(&b->stacks.bare_object, 0);
        atomic_store(&b->stacks.bare_since_ns, since_ns);
    }
    if (!atomic_compare_exchange_strong(&call->since_ns, &since_ns, TM__CALL_CLAIMED)) {
        if (!b->is_shared)
            atomic_compare_exchange_strong(&b->stacks.bare_since_ns, &bare, 0);
        return 0;
    }
    claims[count++] = it;
    return 1;
}

static int64_t bound_of(tm__buffer *b, int64_t now_ns, int64_t last_ns, int final)
{
    int64_t since_ns = atomic_load_explicit(&b->call.since_ns, memory_order_acquire);
    int64_t least_ns = final ? 0 : LONG_NS;

    if (since_ns != TM__CALL_BEGINS)
        b->call.begins_ns = 0;
    if (since_ns == TM__CALL_NONE || since_ns == TM__CALL_CLAIMED)
        return INT64_MAX;
    if (since_ns == TM__CALL_BEGINS) {
        if (!b->call.begins_ns)
            b->call.begins_ns = now_ns;
        return now_ns - b->call.begins_ns < STUCK_NS ? last_ns : INT64_MAX;
    }
    if (since_ns < last_ns)
        return INT64_MAX; /* of before this recording */
    if (now_ns - since_ns < least_ns)
        return since_ns;
    if (atomic_load(&b->call.use) & TM__USE_LARGE && runs(b))
        return now_ns - since_ns < STUCK_NS ? since_ns : INT64_MAX;
    return take(b, since_ns) ? INT64_MAX : since_ns;
}

int64_t tm__kernel_waits_claim(tm__buffer *first, int64_t now_ns, int64_t last_ns,
                               int final)
{
    int64_t bound = INT64_MAX;

    for (tm__buffer *b = first; b; b = tm__buffer_next(b)) {
        int64_t own = bound_of(b, now_ns, last_ns, final);

        if (own < bound)
            bound = own;
    }
    if (count > next)
        qsort(claims + next, count - next, sizeof(*claims), by_time);
    return bound;
}

tm__buffer *tm__kernel_waits_next(tm_event *event, int64_t until_ns)
{
    const claim *it;
    tm__io_object object;

    if (next == count || claims[next].since_ns > until_ns)
        return NULL;
    it = &claims[next++];
    object = tm__io_object_of(NULL, tm__the_recording.sink, it->use, it->fd, NULL);
    *event = (tm_event){.time_ns = it->since_ns,
                        .thread = it->thread,
                        .object = object.id,
                        .kind = TM_EVENT_AWAIT,
                        .flags = object.is_idle ? TM_EVENT_IDLE : 0};
    if (!it->buffer->is_shared)
        atomic_store(&it->buffer->stacks.bare_object, object.id);
    return it->buffer;
}

void tm__kernel_waits_close(void)
{
    free(claims);
    claims = NULL;
    next = count = capacity = 0;
}
