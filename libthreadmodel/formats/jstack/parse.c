/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of a dump, distinguished by how they begin. On standard output the lines of
 * other threads may stand between them: what is no line of a dump is passed over. One
 * that looks like an exception ends the stack, since its own stack looks like ours.
 */
#include "formats/jstack/parse.h"

#include <string.h>
#include <threadmodel/definition.h>

#include "base/map.h"
#include "formats/jstack/account.h"
#include "formats/jstack/header.h"

enum { NAME_LINES = 16, NAME_LINES_BYTES = 4096 };

typedef struct parser {
    tm__jstack_dump *dump;
    const char *at;
    const char *end;
    enum { THREADS, SYNCHRONIZERS, DEADLOCK, ACCOUNT } section;
    uint32_t thread; ///< dump->threads[], whose lines these are; TM__NONE
    int is_closed;   ///< its stack is over
} parser;

void tm__jstack_init(tm__jstack_dump *dump, tm__memory *memory)
{
    *dump = (tm__jstack_dump){.memory = memory};
}

int tm__jstack_is_start(tm__slice line)
{
    return tm__slice_begins(line, "Full thread dump ");
}

int tm__jstack_is_account(tm__slice line)
{
    return tm__slice_is(line, "Found one Java-level deadlock:");
}

static tm__slice next_line(parser *self)
{
    size_t left = (size_t)(self->end - self->at);
    const char *newline = memchr(self->at, '\n', left);
    tm__slice line = {self->at, newline ? (size_t)(newline - self->at) : left};

    self->at = newline ? newline + 1 : self->end;
    if (line.length > 0 && line.bytes[line.length - 1] == '\r')
        line.length--;
    return line;
}

static int add_thread(parser *self, const tm__jstack_thread *thread)
{
    tm__jstack_dump *dump = self->dump;

    if (tm__reserve(dump->memory, &dump->threads, &dump->thread_capacity,
                    (size_t)dump->thread_count + 1, sizeof(*dump->threads)) < 0)
        return TM_ENOMEM;
    self->thread = dump->thread_count;
    self->is_closed = 0;
    self->section = THREADS;
    dump->threads[dump->thread_count] = *thread;
    dump->threads[dump->thread_count].frame_first = dump->frame_count;
    dump->threads[dump->thread_count].lock_first = dump->lock_count;
    dump->thread_count++;
    return TM_OK;
}

/* "Mounted virtual thread #48", "Carrying virtual thread #48" */
static uint64_t virtual_id(tm__slice line)
{
    uint64_t id = 0;

    line = tm__slice_from(line, tm__slice_find(line, "#") + 1);
    return tm__slice_number(&line, 10, &id) ? id : 0;
}

/* The frames of a virtual thread follow those of its carrier, from JDK 23 on. */
static int read_mounted(parser *self, uint64_t id)
{
    tm__jstack_thread virtual = {.id = id,
                                 .state = {"RUNNABLE", 8},
                                 .cpu_ns = -1,
                                 .elapsed_ns = -1,
                                 .flags = TM_THREAD_VIRTUAL};

    if (id == 0)
        return TM_OK;
    virtual.carrier = self->dump->threads[self->thread].id;
    self->dump->threads[self->thread].carries = 0;
    return add_thread(self, &virtual);
}

/* A thread is over. Before JDK 23 all that a dump has of a mounted virtual thread is
 * its number. */
static int end_thread(parser *self)
{
    uint64_t id =
        self->thread == TM__NONE ? 0 : self->dump->threads[self->thread].carries;
    int rc = read_mounted(self, id);

    self->thread = TM__NONE;
    return rc;
}

/* The line of a thread; a name may have line feeds in it. */
static int read_header(parser *self, tm__slice line)
{
    tm__jstack_thread thread;
    parser ahead = *self;
    int has_number, lines = 0;

    while (!tm__jstack_header(line, &thread, &has_number)) {
        tm__slice more;

        if (ahead.at == ahead.end || ++lines == NAME_LINES)
            return TM_OK;
        more = next_line(&ahead);
        line.length = (size_t)(more.bytes + more.length - line.bytes);
        if (more.length == 0 || more.bytes[0] == '"' || line.length > NAME_LINES_BYTES)
            return TM_OK;
    }
    self->at = ahead.at;
    if (end_thread(self) < 0)
        return TM_ENOMEM;
    /* A thread that Java does not know has no state; old JVMs gave no numbers. */
    if (!has_number) {
        parser next = ahead;

        if (next.at == next.end ||
            tm__slice_find(next_line(&next), "java.lang.Thread.State:") != 3) {
            self->dump->vm_threads++;
            return TM_OK;
        }
    }
    return add_thread(self, &thread);
}

