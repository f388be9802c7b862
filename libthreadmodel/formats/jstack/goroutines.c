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
#include <threadmodel/model.h>

#include "formats/jstack/grammar.h"

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

static int state_of(tm__slice word)
{
    static const struct {
        const char *word;
        int state;
    } states[] = {
        {"running", TM_STATE_RUNNING},
        {"syscall", TM_STATE_RUNNING},
        {"runnable", TM_STATE_RUNNABLE},
        {"sleep", TM_STATE_SLEEPING},
        {"sync.Mutex.Lock", TM_STATE_BLOCKED},
        {"sync.RWMutex.RLock", TM_STATE_BLOCKED},
        {"sync.RWMutex.Lock", TM_STATE_BLOCKED},
        {"dead", TM_STATE_DEAD},
        {"idle", TM_STATE_UNKNOWN},
        {"copystack", TM_STATE_RUNNING},
        {"preempted", TM_STATE_RUNNABLE},
    };

    for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
        if (tm__slice_is(word, states[i].word))
            return states[i].state;
    return TM_STATE_WAITING;
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
    thread.known_state = (uint32_t)state_of(state);
    self->pending_length = 0;
    if (!self->dump->vm.length)
        self->dump->vm = TM__SLICE("Go");
    return tm__jstack_add_thread(self->dump, &thread);
}

/* What a goroutine waits for, by the receiver of the method that it waits in. */
static int read_receiver(tm__jstack_parser *self, tm__slice call)
{
    static const struct {
        const char *method, *class_name;
        int state;
    } methods[] = {
        {"sync.(*Mutex).Lock(0x", "sync.Mutex", TM_STATE_BLOCKED},
        {"sync.(*Mutex).lockSlow(0x", "sync.Mutex", TM_STATE_BLOCKED},
        {"internal/sync.(*Mutex).Lock(0x", "sync.Mutex", TM_STATE_BLOCKED},
        {"internal/sync.(*Mutex).lockSlow(0x", "sync.Mutex", TM_STATE_BLOCKED},
        {"sync.(*RWMutex).Lock(0x", "sync.RWMutex", TM_STATE_BLOCKED},
        {"sync.(*RWMutex).RLock(0x", "sync.RWMutex", TM_STATE_BLOCKED},
        {"sync.(*WaitGroup).Wait(0x", "sync.WaitGroup", TM_STATE_WAITING},
        {"sync.(*Cond).Wait(0x", "sync.Cond", TM_STATE_WAITING},
    };
    tm__jstack_thread *thread = tm__jstack_last(self->dump);
    tm__jstack_lock lock = {0};

    for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++) {
        tm__slice number = tm__slice_from(call, strlen(methods[i].method));

        if (!tm__slice_begins(call, methods[i].method))
            continue;
        if (!tm__slice_number(&number, 16, &lock.address))
            return TM_OK;
        lock.class_name =
            (tm__slice){methods[i].class_name, strlen(methods[i].class_name)};
        lock.kind = methods[i].state == TM_STATE_BLOCKED ? TM__JSTACK_WANTED
                                                         : TM__JSTACK_WAITING_ON;
        if (thread->known_state == TM_STATE_WAITING)
            thread->known_state = (uint32_t)methods[i].state;
        return thread->lock_count ? TM_OK : tm__jstack_add_lock(self->dump, &lock);
    }
    /* Without arguments it says at least what the wait is. */
    if (thread->known_state == TM_STATE_WAITING && thread->frame_count < 4 &&
        (tm__slice_begins(call, "sync.(*Mutex).Lock(") ||
         tm__slice_begins(call, "sync.(*RWMutex).")))
        thread->known_state = TM_STATE_BLOCKED;
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
    if (read_receiver(self, call) < 0 ||
        tm__jstack_add_call(self->dump, (tm__slice){function.bytes, dot},
                            tm__slice_from(function, dot + 1), file, number) < 0)
        return TM_ENOMEM;
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

static int read_line(tm__jstack_parser *self, tm__slice line)
{
    tm__slice state;
    uint64_t id;

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
    return TM_OK;
}

static size_t find(tm__slice line)
{
    size_t at = tm__slice_find(line, begin);
    tm__slice state;
    uint64_t id;

    return at < line.length && read_heading(tm__slice_from(line, at), &id, &state)
               ? at
               : line.length;
}

const tm__grammar tm__grammar_go = {
    .name = "goroutines",
    .writer = "a dump of goroutines",
    .find = find,
    .line = read_line,
    .is_one_instant = 1,
};
