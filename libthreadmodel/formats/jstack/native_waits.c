/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's side comes first, and a lock's own function a frame or two below: the
 * one that names an object says more than the one that only waits.
 */
#include "formats/jstack/native_waits.h"
#include "formats/jstack/parse.h"

#include <string.h>
#include <threadmodel/definition.h>
#include <threadmodel/model.h>

#define NOTHING                                                                        \
    {                                                                                  \
        TM_OBJECT_KIND_UNKNOWN, NULL, NULL                                             \
    }

typedef struct wait {
    const char *function; ///< without underscores; "::name" ends a longer one
    const char *argument; ///< by which the object is known; NULL: by none
    int state;
    tm__jstack_wait what;
} wait;

static const wait waits[] = {
    {"pthread_mutex_lock", "mutex", TM_STATE_BLOCKED, TM__JSTACK_WAIT(MUTEX, "mutex")},
    {"pthread_mutex_timedlock", "mutex", TM_STATE_BLOCKED,
     TM__JSTACK_WAIT(MUTEX, "mutex")},
    {"pthread_mutex_clocklock", "mutex", TM_STATE_BLOCKED,
     TM__JSTACK_WAIT(MUTEX, "mutex")},
    {"lll_lock_wait", "futex", TM_STATE_BLOCKED, TM__JSTACK_WAIT(MUTEX, "mutex")},
    {"lll_mutex_lock_optimized", "mutex", TM_STATE_BLOCKED,
     TM__JSTACK_WAIT(MUTEX, "mutex")},
    {"pthread_rwlock_rdlock", "rwlock", TM_STATE_BLOCKED,
     TM__JSTACK_WAIT(RWLOCK, "rwlock")},
    {"pthread_rwlock_wrlock", "rwlock", TM_STATE_BLOCKED,
     TM__JSTACK_WAIT(RWLOCK, "rwlock")},
    {"pthread_spin_lock", "lock", TM_STATE_BLOCKED,
     TM__JSTACK_WAIT(SPIN_LOCK, "spin lock")},
    {"pthread_cond_wait", "cond", TM_STATE_WAITING,
     TM__JSTACK_WAIT(CONDITION, "condition")},
    {"pthread_cond_timedwait", "cond", TM_STATE_WAITING,
     TM__JSTACK_WAIT(CONDITION, "condition")},
    {"pthread_cond_clockwait", "cond", TM_STATE_WAITING,
     TM__JSTACK_WAIT(CONDITION, "condition")},
    {"pthread_barrier_wait", "barrier", TM_STATE_WAITING,
     TM__JSTACK_WAIT(BARRIER, "barrier")},
    {"pthread_once", "once_control", TM_STATE_BLOCKED, TM__JSTACK_WAIT(ONCE, "once")},
    {"sem_wait", "sem", TM_STATE_WAITING, TM__JSTACK_WAIT(SEMAPHORE, "semaphore")},
    {"sem_timedwait", "sem", TM_STATE_WAITING, TM__JSTACK_WAIT(SEMAPHORE, "semaphore")},
    {"sem_clockwait", "sem", TM_STATE_WAITING, TM__JSTACK_WAIT(SEMAPHORE, "semaphore")},
    {"pthread_join", "threadid", TM_STATE_JOINING, NOTHING},
    {"pthread_clockjoin", "threadid", TM_STATE_JOINING, NOTHING},
    {"pthread_timedjoin", "threadid", TM_STATE_JOINING, NOTHING},
    {"psynch_mutexwait", NULL, TM_STATE_BLOCKED, TM__JSTACK_WAIT(MUTEX, "mutex")},
    {"psynch_cvwait", NULL, TM_STATE_WAITING, TM__JSTACK_WAIT(CONDITION, "condition")},
    {"psynch_rw_rdlock", NULL, TM_STATE_BLOCKED, TM__JSTACK_WAIT(RWLOCK, "rwlock")},
    {"psynch_rw_wrlock", NULL, TM_STATE_BLOCKED, TM__JSTACK_WAIT(RWLOCK, "rwlock")},
    {"::Mutex::lock_contended", "self", TM_STATE_BLOCKED,
     TM__JSTACK_WAIT(MUTEX, "mutex")},
    {"::RwLock::read_contended", "self", TM_STATE_BLOCKED,
     TM__JSTACK_WAIT(RWLOCK, "rwlock")},
    {"::RwLock::write_contended", "self", TM_STATE_BLOCKED,
     TM__JSTACK_WAIT(RWLOCK, "rwlock")},
    {"::RawMutex::lock_slow", "self", TM_STATE_BLOCKED,
     TM__JSTACK_WAIT(MUTEX, "mutex")},
    {"::Condvar::wait", "self", TM_STATE_WAITING,
     TM__JSTACK_WAIT(CONDITION, "condition")},
    {"take_gil", NULL, TM_STATE_BLOCKED, {TM_OBJECT_KIND_MUTEX, "GIL", "the GIL"}},
    {"PyThread_acquire_lock_timed", "lock", TM_STATE_BLOCKED,
     TM__JSTACK_WAIT(MUTEX, "lock")},
    {"time_sleep", NULL, TM_STATE_SLEEPING, NOTHING},
    {"nanosleep", NULL, TM_STATE_SLEEPING, NOTHING},
    {"clock_nanosleep", NULL, TM_STATE_SLEEPING, NOTHING},
    {"usleep", NULL, TM_STATE_SLEEPING, NOTHING},
    {"semwait_signal", NULL, TM_STATE_SLEEPING, NOTHING},
    {"epoll_wait", NULL, TM_STATE_IO, TM__JSTACK_IO(POLL)},
    {"epoll_pwait", NULL, TM_STATE_IO, TM__JSTACK_IO(POLL)},
    {"epoll_pwait2", NULL, TM_STATE_IO, TM__JSTACK_IO(POLL)},
    {"poll", NULL, TM_STATE_IO, TM__JSTACK_IO(POLL)},
    {"ppoll", NULL, TM_STATE_IO, TM__JSTACK_IO(POLL)},
    {"select", NULL, TM_STATE_IO, TM__JSTACK_IO(POLL)},
    {"pselect", NULL, TM_STATE_IO, TM__JSTACK_IO(POLL)},
    {"kevent", NULL, TM_STATE_IO, TM__JSTACK_IO(POLL)},
    {"kevent64", NULL, TM_STATE_IO, TM__JSTACK_IO(POLL)},
    {"sigwait", NULL, TM_STATE_IO, {TM_OBJECT_KIND_POLL, NULL, "a signal"}},
    {"sigwaitinfo", NULL, TM_STATE_IO, {TM_OBJECT_KIND_POLL, NULL, "a signal"}},
    {"sigtimedwait", NULL, TM_STATE_IO, {TM_OBJECT_KIND_POLL, NULL, "a signal"}},
    {"mach_msg_trap", NULL, TM_STATE_IO, {TM_OBJECT_KIND_POLL, NULL, "a message"}},
    {"mach_msg2_trap", NULL, TM_STATE_IO, {TM_OBJECT_KIND_POLL, NULL, "a message"}},
    {"accept", NULL, TM_STATE_IO, TM__JSTACK_IO(ACCEPT)},
    {"accept4", NULL, TM_STATE_IO, TM__JSTACK_IO(ACCEPT)},
    {"connect", NULL, TM_STATE_IO, TM__JSTACK_IO(SOCKET)},
    {"recv", NULL, TM_STATE_IO, TM__JSTACK_IO(SOCKET)},
    {"recvfrom", NULL, TM_STATE_IO, TM__JSTACK_IO(SOCKET)},
    {"recvmsg", NULL, TM_STATE_IO, TM__JSTACK_IO(SOCKET)},
    {"send", NULL, TM_STATE_IO, TM__JSTACK_IO(SOCKET)},
    {"sendto", NULL, TM_STATE_IO, TM__JSTACK_IO(SOCKET)},
    {"sendmsg", NULL, TM_STATE_IO, TM__JSTACK_IO(SOCKET)},
    {"read", NULL, TM_STATE_IO, {TM_OBJECT_KIND_FILE, NULL, "a descriptor"}},
    {"write", NULL, TM_STATE_IO, {TM_OBJECT_KIND_FILE, NULL, "a descriptor"}},
    {"pread64", NULL, TM_STATE_IO, TM__JSTACK_IO(FILE)},
    {"pwrite64", NULL, TM_STATE_IO, TM__JSTACK_IO(FILE)},
    {"fsync", NULL, TM_STATE_IO, TM__JSTACK_IO(FILE)},
    {"fdatasync", NULL, TM_STATE_IO, TM__JSTACK_IO(FILE)},
    {"wait4", NULL, TM_STATE_IO, TM__JSTACK_IO(PROCESS)},
    {"waitpid", NULL, TM_STATE_IO, TM__JSTACK_IO(PROCESS)},
    {"waitid", NULL, TM_STATE_IO, TM__JSTACK_IO(PROCESS)},
    {"getaddrinfo", NULL, TM_STATE_IO, TM__JSTACK_IO(NAME)},
    {"futex_wait", NULL, TM_STATE_WAITING, NOTHING},
    {"futex_abstimed_wait_common", NULL, TM_STATE_WAITING, NOTHING},
    {"ulock_wait", NULL, TM_STATE_WAITING, NOTHING},
    {"ulock_wait2", NULL, TM_STATE_WAITING, NOTHING},
    {"semaphore_wait_trap", NULL, TM_STATE_WAITING, NOTHING},
};

