/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread is a Snapshot, with the owner of what it waits for as its peer: reported
 * where neither has moved while both were looked at, else inferred.
 */
#include "inspect/emit_dump.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <uthash.h>

#include <threadmodel/error.h>
#include <threadmodel/event.h>
#include <threadmodel/model.h>
#include <threadmodel/version.h>
#include <threadmodel/writer.h>

#include "inspect/frames.h"
#include "inspect/system_call.h"

/* A class, method, stack or object that has a number in the trace, by its text. */
typedef struct named {
    uint64_t id;
    UT_hash_handle hh;
    char text[];
} named;

/* A thread that was in the look before. */
typedef struct member {
    uint64_t tid;
    uint64_t look;
    UT_hash_handle hh;
} member;

struct tm__dump_writer {
    tm_writer *writer;
    named *classes, *methods, *stacks, *objects;
    member *members;
    uint64_t looks;
    int64_t first_ns, last_ns;
    int has_failed;
};

static const struct {
    const char *name;
    uint8_t kind;
    int state, timed_state;
} KINDS[TM__WAIT_KIND_END] = {
    [TM__WAIT_NONE] = {"object", 0, 0, 0},
    [TM__WAIT_MUTEX] = {"mutex", TM_OBJECT_KIND_MUTEX, TM_STATE_BLOCKED,
                        TM_STATE_PARKED},
    [TM__WAIT_RWLOCK_READ] = {"rwlock", TM_OBJECT_KIND_RWLOCK, TM_STATE_BLOCKED,
                              TM_STATE_PARKED},
    [TM__WAIT_RWLOCK_WRITE] = {"rwlock", TM_OBJECT_KIND_RWLOCK, TM_STATE_BLOCKED,
                               TM_STATE_PARKED},
    [TM__WAIT_CONDITION] = {"condition", TM_OBJECT_KIND_CONDITION, TM_STATE_WAITING,
                            TM_STATE_WAITING},
    [TM__WAIT_SEMAPHORE] = {"semaphore", TM_OBJECT_KIND_SEMAPHORE, TM_STATE_WAITING,
                            TM_STATE_WAITING},
    [TM__WAIT_BARRIER] = {"barrier", TM_OBJECT_KIND_BARRIER, TM_STATE_WAITING,
                          TM_STATE_WAITING},
    [TM__WAIT_ONCE] = {"once", TM_OBJECT_KIND_ONCE, TM_STATE_BLOCKED, TM_STATE_BLOCKED},
    [TM__WAIT_JOIN] = {"thread", 0, TM_STATE_JOINING, TM_STATE_JOINING},
    [TM__WAIT_LOCK_OF_LIBC] = {"stream lock", TM_OBJECT_KIND_MUTEX, TM_STATE_BLOCKED,
                               TM_STATE_BLOCKED},
    [TM__WAIT_GIL] = {"GIL", TM_OBJECT_KIND_MUTEX, TM_STATE_BLOCKED, TM_STATE_BLOCKED},
    [TM__WAIT_FUTEX] = {"futex", 0, TM_STATE_WAITING, TM_STATE_WAITING},
};

#define DEFINE(it, what, definition)                                                   \
    do {                                                                               \
        const tm_sink *sink_ = tm_writer_sink((it)->writer);                           \
                                                                                       \
        if (sink_->what(sink_->payload, definition) != TM_OK)                          \
            (it)->has_failed = 1;                                                      \
    } while (0)

/* @return its number, which is new where *is_new; 0: there is no memory */
static uint64_t number_of(named **all, const void *text, size_t length, int *is_new)
{
    named *it;

    *is_new = 0;
    HASH_FIND(hh, *all, text, (unsigned)length, it);
    if (it)
        return it->id;
    it = calloc(1, sizeof(*it) + length + 1);
    if (!it)
        return 0;
    memcpy(it->text, text, length);
    it->id = HASH_COUNT(*all) + 1;
    HASH_ADD_KEYPTR(hh, *all, it->text, (unsigned)length, it);
    *is_new = 1;
    return it->id;
}

static uint64_t define_class(tm__dump_writer *it, const char *name, const char *source)
{
    tm_class definition = TM_CLASS_INIT;
    char key[600];
    int is_new, length = snprintf(key, sizeof(key), "%s\n%s", name, source);
    uint64_t id = number_of(
        &it->classes, key,
        (size_t)length < sizeof(key) ? (size_t)length : sizeof(key) - 1, &is_new);

    if (is_new) {
        definition.id = id;
        definition.name = name;
        definition.source = *source ? source : NULL;
        DEFINE(it, define_class, &definition);
    }
    return id;
}

