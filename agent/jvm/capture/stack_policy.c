/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks are what recording costs: an event alone takes some 0.2 us, the walk of a
 * stack 0.5 to 4. A program with ordinary locking has every stack taken. In a storm
 *
 *   - a blocking interval that turned out long has it taken when it ends, and where it
 * does not end, by the writer: the stack is the same as at its beginning;
 *   - of the short ones one in N is walked at its beginning, drawn at random, with N
 *     such that all walks together take the share below;
 *   - and of each thread, each pair of kind and object is walked once a round, so
 *     that what is rare is seen beside what is frequent. The next round comes 50 ms
 *     later, or when these walks, too, are paid out of the share, or after a second.
 *
 * That share is one of the processor time that the process itself takes, so that it is
 * the same on a machine that others keep busy, and a small one of all processors, for
 * programs that mostly wait.
 *
 * The others go without, and the writer gives them the stack of a walked one of their
 * like (sampled_stacks.c), marked as such. A walk at the end of a contended enter is
 * made with the monitor held: 1 us after 10 ms or more.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "capture/stack_policy.h"

#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include <threadmodel/model.h>

#include "capture/event_report.h"
#include "ident/method_identity.h"
#include "ring/buffer.h"
#include "ring/clock.h"
#include "ring/recording_state.h"
#include "vm/options.h"
#include "vm/vm.h"

_Static_assert(sizeof(jvmtiFrameInfo) == sizeof(tm__record_frame),
               "frames are written straight into a record");

/* For walks: one part of so many of the time that the process takes of processors, and
 * one of so many of all that there is. */
enum { SHARE_OF_OWN = 400, SHARE_OF_ALL = 2000 };
/* Of one thread in one round: pairs walked for being new, and walks altogether,
 * for a storm that breaks out between two rounds. */
enum { FIRSTS = 16, WALKS = 512, BRAKE = 64 };
/* Until any has been measured. */
enum { WALK_NS = 1000 };
/* Paces that the pace is set by: a storm with pauses is still one. */
enum { LATELY = 8 };
enum { VIRTUALS = 4096 };
/* What may be saved up for a burst, and how soon that may be spent, in paces. As much
 * may be owed: more is forgiven, since long blocking intervals are walked whatever they
 * cost. */
enum { SAVED_NS = 5000000, SPREAD = 8 };
/* A walk that took longer was not on a processor for most of that. */
enum { LONGEST_WALK_NS = 100000 };
static const int64_t PACE_NS = 10000000;
static const int64_t ROUND_NS = 50000000;
static const int64_t POOR_ROUND_NS = 1000000000; /* where something is owed */

static const uint64_t BEGINS =
    TM__KIND(CONTENDED_ENTER) | TM__KIND(WAIT) | TM__KIND(PARK) | TM__KIND(SLEEP);
static const uint64_t ENDS = TM__KIND(CONTENDED_ENTERED) | TM__KIND(WAITED) |
                             TM__KIND(UNPARKED) | TM__KIND(SLEPT);

/* What the writer sets and every thread reads. */
static struct {
    _Atomic uint32_t chance; ///< a random number up to this: walk
    _Atomic uint32_t round;
} pace = {UINT32_MAX, 1};

/* When virtual threads were blocked without a stack: they change their carriers, so
 * that no buffer is theirs. Where two share a place, the older is forgotten. */
static struct {
    _Atomic uint64_t thread;
    _Atomic int64_t since_ns;
} bare_virtuals[VIRTUALS];

static void set_bare(const tm__event_report *r, const tm_event *event, int64_t since_ns)
{
    tm__stacks *it = &r->buffer->stacks;

    if (r->is_virtual) {
        size_t i = r->thread % VIRTUALS;

        atomic_store_explicit(&bare_virtuals[i].since_ns, since_ns,
                              memory_order_relaxed);
        atomic_store_explicit(&bare_virtuals[i].thread, r->thread,
                              memory_order_release);
    } else {
        it->bare_object = event->object;
        it->bare_kind = event->kind;
        atomic_store_explicit(&it->bare_since_ns, since_ns, memory_order_release);
    }
}

