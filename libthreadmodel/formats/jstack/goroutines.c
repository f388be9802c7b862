/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Goroutines as Go prints them on SIGQUIT, on a panic and for pprof's debug=2:
 *
 *     goroutine 1 [sync.Mutex.Lock, 5 minutes]:
 *     sync.runtime_SemacquireMutex(0xc000012345?, 0x0?, 0x1?)
 *             /usr/local/go/src/runtime/sema.go:77 +0x25
 *     sync.(*Mutex).Lock(0xc000012340)
 *             /usr/local/go/src/sync/mutex.go:90
 *     created by main.main in goroutine 1
 *
 * The receiver of Lock is the mutex; who has it is not in the text.
 */
#include <stdio.h>
#include <string.h>
#include <threadmodel/definition.h>
#include <threadmodel/model.h>

#include "base/error.h"
#include "formats/jstack/grammar.h"
#include "formats/jstack/parse.h"

static const char begin[] = "goroutine ";

/* "goroutine 1 [chan receive, 5 minutes]:", "goroutine 1 gp=0x.. m=0 mp=0x.. [...]:"
 * @return 1 */
static int read_heading(tm__slice line, uint64_t *id, tm__slice *state)
{
    size_t open, end;
    tm__slice rest = tm__slice_from(line, sizeof(begin) - 1);

    if (!tm__slice_begins(line, begin) || !tm__slice_number(&rest, 10, id) ||
        !tm__slice_begins(rest, " ") || !tm__slice_ends(rest, "]:"))
        return 0;
    open = tm__slice_find(rest, "[");
    *state = tm__slice_from(rest, open + 1);
    end = tm__slice_find(*state, "]");
    state->length = end;
    end = tm__slice_find(*state, ",");
    if (end < state->length)
        state->length = end;
    return 1;
}

#define OF(kind, class_name, name)                                                     \
    {                                                                                  \
        TM_OBJECT_KIND_##kind, class_name, name                                        \
    }

/* The state that the word in brackets states, and the kind of object waited for where
 * no line has its address. */
static const struct {
    const char *word;
    int state;
    tm__jstack_wait what;
} words[] = {
    {"running", TM_STATE_RUNNING, OF(UNKNOWN, NULL, NULL)},
    {"syscall", TM_STATE_RUNNING, OF(UNKNOWN, NULL, NULL)},
    {"runnable", TM_STATE_RUNNABLE, OF(UNKNOWN, NULL, NULL)},
    {"preempted", TM_STATE_RUNNABLE, OF(UNKNOWN, NULL, NULL)},
    {"copystack", TM_STATE_RUNNING, OF(UNKNOWN, NULL, NULL)},
    {"sleep", TM_STATE_SLEEPING, OF(UNKNOWN, NULL, NULL)},
    {"dead", TM_STATE_DEAD, OF(UNKNOWN, NULL, NULL)},
    {"idle", TM_STATE_UNKNOWN, OF(UNKNOWN, NULL, NULL)},
    {"IO wait", TM_STATE_IO, OF(SOCKET, NULL, NULL)},
    {"sync.Mutex.Lock", TM_STATE_BLOCKED, OF(MUTEX, "sync.Mutex", "a sync.Mutex")},
    {"sync.RWMutex.RLock", TM_STATE_BLOCKED,
     OF(RWLOCK, "sync.RWMutex", "a sync.RWMutex")},
    {"sync.RWMutex.Lock", TM_STATE_BLOCKED,
     OF(RWLOCK, "sync.RWMutex", "a sync.RWMutex")},
    {"sync.WaitGroup.Wait", TM_STATE_WAITING,
     OF(BARRIER, "sync.WaitGroup", "a sync.WaitGroup")},
    {"sync.Cond.Wait", TM_STATE_WAITING, OF(CONDITION, "sync.Cond", "a sync.Cond")},
    {"semacquire", TM_STATE_WAITING, OF(SEMAPHORE, "semaphore", "a semaphore")},
    {"chan receive", TM_STATE_WAITING, OF(CHANNEL, "chan receive", "a channel")},
    {"chan receive (nil chan)", TM_STATE_WAITING,
     OF(CHANNEL, "chan receive", "a nil channel")},
    {"chan send", TM_STATE_WAITING, OF(CHANNEL, "chan send", "a channel")},
    {"chan send (nil chan)", TM_STATE_WAITING,
     OF(CHANNEL, "chan send", "a nil channel")},
    {"select", TM_STATE_WAITING, OF(CHANNEL, "select", "a select")},
    {"select (no cases)", TM_STATE_WAITING,
     OF(CHANNEL, "select", "a select without cases")},
};