static tm_frame define_frame(tm__dump_writer *it, const tm__symbol *symbol)
{
    tm_frame frame = {0, -1, 0, 0};
    tm_method definition = TM_METHOD_INIT;
    char offset[32], key[600];
    const char *name = symbol->function;
    int is_new;

    if (!*name) {
        snprintf(offset, sizeof(offset), "0x%" PRIx64, symbol->offset);
        name = offset;
    }
    definition.class_id =
        define_class(it, *symbol->module ? symbol->module : "?", symbol->source);
    snprintf(key, sizeof(key), "%" PRIu64 "\n%s", definition.class_id, name);
    definition.id = number_of(&it->methods, key, strlen(key), &is_new);
    if (is_new) {
        definition.name = name;
        DEFINE(it, define_method, &definition);
    }
    frame.method = definition.id;
    frame.line = symbol->line;
    return frame;
}

static int begins_with(const char *text, const char *begin)
{
    return strncmp(text, begin, strlen(begin)) == 0;
}

/* Of the C library, in a file of its own or not: its caller is who waits. */
static int is_of_libc(const tm__symbol *symbol)
{
    static const char *const files[] = {"libc.so", "libc-", "libpthread", "ld-musl",
                                        "libc.musl"};
    static const char *const functions[] = {
        "lll_",      "futex_",  "GI_",   "pthread_",        "sem_",      "new_sem_",
        "mtx_",      "cnd_",    "thrd_", "call_once",       "once_",     "syscall",
        "nanosleep", "usleep",  "sleep", "clock_nanosleep", "timedwait", "wait",
        "clone",     "vsyscall"};
    const char *name = symbol->function + strspn(symbol->function, "_");

    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
        if (begins_with(symbol->module, files[i]))
            return 1;
    /* A program that is linked with it statically has no lines for it. */
    for (size_t i = 0; !symbol->line && i < sizeof(functions) / sizeof(*functions); i++)
        if (begins_with(name, functions[i]))
            return 1;
    return 0;
}

/* How many of a stack's frames are the C library's, before any other; 0: all are. */
static size_t count_of_libc(tm__target *target, const tm__task *task)
{
    for (size_t i = 0; i < task->frame_count; i++) {
        const tm__symbol *chain;
        size_t names = tm__frame_names(target, task->frames[i], i == 0, &chain);

        if (names && !is_of_libc(&chain[names - 1]))
            return i;
    }
    return 0;
}

static uint32_t define_stack(tm__dump_writer *it, tm__target *target,
                             const tm__task *task)
{
    tm_frame frames[TM__DUMP_FRAMES_MOST * 4];
    tm_stack definition = TM_STACK_INIT;
    size_t room = sizeof(frames) / sizeof(*frames), count = 0;
    int is_new;

    if (task->frame_count == 0)
        return 0;
    definition.id = (uint32_t)number_of(
        &it->stacks, task->frames, task->frame_count * sizeof(*task->frames), &is_new);
    if (!is_new)
        return definition.id;
    for (size_t i = count_of_libc(target, task); i < task->frame_count; i++) {
        const tm__symbol *chain;
        size_t names = tm__frame_names(target, task->frames[i], i == 0, &chain);

        for (size_t k = 0; k < names && count < room; k++)
            frames[count++] = define_frame(it, &chain[k]);
    }
    definition.flags = task->is_cut || count == room ? TM_STACK_TRUNCATED : 0;
    definition.frames = frames;
    definition.frame_count = count;
    DEFINE(it, define_stack, &definition);
    return definition.id;
}

/* The variable that an object is, or is part of; "": none with a name. */
static void variable_of(tm__target *target, const tm__thread_wait *wait, char *text,
                        size_t room, int with_offset)
{
    tm__symbol variable;
    size_t length;

    *text = 0;
    if (!target->symbols || !wait->object || wait->kind == TM__WAIT_GIL)
        return;
    tm__symbols_find_data(target->symbols, wait->object, &variable);
    if (!*variable.function)
        return;
    snprintf(text, room, "%s", variable.function);
    length = strlen(text);
    if (with_offset && variable.within)
        snprintf(text + length, room - length, "+0x%" PRIx64, variable.within);
}

void tm__object_describe(tm__target *target, const tm__thread_wait *wait, char *text,
                         size_t room)
{
    char variable[560];

    variable_of(target, wait, variable, sizeof(variable), 1);
    if (*variable)
        snprintf(text, room, "%s %s", KINDS[wait->kind].name, variable);
    else if (wait->object && wait->kind != TM__WAIT_GIL)
        snprintf(text, room, "%s 0x%" PRIx64, KINDS[wait->kind].name, wait->object);
    else
        snprintf(text, room, "%s", KINDS[wait->kind].name);
}

