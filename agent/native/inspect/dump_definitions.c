/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/dump_definitions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <threadmodel/event.h>
#include <threadmodel/model.h>

#include "inspect/frames.h"

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
    [TM__WAIT_PYTHON_LOCK] = {"Python lock", TM_OBJECT_KIND_SEMAPHORE, TM_STATE_WAITING,
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

/* @return its number, which is new where *is_new; 0: there is no memory */
static uint64_t number_of(tm__dump_named **all, const void *text, size_t length,
                          int *is_new)
{
    tm__dump_named *it;

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

static uint64_t define_class(tm__dump_definitions *it, const char *name,
                             const char *source)
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
        TM__DUMP_DEFINE(it, define_class, &definition);
    }
    return id;
}

static tm_frame define_frame(tm__dump_definitions *it, const tm__symbol *symbol)
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
        TM__DUMP_DEFINE(it, define_method, &definition);
    }
    frame.method = definition.id;
    frame.line = symbol->line;
    return frame;
}

static int begins_with(const char *text, const char *begin)
{
    return strncmp(text, begin, strlen(begin)) == 0;
}

/* Whether a function belongs to the C library, in a file of its own or not: its caller
 * is the one that waits. */
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

    if (tm__is_of_recorder(symbol))
        return 1;
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

uint32_t tm__dump_define_stack(tm__dump_definitions *it, tm__target *target,
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
    TM__DUMP_DEFINE(it, define_stack, &definition);
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

uint64_t tm__dump_define_object(tm__dump_definitions *it, tm__target *target,
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
    TM__DUMP_DEFINE(it, define_object, &definition);
    return wait->object;
}

void tm__dump_define_thread(tm__dump_definitions *it, uint64_t tid, const char *name)
{
    tm_thread definition = TM_THREAD_INIT;

    definition.id = definition.os_id = tid;
    definition.name = name;
    TM__DUMP_DEFINE(it, define_thread, &definition);
}

int tm__dump_state_of(const tm__thread_wait *wait)
{
    return wait->is_timed ? KINDS[wait->kind].timed_state : KINDS[wait->kind].state;
}

int tm__dump_is_lock(const tm__thread_wait *wait)
{
    return KINDS[wait->kind].state == TM_STATE_BLOCKED;
}

#define FREE_ALL(head)                                                                 \
    do {                                                                               \
        tm__dump_named *one, *next;                                                    \
        HASH_ITER(hh, head, one, next)                                                 \
        {                                                                              \
            HASH_DEL(head, one);                                                       \
            free(one);                                                                 \
        }                                                                              \
    } while (0)

void tm__dump_definitions_free(tm__dump_definitions *it)
{
    FREE_ALL(it->classes);
    FREE_ALL(it->methods);
    FREE_ALL(it->stacks);
    FREE_ALL(it->objects);
}