/* When the blocking interval that ends now began, if it has no stack; else 0. */
static int64_t take_bare(const tm__event_report *r)
{
    int64_t since_ns;

    if (r->is_virtual) {
        size_t i = r->thread % VIRTUALS;

        if (atomic_load_explicit(&bare_virtuals[i].thread, memory_order_acquire) !=
            r->thread)
            return 0;
        return atomic_exchange_explicit(&bare_virtuals[i].since_ns, 0,
                                        memory_order_relaxed);
    }
    since_ns =
        atomic_load_explicit(&r->buffer->stacks.bare_since_ns, memory_order_relaxed);
    if (since_ns)
        atomic_store_explicit(&r->buffer->stacks.bare_since_ns, 0,
                              memory_order_release);
    return since_ns;
}

static uint32_t draw(tm__stacks *it, uint64_t seed)
{
    uint64_t x = it->random ? it->random : seed * UINT64_C(0x9e3779b97f4a7c15) + 1;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    it->random = x;
    return (uint32_t)(x >> 32);
}

/* Tell whether this pair was not walked yet in this round, and note that it is. */
static int is_first(tm__stacks *it, uint16_t kind, uint64_t what)
{
    uint64_t key = (what << 8 | kind) * UINT64_C(0x9e3779b97f4a7c15);
    uint64_t *slot = &it->walked[key >> 59];

    _Static_assert(sizeof(it->walked) == sizeof(*slot) << 5, "the top five bits");
    if (*slot == key || it->firsts_left == 0)
        return 0;
    *slot = key;
    it->firsts_left--;
    return 1;
}

static int is_chosen(const tm__event_report *r, const tm_event *event)
{
    tm__stacks *it = &r->buffer->stacks;
    uint32_t chance = atomic_load_explicit(&pace.chance, memory_order_relaxed);
    uint32_t round = atomic_load_explicit(&pace.round, memory_order_relaxed);

    if (it->round != round) {
        it->round = round;
        it->firsts_left = FIRSTS;
        it->walks_left = WALKS;
        for (size_t i = 0; i < sizeof(it->walked) / sizeof(*it->walked); i++)
            it->walked[i] = 0;
    }
    tm__counter_add(&it->wanted, 1);
    if (it->walks_left == 0 && chance > UINT32_MAX / BRAKE)
        chance = UINT32_MAX / BRAKE;
    if ((chance == UINT32_MAX ||
         draw(it, tm__the_recording.run_id ^ r->thread) <= chance ||
         is_first(it, event->kind, event->object ? event->object : event->peer))) {
        it->walks_left -= it->walks_left > 0;
        return 1;
    }
    return 0;
}

uint32_t tm__stack_policy_depth(const tm__event_report *r, uint32_t depth,
                                const tm_event *event)
{
    const tm__options *options = &tm__the_options;
    int chosen;

    if (options->depth == 0 || options->stacks == TM__STACKS_NONE)
        return 0;
    if (ENDS >> event->kind & 1) {
        int64_t since_ns = take_bare(r);

        return since_ns && r->time_ns - since_ns >= TM__LONG_NS
                   ? (uint32_t)options->depth
                   : 0;
    }
    if (depth == 0)
        return 0;
    chosen = options->stacks == TM__STACKS_ALL || is_chosen(r, event);
    if (BEGINS >> event->kind & 1)
        set_bare(r, event, chosen ? 0 : r->time_ns);
    if (!chosen)
        return 0;
    return depth < options->depth ? depth : (uint32_t)options->depth;
}

size_t tm__stack_walk_of(tm__record *record, jthread thread, int skipped,
                         uint32_t depth)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jint count = 0;

    /* One more than wanted, to know whether there are more. */
    if ((*jvmti)->GetStackTrace(jvmti, thread, skipped, (jint)depth + 1,
                                (jvmtiFrameInfo *)(record + 1),
                                &count) != JVMTI_ERROR_NONE)
        return 0;
    record->event.is_truncated = (uint32_t)count > depth;
    record->event.frame_count =
        (uint16_t)(record->event.is_truncated ? depth : (uint32_t)count);
    return record->event.frame_count * sizeof(jvmtiFrameInfo);
}

