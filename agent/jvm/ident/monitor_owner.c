/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The owner of the monitor that the calling thread is about to block on.
 *
 * Asking the VM stops all of its threads. But when it reports a contended enter it has
 * already noted, in its structure for the calling thread, which monitor that blocks on,
 * and the monitor has its owner. So it is read, in three loads:
 *
 *      JNIEnv ── is a part of ──▶ JavaThread ──▶ ObjectMonitor ──▶ owner
 *                                 pending monitor                 a number, an address
 *
 * The first is the thread's own, and the monitor stays one for as long as a thread
 * contends for it: none of it moves, is freed or is the collector's business, and no
 * header of an object is looked at. Where the fields are is in the VM's own tables,
 * vm_structs.c. Up to JDK 23 the owner is the address of its JavaThread, or one in the
 * stack of a thread that took the monitor before anybody contended for it. Later, it
 * is the thread's number; of one that took it before, the VM knows only that it has the
 * object on its stack of locks, and so do we: it is the thread where it is found.
 *
 * The tables are believed when they have been seen to be right, and used without a
 * risk till then. An address that is a thread's, or an object found on a stack of
 * locks, says so itself. A number does not: a thread that got a monitor after it
 * contended for it must be what is read as the owner of what it was about to block
 * on. Until the first one has been, no number is taken for a thread; if one is not,
 * nobody is named any more, and the trace says so.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* process_vm_readv */
#endif
#include "ident/monitor_owner.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include <threadmodel/error.h>

#include "ident/java_threads.h"
#include "ident/thread_id.h"
#include "vm/java_fields.h"
#include "vm/vm.h"
#include "vm/vm_structs.h"

/* Longer than a JavaThread is, and than any stack of locks. */
enum { STRUCTURE_MAX = 65536, LOCKS_MAX = 64 };

enum { CLOSED, TO_BE_CHECKED, RIGHT, WRONG };

/* Where the VM keeps what. */
static struct {
    uint64_t to_env;  ///< from a JavaThread to its JNIEnv
    uint64_t pending; ///< in a JavaThread, as the next two
    uint64_t stack_base, stack_size;
    uint64_t owner;     ///< in an ObjectMonitor
    int is_number;      ///< of a thread; else, an address
    uint64_t anonymous; ///< the number where it has the object on its stack of locks
    uint64_t marks;     ///< numbers up to this one belong to no thread

    int has_locks;      ///< the following are known
    uint64_t number;    ///< in a JavaThread: of the thread that runs on it
    uint64_t locks;     ///< in a JavaThread: its stack of locks
    uint64_t locks_top; ///< in that: where in the JavaThread the next one goes
    uint64_t locks_first;
} layout;

static atomic_int state = CLOSED;
static const char *lacks =
    "the owner is not at the offset that it states"; ///< if it is WRONG

/* The monitor that the calling thread was about to block on, until it is checked. */
static __thread struct {
    uintptr_t monitor;
    uint32_t session;
} pending __attribute__((tls_model("initial-exec")));

/* ---- where it is ---- */

/* Objects on stacks of locks have the address that a reference to them has, but with
 * a collector that leaves the stack of a thread for later. */
static int find_locks(void *vm)
{
    int is_late = 1;

    return tm__vm_field(&layout.number, vm, "JavaThread", "_monitor_owner_id") &&
           tm__vm_field(&layout.locks, vm, "JavaThread", "_lock_stack") &&
           tm__vm_field(&layout.locks_top, vm, "LockStack", "_top") &&
           tm__vm_field(&layout.locks_first, vm, "LockStack", "_base[0]") &&
           (!tm__vm_switch(&is_late, vm, "UseZGC") || !is_late);
}

/* JDK 11 has them in what a JavaThread begins with. */
static int find_of_thread(uint64_t *offset, void *vm, const char *field)
{
    return tm__vm_field(offset, vm, "JavaThread", field) ||
           tm__vm_field(offset, vm, "Thread", field);
}

static const char *find_layout(void *vm)
{
    static const char UNTOLD[] = "it does not state their offsets";
    uint64_t deflater;
    const char *type;

    if (!find_of_thread(&layout.pending, vm, "_current_pending_monitor") ||
        !find_of_thread(&layout.stack_base, vm, "_stack_base") ||
        !find_of_thread(&layout.stack_size, vm, "_stack_size"))
        return UNTOLD;
    type = tm__vm_field(&layout.owner, vm, "ObjectMonitor", "_owner");
    if (!type)
        return UNTOLD;
    layout.is_number = strcmp(type, "int64_t") == 0;
    if (!layout.is_number)
        return NULL;
    if (!tm__vm_constant(&layout.anonymous, vm, "ObjectMonitor::ANONYMOUS_OWNER") ||
        !tm__vm_constant(&deflater, vm, "ObjectMonitor::DEFLATER_MARKER"))
        return UNTOLD;
    layout.marks = layout.anonymous > deflater ? layout.anonymous : deflater;
    layout.has_locks = find_locks(vm);
    return NULL;
}

