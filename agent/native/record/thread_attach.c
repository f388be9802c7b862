/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No descriptor stays open, no memory is allocated but by mmap, and no lock is taken. A
 * fork is noticed by a page that the kernel wipes in the child, however it was forked:
 * handlers of pthread_atfork do not run for all.
 */
#include "record/thread_attach.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <threadmodel/event.h>

#include "record/known_nestings.h"
#include "record/real.h"
#include "record/record.h"
#include "record/reported_modules.h"
#include "record/shared_rings.h"
#include "record/stack.h"
#include "record/waiters.h"

/* Nobody new is recorded, as it may have no counter to read. */
static atomic_int the_counter_is_refused;

static uint64_t *the_wiped_page;
static int is_in_namespace; ///< of processes; numbers are those that /proc has
static pthread_key_t the_key;

static void report(const char *what)
{
    char line[256];
    int length =
        snprintf(line, sizeof(line), "threadmodel: not recorded: %s: %s (pid %d)\n",
                 what, strerror(errno), (int)getpid());

    if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0)
        return;
}

/* The last number in a link of /proc, which is in the recorder's view where the /proc
 * of both is one. @return 0: there is none */
static uint32_t number_in_link(const char *link)
{
    char target[64];
    ssize_t length = readlink(link, target, sizeof(target) - 1);
    const char *slash;

    if (length <= 0)
        return 0;
    target[length] = 0;
    slash = strrchr(target, '/');
    return (uint32_t)strtoul(slash ? slash + 1 : target, NULL, 10);
}

static uint32_t number_of_thread(void)
{
    uint32_t number = is_in_namespace ? number_in_link("/proc/thread-self") : 0;

    return number ? number : (uint32_t)syscall(SYS_gettid);
}

static uint32_t number_of_process(void)
{
    uint32_t own = (uint32_t)getpid(), number = number_in_link("/proc/self");

    is_in_namespace = number && number != own;
    return number ? number : own;
}

void tm__ring_adopt(tm__ring *ring)
{
    tm__self *self = &tm__the_self;

    memset(self, 0, sizeof(*self));
    self->ring = ring;
    self->image = *tm__the_image;
    if (!ring)
        return;
    atomic_store(&ring->handle, (uint64_t)pthread_self());
    if (!atomic_load(&tm__is_sandboxed))
        atomic_store(&ring->os_id, number_of_thread());
    pthread_setspecific(the_key, self);
}

/* A recursive lock was taken when it was for the first time. */
static int is_there_before(const tm__ring *ring, uint32_t at,
                           const volatile void *object)
{
    for (uint32_t i = 0; i < at; i++)
        if (atomic_load(&ring->holds[i].object) == (uint64_t)(uintptr_t)object)
            return 1;
    return 0;
}

/* Report what the thread owns still: nobody will release that. */
static void leave_locks(tm__ring *ring)
{
    uint32_t count = atomic_load_explicit(&ring->hold_count, memory_order_relaxed);

    for (uint32_t i = 0; i < count && i < TM__HOLDS_MOST; i++) {
        tm__hold *hold = &ring->holds[i];
        tm__fact fact = {.kind = TM_EVENT_ACQUIRED,
                         .object_kind = hold->object_kind,
                         .flags = hold->flags,
                         .object = (void *)(uintptr_t)atomic_load(&hold->object)};

        if (fact.object && !is_there_before(ring, i, fact.object) &&
            !atomic_exchange(&hold->is_reported, 1))
            tm__record_fact(ring, &fact, atomic_load(&hold->time));
    }
}

/* The destructor of our key comes again as long as others may still lock something. */
static void end_thread(void *value)
{
    tm__self *self = value;
    const tm__ring *ring;

    if (self->image != *tm__the_image || !self->ring)
        return;
    if (++self->destructor_rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(the_key, self);
        return;
    }
    leave_locks(self->ring);
    tm__record_own_name(self->ring, TM__NAME_AS_SET);
    tm__record_event(self->ring, TM_EVENT_THREAD_END, tm__now());
    ring = self->ring;
    /* In this order: a signal handler that comes now finds none. */
    self->ring = NULL;
    tm__ring_unclaim(ring);
}

void tm__ring_leave(void)
{
    tm__self *self = &tm__the_self;
    tm__ring *ring = self->ring;

    atomic_store(&the_counter_is_refused, 1);
    self->ring = NULL;
    if (!ring)
        return;
    for (uint32_t i = 0; i < TM__HOLDS_MOST; i++)
        atomic_store_explicit(&ring->holds[i].object, 0, memory_order_relaxed);
    atomic_store_explicit(&ring->hold_count, 0, memory_order_relaxed);
    tm__ring_unclaim(ring);
}

/* The number of the calling thread as the C library has it in a mutex that the thread
 * has locked: of the only thread of a process it is that of the process. */
static uint32_t number_in_mutex(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutex_t mutex;
    uint32_t number;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attributes);
    TM__REAL(pthread_mutex_lock)(&mutex);
#ifdef __GLIBC__
    number = (uint32_t)mutex.__data.__owner;
#else
    number = (uint32_t)mutex.__u.__vi[1] & 0x3FFFFFFF;
#endif
    TM__REAL(pthread_mutex_unlock)(&mutex);
    return number;
}

/* In a fork: the only thread there is. The locks and the waits of the others are
 * gone. */
static void become_image(void)
{
    tm__waiters_reset();
    tm__the_process =
        atomic_load(&tm__is_sandboxed) ? number_in_mutex() : number_of_process();
    *the_wiped_page = atomic_fetch_add(&tm__the_control->next_image, 1) + 1;
}

tm__ring *tm__ring_attach(void)
{
    if (!the_wiped_page)
        return NULL;
    if (*the_wiped_page == 0) {
        tm__is_fork = 1;
        tm__the_forker = tm__the_self.ring ? atomic_load(&tm__the_self.ring->os_id) : 0;
        tm__stack_forked();
        become_image();
    }
    tm__ring_adopt(atomic_load(&the_counter_is_refused) ? NULL : tm__ring_claim());
    if (!tm__the_self.ring) {
        if (!atomic_load_explicit(&tm__the_control->stopped, memory_order_relaxed))
            atomic_fetch_add(&tm__the_control->ringless, 1);
        return NULL;
    }
    tm__record_event(tm__the_self.ring, TM_EVENT_THREAD_START, tm__now());
    /* The recorder may come too late to ask the kernel. */
    tm__record_own_name(tm__the_self.ring, TM__NAME_AT_BEGIN);
    return tm__the_self.ring;
}

void tm__process_begin(void)
{
    const char *path = getenv(TM__REGION_VARIABLE);
    uint32_t rings_most;
    uint64_t *page;

    if (!path || the_wiped_page)
        return;
    tm__real_find();
    rings_most = tm__rings_map(path);
    if (rings_most == 0) {
        report(errno == EACCES
                   ? "no memory shared with the recorder, which another user started"
                   : "no memory shared with the recorder");
        return;
    }
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || madvise(page, 4096, MADV_WIPEONFORK) != 0 ||
        pthread_key_create(&the_key, end_thread) != 0) {
        report("a fork could not be noticed");
        return;
    }
    tm__modules_begin();
    tm__stacks_begin();
    tm__known_stacks_begin(rings_most);
    tm__known_nestings_begin(rings_most);
    the_wiped_page = page;
    become_image();
    tm__the_image = page;
}