size_t tm__stack_walk(const tm__event_report *report, tm__record *record,
                      uint32_t depth)
{
    tm__stacks *it = &report->buffer->stacks;
    int64_t began_ns = tm__now_ns();
    size_t bytes = tm__stack_walk_of(record, NULL, report->skipped_frames, depth);
    int64_t took_ns = tm__now_ns() - began_ns;

    tm__counter_add(&it->walks, 1);
    tm__counter_add(&it->walks_ns,
                    (uint64_t)(took_ns < LONGEST_WALK_NS ? took_ns : LONGEST_WALK_NS));
    return bytes;
}

/* The processors that this process may use. */
static int64_t processor_count(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;

    return count > 0 ? count : 1;
}

/* What walks may take for the time since this was asked last. */
static int64_t earned_ns(int64_t now_ns)
{
    static int64_t last_ns, last_own_ns, processors;
    int64_t own_ns, earned;

    if (!processors) {
        processors = processor_count();
        last_ns = now_ns;
    }
    own_ns = tm__clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    earned = (own_ns - last_own_ns) / SHARE_OF_OWN +
             (now_ns - last_ns) * processors / SHARE_OF_ALL;
    last_ns = now_ns;
    last_own_ns = own_ns;
    return earned;
}

/* What is saved or, below 0, owed by now. */
static int64_t saved_by_now(int64_t earned, uint64_t spent)
{
    static int64_t saved_ns = SAVED_NS;

    saved_ns += earned - (int64_t)spent;
    if (saved_ns > SAVED_NS)
        saved_ns = SAVED_NS;
    if (saved_ns < -SAVED_NS)
        saved_ns = -SAVED_NS;
    return saved_ns;
}

/* What happened lately: the older, the less it counts. */
typedef struct lately {
    uint64_t wanted, walks, walks_ns, earned_ns;
} lately;

static void fade(uint64_t *sum, uint64_t more)
{
    *sum += more - *sum / LATELY;
}

/* One walk in so many takes what it may. */
static uint64_t interval_of(const lately *it, int64_t saved)
{
    uint64_t walk_ns = (it->walks_ns + WALK_NS) / (it->walks + 1) + 1;
    /* Half is for those drawn, half for the first ones, and for debts more. */
    uint64_t drawn_ns = saved > 0
                            ? it->earned_ns / 2 + (uint64_t)saved / SPREAD * LATELY
                            : it->earned_ns / 4;

    return it->wanted * walk_ns / (drawn_ns + 1) + 1;
}

void tm__stack_policy_pace(void)
{
    static uint64_t last_wanted, last_walks, last_walks_ns;
    static int64_t last_ns, round_ns;
    static lately recent;
    uint64_t wanted = 0, walks = 0, walks_ns = 0, interval;
    int64_t now_ns = tm__now_ns(), earned, saved;

    if (now_ns - last_ns < PACE_NS)
        return;
    for (tm__buffer *b = tm__buffer_first(); b; b = b->next) {
        wanted += atomic_load_explicit(&b->stacks.wanted, memory_order_relaxed);
        walks += atomic_load_explicit(&b->stacks.walks, memory_order_relaxed);
        walks_ns += atomic_load_explicit(&b->stacks.walks_ns, memory_order_relaxed);
    }
    /* Another recording counts from nothing. */
    if (wanted < last_wanted)
        last_wanted = last_walks = last_walks_ns = 0;
    earned = earned_ns(now_ns);
    saved = saved_by_now(earned, walks_ns - last_walks_ns);
    fade(&recent.wanted, wanted - last_wanted);
    fade(&recent.walks, walks - last_walks);
    fade(&recent.walks_ns, walks_ns - last_walks_ns);
    fade(&recent.earned_ns, (uint64_t)earned);
    interval = interval_of(&recent, saved);
    last_walks = walks;
    last_walks_ns = walks_ns;
    last_wanted = wanted;
    last_ns = now_ns;
    atomic_store_explicit(&pace.chance,
                          interval < UINT32_MAX ? UINT32_MAX / (uint32_t)interval : 0,
                          memory_order_relaxed);
    if (now_ns - round_ns < (saved < 0 ? POOR_ROUND_NS : ROUND_NS))
        return;
    round_ns = now_ns;
    atomic_fetch_add_explicit(&pace.round, 1, memory_order_relaxed);
}

