/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether what should be seen was. A compiler may make of notify an instruction of its
 * own, and then calls from compiled code never come by our hook. HotSpot's two do not;
 * Graal does, once it has compiled the caller. Such a run has threads that were woken
 * while nobody notified:
 *
 *      W  ──wait────────────────waited      notified, says the VM
 *      N        (no notify on that object)  and by whom?
 *
 * On the writer thread, for every event, which come by rising time. Two tables of fixed
 * size do: where objects share a place, a notify of one excuses the others, and where
 * threads do, the older wait is not judged. So what is counted is so.
 */

#include "writer/missed_notifies.h"

#include <stdio.h>
#include <string.h>

#include <threadmodel/error.h>

#include "ring/recording_state.h"
#include "vm/vm.h"

/* Fewer, or a smaller share, may be what the VM itself does. */
enum { UNSEEN = 20, UNSEEN_PER_MILLE = 10 };
enum { PLACES = 4096 };

static int64_t notified_ns[PLACES]; /* an object of this place was, last */
static struct {
    uint64_t thread;
    int64_t since_ns; ///< 0: it does not wait, or for the end of a thread
} waits[PLACES];
static uint64_t woken, unseen;
static int has_lost; /* events, among them perhaps what is missed here */

void tm__missed_notifies_follow(const tm_event *event)
{
    size_t place = event->thread % PLACES;

    switch (event->kind) {
    case TM_EVENT_NOTIFY:
    case TM_EVENT_NOTIFY_ALL:
        notified_ns[event->object % PLACES] = event->time_ns;
        break;
    case TM_EVENT_WAIT:
        /* The end of a thread wakes whoever joins it, without a call. */
        waits[place].thread = event->thread;
        waits[place].since_ns = event->peer ? 0 : event->time_ns;
        break;
    case TM_EVENT_WAITED:
        if (waits[place].thread == event->thread && waits[place].since_ns &&
            !(event->flags & (TM_EVENT_TIMED_OUT | TM_EVENT_BY_INTERRUPT))) {
            woken++;
            unseen += notified_ns[event->object % PLACES] < waits[place].since_ns;
        }
        waits[place].since_ns = 0;
        break;
    case TM_EVENT_LOST: has_lost = 1; break;
    default: break;
    }
}

/* Whether a compiler stands in for HotSpot's own, as far as the VM's name says. */
static int is_foreign_compiler(void)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
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

int tm__missed_notifies_report(void)
{
    const tm_sink *sink = tm__the_recording.sink;
    int are_unseen =
        !has_lost && unseen >= UNSEEN && unseen * 1000 >= woken * UNSEEN_PER_MILLE;
    char sentence[256] = "The VM's compiler is not HotSpot's own: it may inline "
                         "notify, and then who woke whom is not known.";

    if (are_unseen)
        snprintf(sentence, sizeof(sentence),
                 "Of %llu notified waits, %llu have no notify that was seen, since the "
                 "compiler inlined it: who woke them is not known.",
                 (unsigned long long)woken, (unsigned long long)unseen);
    /* Another recording may follow. */
    memset(notified_ns, 0, sizeof(notified_ns));
    memset(waits, 0, sizeof(waits));
    woken = unseen = 0;
    has_lost = 0;
    return tm__the_recording.kinds >> TM_EVENT_NOTIFY & 1 &&
                   (are_unseen || is_foreign_compiler())
               ? sink->caveat(sink->payload, sentence)
               : TM_OK;
}