/* Read memory that may not exist. @return 0: it does not, or must not be read so */
static int read_carefully(void *to, uintptr_t from, size_t bytes)
{
    struct iovec here = {to, bytes}, there = {(void *)from, bytes};

    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)bytes;
}

static uintptr_t java_thread(JNIEnv *jni)
{
    return (uintptr_t)jni - layout.to_env;
}

static int read_stack(tm__java_thread *it)
{
    uint64_t base, size;

    if (!read_carefully(&base, it->address + layout.stack_base, sizeof(base)) ||
        !read_carefully(&size, it->address + layout.stack_size, sizeof(size)) ||
        size >= base)
        return 0;
    it->high = base;
    it->low = base - size;
    return 1;
}

static int is_on_stack(const tm__java_thread *it)
{
    uintptr_t here = (uintptr_t)&it;

    return here >= it->low && here < it->high;
}

/* Where the VM has a thread, by what its Java object says; 0: nowhere. */
static uintptr_t address_of(JNIEnv *jni, jthread thread)
{
    static jfieldID field;

    if (!field)
        field = (*jni)->GetFieldID(jni, tm__the_java.thread_class, "eetop", "J");
    (*jni)->ExceptionClear(jni);
    return field ? (uintptr_t)(*jni)->GetLongField(jni, thread, field) : 0;
}

static int has_lock_stack(uintptr_t thread, uint64_t id)
{
    uint64_t number, first = layout.locks + layout.locks_first;
    uint32_t top;

    return read_carefully(&number, thread + layout.number, sizeof(number)) &&
           number == id &&
           read_carefully(&top, thread + layout.locks + layout.locks_top,
                          sizeof(top)) &&
           top >= first && top <= first + LOCKS_MAX * sizeof(uint64_t);
}

/* The VM's structure for the calling thread must be right about it. */
static const char *find_this_thread(JNIEnv *jni)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    tm__java_thread self = {0};
    uint64_t id = 0;
    jthread thread;

    if ((*jvmti)->GetCurrentThread(jvmti, &thread) == JVMTI_ERROR_NONE && thread) {
        self.address = address_of(jni, thread);
        id = tm__thread_id(jni, thread);
        (*jni)->DeleteLocalRef(jni, thread);
    }
    layout.to_env = (uintptr_t)jni - self.address;
    if (!self.address || layout.to_env >= STRUCTURE_MAX)
        return "its threads are not at the offset that it states";
    if (!read_stack(&self) || !is_on_stack(&self))
        return "their stacks are not, or may not be read";
    layout.has_locks = layout.has_locks && has_lock_stack(self.address, id);
    return NULL;
}

void tm__monitor_owner_open(JNIEnv *jni)
{
    const char *missing;
    void *vm;

    if (atomic_load(&state) != CLOSED)
        return;
    vm = tm__vm_library();
    missing = vm ? find_layout(vm) : "it has no library";
    if (vm)
        dlclose(vm);
    if (!missing)
        missing = find_this_thread(jni);
    if (missing)
        lacks = missing;
    atomic_store(&state, missing ? WRONG : TO_BE_CHECKED);
}

/* ---- the VM's threads ---- */

static int wants_threads(void)
{
    return atomic_load_explicit(&state, memory_order_relaxed) != WRONG &&
           (!layout.is_number || layout.has_locks);
}

void tm__monitor_owner_reset(int is_recording)
{
    tm__java_threads_open(is_recording);
}

void tm__monitor_owner_register(JNIEnv *jni, uint64_t thread)
{
    tm__java_thread it;

    if (!wants_threads())
        return;
    it.address = java_thread(jni);
    if (read_stack(&it) && is_on_stack(&it))
        tm__java_threads_add(&it, thread);
}

/* While it runs Java code its end is still to come, and to be reported: so it exists
 * until tm__monitor_owner_unregister(). */
static int runs(jthread thread)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jint frames = 0;

    return (*jvmti)->GetFrameCount(jvmti, thread, &frames) == JVMTI_ERROR_NONE &&
           frames > 0;
}