static uint64_t define_object(tm__dump_writer *it, tm__target *target,
                              const tm__thread_wait *wait)
{
    tm_object definition = TM_OBJECT_INIT;
    char variable[560], class_name[600], name[600];
    struct {
        uint64_t address, kind;
    } key = {wait->object, (uint64_t)KINDS[wait->kind].kind};
    int is_new;

    if (!wait->object)
        return 0;
    number_of(&it->objects, &key, sizeof(key), &is_new);
    if (!is_new)
        return wait->object;
    variable_of(target, wait, variable, sizeof(variable), 0);
    snprintf(class_name, sizeof(class_name), *variable ? "%s %s" : "%s",
             KINDS[wait->kind].name, variable);
    tm__object_describe(target, wait, name, sizeof(name));
    definition.id = wait->object;
    definition.class_id = define_class(it, class_name, "");
    definition.kind = KINDS[wait->kind].kind;
    definition.name = *variable || wait->kind == TM__WAIT_GIL ? name : NULL;
    DEFINE(it, define_object, &definition);
    return wait->object;
}

static int state_of(const tm__target *target, const tm__task *task)
{
    char text[512];

    if (task->wait.kind != TM__WAIT_NONE)
        return task->wait.is_timed ? KINDS[task->wait.kind].timed_state
                                   : KINDS[task->wait.kind].state;
    if (task->state == 'R')
        return TM_STATE_RUNNING;
    return tm__call_describe(target, task, text, sizeof(text)) == TM__CALL_SLEEP
               ? TM_STATE_SLEEPING
               : TM_STATE_UNKNOWN;
}

static void define_thread(tm__dump_writer *it, uint64_t tid, const char *name)
{
    tm_thread definition = TM_THREAD_INIT;

    definition.id = definition.os_id = tid;
    definition.name = name;
    DEFINE(it, define_thread, &definition);
}

static void note_member(tm__dump_writer *it, uint64_t tid)
{
    member *known;

    HASH_FIND(hh, it->members, &tid, sizeof(tid), known);
    if (!known && (known = calloc(1, sizeof(*known)))) {
        known->tid = tid;
        HASH_ADD(hh, it->members, tid, sizeof(known->tid), known);
    }
    if (known)
        known->look = it->looks;
}

static void emit(tm__dump_writer *it, const tm_event *event)
{
    const tm_sink *sink = tm_writer_sink(it->writer);

    if (sink->events(sink->payload, event, 1) != TM_OK)
        it->has_failed = 1;
}

/* The owner, as the trace numbers threads. One that has ended is there no more. */
static uint64_t owner_of(tm__dump_writer *it, tm__target *target,
                         const tm__thread_wait *wait)
{
    const tm__task *owner = tm__target_inner(target, wait->owner);
    tm_event event = {
        .time_ns = it->last_ns, .thread = wait->owner, .kind = TM_EVENT_THREAD_END};
    char name[48];

    if (owner || !wait->owner)
        return owner ? owner->tid : 0;
    snprintf(name, sizeof(name), "thread %u, which has ended", wait->owner);
    define_thread(it, wait->owner, name);
    emit(it, &event);
    return wait->owner;
}

static void add_acquired(tm__dump_writer *it, const tm__task *task, uint64_t object)
{
    tm_event event = {.time_ns = it->last_ns,
                      .thread = task->tid,
                      .object = object,
                      .kind = TM_EVENT_ACQUIRED};

    emit(it, &event);
}

static void add_task(tm__dump_writer *it, tm__target *target, const tm__task *task)
{
    tm_event event = {.time_ns = it->last_ns,
                      .thread = task->tid,
                      .value = state_of(target, task),
                      .kind = TM_EVENT_SNAPSHOT};

    define_thread(it, task->tid, task->name);
    note_member(it, task->tid);
    event.stack = define_stack(it, target, task);
    if (task->wait.kind != TM__WAIT_NONE) {
        event.object = define_object(it, target, &task->wait);
        event.peer = owner_of(it, target, &task->wait);
    }
    /* A thread that waits for itself has acquired the lock before. */
    if (event.peer == task->tid) {
        if (task->wait.is_confirmed)
            add_acquired(it, task, event.object);
        event.peer = 0;
    }
    if (event.peer)
        event.flags =
            task->wait.is_confirmed ? TM_EVENT_PEER_REPORTED : TM_EVENT_PEER_INFERRED;
    if (task->wait.kind == TM__WAIT_RWLOCK_READ)
        event.flags |= TM_EVENT_SHARED;
    emit(it, &event);
}

static int is_lock(const tm__thread_wait *wait)
{
    return KINDS[wait->kind].state == TM_STATE_BLOCKED;
}

