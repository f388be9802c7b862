/* SPDX-License-Identifier: Apache-2.0 */
/*
 * glibc's layouts, the same on all processors of 64 bits: mutexes, semaphores,
 * read-write locks and barriers since release 2.25, conditions since 2.25 and again
 * since 2.41.
 */
#include "inspect/glibc_words.h"

#include <linux/futex.h>
#include <stdio.h>
#include <string.h>

#include "inspect/futex_call.h"

/* Linux numbers no thread beyond that. */
enum { TID_MOST = 4194304, REFUSED_BYTES = 1024 };
enum { OWNER_BITS = 0x3FFFFFFF };

/* Bits of the kind of a pthread_mutex_t. */
enum { KIND_TYPE = 3, KIND_ROBUST = 16, KIND_INHERIT = 32, KIND_PROTECT = 64 };
enum { KIND_SHARED = 128, KIND_KNOWN = 3 | 16 | 32 | 64 | 128 | 256 | 512 };

typedef struct mutex_words {
    uint32_t lock, count, owner, users, kind;
} mutex_words;

typedef struct rwlock_words {
    uint32_t readers, writers, write_phase, writer_word, pads[2], writer, is_shared;
} rwlock_words;

typedef struct barrier_words {
    uint32_t in, round, count, is_shared, out;
} barrier_words;

/* Conditions: where the words lie that threads wait for, and their reference counts. */
static const struct {
    int release; ///< of glibc, since which
    uint32_t signals, waiters, size, bytes;
} CONDITIONS[] = {{41, 32, 28, 16, 48}, {25, 40, 36, 24, 48}};

uint32_t tm__thread_of_descriptor(const tm__target *target, uint64_t address)
{
#if defined(__x86_64__)
    enum { TID_AT = 720, SELF_AT = 16 };
    uint64_t self = 0;

    if (target->libc != TM__LIBC_MUSL && address &&
        tm__target_read(target, address + SELF_AT, &self, sizeof(self)) &&
        self == address) {
        uint32_t tid = tm__target_word(target, address + TID_AT);

        return tm__target_inner(target, tid) ? tid : 0;
    }
#else
    (void)target;
    (void)address;
#endif
    return 0;
}

static void add_type(tm__thread_wait *wait, const char *type)
{
    size_t length = strlen(wait->type);

    snprintf(wait->type + length, sizeof(wait->type) - length, "%s%s",
             length ? ", " : "", type);
}

static void describe_mutex(tm__thread_wait *wait, uint32_t kind, uint32_t count)
{
    static const char *const types[] = {"", "recursive", "errorcheck", "adaptive"};

    if (kind & KIND_TYPE)
        add_type(wait, types[kind & KIND_TYPE]);
    if (kind & KIND_ROBUST)
        add_type(wait, "robust");
    if (kind & KIND_INHERIT)
        add_type(wait, "priority inheritance");
    if (kind & KIND_PROTECT)
        add_type(wait, "priority ceiling");
    /* A robust one has the bit either way. */
    if ((kind & (KIND_SHARED | KIND_ROBUST)) == KIND_SHARED)
        add_type(wait, "shared by processes");
    if ((kind & KIND_TYPE) == 1 && count > 1)
        snprintf(wait->detail, sizeof(wait->detail), "taken %u times", count);
}

static uint32_t owner_of_mutex(const mutex_words *it)
{
    /* Robust mutexes and those with inheritance have it in the word itself. */
    return it->kind & (KIND_ROBUST | KIND_INHERIT) ? it->lock & OWNER_BITS : it->owner;
}

