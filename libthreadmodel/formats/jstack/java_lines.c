/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dumps of Java threads: jstack, `jcmd Thread.print`, SIGQUIT, jhsdb, VisualVM,
 * Spring's actuator, ThreadInfo.toString(), IntelliJ, Native Image, Android. Lines are
 * distinguished by how they begin, behind whatever white space. On standard output the
 * lines of other threads may stand between them: other lines are passed
 * over. One that looks like an exception ends the stack, since its own stack looks like
 * ours.
 *
 * A line that is longer than somebody's mail or terminal goes on in the next one. It
 * waits until it is whole, or until the next line shows that it ends there.
 */
#include <string.h>
#include <threadmodel/definition.h>
#include <threadmodel/model.h>

#include "formats/jstack/account.h"
#include "formats/jstack/android.h"
#include "formats/jstack/grammar.h"
#include "formats/jstack/header.h"
#include "formats/jstack/java_locks.h"
#include "formats/jstack/parse.h"
#include "formats/text/log_time.h"

enum section { THREADS, SYNCHRONIZERS, DEADLOCK, ACCOUNT };
enum {
    NAME_LINES = 16,
    NAME_LINES_BYTES = 4096,
    WRAPPED_LINES = 6,
    WRAP_COLUMN = 55,
    MOST_QUOTES = 12
};
enum pending { NOTHING, HEADER, FRAME, LOCK };

static const char header_line[] = "Full thread dump";
static const char state_line[] = "java.lang.Thread.State:";

static tm__jstack_thread *thread_of(tm__jstack_parser *self)
{
    return self->thread == TM__NONE ? NULL : &self->dump->threads[self->thread];
}