/* The owner of a lock, while another thread waits for it. */
static void add_owner(tm__dump_writer *it, const tm__target *target,
                      const tm__task *task)
{
    const tm__task *owner = tm__target_inner(target, task->wait.owner);
    tm_event event = {.time_ns = it->last_ns,
                      .object = task->wait.object,
                      .kind = TM_EVENT_HELD,
                      .flags = TM_EVENT_CONFIRMED | TM_EVENT_PEER_REPORTED};

    if (!owner || !is_lock(&task->wait) || !task->wait.is_confirmed)
        return;
    event.thread = owner->tid;
    emit(it, &event);
}

static void add_gone(tm__dump_writer *it)
{
    member *known, *next;

    HASH_ITER(hh, it->members, known, next)
    {
        tm_event event = {
            .time_ns = it->last_ns, .thread = known->tid, .kind = TM_EVENT_THREAD_END};

        if (known->look == it->looks)
            continue;
        emit(it, &event);
        HASH_DEL(it->members, known);
        free(known);
    }
}

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

tm__dump_writer *tm__dump_writer_open(const char *path, const tm__target *target)
{
    tm__dump_writer *it = calloc(1, sizeof(*it));
    tm_run run = TM_RUN_INIT;
    struct timespec wall;
    char producer[64];

    if (!it)
        return NULL;
    if (tm_writer_open(&it->writer, path, NULL) != TM_OK) {
        free(it);
        return NULL;
    }
    clock_gettime(CLOCK_REALTIME, &wall);
    it->first_ns = it->last_ns = now_ns();
    snprintf(producer, sizeof(producer), "threadmodel-native-dump %d.%d.%d",
             TM_VERSION_MAJOR, TM_VERSION_MINOR, TM_VERSION_PATCH);
    run.producer = producer;
    run.command = target->command;
    run.pid = target->pid;
    run.start_ns = it->first_ns;
    run.start_wall_ns = wall.tv_sec * INT64_C(1000000000) + wall.tv_nsec;
    run.kinds = UINT64_C(1) << TM_EVENT_SNAPSHOT | UINT64_C(1) << TM_EVENT_HELD |
                UINT64_C(1) << TM_EVENT_THREAD_END;
    run.identity = TM_IDENTITY_ADDRESS;
    run.policy = TM_POLICY_REPORTED;
    DEFINE(it, run, &run);
    return it;
}

void tm__dump_writer_add(tm__dump_writer *it, tm__target *target)
{
    it->last_ns = now_ns();
    it->looks++;
    for (size_t i = 0; i < target->task_count; i++)
        if (target->tasks[i].state != 'Z')
            add_task(it, target, &target->tasks[i]);
    for (size_t i = 0; i < target->task_count; i++)
        add_owner(it, target, &target->tasks[i]);
    add_gone(it);
}

static void describe(tm__dump_writer *it, const tm__target *target)
{
    char text[512];

    if (it->looks == 1)
        DEFINE(it, caveat,
               "A thread dump is one instant: no state in it has a duration.");
    else {
        snprintf(
            text, sizeof(text),
            "%" PRIu64 " thread dumps in %" PRId64 " ms: between two of them each "
            "thread is shown as in the earlier one; anything that began and ended in "
            "between is not seen.",
            it->looks, (it->last_ns - it->first_ns) / 1000000);
        DEFINE(it, caveat, text);
    }
    DEFINE(
        it, caveat,
        "Of the locks that a thread owns those are known that another one waits for; "
        "of readers of a lock only how many there are.");
    if (*target->refusal) {
        snprintf(text, sizeof(text), "Not all was read: %s.", target->refusal);
        DEFINE(it, caveat, text);
    }
    if (strcmp(target->runtime, "Go") == 0)
        DEFINE(
            it, caveat,
            "This is a Go program: its goroutines are not threads, and what they wait "
            "for is not seen here. SIGQUIT, or /debug/pprof/goroutine?debug=2 of "
            "net/http/pprof, prints them.");
}

#define FREE_ALL(type, head)                                                           \
    do {                                                                               \
        type *one, *next;                                                              \
        HASH_ITER(hh, head, one, next)                                                 \
        {                                                                              \
            HASH_DEL(head, one);                                                       \
            free(one);                                                                 \
        }                                                                              \
    } while (0)

int tm__dump_writer_close(tm__dump_writer *it, const tm__target *target)
{
    tm_run run = TM_RUN_INIT;
    int rc;

    describe(it, target);
    run.end_ns = it->last_ns;
    DEFINE(it, run, &run);
    rc = tm_writer_close(it->writer) == TM_OK && !it->has_failed ? 0 : -1;
    FREE_ALL(named, it->classes);
    FREE_ALL(named, it->methods);
    FREE_ALL(named, it->stacks);
    FREE_ALL(named, it->objects);
    FREE_ALL(member, it->members);
    free(it);
    return rc;
}