static int state_of(uint16_t kind)
{
    switch (kind) {
    case TM_EVENT_CONTENDED_ENTER: return TM_STATE_BLOCKED;
    case TM_EVENT_WAIT: return TM_STATE_WAITING;
    case TM_EVENT_PARK: return TM_STATE_PARKED;
    default: return TM_STATE_SLEEPING;
    }
}

/* A thread whose blocking interval has no stack. */
typedef struct bare {
    tm__buffer *buffer; ///< NULL: it is a virtual one
    uint64_t thread;
    uint64_t object;
    int64_t since_ns;
    uint16_t kind;
} bare;

static int64_t bare_virtual_since(uint64_t thread)
{
    size_t i = thread % VIRTUALS;

    return atomic_load(&bare_virtuals[i].thread) == thread
               ? atomic_load(&bare_virtuals[i].since_ns)
               : 0;
}

/* Whether an event of a virtual thread is in work that may have begun by then. */
static int is_carrier_in_work(int64_t then_ns)
{
    for (const tm__buffer *b = tm__buffer_first(); b; b = b->next) {
        int64_t since_ns = atomic_load(&b->since);

        if (b->is_shared && since_ns != TM__IDLE && since_ns <= then_ns)
            return 1;
    }
    return 0;
}

/* Whether a thread has still not begun to report the end of its blocking interval. The
 * walk of its stack met it in between, so that what it reports from there on is later.
 */
static int is_still_in(const bare *asked, int64_t walked_ns)
{
    if (asked->buffer)
        return atomic_load(&asked->buffer->stacks.bare_since_ns) == asked->since_ns &&
               atomic_load(&asked->buffer->since) == TM__IDLE;
    return bare_virtual_since(asked->thread) == asked->since_ns &&
           !is_carrier_in_work(walked_ns);
}

/* Report that a thread is in the state that is known, at the stack that is not. What
 * was read of its blocking interval is right if that still goes on afterwards. */
static void ask(JNIEnv *jni, tm__buffer *own, const bare *asked, jweak weak)
{
    uint32_t depth = (uint32_t)tm__the_options.depth;
    tm_event event = {
        .time_ns = tm__now_ns(),
        .thread = asked->thread,
        .object = asked->object,
        .value = state_of(asked->kind),
        .kind = TM_EVENT_SNAPSHOT,
    };
    jthread thread = (*jni)->NewLocalRef(jni, weak);
    tm__record *record =
        thread ? tm__buffer_reserve(own, (depth + 1) * sizeof(jvmtiFrameInfo)) : NULL;
    size_t bytes;

    if (record) {
        record->kind = event.kind;
        record->event.fact = event;
        bytes = tm__stack_walk_of(record, thread, 0, depth);
        if (bytes && is_still_in(asked, event.time_ns))
            tm__methods_commit(own, record, bytes);
    }
    if (thread)
        (*jni)->DeleteLocalRef(jni, thread);
}

void tm__stack_policy_ask_virtual(JNIEnv *jni, tm__buffer *own, uint64_t thread,
                                  uint64_t object, uint16_t kind, jweak weak)
{
    bare asked = {.thread = thread,
                  .object = object,
                  .since_ns = bare_virtual_since(thread),
                  .kind = kind};

    if (asked.since_ns)
        ask(jni, own, &asked, weak);
}

void tm__stack_policy_ask(JNIEnv *jni, tm__buffer *own, int64_t before_ns, size_t limit)
{
    for (tm__buffer *b = tm__buffer_first(); b && limit > 0; b = b->next) {
        int64_t since_ns =
            atomic_load_explicit(&b->stacks.bare_since_ns, memory_order_acquire);

        if (since_ns == 0 || since_ns > before_ns || since_ns == b->asked_ns ||
            !b->thread_weak || !b->listed)
            continue;
        b->asked_ns = since_ns;
        ask(jni, own,
            &(bare){.buffer = b,
                    .thread = b->thread,
                    .object = b->stacks.bare_object,
                    .since_ns = since_ns,
                    .kind = b->stacks.bare_kind},
            b->thread_weak);
        limit--;
    }
}
