/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that were there before recording began, at an attach or after a pause.
 * Events come in while they are asked, so each may have moved on: the thread's own
 * events count, and an answer counts only where the thread has reported nothing before
 * it. This is decided when both are emitted, in the order of their times:
 *
 *      recording ────────── asked ─────────▶
 *      A      ──ENTERED──        it was blocked before: its own event says so
 *      B      ─────────────────  blocked, as the VM says
 *      C      ──WAIT───────────  its own event says so; the answer is dropped
 *
 * A park or sleep that began before our stand-in was in its place ends without an
 * event. Who was found in one is looked at again, every round, until it has moved.
 *
 * Platform threads are asked first, as many a round as the ring has room for
 * (catch_up_platform.c); then virtual ones, which may be a million, a few a round
 * (catch_up_virtual.c).
 */
#include "blocked/catch_up.h"

#include <stdio.h>

#include <threadmodel/error.h>
#include <threadmodel/model.h>

#include "base/map.h"
#include "blocked/catch_up_platform.h"
#include "blocked/catch_up_virtual.h"
#include "ring/buffer.h"
#include "rings/clock.h"
#include "ring/recording_state.h"
#include "vm/thread_mxbean.h"
#include "vm/thread_snapshot.h"
#include "vm/thread_state.h"
#include "vm/vm.h"

/* The time for looks in one round: 2 % of one core at worst, for 4,000 threads. */
static const int64_t LOOKING_NS = INT64_C(1000000);

/* Looking at each thread takes a round or two; a longer time is reported. */
static const int64_t LATE_NS = INT64_C(150000000);

/* A thread that first reports something when so many are known gets no beginning. */
enum { KNOWN_MAX = 1 << 18 };

static const uint64_t SCHEDULED = TM__KIND(CPU_TIME) | TM__KIND(CPU_WAIT) |
                                  TM__KIND(CPU_SAMPLE) | TM__KIND(VIRTUAL_MOUNT) |
                                  TM__KIND(VIRTUAL_UNMOUNT);

enum stage {
    ASKED,  ///< its own event ends what it was in
    QUEUES, ///< again, after a wait: Waited may have come before
    SILENT, ///< parked or asleep, and no event tells the end
    LEFT,   ///< the end that was seen has been emitted
    SPOKEN  ///< it has reported something of its own
};

typedef struct known {
    uint64_t thread;
    uint64_t object;
    jweak weak;      ///< while it is silent
    int64_t left_ns; ///< it was seen to have moved then; 0: not yet
    uint16_t end;    ///< enum tm_event_kind that ends what it was in; 0: nothing does
    uint8_t stage;   ///< enum stage
    uint8_t may_end; ///< it has done no more than enter monitors since it was seen
    uint8_t queued;  ///< it was seen queueing for a monitor
} known;

static tm__memory memory;
static tm__map threads; /* by id: known_list[] */
static known *known_list;
static uint32_t known_count, known_capacity, silent_count;
static uint64_t newest;    /* threads with a higher number began later; 0: not in use */
static int64_t emitted_ns; /* all before that has been emitted */
static tm_event dropped;   /* the last answer that came too late */
static uint32_t looked;    /* at known_list[] up to here */
static int64_t lap_ns;     /* since when from the first one on */
static int64_t latest_ns;  /* the longest that it took to look at all */

static known *find(uint64_t thread)
{
    uint32_t found = tm__map_find(&threads, thread);

    return found == TM__NONE ? NULL : &known_list[found];
}

/* @return NULL: no memory */
static known *add(uint64_t thread, enum stage stage)
{
    if (tm__reserve(&memory, &known_list, &known_capacity, (size_t)known_count + 1,
                    sizeof(*known_list)) < 0 ||
        tm__map_put(&threads, thread, known_count) < 0)
        return NULL;
    known_list[known_count] = (known){.thread = thread, .stage = (uint8_t)stage};
    return &known_list[known_count++];
}

static int emit(const tm_event *event)
{
    const tm_sink *sink = tm__the_recording.sink;

    return sink->events(sink->payload, event, 1);
}

static int has_spoken(uint64_t thread)
{
    const known *it = find(thread);

    return it && it->stage == SPOKEN;
}

int tm__catch_up_snapshot(JNIEnv *jni, tm__buffer *own, jthread self, uint64_t last,
                          int64_t since_ns)
{
    tm__memory_init(&memory, NULL);
    tm__map_init(&threads, &memory);
    emitted_ns = since_ns;
    newest = last;
    if (tm__thread_snapshot_open(jni) == 0)
        tm__the_vm.reports_held = 1;
    tm__thread_mxbean_open(jni);
    tm__catch_up_virtual_begin(jni, last, has_spoken);
    tm__catch_up_platform_begin(jni, self, last, has_spoken);
    return tm__catch_up_round(jni, own);
}