static const tm__jstack_wait accept_wait = OF(ACCEPT, NULL, NULL),
                             mutex_wait = OF(MUTEX, "sync.Mutex", "a sync.Mutex"),
                             rwmutex_wait =
                                 OF(RWLOCK, "sync.RWMutex", "a sync.RWMutex");

static void note_state(tm__jstack_thread *thread, tm__slice word)
{
    thread->known_state = TM_STATE_WAITING;
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (tm__slice_is(word, words[i].word)) {
            thread->known_state = (uint32_t)words[i].state;
            thread->waits_for = &words[i].what;
        }
}

static int read_goroutine(tm__jstack_parser *self, uint64_t id, tm__slice state)
{
    tm__jstack_thread thread = {.id = id, .elapsed_ns = -1, .cpu_ns = -1};
    char name[40];

    if (tm__map_find(&self->dump->ids, id) != TM__NONE)
        return TM__LINE_NEXT;
    snprintf(name, sizeof(name), "goroutine %llu", (unsigned long long)id);
    thread.name = (tm__slice){name, strlen(name)};
    thread.state = state;
    note_state(&thread, state);
    self->pending_length = 0;
    self->semaphore = 0;
    if (!self->dump->vm.length)
        self->dump->vm = TM__SLICE("Go");
    return tm__jstack_add_thread(self->dump, &thread);
}

/* A number among the arguments of a call; one with a question mark may be outdated. */
static uint64_t argument(tm__slice call, const char *function)
{
    tm__slice number = tm__slice_from(call, strlen(function));
    uint64_t value = 0;

    if (!tm__slice_begins(call, function) || !tm__slice_begins(number, "(0x"))
        return 0;
    number = tm__slice_from(number, 3);
    return tm__slice_number(&number, 16, &value) && !tm__slice_begins(number, "?")
               ? value
               : 0;
}

/* The object that a goroutine waits for, by the receiver of the method that it waits
 * in, or by the semaphore in it. */
static const struct {
    const char *method, *class_name;
    uint32_t offset; ///< of the argument within the object
} objects[] = {
    {"sync.(*Mutex).Lock", "sync.Mutex", 0},
    {"sync.(*Mutex).lockSlow", "sync.Mutex", 0},
    {"internal/sync.(*Mutex).Lock", "sync.Mutex", 0},
    {"internal/sync.(*Mutex).lockSlow", "sync.Mutex", 0},
    {"sync.runtime_SemacquireMutex", "sync.Mutex", 4},
    {"internal/sync.runtime_SemacquireMutex", "sync.Mutex", 4},
    {"sync.(*RWMutex).Lock", "sync.RWMutex", 0},
    {"sync.(*RWMutex).RLock", "sync.RWMutex", 0},
    {"sync.runtime_SemacquireRWMutex", "sync.RWMutex", 8},
    {"sync.runtime_SemacquireRWMutexR", "sync.RWMutex", 12},
    {"sync.(*WaitGroup).Wait", "sync.WaitGroup", 0},
    {"sync.(*Cond).Wait", "sync.Cond", 0},
    {"sync.runtime_notifyListWait", "sync.Cond", 16},
    {"runtime.chanrecv", "chan receive", 0},
    {"runtime.chansend", "chan send", 0},
    {"runtime.chanrecv1", "chan receive", 0},
    {"runtime.chanrecv2", "chan receive", 0},
    {"runtime.chansend1", "chan send", 0},
};