/* "__GI___pthread_mutex_lock" is pthread_mutex_lock. */
static tm__slice plain_name(tm__slice function)
{
    static const char *const before[] = {"__GI_", "__libc_", "__new_"};

    for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++)
        if (tm__slice_begins(function, before[i]))
            function = tm__slice_from(function, strlen(before[i]));
    while (tm__slice_begins(function, "_"))
        function = tm__slice_from(function, 1);
    return function;
}

/* "pthread_cond_wait@@GLIBC_2.3.2", "pthread_clockjoin_ex", "epoll_wait64" */
static int is_function(tm__slice name, const char *wanted)
{
    size_t length = strlen(wanted);

    if (wanted[0] == ':')
        return tm__slice_ends(name, wanted);
    return tm__slice_begins(name, wanted) &&
           (name.length == length || name.bytes[length] == '@' ||
            name.bytes[length] == '6' ||
            (name.bytes[length] == '_' && strchr(wanted, '_')));
}

static const wait *find_wait(tm__slice function)
{
    tm__slice name = plain_name(function);

    for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++)
        if (is_function(name, waits[i].function))
            return &waits[i];
    return NULL;
}

/* "mutex=0x55 <orders>", "mutex=mutex@entry=0x55 <orders+8>", "threadid=1400" */
static uint64_t read_argument(tm__slice text, const char *key, tm__slice *symbol)
{
    size_t at = tm__slice_find(text, key), length = strlen(key);
    uint64_t value = 0;

    *symbol = (tm__slice){0};
    while (at < text.length &&
           (text.bytes[at - (at > 0)] == '_' ||
            !tm__slice_begins(tm__slice_from(text, at + length), "="))) {
        text = tm__slice_from(text, at + length);
        at = tm__slice_find(text, key);
    }
    text = tm__slice_from(text, at + length + 1);
    if (tm__slice_begins(text, key))
        text = tm__slice_from(text, length + strlen("@entry="));
    if (tm__slice_begins(text, "0x"))
        text = tm__slice_from(text, 2);
    else if (!tm__slice_number(&text, 10, &value))
        return 0;
    else
        return value;
    if (!tm__slice_number(&text, 16, &value))
        return 0;
    if (tm__slice_begins(text, " <")) {
        *symbol = tm__slice_from(text, 2);
        symbol->length = tm__slice_find(*symbol, ">");
    }
    return value;
}