void tm__monitor_owner_register_other(JNIEnv *jni, jthread thread, uint64_t id)
{
    tm__java_thread it;

    if (!wants_threads())
        return;
    it.address = address_of(jni, thread);
    if (it.address && read_stack(&it) &&
        tm__java_threads_propose(&it, tm__is_carrier(jni, thread) ? 0 : id))
        tm__java_threads_confirm(it.address, runs(thread));
}

void tm__monitor_owner_unregister(JNIEnv *jni)
{
    if (wants_threads())
        tm__java_threads_remove(java_thread(jni));
}

/* ---- the owner ---- */

static uint64_t load(uintptr_t from)
{
    return __atomic_load_n((const uint64_t *)from, __ATOMIC_ACQUIRE);
}

/* The owner that is still the same was the owner all the time, and so existed. */
static uint64_t by_address(uintptr_t monitor, uint64_t owner)
{
    uint64_t thread = owner ? tm__java_threads_find(owner) : 0;

    return thread && load(monitor + layout.owner) == owner ? thread : 0;
}

/*
 * Whether a thread has an object on its stack of locks. It may be at work there: it
 * puts an object down before it moves the top. Above the top lies what it had.
 */
static uint64_t has_locked(uintptr_t thread, const void *payload)
{
    const uint64_t *object = payload;
    uint64_t number = load(thread + layout.number);
    uint64_t first = layout.locks + layout.locks_first;
    uint64_t top = __atomic_load_n(
        (const uint32_t *)(thread + layout.locks + layout.locks_top), __ATOMIC_ACQUIRE);

    if (top > first + LOCKS_MAX * sizeof(*object))
        return 0;
    for (uint64_t at = first; at < top; at += sizeof(*object))
        if (load(thread + at) == *object)
            return load(thread + layout.number) == number ? number : 0;
    return 0;
}

static int read_reference(uint64_t *address, jobject object, int is)
{
    if ((uintptr_t)object % sizeof(*address))
        return 0;
    if (is != RIGHT)
        return read_carefully(address, (uintptr_t)object, sizeof(*address));
    *address = load((uintptr_t)object);
    return 1;
}

/* Where the reference is the same afterwards, the object was not moved meanwhile. */
static uint64_t by_locks(uintptr_t monitor, jobject object, int is)
{
    uint64_t address, again, thread;

    if (!layout.has_locks || !read_reference(&address, object, is))
        return 0;
    thread = tm__java_threads_ask(has_locked, &address);
    return thread && load(monitor + layout.owner) == layout.anonymous &&
                   read_reference(&again, object, is) && again == address
               ? thread
               : 0;
}

static int read_unchecked(uint64_t *monitor, uint64_t *owner, JNIEnv *jni)
{
    return read_carefully(monitor, java_thread(jni) + layout.pending,
                          sizeof(*monitor)) &&
           *monitor && read_carefully(owner, *monitor + layout.owner, sizeof(*owner));
}

uint64_t tm__monitor_owner_read(JNIEnv *jni, const tm__contender *self, jobject object)
{
    int is = atomic_load_explicit(&state, memory_order_acquire);
    uint64_t monitor, owner;

    if (is == RIGHT) {
        monitor = load(java_thread(jni) + layout.pending);
        owner = monitor ? load(monitor + layout.owner) : 0;
    } else if (is != TO_BE_CHECKED || !read_unchecked(&monitor, &owner, jni)) {
        return 0;
    } else if (!self->is_virtual) {
        pending.monitor = monitor;
        pending.session = self->session;
    }
    if (!layout.is_number)
        owner = by_address(monitor, owner);
    else if (owner == layout.anonymous)
        owner = by_locks(monitor, object, is);
    else if (owner <= layout.marks || is != RIGHT)
        owner = 0;
    return owner == self->thread ? 0 : owner;
}

/* ---- whether that is so ---- */

void tm__monitor_owner_check(JNIEnv *jni, const tm__contender *self)
{
    int unchecked = TO_BE_CHECKED;
    uint64_t owner, expected;
    int is_right;

    if (atomic_load_explicit(&state, memory_order_relaxed) != TO_BE_CHECKED ||
        self->is_virtual || !pending.monitor || pending.session != self->session)
        return;
    expected = layout.is_number ? self->thread : java_thread(jni);
    is_right = read_carefully(&owner, pending.monitor + layout.owner, sizeof(owner)) &&
               owner == expected;
    atomic_compare_exchange_strong(&state, &unchecked, is_right ? RIGHT : WRONG);
    pending.monitor = 0;
}

const char *tm__monitor_owner_lacks(void)
{
    return atomic_load(&state) == WRONG ? lacks : NULL;
}