static int add_object(tm__jstack_parser *self, uint64_t address, const char *class_name)
{
    tm__jstack_lock lock = {.address = address,
                            .class_name = {class_name, strlen(class_name)},
                            .kind = TM__JSTACK_WAITING_ON};

    if (tm__jstack_last(self->dump)->known_state == TM_STATE_BLOCKED)
        lock.kind = TM__JSTACK_WANTED;
    return tm__jstack_add_lock(self->dump, &lock);
}

/* Up to Go 1.20 a goroutine that wants a lock is in "semacquire", too. */
static void note_lock(tm__jstack_thread *thread, tm__slice call)
{
    const tm__jstack_wait *what = NULL;

    if (tm__slice_begins(call, "sync.(*Mutex).") ||
        tm__slice_begins(call, "internal/sync.(*Mutex)."))
        what = &mutex_wait;
    else if (tm__slice_begins(call, "sync.(*RWMutex)."))
        what = &rwmutex_wait;
    if (what && thread->known_state == TM_STATE_WAITING) {
        thread->known_state = TM_STATE_BLOCKED;
        thread->waits_for = what;
    }
}

static int read_call(tm__jstack_parser *self, tm__slice call)
{
    tm__jstack_thread *thread = tm__jstack_last(self->dump);
    uint64_t address = 0;

    if (thread->frame_count >= 8 || thread->lock_count)
        return TM_OK;
    if (thread->known_state == TM_STATE_IO &&
        (tm__slice_begins(call, "internal/poll.(*FD).Accept(") ||
         tm__slice_begins(call, "net.(*netFD).accept(")))
        thread->waits_for = &accept_wait;
    /* The goroutine of the runtime that hands signals on. */
    if (tm__slice_begins(call, "os/signal.signal_recv("))
        thread->flags |= TM_THREAD_AGENT;
    if (thread->known_state != TM_STATE_WAITING &&
        thread->known_state != TM_STATE_BLOCKED)
        return TM_OK;
    if (tm__slice_begins(call, "runtime.semacquire1("))
        self->semaphore = argument(call, "runtime.semacquire1");
    if (tm__slice_find(call, ").RLock(") < call.length ||
        tm__slice_find(call, ").Lock(") < call.length ||
        tm__slice_find(call, ").lockSlow(") < call.length)
        note_lock(thread, call);
    for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++) {
        size_t length = strlen(objects[i].method);

        if (!tm__slice_begins(call, objects[i].method) ||
            !tm__slice_begins(tm__slice_from(call, length), "("))
            continue;
        address = argument(call, objects[i].method);
        if (!address && objects[i].offset)
            address = self->semaphore;
        if (address <= objects[i].offset)
            return TM_OK;
        /* The word or the next frames show which kind of lock it belongs to. */
        if (thread->known_state == TM_STATE_WAITING && objects[i].offset &&
            tm__slice_find(call, "Mutex(") < call.length) {
            thread->known_state = TM_STATE_BLOCKED;
            thread->waits_for = &mutex_wait;
        }
        return add_object(self, address - objects[i].offset, objects[i].class_name);
    }
    return TM_OK;
}

/* "/srv/shop/main.go:31 +0x45", the place of the call above it. */
static int read_place(tm__jstack_parser *self, tm__slice line)
{
    tm__slice call = {self->pending, self->pending_length}, function, file = line, rest;
    size_t colon = line.length, open, slash = 0, dot;
    uint64_t number = 0;

    if (call.length == 0)
        return TM_OK;
    file.length = tm__slice_find(line, " +0x");
    for (colon = file.length; colon > 0 && file.bytes[colon - 1] != ':'; colon--)
        ;
    rest = tm__slice_from(file, colon);
    tm__slice_number(&rest, 10, &number);
    file.length = colon ? colon - 1 : 0;
    for (size_t i = 0; i < file.length; i++)
        if (file.bytes[i] == '/' || file.bytes[i] == '\\')
            slash = i + 1;
    file = tm__slice_from(file, slash);
    for (open = call.length; open > 0 && call.bytes[open - 1] != '('; open--)
        ;
    function = (tm__slice){call.bytes, open ? open - 1 : call.length};
    for (dot = function.length; dot > 0 && function.bytes[dot - 1] != '/'; dot--)
        ;
    function = tm__slice_from(function, dot);
    dot = tm__slice_find(function, ".");
    if (read_call(self, call) < 0 ||
        tm__jstack_add_call(self->dump, (tm__slice){function.bytes, dot},
                            tm__slice_from(function, dot + 1), file, number) < 0)
        return tm__failure();
    self->pending_length = 0;
    return TM_OK;
}

