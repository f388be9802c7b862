/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes in words. */
#include "analysis/causes/cause_state.h"
#include "analysis/causes/cause_text.h"

#include <stdio.h>

#include "model/entities/entity_names.h"
#include "model/entities/object.h"

static const char *const names[TM__CAUSE_END] = {
    [TM__CAUSE_UNITS] = "units",         [TM__CAUSE_THREADS] = "threads",
    [TM__CAUSE_KIND] = "kind",           [TM__CAUSE_LOCK] = "lock",
    [TM__CAUSE_WAIT] = "wait",           [TM__CAUSE_JOIN] = "join",
    [TM__CAUSE_OWNER] = "owner",         [TM__CAUSE_USER] = "user",
    [TM__CAUSE_WAKER] = "waker",         [TM__CAUSE_JOINED] = "joined",
    [TM__CAUSE_PROCESSOR] = "processor", [TM__CAUSE_NO_PROCESSOR] = "no_processor",
    [TM__CAUSE_ASLEEP] = "asleep",       [TM__CAUSE_IO] = "io",
    [TM__CAUSE_NATIVE] = "native",       [TM__CAUSE_COLLECTOR] = "collector",
    [TM__CAUSE_IDLE] = "idle",           [TM__CAUSE_HANDOVER] = "handover",
    [TM__CAUSE_TIMEOUT] = "timeout",     [TM__CAUSE_DEADLOCK] = "deadlock",
    [TM__CAUSE_UNKNOWN] = "unknown",     [TM__CAUSE_NOT_RECORDED] = "not_recorded",
    [TM__CAUSE_ELSEWHERE] = "elsewhere", [TM__CAUSE_NOT_FOLLOWED] = "not_followed",
    [TM__CAUSE_OTHER] = "other",
};

/* The name of a node, without the place. */
static const char *const words[TM__CAUSE_END] = {
    [TM__CAUSE_UNITS] = "all units of work",
    [TM__CAUSE_THREADS] = "all threads",
    [TM__CAUSE_KIND] = "units of no known kind",
    [TM__CAUSE_LOCK] = "blocked by a lock",
    [TM__CAUSE_WAIT] = "waiting",
    [TM__CAUSE_JOIN] = "waiting for a thread to end",
    [TM__CAUSE_OWNER] = "owned by a thread, in which method is not known",
    [TM__CAUSE_USER] = "used by a thread, in which method is not known",
    [TM__CAUSE_WAKER] = "ended by a thread, in which method is not known",
    [TM__CAUSE_JOINED] = "until that thread ended",
    [TM__CAUSE_PROCESSOR] = "running",
    [TM__CAUSE_NO_PROCESSOR] = "ready to run, without a processor",
    [TM__CAUSE_ASLEEP] = "asleep",
    [TM__CAUSE_IO] = "waiting for input or output",
    [TM__CAUSE_NATIVE] = "off the processor in native code",
    [TM__CAUSE_COLLECTOR] = "stopped by the garbage collector",
    [TM__CAUSE_IDLE] = "idle, waiting for work",
    [TM__CAUSE_HANDOVER] = "being woken after it was released",
    [TM__CAUSE_TIMEOUT] = "until the timeout",
    [TM__CAUSE_DEADLOCK] = "deadlocked",
    [TM__CAUSE_UNKNOWN] = "it is not known which thread held or ended it",
    [TM__CAUSE_NOT_RECORDED] = "the recording does not cover this time",
    [TM__CAUSE_ELSEWHERE] = "on no thread that is known",
    [TM__CAUSE_NOT_FOLLOWED] = "not divided further",
    [TM__CAUSE_OTHER] = "other causes",
};

const char *tm__cause_name(uint32_t cause)
{
    return names[cause];
}

static const char *verb_of(uint32_t cause)
{
    switch (cause) {
    case TM__CAUSE_OWNER: return "owned by a thread in";
    case TM__CAUSE_USER: return "used by a thread in";
    case TM__CAUSE_WAKER: return "ended by a thread in";
    default: return NULL;
    }
}

void tm__cause_text(const tm__causes *c, const tm__cause_node *node, const char *label,
                    char *buffer, size_t bytes)
{
    const tm__strings *strings = &c->model->entities.strings;
    const char *what = tm__strings_get(strings, node->label.what);
    const char *where = tm__strings_get(strings, node->label.where);
    const char *verb = verb_of(node->label.cause);

    if (where)
        where = tm__short_name(where);
    if (node->label.cause == TM__CAUSE_KIND) {
        snprintf(buffer, bytes, "%s", what ? what : words[TM__CAUSE_KIND]);
        return;
    }
    if (verb && where) {
        snprintf(buffer, bytes, "%s %s", verb, where);
        return;
    }
    if (node->label.cause == TM__CAUSE_ASLEEP && !where) {
        snprintf(buffer, bytes, "asleep, in which method is not recorded");
        return;
    }
    if (node->label.cause == TM__CAUSE_IO && label)
        what = label;
    else if (what && node->label.cause != TM__CAUSE_IO)
        what = tm__short_name(what);
    snprintf(buffer, bytes, "%s%s%s%s%s",
             what && node->label.cause == TM__CAUSE_LOCK ? "blocked by"
             : what && node->label.cause == TM__CAUSE_IO ? "waiting for"
                                                         : words[node->label.cause],
             what ? (node->label.cause == TM__CAUSE_WAIT ? " for " : " ") : "",
             what ? what : "", where ? " in " : "", where ? where : "");
}