static int read_frame(parser *self, tm__slice line)
{
    tm__jstack_dump *dump = self->dump;

    if (self->thread == TM__NONE || self->is_closed || self->section != THREADS)
        return TM_OK;
    if (tm__reserve(dump->memory, &dump->frames, &dump->frame_capacity,
                    (size_t)dump->frame_count + 1, sizeof(*dump->frames)) < 0)
        return TM_ENOMEM;
    dump->frames[dump->frame_count++] = line;
    dump->threads[self->thread].frame_count++;
    return TM_OK;
}

/* "<0x000000069ec02358> (a java.lang.Object)", or what the JVM could not tell. */
static void read_object(tm__slice text, tm__jstack_lock *lock)
{
    size_t open = tm__slice_find(text, "<0x"), name = tm__slice_find(text, "(a ");
    tm__slice number = tm__slice_from(text, open + 3);

    if (!tm__slice_number(&number, 16, &lock->address))
        lock->address = 0;
    text = tm__slice_from(text, name + 3);
    if (text.length == 0 || text.bytes[text.length - 1] != ')')
        return;
    text.length--;
    if (tm__slice_begins(text, "java.lang.Class for ")) {
        lock->of_class = tm__slice_from(text, strlen("java.lang.Class for "));
        text.length = strlen("java.lang.Class");
    }
    lock->class_name = text;
}

uint64_t tm__jstack_made_number(tm__slice name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < name.length; i++)
        hash = (hash ^ (uint8_t)name.bytes[i]) * UINT64_C(0x100000001b3);
    return hash | UINT64_C(1) << 63;
}

/* Behind "waiting on the Class initialization monitor for ": "app.Main$Holder" */
static void read_class(tm__slice name, tm__jstack_lock *lock)
{
    lock->address = tm__jstack_made_number(name);
    lock->class_name = (tm__slice){"java.lang.Class", 15};
    lock->of_class = name;
}

static const char INITIALIZING[] = "waiting on the Class initialization monitor for ";

static int read_lock(parser *self, tm__slice line)
{
    static const struct {
        const char *begin;
        uint32_t kind;
    } kinds[] = {
        {"locked <", TM__JSTACK_LOCKED},
        {"waiting to lock <", TM__JSTACK_WANTED},
        {"waiting to re-lock in wait() <", TM__JSTACK_RELOCKING},
        {"waiting on <", TM__JSTACK_WAITING_ON},
        {INITIALIZING, TM__JSTACK_INITIALIZING},
        {"parking to wait for  <", TM__JSTACK_PARKING},
        {"<0x", TM__JSTACK_SYNCHRONIZER},
    };
    tm__jstack_dump *dump = self->dump;
    tm__jstack_thread *thread;
    tm__jstack_lock lock = {.depth = TM__NONE, .kind = TM__NONE};

    if (self->thread == TM__NONE || self->section > SYNCHRONIZERS)
        return TM_OK;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (tm__slice_begins(line, kinds[i].begin))
            lock.kind = kinds[i].kind;
    if (lock.kind == TM__NONE ||
        (lock.kind == TM__JSTACK_SYNCHRONIZER) != (self->section == SYNCHRONIZERS))
        return TM_OK;
    if (lock.kind != TM__JSTACK_SYNCHRONIZER && self->is_closed)
        return TM_OK;
    if (lock.kind == TM__JSTACK_INITIALIZING)
        read_class(tm__slice_from(line, strlen(INITIALIZING)), &lock);
    else
        read_object(line, &lock);
    thread = &dump->threads[self->thread];
    if (self->section == THREADS && thread->frame_count > 0)
        lock.depth = thread->frame_count - 1;
    if (tm__reserve(dump->memory, &dump->locks, &dump->lock_capacity,
                    (size_t)dump->lock_count + 1, sizeof(*dump->locks)) < 0)
        return TM_ENOMEM;
    dump->locks[dump->lock_count++] = lock;
    thread->lock_count++;
    return TM_OK;
}

/* Lines that are indented by three blanks. */
static int read_property(parser *self, tm__slice line)
{
    tm__jstack_thread *thread =
        self->thread == TM__NONE ? NULL : &self->dump->threads[self->thread];

    if (!thread)
        return TM_OK;
    if (tm__slice_begins(line, "java.lang.Thread.State: ")) {
        thread->state = tm__slice_from(line, strlen("java.lang.Thread.State: "));
    } else if (tm__slice_begins(line, "Locked ownable synchronizers:")) {
        self->section = SYNCHRONIZERS;
        self->dump->reports_synchronizers = 1;
        /* Those of a carrier stand behind the thread that it carries; the scheduler
         * holds none while it runs a task. */
        if (thread->carrier)
            self->thread = TM__NONE;
    } else if (tm__slice_begins(line, "Carrying virtual thread")) {
        thread->flags |= TM_THREAD_CARRIER;
        thread->state = (tm__slice){"RUNNABLE", 8};
        thread->carries = virtual_id(line);
    } else if (tm__slice_begins(line, "Mounted virtual thread")) {
        return read_mounted(self, virtual_id(line));
    }
    return TM_OK;
}