static int add_thread(tm__jstack_parser *self, const tm__jstack_thread *thread)
{
    if (tm__jstack_add_thread(self->dump, thread) < 0)
        return TM_ENOMEM;
    self->thread = self->dump->thread_count - 1;
    self->is_closed = 0;
    self->word_state = TM_STATE_UNKNOWN;
    self->section = THREADS;
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
static int read_mounted(tm__jstack_parser *self, uint64_t id)
{
    tm__jstack_thread virtual = {.id = id,
                                 .state = TM__SLICE("RUNNABLE"),
                                 .elapsed_ns = -1,
                                 .cpu_ns = -1,
                                 .flags = TM_THREAD_VIRTUAL};
    uint32_t carrier = self->thread;

    if (id == 0 || carrier == TM__NONE)
        return TM_OK;
    virtual.carrier = self->dump->threads[carrier].id;
    if (add_thread(self, &virtual) < 0)
        return TM_ENOMEM;
    self->dump->threads[carrier].carries = 0;
    return TM_OK;
}

/* A thread is over. Before JDK 23 all that a dump has of a mounted virtual thread is
 * its number. Of a thread whose line was cut out alone, that line has the state. */
static int end_thread(tm__jstack_parser *self)
{
    tm__jstack_thread *thread = thread_of(self);
    int rc = thread ? read_mounted(self, thread->carries) : TM_OK;

    if (rc == TM_OK && thread_of(self) == thread && thread && !thread->state.length &&
        !thread->frame_count && !thread->known_state)
        thread->known_state = self->word_state;
    if (rc == TM_OK)
        self->thread = TM__NONE;
    return rc;
}

/* The thread whose line came before: it is one of Java if a state or a frame follows,
 * or if its line has the range of its stack. Old JVMs gave no numbers, and those of 5
 * no states: without a frame the thread is in no method that waits. */
static int settle_held(tm__jstack_parser *self, int is_java)
{
    if (!self->is_held)
        return TM_OK;
    if (!is_java && self->is_held_java) {
        self->held.state = TM__SLICE("RUNNABLE");
        is_java = 1;
    }
    if (is_java && add_thread(self, &self->held) < 0)
        return TM_ENOMEM;
    if (!is_java)
        self->dump->vm_threads++;
    self->is_held = 0;
    return TM_OK;
}

/* What HotSpot says at the end of a thread's line. A thread "waiting on condition" is
 * parked, or sleeps. */
static uint32_t state_of_tail(tm__slice tail)
{
    static const struct {
        const char *word;
        uint32_t state;
    } words[] = {
        {"runnable", TM_STATE_RUNNING},
        {"waiting for monitor entry", TM_STATE_BLOCKED},
        {"in Object.wait()", TM_STATE_WAITING},
        {"waiting on condition", TM_STATE_WAITING},
        {"sleeping", TM_STATE_SLEEPING},
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (tm__slice_begins(tail, words[i].word))
            return words[i].state;
    return TM_STATE_UNKNOWN;
}

/* The same as Java's state, which HotSpot of before version 6 does not give. */
static tm__slice java_state_of_tail(tm__slice tail)
{
    switch (state_of_tail(tail)) {
    case TM_STATE_BLOCKED: return TM__SLICE("BLOCKED");
    case TM_STATE_WAITING: return TM__SLICE("WAITING");
    default: return TM__SLICE("RUNNABLE");
    }
}

/* A thread begins. @return TM_OK, TM_ENOMEM, TM__LINE_NEXT: of another dump */
static int begin_thread(tm__jstack_parser *self, const tm__jstack_thread *thread,
                        const tm__jstack_heading *heading)
{
    tm__jstack_dump *dump = self->dump;
    tm__jstack_lock lock = {.kind = tm__slice_is(thread->state, "BLOCKED")
                                        ? TM__JSTACK_WANTED
                                        : TM__JSTACK_WAITING_ON};
    int is_java = heading->has_number || heading->is_certain;
    uint32_t locks = dump->lock_count;

    if (dump->has_end || (is_java && tm__map_find(&dump->ids, thread->id) != TM__NONE))
        return TM__LINE_NEXT;
    if (settle_held(self, 0) < 0 || end_thread(self) < 0)
        return TM_ENOMEM;
    if (!is_java) {
        self->held = *thread;
        self->held.state = java_state_of_tail(heading->tail);
        self->is_held_java = tm__slice_find(heading->tail, "[") < heading->tail.length;
        if (tm__jstack_keep(dump, &self->held.name) < 0)
            return TM_ENOMEM;
        self->is_held = 1;
        return TM_OK;
    }
    tm__jstack_read_object(heading->on, &lock);
    if (lock.address && tm__reserve(dump->memory, &dump->locks, &dump->lock_capacity,
                                    (size_t)locks + 1, sizeof(*dump->locks)) < 0)
        return TM_ENOMEM;
    if (lock.address && (tm__jstack_keep(dump, &lock.class_name) < 0 ||
                         tm__jstack_keep(dump, &lock.of_class) < 0))
        return TM_ENOMEM;
    if (add_thread(self, thread) < 0)
        return TM_ENOMEM;
    self->word_state = state_of_tail(heading->tail);
    dump->has_hashes |= heading->has_hashes;
    thread_of(self)->is_waiting = tm__slice_begins(heading->tail, "in Object.wait()");
    return lock.address ? tm__jstack_add_lock(dump, &lock) : TM_OK;
}

static int read_frame(tm__jstack_parser *self, tm__slice text)
{
    /* The frames of an account of deadlocks belong to threads that were listed before.
     */
    if (settle_held(self, self->section == THREADS) < 0)
        return TM_ENOMEM;
    if (self->thread == TM__NONE || self->is_closed || self->section != THREADS)
        return self->section == ACCOUNT ? TM_OK : TM__LINE_OTHER;
    return tm__jstack_add_frame(self->dump, text);
}

/* jhsdb's "java.lang.Thread.run() @bci=11, line=840 (Interpreted frame)" */
static int read_serviceability_frame(tm__jstack_parser *self, tm__slice text)
{
    size_t open = tm__slice_find(text, "("), dot = open, line;
    uint64_t number = 0;
    tm__slice rest;

    while (dot > 0 && text.bytes[dot - 1] != '.')
        dot--;
    if (dot == 0 || open == text.length)
        return TM__LINE_OTHER;
    if (self->thread == TM__NONE || self->is_closed || self->section != THREADS)
        return TM_OK;
    self->dump->is_serviceability = 1;
    line = tm__slice_find(text, ", line=");
    rest = tm__slice_from(text, line + strlen(", line="));
    tm__slice_number(&rest, 10, &number);
    return tm__jstack_add_call(self->dump, (tm__slice){text.bytes, dot - 1},
                               (tm__slice){text.bytes + dot, open - dot},
                               number ? TM__SLICE("") : TM__SLICE("Unknown Source"),
                               number);
}

static int read_lock(tm__jstack_parser *self, tm__slice text)
{
    tm__jstack_thread *thread = thread_of(self);
    tm__jstack_owner owner;
    tm__jstack_lock lock;

    if (!thread || self->section > SYNCHRONIZERS)
        return self->section == ACCOUNT ? TM_OK : TM__LINE_OTHER;
    if (!tm__jstack_read_lock(text, self->section == SYNCHRONIZERS, &lock, &owner))
        return TM_OK;
    if (self->section == THREADS && self->is_closed)
        return TM_OK;
    if (self->dump->has_hashes)
        tm__jstack_address_is_hash(&lock);
    if (tm__jstack_keep(self->dump, &owner.name) < 0 ||
        tm__jstack_add_lock(self->dump, &lock) < 0)
        return TM_ENOMEM;
    if (owner.name.length > 0)
        thread->owner = owner.name;
    if (owner.id)
        thread->owner_id = owner.id;
    return TM_OK;
}

/* "2026-11-28 01:20:50,001 INFO ..." */
static int is_of_log(tm__slice line)
{
    static const char form[] = "0000-00-00";

    if (line.length < sizeof(form))
        return 0;
    for (size_t i = 0; i < sizeof(form) - 1; i++)
        if (form[i] == '0' ? line.bytes[i] < '0' || line.bytes[i] > '9'
                           : line.bytes[i] != '-' && line.bytes[i] != '/')
            return 0;
    return 1;
}

/* Whether no line that goes on can be followed by this one. */
static int is_fresh(tm__slice line)
{
    static const char *const beginnings[] = {"\"",
                                             "at ",
                                             "- ",
                                             "* ",
                                             state_line,
                                             header_line,
                                             "JNI glob",
                                             "Found ",
                                             "Locked ownable",
                                             "Carrying virtual",
                                             "Mounted virtual",
                                             "Number of",
                                             "| ",
                                             "===",
                                             "Java stack info",
                                             "waiting for ",
                                             "owned by "};

    for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++)
        if (tm__slice_begins(line, beginnings[i]))
            return 1;
    return line.length == 0 || is_of_log(line);
}

static tm__slice pending_text(const tm__jstack_parser *self)
{
    return (tm__slice){self->pending, self->pending_length};
}

static int pend(tm__jstack_parser *self, enum pending kind, tm__slice line)
{
    if (line.length > NAME_LINES_BYTES)
        return TM__LINE_OTHER;
    memcpy(self->pending, line.bytes, line.length);
    self->pending_length = line.length;
    self->pending_kind = kind;
    self->names_count = 0;
    return TM_OK;
}

static int is_whole_frame(tm__slice text)
{
    size_t open = tm__slice_find(text, "(");

    return open < text.length &&
           open + tm__slice_find(tm__slice_from(text, open), ")") < text.length;
}

/* Take the text that waited, which is all there is of it. */
static int flush(tm__jstack_parser *self, int is_cut)
{
    tm__slice text = pending_text(self);
    tm__jstack_heading heading;
    tm__jstack_thread thread;
    int rc = TM_OK;

    switch ((enum pending)self->pending_kind) {
    case HEADER:
        if (tm__jstack_header(text, &thread, &heading, is_cut))
            rc = begin_thread(self, &thread, &heading);
        break;
    case FRAME:
        text = tm__slice_trim(tm__slice_from(text, 2));
        if (text.length > 0 && !is_whole_frame(text)) {
            /* Cut: the method is known where its parenthesis is. */
            size_t open = tm__slice_find(text, "(");

            if (open < text.length) {
                memcpy(self->pending + (text.bytes - self->pending) + open,
                       "(Unknown Source)", 16);
                text.length = open + 16;
            }
        }
        if (text.length > 0)
            rc = read_frame(self, text);
        break;
    case LOCK: rc = read_lock(self, tm__slice_trim(tm__slice_from(text, 1))); break;
    default: break;
    }
    if (rc == TM_ENOMEM || rc == TM__LINE_NEXT)
        return rc;
    self->pending_kind = NOTHING;
    return TM_OK;
}

static void append(tm__jstack_parser *self, const char *between, tm__slice line)
{
    size_t length = strlen(between);

    memcpy(self->pending + self->pending_length, between, length);
    self->pending_length += length;
    memcpy(self->pending + self->pending_length, line.bytes, line.length);
    self->pending_length += line.length;
}

static int is_word_end(tm__slice text)
{
    static const char *const ends[] = {
        ">",       "(a",     " to",     " lock",  " for",    " on",    " in", " the",
        "waiting", "locked", "parking", "Native", "Unknown", "wait()", "by"};

    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
        if (tm__slice_ends(text, ends[i]))
            return 1;
    return tm__slice_is(text, "at") || tm__slice_is(text, "-");
}

/* Join a header: with a blank, or where that makes none, without. */
static int join_header(tm__jstack_parser *self, tm__slice line)
{
    /* A name with a line feed in it, or one that was wrapped. */
    size_t before = self->pending_length;
    const char *const between[] = {before < WRAP_COLUMN ? "\n" : " ", " ", ""};
    tm__jstack_heading heading;
    tm__jstack_thread thread;
    int is_named = tm__jstack_header(pending_text(self), &thread, &heading, 1);

    for (int i = is_named; i < 3; i++) {
        append(self, between[i], line);
        if (tm__jstack_header(pending_text(self), &thread, &heading, 0) &&
            heading.has_nid)
            return 1;
        self->pending_length = before;
    }
    append(self, between[is_named], line);
    return tm__jstack_header(pending_text(self), &thread, &heading, 0);
}

/* Have the line go on. @return TM_OK, TM_ENOMEM, TM__LINE_OTHER: it does not */
static int go_on(tm__jstack_parser *self, tm__slice line)
{
    int is_header = self->pending_kind == HEADER, is_whole = 0, rc;
    size_t before = self->pending_length;
    tm__slice text;

    if (is_fresh(line) ||
        self->pending_length + line.length + 2 > NAME_LINES_BYTES + 64 ||
        ++self->names_count > (is_header ? NAME_LINES : WRAPPED_LINES))
        return TM__LINE_OTHER;
    if (is_header) {
        is_whole = join_header(self, line);
    } else {
        append(self, is_word_end(pending_text(self)) ? " " : "", line);
        text = pending_text(self);
        is_whole = self->pending_kind == FRAME
                       ? is_whole_frame(text)
                       : tm__jstack_is_whole_lock(tm__slice_from(text, 2));
    }
    rc = is_whole ? flush(self, 0) : TM_OK;
    if (rc != TM_OK) {
        self->pending_length = before;
        self->names_count--;
        self->is_carried = rc == TM__LINE_NEXT;
    }
    return rc;
}

/* The line of a thread. */
static int read_header(tm__jstack_parser *self, tm__slice line)
{
    tm__jstack_heading heading;
    tm__jstack_thread thread;

    if (tm__jstack_header(line, &thread, &heading, 0) &&
        (heading.has_nid || heading.tail.length > 0))
        return begin_thread(self, &thread, &heading);
    return pend(self, HEADER, line);
}

/* A thread of the account: what it waits for, and which thread has that. */
static int read_edge(tm__jstack_parser *self, tm__slice line)
{
    tm__jstack_dump *dump = self->dump;
    tm__jstack_edge *edge =
        dump->edge_count ? &dump->edges[dump->edge_count - 1] : NULL;
    static const char held[] = "which is held by \"";
    size_t object = tm__slice_find(line, "bject 0x"), name;

    if (line.length > 3 && line.bytes[0] == '"' && tm__slice_ends(line, "\":")) {
        tm__jstack_edge begun = {.thread = {line.bytes + 1, line.length - 3},
                                 .deadlock = dump->deadlock_count - 1,
                                 .kind = TM__JSTACK_WANTED};

        return tm__jstack_add_edge(dump, &begun);
    }
    if (!edge || edge->deadlock != dump->deadlock_count - 1)
        return TM__LINE_OTHER;
    if (object == line.length)
        object = tm__slice_find(line, "bject@0x");
    if (tm__slice_begins(line, "waiting for ownable synchronizer 0x")) {
        object = strlen("waiting for ownable synchroni");
        edge->kind = TM__JSTACK_PARKING;
    }
    if (object < line.length && !edge->address) {
        tm__slice number = tm__slice_from(line, object + strlen("bject 0x"));
        tm__slice class_name;

        name = tm__slice_find(line, " a ");
        if (name == line.length)
            name = tm__slice_find(line, "(a ");
        class_name = tm__slice_from(line, name + 3);
        class_name.length = tm__slice_find(class_name, ")");
        if (tm__jstack_keep_class(dump, &class_name) < 0)
            return TM_ENOMEM;
        edge->class_name = class_name;
        tm__slice_number(&number, 16, &edge->address);
    }
    name = tm__slice_find(line, held);
    if (name < line.length && tm__slice_ends(line, "\"")) {
        tm__slice owner = tm__slice_from(line, name + sizeof(held) - 1);

        owner.length -= owner.length ? 1 : 0;
        if (tm__jstack_keep(dump, &owner) < 0)
            return TM_ENOMEM;
        edge->owner = owner;
    }
    return TM_OK;
}

/* The stacks of the account are those of threads above, where they were not pasted as
 * well. */
static int read_member(tm__jstack_parser *self, tm__slice line)
{
    tm__slice name = {line.bytes + 1, line.length - 3};
    tm__jstack_dump *dump = self->dump;
    tm__jstack_thread thread = {.name = name, .elapsed_ns = -1, .cpu_ns = -1};

    thread.id = tm__jstack_hash(name) | UINT64_C(1) << 63;
    if (end_thread(self) < 0)
        return TM_ENOMEM;
    if (dump->thread_count > self->numbers ||
        tm__map_find(&dump->ids, thread.id) != TM__NONE)
        return TM_OK;
    if (add_thread(self, &thread) < 0)
        return TM_ENOMEM;
    self->numbers++;
    dump->account_threads++;
    return TM_OK;
}

static int is_member(tm__slice line)
{
    return line.length > 3 && line.bytes[0] == '"' && tm__slice_ends(line, "\":");
}

/* Where the JVM's own account begins, goes on and ends. @return TM__LINE_OTHER: not */
static int read_account(tm__jstack_parser *self, tm__slice line)
{
    if (tm__slice_begins(line, "Found one Java-level deadlock")) {
        if (end_thread(self) < 0)
            return TM_ENOMEM;
        self->section = DEADLOCK;
        self->dump->deadlock_count++;
        return TM_OK;
    }
    if (self->section < DEADLOCK && !self->dump->deadlock_count)
        return TM__LINE_OTHER;
    if (tm__slice_begins(line, "Found ") &&
        tm__slice_find(line, "deadlock") < line.length) {
        if (end_thread(self) < 0)
            return TM_ENOMEM;
        self->section = THREADS;
        self->dump->has_end |= self->dump->thread_count > 0;
        return TM_OK;
    }
    if (tm__slice_begins(line, "Java stack information for the threads")) {
        self->section = ACCOUNT;
        return TM_OK;
    }
    if (self->section == DEADLOCK)
        return read_edge(self, line);
    /* A thread of the account's own stacks turns the section back to that of threads.
     */
    if (is_member(line))
        return read_member(self, line);
    return TM__LINE_OTHER;
}

static int read_property(tm__jstack_parser *self, tm__slice line)
{
    tm__jstack_thread *thread;

    if (tm__slice_begins(line, state_line)) {
        tm__slice state = tm__slice_trim(tm__slice_from(line, sizeof(state_line) - 1));

        if (settle_held(self, 1) < 0)
            return TM_ENOMEM;
        thread = thread_of(self);
        if (!thread || tm__jstack_keep(self->dump, &state) < 0)
            return thread ? TM_ENOMEM : TM__LINE_OTHER;
        thread->state = state;
        return TM_OK;
    }
    thread = thread_of(self);
    if (!thread)
        return TM__LINE_OTHER;
    if (tm__slice_begins(line, "Locked ownable synchronizers") ||
        tm__slice_begins(line, "Number of locked synchronizers") ||
        tm__slice_begins(line, "Locked synchronizers")) {
        self->section = SYNCHRONIZERS;
        self->dump->reports_synchronizers = 1;
        /* Those of a carrier stand behind the thread that it carries; the scheduler
         * holds none while it runs a task. */
        if (thread->carrier)
            self->thread = TM__NONE;
        return TM_OK;
    }
    if (tm__slice_begins(line, "Carrying virtual thread")) {
        thread->flags |= TM_THREAD_CARRIER;
        thread->state = TM__SLICE("RUNNABLE");
        thread->carries = virtual_id(line);
        return TM_OK;
    }
    if (tm__slice_begins(line, "Mounted virtual thread"))
        return read_mounted(self, virtual_id(line));
    return TM__LINE_OTHER;
}

/* "waiting for bookkeeper@600 to release lock on <0x2a4> (a Depot$Ledger)" */
static int read_idea_lock(tm__jstack_parser *self, tm__slice line)
{
    tm__jstack_lock lock = {.kind = TM__JSTACK_WANTED, .depth = TM__NONE};
    size_t to = tm__slice_find(line, " to release lock on <");
    tm__jstack_thread *thread = thread_of(self);
    tm__slice owner = {line.bytes, to};

    if (!thread || to == line.length)
        return TM__LINE_OTHER;
    owner = tm__slice_from(owner, strlen("waiting for "));
    tm__jstack_read_object(tm__slice_from(line, to), &lock);
    if (tm__jstack_keep(self->dump, &owner) < 0 ||
        tm__jstack_add_lock(self->dump, &lock) < 0)
        return TM_ENOMEM;
    thread->owner = owner;
    return TM_OK;
}

/* "on shop.Tree@7e19b304 owned by "x" Id=25", below the state. The line of that thread
 * does not have its number. */
static int read_object(tm__jstack_parser *self, tm__slice line)
{
    tm__jstack_thread *thread = thread_of(self);
    tm__jstack_lock lock = {.kind = tm__slice_begins(thread->state, "BLOCKED")
                                        ? TM__JSTACK_WANTED
                                        : TM__JSTACK_WAITING_ON,
                            .depth = TM__NONE};
    tm__slice object = tm__slice_from(line, 3);
    tm__jstack_owner owner;

    tm__jstack_read_owner(line, &owner);
    tm__jstack_read_object(tm__slice_word(&object), &lock);
    if (!lock.address)
        return TM__LINE_OTHER;
    if (tm__jstack_keep(self->dump, &owner.name) < 0 ||
        tm__jstack_add_lock(self->dump, &lock) < 0)
        return TM_ENOMEM;
    thread->owner = owner.name;
    return TM_OK;
}

/* "----- pid 4250 at 2026-11-28 01:20:46 -----" */
static int read_process(tm__jstack_parser *self, tm__slice line)
{
    tm__jstack_dump *dump = self->dump;

    if (dump->thread_count > 0 || dump->process)
        return TM__LINE_NEXT;
    line = tm__slice_from(line, strlen("----- pid "));
    if (!tm__slice_number(&line, 10, &dump->process))
        return TM__LINE_OTHER;
    tm__log_time(line, &dump->time_ns);
    return TM_OK;
}

/* Android's "| sysTid=3754 nice=0", and lines that no thread has. */
static int read_other(tm__jstack_parser *self, tm__slice line)
{
    size_t length = tm__slice_find(line, "length=");
    tm__jstack_thread *thread = thread_of(self);

    if (tm__slice_begins(line, "JNI global ref")) {
        if (settle_held(self, 0) < 0 || end_thread(self) < 0)
            return TM_ENOMEM;
        self->dump->has_end = 1;
        return TM_OK;
    }
    if (tm__slice_begins(line, "----- pid "))
        return read_process(self, line);
    if (tm__slice_begins(line, "----- end ")) {
        self->dump->has_end = 1;
        return end_thread(self) < 0 ? TM_ENOMEM : TM__LINE_LAST;
    }
    if (tm__slice_begins(line, "_java_thread_list=") && length < line.length) {
        line = tm__slice_from(line, length + strlen("length="));
        tm__slice_number(&line, 10, &self->dump->listed);
        return TM_OK;
    }
    if (thread && tm__slice_begins(line, "| ")) {
        tm__android_property(line, thread);
        return TM_OK;
    }
    if (thread && tm__slice_begins(line, "#")) {
        int rc = tm__android_native_frame(self->dump, line);

        return rc == 1 ? TM_OK : rc == 0 ? TM__LINE_OTHER : rc;
    }
    if (thread && tm__slice_begins(line, "waiting for "))
        return read_idea_lock(self, line);
    if (thread && tm__slice_begins(line, "on ") && !thread->lock_count &&
        !thread->frame_count)
        return read_object(self, line);
    if (thread && tm__slice_begins(line, "owned by ")) {
        tm__jstack_owner owner;

        tm__jstack_read_owner(line, &owner);
        thread->owner_id = owner.id ? owner.id : thread->owner_id;
        return TM_OK;
    }
    if (tm__slice_find(line, "Exception") < line.length ||
        tm__slice_find(line, "Error") < line.length)
        self->is_closed = 1;
    return TM__LINE_OTHER;
}

/* "Thread 4250: (state = BLOCKED)", of `jstack -F` */
static int read_forced(tm__jstack_parser *self, tm__slice line)
{
    tm__jstack_thread thread = {.elapsed_ns = -1, .cpu_ns = -1};
    tm__slice rest = tm__slice_from(line, strlen("Thread "));
    size_t state;
    tm__slice name = rest;

    if (!tm__slice_number(&rest, 10, &thread.os_id) ||
        !tm__slice_begins(rest, ": (state = "))
        return TM__LINE_OTHER;
    name.length = (size_t)(rest.bytes - name.bytes);
    thread.name = name;
    thread.id = thread.os_id | UINT64_C(1) << 62;
    state = strlen(": (state = ");
    if (tm__slice_begins(tm__slice_from(rest, state), "IN_"))
        thread.state = TM__SLICE("RUNNABLE");
    if (tm__map_find(&self->dump->ids, thread.id) != TM__NONE)
        return TM__LINE_NEXT;
    if (settle_held(self, 0) < 0 || end_thread(self) < 0)
        return TM_ENOMEM;
    return add_thread(self, &thread);
}

/* "main (timed waiting):tid=1 systid=12425", of Crashlytics */
static int read_crashlytics(tm__jstack_parser *self, tm__slice line)
{
    tm__jstack_thread thread;

    if (!tm__android_heading(line, &thread))
        return TM__LINE_OTHER;
    if (tm__map_find(&self->dump->ids, thread.id) != TM__NONE)
        return TM__LINE_NEXT;
    if (settle_held(self, 0) < 0 || end_thread(self) < 0)
        return TM_ENOMEM;
    return add_thread(self, &thread);
}

/* The first line, which names the VM. */
static int read_first(tm__jstack_parser *self, tm__slice line)
{
    tm__jstack_dump *dump = self->dump;
    tm__slice vm = tm__slice_trim(tm__slice_from(line, sizeof(header_line) - 1));

    if (dump->has_header || dump->thread_count > 0 || dump->edge_count > 0)
        return TM__LINE_NEXT;
    if (vm.length > 0 && vm.bytes[vm.length - 1] == ':')
        vm.length--;
    /* HP's JVM has the time before its name, in words of any language. */
    if (tm__slice_begins(vm, "["))
        vm = tm__slice_trim(tm__slice_from(vm, tm__slice_find(vm, "]") + 1));
    if (tm__jstack_keep(dump, &vm) < 0)
        return TM_ENOMEM;
    dump->vm = vm;
    dump->has_header = 1;
    return TM_OK;
}

static int read_dash(tm__jstack_parser *self, tm__slice line)
{
    tm__slice text = tm__slice_trim(tm__slice_from(line, 2));

    if (tm__slice_find(text, "@bci=") < text.length)
        return read_serviceability_frame(self, text);
    return tm__jstack_is_whole_lock(text) || !tm__jstack_begins_lock(text)
               ? read_lock(self, text)
               : pend(self, LOCK, line);
}

/* "*   waiting on <0x1b2c> (a shop.Pipe)": a tracker made a list of the lines. */
static int is_bullet(tm__slice line)
{
    tm__slice text = tm__slice_trim(tm__slice_from(line, 2));

    return tm__slice_begins(line, "* ") &&
           (tm__jstack_begins_lock(text) || tm__slice_is(text, "None"));
}

static int read_line(tm__jstack_parser *self, tm__slice line)
{
    int rc;

    if (tm__slice_begins(line, "at ")) {
        tm__slice text = tm__slice_from(line, 3);

        return is_whole_frame(text) ? read_frame(self, text) : pend(self, FRAME, line);
    }
    if (line.length == 0)
        return TM_OK;
    if (tm__slice_is(line, "at"))
        return pend(self, FRAME, line);
    if (tm__slice_begins(line, header_line))
        return read_first(self, line);
    rc = read_account(self, line);
    if (rc != TM__LINE_OTHER)
        return rc;
    if (line.bytes[0] == '"')
        return read_header(self, line);
    if (tm__slice_begins(line, "- ") || is_bullet(line))
        return read_dash(self, line);
    if (tm__slice_begins(line, "Thread "))
        return read_forced(self, line);
    rc = read_crashlytics(self, line);
    if (rc == TM__LINE_OTHER)
        rc = read_property(self, line);
    return rc == TM__LINE_OTHER ? read_other(self, line) : rc;
}

static int take_line(tm__jstack_parser *self, tm__slice line)
{
    if (self->pending_kind) {
        int rc = go_on(self, line);

        if (rc != TM__LINE_OTHER)
            return rc;
        rc = flush(self, tm__slice_begins(line, state_line));
        if (rc == TM__LINE_NEXT)
            self->is_carried = 1;
        if (rc != TM_OK)
            return rc;
    }
    return read_line(self, line);
}

static int end(tm__jstack_parser *self)
{
    if (!self->is_carried && flush(self, 0) == TM_ENOMEM)
        return TM_ENOMEM;
    if (settle_held(self, 0) < 0 || end_thread(self) < 0)
        return TM_ENOMEM;
    return tm__jstack_complete(self->dump);
}

/* A thread's line that has no quotes. */
static size_t find_crashlytics(tm__slice line)
{
    tm__jstack_thread thread;
    size_t first = 0;

    while (first < line.length &&
           (line.bytes[first] == ' ' || line.bytes[first] == '\t'))
        first++;
    return tm__android_heading(tm__slice_from(line, first), &thread) ? first
                                                                     : line.length;
}

/* A thread's line: from which quote on? */
static size_t find_thread(tm__slice line)
{
    static const char *const words[] = {
        "id=", "Id=", "ID=", "t@", "thread=0x", " prio="};
    tm__jstack_heading heading;
    tm__jstack_thread thread;
    size_t at = 0, i = 0, count = sizeof(words) / sizeof(*words);

    while (i < count && tm__slice_find(line, words[i]) == line.length)
        i++;
    for (int tries = 0; i < count && tries < MOST_QUOTES; tries++) {
        tm__slice rest = tm__slice_from(line, at);

        at += tm__slice_find(rest, "\"");
        if (at >= line.length)
            break;
        if (tm__jstack_header(tm__slice_from(line, at), &thread, &heading, 0) &&
            (heading.has_nid || heading.is_certain))
            return at;
        /* One that mail has wrapped. */
        if (tm__jstack_header(tm__slice_from(line, at), &thread, &heading, 1) &&
            thread.priority > 0)
            return at;
        at++;
    }
    return line.length;
}

/* "Full thread dump" with the VM or a colon behind it, not in a sentence. */
static size_t find_first(tm__slice line)
{
    size_t at = tm__slice_find(line, header_line);
    tm__slice rest = tm__slice_from(line, at + sizeof(header_line) - 1);

    if (at == line.length)
        return at;
    return rest.length == 0 || tm__slice_find(rest, ":") < rest.length ||
                   tm__slice_find(rest, "(") < rest.length
               ? at
               : line.length;
}

static size_t find(tm__slice line)
{
    size_t at = find_first(line);

    if (at == line.length)
        at = tm__slice_find(line, "Found one Java-level deadlock");
    if (at == line.length)
        at = tm__slice_find(line, "----- pid ");
    if (at == line.length) {
        at = tm__slice_find(line, ": (state = ");
        while (at < line.length && at > 0 && line.bytes[at - 1] >= '0' &&
               line.bytes[at - 1] <= '9')
            at--;
        at = at < line.length && at >= 7 &&
                     tm__slice_begins(tm__slice_from(line, at - 7), "Thread ")
                 ? at - 7
                 : line.length;
    }
    if (at == line.length)
        at = find_crashlytics(line);
    return at < line.length ? at : find_thread(line);
}

const tm__grammar tm__grammar_java = {
    .name = "jstack",
    .writer = "a Java thread dump",
    .find = find,
    .line = take_line,
    .end = end,
    .ends_visibly = 1,
    .reports_locks = 1,
    .is_one_instant = 1,
};