int tm__glibc_mutex(const tm__target *target, tm__thread_wait *wait, uint64_t address,
                    uint32_t operation, uint32_t value, int is_sure)
{
    mutex_words it;
    uint32_t owner;
    int is_priority = tm__futex_has_owner(operation);

    if (!tm__target_read(target, address, &it, sizeof(it)) ||
        it.kind & ~(uint32_t)KIND_KNOWN || (is_priority && !(it.kind & KIND_INHERIT)))
        return 0;
    owner = owner_of_mutex(&it);
    if (!is_sure && !is_priority) {
        if (it.kind & KIND_ROBUST ? (value & OWNER_BITS) == 0
                                  : !(it.kind & KIND_PROTECT) && value != 2)
            return 0;
        /* Nobody may have it at this instant, but then somebody is about to. */
        if (owner > TID_MOST || it.users > 1000000 || it.count > 1000000 ||
            (it.users == 0 && owner == 0 && !(it.kind & KIND_ROBUST)) ||
            (owner != 0 && !tm__target_inner(target, owner) && it.users == 0))
            return 0;
    }
    wait->kind = TM__WAIT_MUTEX;
    wait->object = address;
    wait->owner = owner;
    describe_mutex(wait, it.kind, it.count);
    return 1;
}

/* Threads wait for one of three words of it. */
int tm__glibc_rwlock(const tm__target *target, tm__thread_wait *wait, uint64_t address,
                     int hint)
{
    static const uint32_t offsets[] = {8, 12, 0};
    rwlock_words it;

    for (size_t i = 0; i < sizeof(offsets) / sizeof(*offsets); i++) {
        uint32_t flags = tm__target_word(target, address - offsets[i] + 48);
        int is_write_phase;

        if (!tm__target_read(target, address - offsets[i], &it, sizeof(it)))
            continue;
        is_write_phase = it.readers & 1;
        if (it.write_phase > 3 || it.writer_word > 3 || it.is_shared > 1 || flags > 2 ||
            it.readers == 0 || it.pads[0] || it.pads[1] ||
            (it.writer && !tm__target_inner(target, it.writer) && !hint))
            continue;
        /* `readers` counts those that came, also before a writer left. */
        if (!hint && !is_write_phase && (it.readers >> 3) == 0)
            continue;
        wait->object = address - offsets[i];
        wait->owner = it.writer;
        wait->kind = hint ? hint : TM__WAIT_RWLOCK_READ;
        if (!hint && (offsets[i] == 12 || (offsets[i] == 8 && !is_write_phase)))
            wait->kind = TM__WAIT_RWLOCK_WRITE;
        if (!it.writer && it.readers >> 3)
            snprintf(wait->detail, sizeof(wait->detail),
                     "%u reader%s, which glibc does not name", it.readers >> 3,
                     it.readers >> 3 == 1 ? "" : "s");
        return 1;
    }
    return 0;
}

/* One of two words, for waiters of two groups. */
int tm__glibc_condition(const tm__target *target, tm__thread_wait *wait,
                        uint64_t address, int is_sure)
{
    for (size_t k = 0; k < sizeof(CONDITIONS) / sizeof(*CONDITIONS); k++) {
        if (target->libc_minor ? target->libc_minor < CONDITIONS[k].release : k == 0)
            continue;
        for (uint64_t group = 0; group < 2; group++) {
            uint64_t base = address - CONDITIONS[k].signals - 4 * group, sequence[2];
            uint32_t waiters = tm__target_word(target, base + CONDITIONS[k].waiters);
            uint32_t sizes[2];

            if (base % 8 != 0 ||
                !tm__target_read(target, base, sequence, sizeof(sequence)) ||
                !tm__target_read(target, base + CONDITIONS[k].size, sizes,
                                 sizeof(sizes)))
                continue;
            if (waiters >> 3 == 0 || (!is_sure && waiters >> 3 > 100000) ||
                sequence[0] >> 1 < sequence[1] >> 1 ||
                (!is_sure &&
                 (sequence[0] == 0 || sizes[0] > 100000 || sizes[1] > 100000)))
                continue;
            wait->kind = TM__WAIT_CONDITION;
            wait->object = base;
            snprintf(wait->detail, sizeof(wait->detail), "%u waiter%s", waiters >> 3,
                     waiters >> 3 == 1 ? "" : "s");
            return 1;
        }
        return 0;
    }
    return 0;
}

