/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether what should be seen was. A compiler may make of notify an instruction of its
 * own, and then calls from compiled code never come by our hook. HotSpot's two do not;
 * another may be plugged in. Such a run shows threads that are woken by nobody: waits
 * that were notified, says the VM, in number, and not one notify. The end of a thread
 * wakes whoever joins it in the same way, and is allowed for.
 *
 * On the writer thread, for every event.
 */
#include "agent.h"

#include <string.h>

#include <threadmodel/error.h>

/* So many more must have been woken than ends of threads may explain. */
enum { WOKEN = 100, JOINERS = 10 };

static uint64_t woken, notified, ended;

void tm__selfcheck_follow(const tm_event *event)
{
    switch (event->kind) {
    case TM_EVENT_WAITED:
        woken += !(event->flags & (TM_EVENT_TIMED_OUT | TM_EVENT_BY_INTERRUPT));
        break;
    case TM_EVENT_NOTIFY:
    case TM_EVENT_NOTIFY_ALL: notified++; break;
    case TM_EVENT_THREAD_END: ended++; break;
    default: break;
    }
}

/* Whether a compiler stands in for HotSpot's own, as far as the VM's name says. */
static int is_foreign_compiler(void)
{
    jvmtiEnv *jvmti = tm__the_agent.jvmti;
    char *version = NULL;
    int is = 0;

    if ((*jvmti)->GetSystemProperty(jvmti, "java.vm.version", &version) ==
            JVMTI_ERROR_NONE &&
        version) {
        is = strstr(version, "jvmci") != NULL;
        (*jvmti)->Deallocate(jvmti, (unsigned char *)version);
    }
    return is;
}

int tm__selfcheck_report(void)
{
    const tm_sink *sink = tm__the_agent.sink;
    int are_unseen = notified == 0 && woken > WOKEN + JOINERS * ended;

    /* Another recording may follow. */
    woken = notified = ended = 0;
    if (!(tm__the_agent.kinds >> TM_EVENT_NOTIFY & 1))
        return TM_OK;
    if (are_unseen)
        return sink->limit(sink->payload,
                           "Threads were notified, but no call of notify was seen: the "
                           "VM's compiler does without the call. Who woke whom is not "
                           "known.");
    if (is_foreign_compiler())
        return sink->limit(sink->payload,
                           "The VM's compiler is not HotSpot's own: it may do without "
                           "calls of notify, and then who woke whom is not known.");
    return TM_OK;
}