int tm__catch_up_round(JNIEnv *jni, tm__buffer *own)
{
    return tm__catch_up_platform_round(jni, own) ? tm__catch_up_virtual_round(jni, own)
                                                 : TM_OK;
}

int64_t tm__catch_up_due_ns(void)
{
    return tm__catch_up_platform_is_due() ? 0 : tm__catch_up_virtual_due_ns();
}

static void unwatch(JNIEnv *jni, known *it, enum stage stage)
{
    (*jni)->DeleteWeakGlobalRef(jni, it->weak);
    it->stage = (uint8_t)stage;
    silent_count--;
}

static int emit_end(const known *it, int64_t time_ns)
{
    return emit(&(tm_event){
        .time_ns = time_ns,
        .thread = it->thread,
        .object = it->end == TM_EVENT_UNPARKED ? it->object : 0,
        .kind = it->end,
    });
}

/* The first event of a thread that was not asked may end what began before. */
static int emit_beginning(const tm_event *event)
{
    static const uint8_t states[TM_EVENT_KIND_END] = {
        [TM_EVENT_CONTENDED_ENTERED] = TM_STATE_BLOCKED,
        [TM_EVENT_WAITED] = TM_STATE_WAITING,
        [TM_EVENT_UNPARKED] = TM_STATE_PARKED,
        [TM_EVENT_SLEPT] = TM_STATE_SLEEPING,
        [TM_EVENT_JOINED] = TM_STATE_JOINING,
    };

    return states[event->kind]
               ? emit(&(tm_event){
                     .time_ns = emitted_ns,
                     .thread = event->thread,
                     .object = event->object,
                     .peer = event->kind == TM_EVENT_JOINED ? event->peer : 0,
                     .value = states[event->kind],
                     .kind = TM_EVENT_SNAPSHOT,
                 })
               : TM_OK;
}

/* A virtual thread's Waited comes first, and Entered when it has the monitor again. */
static int emit_waited(const tm_event *event)
{
    tm_event waited = *event;

    waited.kind = TM_EVENT_WAITED;
    waited.stack = 0;
    return event->kind == TM_EVENT_CONTENDED_ENTERED ? emit(&waited) : TM_OK;
}

/* The reference that came with the answer is ours where nobody else has a use for it:
 * who waits for nothing in particular is in no deadlock. */
static void watch(JNIEnv *jni, known *it, const tm_event *event, jweak *weak)
{
    it->object = event->object;
    it->weak = event->object ? (*jni)->NewWeakGlobalRef(jni, *weak) : *weak;
    if (!event->object)
        *weak = NULL;
    it->stage = SILENT;
    silent_count++;
}

/* An answer of the VM's. */
static int follow_answer(JNIEnv *jni, known *it, const tm_event *event, jweak *weak,
                         int has_frames)
{
    /* The stack of what it has reported itself (missing_stacks.c). */
    if (it && it->stage == SPOKEN && !*weak && has_frames)
        return TM_OK;
    if (it && it->stage == SPOKEN) {
        dropped = *event;
        return TM__CATCH_UP_DROP;
    }
    /* The second one has the owner, and begins nothing. */
    if (it) {
        int rc = emit(event);

        return rc < 0 ? rc : TM__CATCH_UP_DROP;
    }
    it = add(event->thread, event->value == TM_STATE_REENTERING ? QUEUES : ASKED);
    if (!it)
        return TM_OK;
    it->may_end = 1;
    it->queued = event->value == TM_STATE_BLOCKED;
    if (event->value == TM_STATE_PARKED)
        it->end = TM_EVENT_UNPARKED;
    else if (event->value == TM_STATE_SLEEPING)
        it->end = TM_EVENT_SLEPT;
    if (it->end && *weak)
        watch(jni, it, event, weak);
    return TM_OK;
}

static int is_enter(const tm_event *event)
{
    return event->kind == TM_EVENT_CONTENDED_ENTER ||
           event->kind == TM_EVENT_CONTENDED_ENTERED;
}

/* Ends what it was in when it was seen, and that end is not expected: the call began in
 * a recording before this one, and the thread was on its way out of it, where the JDK
 * may enter a monitor. Or it is another call: one sleeps, and joins, by parking. A
 * thread that was seen running was about to queue for a monitor, or had just got it. */
static int ends_unexpected(const known *it, const tm_event *event)
{
    int ends = event->kind == TM_EVENT_UNPARKED || event->kind == TM_EVENT_SLEPT ||
               event->kind == TM_EVENT_JOINED;

    if (event->kind == TM_EVENT_CONTENDED_ENTERED)
        return !it->queued && it->stage != SPOKEN && it->stage != QUEUES;
    return it->may_end && ends &&
           (event->kind != it->end || it->stage == LEFT || it->stage == SPOKEN);
}