int tm__native_is_wait(tm__slice function)
{
    return find_wait(function) != NULL;
}

/* "pthread_cond_timedwait", "abstime=abstime@entry=0x7f1e334fd710" */
static int is_timed(tm__slice function, tm__slice arguments)
{
    tm__slice symbol;

    return read_argument(arguments, "abstime", &symbol) != 0 ||
           tm__slice_find(function, "timedwait") < function.length ||
           tm__slice_find(function, "_timedlock") < function.length;
}

int tm__native_wait_read(tm__jstack_dump *dump, tm__slice function, tm__slice arguments)
{
    tm__jstack_thread *thread = tm__jstack_last(dump);
    tm__jstack_lock lock = {0};
    const wait *found;
    int is_first = thread->known_state == TM_STATE_UNKNOWN ||
                   thread->known_state == TM_STATE_NATIVE;

    if (thread->frame_count >= TM__NATIVE_FRAMES || thread->lock_count ||
        thread->owner_id)
        return TM_OK;
    found = find_wait(function);
    if (is_timed(function, arguments))
        thread->state = TM__SLICE("TIMED_WAITING");
    /* A name look-up polls and receives; a mutex waits on a futex. */
    if (!found || (!is_first && !found->what.name && found->state != TM_STATE_JOINING &&
                   found->what.kind != TM_OBJECT_KIND_NAME))
        return TM_OK;
    if (!is_first && found->state == TM_STATE_IO &&
        found->what.kind != TM_OBJECT_KIND_NAME)
        return TM_OK;
    thread->known_state = (uint32_t)found->state;
    thread->waits_for = &found->what;
    if (!found->argument)
        return TM_OK;
    lock.address = read_argument(arguments, found->argument, &lock.of_class);
    if (found->state == TM_STATE_JOINING) {
        thread->owner_id = lock.address;
        return TM_OK;
    }
    if (!lock.address)
        return TM_OK;
    lock.kind =
        found->state == TM_STATE_BLOCKED ? TM__JSTACK_WANTED : TM__JSTACK_WAITING_ON;
    lock.class_name =
        (tm__slice){found->what.class_name, strlen(found->what.class_name)};
    return tm__jstack_add_lock(dump, &lock);
}

int tm__native_is_library(const char *class_name)
{
    static const char *const names[] = {
        TM__NATIVE_LIBRARY, "libpthread",        "libstdc++",   "libc++",
        "ld-linux-x86-64",  "ld-linux-aarch64",  "linux-vdso",  "ld-musl-x86_64",
        "libsystem_kernel", "libsystem_pthread", "libsystem_c", "ntdll",
        "KERNELBASE",       "KERNEL32",          "dyld",
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strcmp(class_name, names[i]) == 0)
            return 1;
    return 0;
}