/* Of the JVM's own account: who waits for what, and who has it. */
static int read_edge(parser *self, tm__slice line)
{
    tm__jstack_dump *dump = self->dump;
    tm__jstack_edge *edge =
        dump->edge_count ? &dump->edges[dump->edge_count - 1] : NULL;
    size_t object, name;

    if (line.length > 3 && line.bytes[0] == '"' && line.bytes[line.length - 1] == ':') {
        if (tm__reserve(dump->memory, &dump->edges, &dump->edge_capacity,
                        (size_t)dump->edge_count + 1, sizeof(*dump->edges)) < 0)
            return TM_ENOMEM;
        dump->edges[dump->edge_count++] =
            (tm__jstack_edge){.thread = {line.bytes + 1, line.length - 3},
                              .deadlock = dump->deadlock_count - 1};
        return TM_OK;
    }
    if (!edge || edge->deadlock != dump->deadlock_count - 1)
        return TM_OK;
    if (tm__slice_begins(line, "  waiting to lock monitor "))
        object = tm__slice_find(line, "(object 0x") + strlen("(object 0x");
    else if (tm__slice_begins(line, "  waiting for ownable synchronizer 0x"))
        object = strlen("  waiting for ownable synchronizer 0x");
    else
        object = line.length;
    if (object < line.length) {
        line = tm__slice_from(line, object);
        tm__slice_number(&line, 16, &edge->address);
        name = tm__slice_find(line, "a ");
        edge->class_name = tm__slice_from(line, name + 2);
        edge->class_name.length = tm__slice_find(edge->class_name, ")");
    } else if (tm__slice_begins(line, "  which is held by \"") &&
               line.bytes[line.length - 1] == '"') {
        line = tm__slice_from(line, strlen("  which is held by \""));
        edge->owner = (tm__slice){line.bytes, line.length ? line.length - 1 : 0};
    }
    return TM_OK;
}

static int read_other(parser *self, tm__slice line)
{
    size_t length = tm__slice_find(line, "length=");

    if (tm__slice_begins(line, "JNI global ref")) {
        self->dump->has_end = 1;
        return end_thread(self);
    } else if (tm__slice_begins(line, "_java_thread_list=") && length < line.length) {
        line = tm__slice_from(line, length + strlen("length="));
        tm__slice_number(&line, 10, &self->dump->listed);
    } else if (tm__slice_find(line, "Exception") < line.length ||
               tm__slice_find(line, "Error") < line.length) {
        self->is_closed = 1;
    }
    return TM_OK;
}

static int read_line(parser *self, tm__slice line)
{
    if (tm__jstack_is_start(line)) {
        self->dump->vm = tm__slice_from(line, strlen("Full thread dump "));
        if (self->dump->vm.length > 0 &&
            self->dump->vm.bytes[self->dump->vm.length - 1] == ':')
            self->dump->vm.length--;
    } else if (tm__jstack_is_account(line)) {
        self->section = DEADLOCK;
        self->dump->deadlock_count++;
    } else if (tm__slice_begins(line, "Java stack information for the threads")) {
        self->section = ACCOUNT;
    } else if (self->section == DEADLOCK) {
        return read_edge(self, line);
    } else if (self->section == ACCOUNT) {
        return TM_OK;
    } else if (tm__slice_begins(line, "\"")) {
        return read_header(self, line);
    } else if (tm__slice_begins(line, "\tat ")) {
        return read_frame(self, tm__slice_from(line, 4));
    } else if (tm__slice_begins(line, "\t- ")) {
        return read_lock(self, tm__slice_from(line, 3));
    } else if (tm__slice_begins(line, "   ")) {
        return read_property(self, tm__slice_from(line, 3));
    } else {
        return read_other(self, line);
    }
    return TM_OK;
}

int tm__jstack_parse(tm__jstack_dump *dump, const char *text, size_t length)
{
    parser self = {.dump = dump, .at = text, .end = text + length, .thread = TM__NONE};
    int rc = TM_OK;

    dump->vm = (tm__slice){0};
    dump->thread_count = dump->frame_count = dump->lock_count = 0;
    dump->edge_count = dump->deadlock_count = dump->vm_threads = 0;
    dump->listed = 0;
    dump->reports_synchronizers = dump->has_end = 0;
    dump->account_threads = 0;
    while (rc == TM_OK && self.at < self.end)
        rc = read_line(&self, next_line(&self));
    if (rc == TM_OK)
        rc = end_thread(&self);
    return rc == TM_OK ? tm__jstack_complete(dump) : rc;
}

void tm__jstack_free(tm__jstack_dump *dump)
{
    tm__memory *memory = dump->memory;

    tm__free(memory, dump->threads, dump->thread_capacity * sizeof(*dump->threads));
    tm__free(memory, dump->frames, dump->frame_capacity * sizeof(*dump->frames));
    tm__free(memory, dump->locks, dump->lock_capacity * sizeof(*dump->locks));
    tm__free(memory, dump->edges, dump->edge_capacity * sizeof(*dump->edges));
    tm__jstack_init(dump, memory);
}