/* An event of the thread's own. */
static int follow_known(JNIEnv *jni, known *it, const tm_event *event)
{
    int stage = it->stage, rc = ends_unexpected(it, event) ? TM__CATCH_UP_DROP : TM_OK;

    it->may_end = it->may_end && is_enter(event);
    it->stage = SPOKEN;
    if (stage == QUEUES)
        return emit_waited(event);
    if (stage != SILENT)
        return rc;
    unwatch(jni, it, SPOKEN);
    if (event->kind != it->end) {
        int emitted = emit_end(it, event->time_ns);

        rc = emitted < 0 ? emitted : rc;
    }
    return rc;
}

int tm__catch_up_follow(JNIEnv *jni, const tm_event *event, jweak *weak, int has_frames)
{
    known *it;

    if (event->thread > newest || !event->thread)
        return TM_OK;
    if (event->kind == TM_EVENT_HELD)
        return event->thread == dropped.thread && event->time_ns == dropped.time_ns
                   ? TM__CATCH_UP_DROP
                   : TM_OK;
    /* The scheduler's counts show neither a state nor the carrier of a thread. */
    if (SCHEDULED >> event->kind & 1)
        return TM_OK;
    it = find(event->thread);
    if (event->kind == TM_EVENT_SNAPSHOT)
        return follow_answer(jni, it, event, weak, has_frames);
    if (it)
        return follow_known(jni, it, event);
    if (known_count >= KNOWN_MAX)
        return TM_OK;
    it = add(event->thread, SPOKEN);
    if (!it)
        return TM_ENOMEM;
    it->may_end = (uint8_t)is_enter(event);
    return emit_beginning(event);
}

static void look_at(JNIEnv *jni, known *it)
{
    jthread thread = (*jni)->NewLocalRef(jni, it->weak);
    int state = thread ? tm__thread_state(thread) : TM_STATE_UNKNOWN;

    /* A virtual thread sleeps by parking. */
    if (state != TM_STATE_PARKED && state != TM_STATE_SLEEPING)
        it->left_ns = tm__now_ns();
    if (thread)
        (*jni)->DeleteLocalRef(jni, thread);
}

/* The next one to look at, from the first one on again after the last. */
static known *next_known(void)
{
    int64_t now_ns;

    if (looked < known_count)
        return &known_list[looked++];
    now_ns = tm__now_ns();
    if (lap_ns && now_ns - lap_ns > latest_ns)
        latest_ns = now_ns - lap_ns;
    lap_ns = now_ns;
    looked = 1;
    return &known_list[0];
}

void tm__catch_up_look(JNIEnv *jni)
{
    int64_t until_ns = tm__now_ns() + LOOKING_NS;

    for (uint32_t i = 0; silent_count && i < known_count; i++) {
        known *it = next_known();

        if (it->stage != SILENT || it->left_ns)
            continue;
        look_at(jni, it);
        if (tm__now_ns() >= until_ns)
            break;
    }
}

int tm__catch_up_report(void)
{
    const tm_sink *sink = tm__the_recording.sink;
    char sentence[200];
    int rc = tm__catch_up_platform_report();

    if (rc >= 0)
        rc = tm__catch_up_virtual_report();
    if (rc < 0 || latest_ns < LATE_NS)
        return rc;
    snprintf(
        sentence, sizeof(sentence),
        "Threads that were parked or asleep when recording began were polled every "
        "%.1f s: the end of such a park or sleep may be reported that much later.",
        (double)latest_ns / 1e9);
    return sink->caveat(sink->payload, sentence);
}

int tm__catch_up_emit(JNIEnv *jni, int64_t horizon_ns)
{
    int rc = TM_OK;

    for (uint32_t i = 0; silent_count && i < known_count && rc >= 0; i++) {
        known *it = &known_list[i];

        if (it->stage == SILENT && it->left_ns && it->left_ns < horizon_ns) {
            unwatch(jni, it, LEFT);
            rc = emit_end(it, it->left_ns);
        }
    }
    if (horizon_ns > emitted_ns)
        emitted_ns = horizon_ns;
    return rc;
}

void tm__catch_up_forget(JNIEnv *jni)
{
    tm__catch_up_platform_end(jni);
    tm__catch_up_virtual_end(jni);
    for (uint32_t i = 0; i < known_count; i++)
        if (known_list[i].stage == SILENT)
            (*jni)->DeleteWeakGlobalRef(jni, known_list[i].weak);
    tm__map_clear(&threads);
    tm__free(&memory, known_list, known_capacity * sizeof(*known_list));
    known_list = NULL;
    known_count = 0;
    known_capacity = 0;
    silent_count = looked = 0;
    lap_ns = latest_ns = 0;
    newest = 0;
}
