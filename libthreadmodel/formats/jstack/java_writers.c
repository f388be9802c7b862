/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/jstack/java_writers.h"

#include <string.h>

#include "base/error.h"
#include "formats/jstack/android.h"
#include "formats/jstack/java_locks.h"
#include "formats/jstack/dump_threads.h"
#include "formats/jstack/parse.h"
#include "formats/text/log_time.h"

/* "waiting for bookkeeper@600 to release lock on <0x2a4> (a Depot$Ledger)" */
static int read_idea_lock(tm__jstack_parser *self, tm__slice line)
{
    tm__jstack_lock lock = {.kind = TM__JSTACK_WANTED, .depth = TM__NONE};
    size_t to = tm__slice_find(line, " to release lock on <");
    tm__jstack_thread *thread = tm__java_thread_of(self);
    tm__slice owner = {line.bytes, to};

    if (!thread || to == line.length)
        return TM__LINE_OTHER;
    owner = tm__slice_from(owner, strlen("waiting for "));
    tm__jstack_read_object(tm__slice_from(line, to), &lock);
    if (tm__jstack_keep(self->dump, &owner) < 0 ||
        tm__jstack_add_lock(self->dump, &lock) < 0)
        return tm__failure();
    thread->owner = owner;
    return TM_OK;
}

/* "on shop.Tree@7e19b304 owned by "x" Id=25", below the state. The line of that thread
 * does not have its number. */
static int read_object(tm__jstack_parser *self, tm__slice line)
{
    tm__jstack_thread *thread = tm__java_thread_of(self);
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
        return tm__failure();
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

int tm__java_read_forced(tm__jstack_parser *self, tm__slice line)
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
    if (tm__java_settle_held(self, 0) < 0 || tm__java_end_thread(self) < 0)
        return tm__failure();
    return tm__java_add_thread(self, &thread);
}

int tm__java_read_crashlytics(tm__jstack_parser *self, tm__slice line)
{
    tm__jstack_thread thread;

    if (!tm__android_heading(line, &thread))
        return TM__LINE_OTHER;
    if (tm__map_find(&self->dump->ids, thread.id) != TM__NONE)
        return TM__LINE_NEXT;
    if (tm__java_settle_held(self, 0) < 0 || tm__java_end_thread(self) < 0)
        return tm__failure();
    return tm__java_add_thread(self, &thread);
}

/* Android's "| sysTid=3754 nice=0", and lines that no thread has. */
int tm__java_read_other(tm__jstack_parser *self, tm__slice line)
{
    size_t length = tm__slice_find(line, "length=");
    tm__jstack_thread *thread = tm__java_thread_of(self);

    if (tm__slice_begins(line, "JNI global ref")) {
        if (tm__java_settle_held(self, 0) < 0 || tm__java_end_thread(self) < 0)
            return tm__failure();
        self->dump->has_end = 1;
        return TM_OK;
    }
    if (tm__slice_begins(line, "----- pid "))
        return read_process(self, line);
    if (tm__slice_begins(line, "----- end ")) {
        self->dump->has_end = 1;
        return tm__java_end_thread(self) < 0 ? tm__failure() : TM__LINE_LAST;
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
