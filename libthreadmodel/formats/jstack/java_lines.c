/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dumps of Java threads: jstack, `jcmd Thread.print`, SIGQUIT, jhsdb, VisualVM,
 * Spring's actuator, ThreadInfo.toString(), IntelliJ, Native Image, Android. Lines are
 * distinguished by how they begin, behind whatever white space. On standard output the
 * lines of other threads may stand between them: other lines are passed
 * over. One that looks like an exception ends the stack, since its own stack looks like
 * ours.
 */
#include <string.h>
#include <threadmodel/definition.h>

#include "base/error.h"
#include "formats/jstack/account.h"
#include "formats/jstack/grammar.h"
#include "formats/jstack/header.h"
#include "formats/jstack/java_account.h"
#include "formats/jstack/java_find.h"
#include "formats/jstack/java_locks.h"
#include "formats/jstack/dump_threads.h"
#include "formats/jstack/java_wrapped.h"
#include "formats/jstack/java_writers.h"
#include "formats/jstack/parse.h"

/* The line of a thread. */
static int read_header(tm__jstack_parser *self, tm__slice line)
{
    tm__jstack_heading heading;
    tm__jstack_thread thread;

    if (tm__jstack_header(line, &thread, &heading, 0) &&
        (heading.has_nid || heading.tail.length > 0))
        return tm__java_begin_thread(self, &thread, &heading);
    return tm__java_pend(self, TM__PENDING_HEADER, line);
}

static int read_property(tm__jstack_parser *self, tm__slice line)
{
    tm__jstack_thread *thread;

    if (tm__slice_begins(line, TM__JAVA_STATE)) {
        tm__slice state = tm__slice_trim(tm__slice_from(line, strlen(TM__JAVA_STATE)));

        if (tm__java_settle_held(self, 1) < 0)
            return tm__failure();
        thread = tm__java_thread_of(self);
        if (!thread || tm__jstack_keep(self->dump, &state) < 0)
            return thread ? tm__failure() : TM__LINE_OTHER;
        thread->state = state;
        return TM_OK;
    }
    thread = tm__java_thread_of(self);
    if (!thread)
        return TM__LINE_OTHER;
    if (tm__slice_begins(line, "Locked ownable synchronizers") ||
        tm__slice_begins(line, "Number of locked synchronizers") ||
        tm__slice_begins(line, "Locked synchronizers")) {
        self->section = TM__JAVA_SYNCHRONIZERS;
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
        thread->carries = tm__java_virtual_id(line);
        return TM_OK;
    }
    if (tm__slice_begins(line, "Mounted virtual thread"))
        return tm__java_read_mounted(self, tm__java_virtual_id(line));
    return TM__LINE_OTHER;
}

/* The first line, which names the VM. */
static int read_first(tm__jstack_parser *self, tm__slice line)
{
    tm__jstack_dump *dump = self->dump;
    tm__slice vm = tm__slice_trim(tm__slice_from(line, strlen(TM__JAVA_FIRST)));

    if (dump->has_header || dump->thread_count > 0 || dump->edge_count > 0)
        return TM__LINE_NEXT;
    if (vm.length > 0 && vm.bytes[vm.length - 1] == ':')
        vm.length--;
    /* HP's JVM has the time before its name, in words of any language. */
    if (tm__slice_begins(vm, "["))
        vm = tm__slice_trim(tm__slice_from(vm, tm__slice_find(vm, "]") + 1));
    if (tm__jstack_keep(dump, &vm) < 0)
        return tm__failure();
    dump->vm = vm;
    dump->has_header = 1;
    return TM_OK;
}

static int read_dash(tm__jstack_parser *self, tm__slice line)
{
    tm__slice text = tm__slice_trim(tm__slice_from(line, 2));

    if (tm__slice_find(text, "@bci=") < text.length)
        return tm__java_read_serviceability_frame(self, text);
    return tm__jstack_is_whole_lock(text) || !tm__jstack_begins_lock(text)
               ? tm__java_read_lock(self, text)
               : tm__java_pend(self, TM__PENDING_LOCK, line);
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

        return tm__java_is_whole_frame(text)
                   ? tm__java_read_frame(self, text)
                   : tm__java_pend(self, TM__PENDING_FRAME, line);
    }
    if (line.length == 0)
        return TM_OK;
    if (tm__slice_is(line, "at"))
        return tm__java_pend(self, TM__PENDING_FRAME, line);
    if (tm__slice_begins(line, TM__JAVA_FIRST))
        return read_first(self, line);
    rc = tm__java_read_account(self, line);
    if (rc != TM__LINE_OTHER)
        return rc;
    if (line.bytes[0] == '"')
        return read_header(self, line);
    if (tm__slice_begins(line, "- ") || is_bullet(line))
        return read_dash(self, line);
    if (tm__slice_begins(line, "Thread "))
        return tm__java_read_forced(self, line);
    rc = tm__java_read_crashlytics(self, line);
    if (rc == TM__LINE_OTHER)
        rc = read_property(self, line);
    return rc == TM__LINE_OTHER ? tm__java_read_other(self, line) : rc;
}

static int take_line(tm__jstack_parser *self, tm__slice line)
{
    if (self->pending_kind) {
        int rc = tm__java_go_on(self, line);

        if (rc != TM__LINE_OTHER)
            return rc;
        rc = tm__java_flush(self, tm__slice_begins(line, TM__JAVA_STATE));
        if (rc == TM__LINE_NEXT)
            self->is_carried = 1;
        if (rc != TM_OK)
            return rc;
    }
    return read_line(self, line);
}

static int end(tm__jstack_parser *self)
{
    if (!self->is_carried && tm__java_flush(self, 0) < 0)
        return tm__failure();
    if (tm__java_settle_held(self, 0) < 0 || tm__java_end_thread(self) < 0)
        return tm__failure();
    return tm__jstack_complete(self->dump);
}

const tm__grammar tm__grammar_java = {
    .name = "jstack",
    .writer = "a Java thread dump",
    .find = tm__java_find,
    .line = take_line,
    .end = end,
    .ends_visibly = 1,
    .reports_locks = 1,
    .is_one_instant = 1,
};
