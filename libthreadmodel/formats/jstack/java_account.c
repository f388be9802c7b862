/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/jstack/java_account.h"

#include <string.h>

#include "base/error.h"
#include "formats/jstack/dump_threads.h"
#include "formats/jstack/parse.h"

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
            return tm__failure();
        edge->class_name = class_name;
        tm__slice_number(&number, 16, &edge->address);
    }
    name = tm__slice_find(line, held);
    if (name < line.length && tm__slice_ends(line, "\"")) {
        tm__slice owner = tm__slice_from(line, name + sizeof(held) - 1);

        owner.length -= owner.length ? 1 : 0;
        if (tm__jstack_keep(dump, &owner) < 0)
            return tm__failure();
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
    if (tm__java_end_thread(self) < 0)
        return tm__failure();
    if (dump->thread_count > self->numbers ||
        tm__map_find(&dump->ids, thread.id) != TM__NONE)
        return TM_OK;
    if (tm__java_add_thread(self, &thread) < 0)
        return tm__failure();
    self->numbers++;
    dump->account_threads++;
    return TM_OK;
}

static int is_member(tm__slice line)
{
    return line.length > 3 && line.bytes[0] == '"' && tm__slice_ends(line, "\":");
}

int tm__java_read_account(tm__jstack_parser *self, tm__slice line)
{
    if (tm__slice_begins(line, "Found one Java-level deadlock")) {
        if (tm__java_end_thread(self) < 0)
            return tm__failure();
        self->section = TM__JAVA_DEADLOCK;
        self->dump->deadlock_count++;
        return TM_OK;
    }
    if (self->section < TM__JAVA_DEADLOCK && !self->dump->deadlock_count)
        return TM__LINE_OTHER;
    if (tm__slice_begins(line, "Found ") &&
        tm__slice_find(line, "deadlock") < line.length) {
        if (tm__java_end_thread(self) < 0)
            return tm__failure();
        self->section = TM__JAVA_THREADS;
        self->dump->has_end |= self->dump->thread_count > 0;
        return TM_OK;
    }
    if (tm__slice_begins(line, "Java stack information for the threads")) {
        self->section = TM__JAVA_ACCOUNT;
        return TM_OK;
    }
    if (self->section == TM__JAVA_DEADLOCK)
        return read_edge(self, line);
    /* A thread of the account's own stacks turns the section back to that of threads.
     */
    if (is_member(line))
        return read_member(self, line);
    return TM__LINE_OTHER;
}