int tm__glibc_barrier(const tm__target *target, tm__thread_wait *wait, uint64_t address,
                      uint32_t command, uint32_t value, int is_sure)
{
    barrier_words it;

    if (!tm__target_read(target, address - 4, &it, sizeof(it)) || it.count == 0 ||
        (!is_sure && command != FUTEX_WAIT) ||
        (!is_sure && (it.round != value || it.count > 100000 || it.is_shared > 128 ||
                      it.in - it.round > it.count || it.out > it.in)))
        return 0;
    wait->kind = TM__WAIT_BARRIER;
    wait->object = address - 4;
    snprintf(wait->detail, sizeof(wait->detail), "%u of %u came", it.in - it.round,
             it.count);
    return 1;
}

/* The kernel clears a thread's number when it ends; a mutex has other bits beside
 * it.
 */
int tm__glibc_join(const tm__target *target, tm__thread_wait *wait,
                   const tm__task *task, uint64_t address, uint32_t operation,
                   uint32_t value)
{
    if (operation & TM__FUTEX_PRIVATE || value == task->inner ||
        !tm__target_inner(target, value) || tm__target_word(target, address) != value)
        return 0;
    wait->kind = TM__WAIT_JOIN;
    wait->owner = value;
    return 1;
}

/* A stream's lock has its owner behind it. */
int tm__glibc_stream(const tm__target *target, tm__thread_wait *wait, uint64_t address,
                     uint32_t value)
{
    uint64_t descriptor = 0;

    tm__target_read(target, address + 8, &descriptor, sizeof(descriptor));
    wait->owner = value == 2 ? tm__thread_of_descriptor(target, descriptor) : 0;
    if (!wait->owner)
        return 0;
    wait->kind = TM__WAIT_LOCK_OF_LIBC;
    wait->object = address;
    return 1;
}

/* A lock of one word. */
int tm__glibc_low_level(const tm__target *target, tm__thread_wait *wait,
                        uint64_t address, uint32_t value)
{
    if (value != 2 || tm__target_word(target, address) > 2)
        return 0;
    wait->kind = TM__WAIT_FUTEX;
    wait->object = address;
    return 1;
}

/*
 * The kernel refuses the mutex with priority inheritance that closes a cycle. glibc
 * then waits for ever for a word on the stack; which mutex it was is not known.
 */
int tm__glibc_refused(tm__thread_wait *wait, const tm__task *task, uint64_t address,
                      uint32_t value)
{
    if (value != 0 || address < task->stack_pointer ||
        address - task->stack_pointer >= REFUSED_BYTES)
        return 0;
    wait->kind = TM__WAIT_MUTEX;
    add_type(wait, "priority inheritance");
    snprintf(wait->detail, sizeof(wait->detail),
             "which the kernel refused, as that closes a cycle: a deadlock");
    return 1;
}

void tm__glibc_owner(const tm__target *target, tm__thread_wait *wait)
{
    mutex_words mutex;
    rwlock_words rwlock;
    uint64_t descriptor = 0;

    switch (wait->kind) {
    case TM__WAIT_MUTEX:
        if (tm__target_read(target, wait->object, &mutex, sizeof(mutex)))
            wait->owner = owner_of_mutex(&mutex);
        break;
    case TM__WAIT_RWLOCK_READ:
    case TM__WAIT_RWLOCK_WRITE:
        if (tm__target_read(target, wait->object, &rwlock, sizeof(rwlock)))
            wait->owner = rwlock.writer;
        break;
    case TM__WAIT_LOCK_OF_LIBC:
        tm__target_read(target, wait->object + 8, &descriptor, sizeof(descriptor));
        wait->owner = tm__thread_of_descriptor(target, descriptor);
        break;
    default: break;
    }
}