static int is_place(tm__slice line)
{
    size_t at = tm__slice_find(line, ".go:");

    if (at == line.length)
        at = tm__slice_find(line, ".s:");
    if (at == line.length && tm__slice_find(line, "_cgo_") == line.length)
        return 0;
    return line.bytes[0] == '/' || line.bytes[0] == '_' ||
           tm__slice_begins(line, "./") || tm__slice_begins(line, "<autogenerated>") ||
           (line.length > 2 && line.bytes[1] == ':') ||
           tm__slice_find(line, " +0x") < line.length ||
           tm__slice_find(line, "(") == line.length;
}

/* Whether a line precedes a list of all goroutines, not only of one that panicked. */
static int is_first(tm__slice line)
{
    return tm__slice_begins(line, "SIGQUIT: quit") ||
           tm__slice_begins(line, "fatal error: all goroutines are asleep");
}

static int read_line(tm__jstack_parser *self, tm__slice line)
{
    tm__slice state;
    uint64_t id;

    if (is_first(line)) {
        if (self->dump->has_header || self->dump->thread_count)
            return TM__LINE_NEXT;
        self->dump->has_header = 1;
        return TM_OK;
    }
    if (line.length == 0) {
        self->pending_length = 0;
        return TM_OK;
    }
    if (read_heading(line, &id, &state))
        return read_goroutine(self, id, state);
    if (!self->dump->thread_count)
        return TM__LINE_OTHER;
    if (is_place(line))
        return read_place(self, line);
    if (tm__slice_begins(line, "created by ") || tm__slice_begins(line, "...")) {
        self->pending_length = 0;
        return TM_OK;
    }
    if (!tm__slice_ends(line, ")") || line.length > sizeof(self->pending))
        return TM__LINE_OTHER;
    memcpy(self->pending, line.bytes, line.length);
    self->pending_length = line.length;
    /* Markdown makes "(*Mutex)" of two lines into italics: "(_Mutex)". */
    for (size_t i = 0; i + 1 < line.length; i++)
        if (memcmp(self->pending + i, "(_", 2) == 0)
            self->pending[i + 1] = '*';
    return TM_OK;
}

/* Packages, without the folders that they are in, by which goroutines wait. */
static int is_library(const char *name)
{
    static const char *const packages[] = {"runtime", "sync", "time",  "net",
                                           "poll",    "io",   "bufio", "tls"};
    size_t length = strcspn(name, ".");

    for (size_t i = 0; i < sizeof(packages) / sizeof(*packages); i++)
        if (strlen(packages[i]) == length && memcmp(name, packages[i], length) == 0)
            return 1;
    return 0;
}

static size_t find(tm__slice line)
{
    size_t at = tm__slice_find(line, "SIGQUIT: quit");
    tm__slice state;
    uint64_t id;

    if (at == line.length)
        at = tm__slice_find(line, "fatal error: all goroutines are asleep");
    if (at < line.length)
        return at;
    at = tm__slice_find(line, begin);
    return at < line.length && read_heading(tm__slice_from(line, at), &id, &state)
               ? at
               : line.length;
}

const tm__grammar tm__grammar_go = {
    .name = "goroutines",
    .writer = "a dump of goroutines",
    .find = find,
    .line = read_line,
    .is_library = is_library,
    .is_one_instant = 1,
};
