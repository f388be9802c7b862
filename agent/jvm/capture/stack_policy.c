/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks are the main cost of recording: an event alone takes some 0.2 us, the walk of
 * a stack 0.5 to 4. A program with ordinary locking has every stack taken. In a storm
 *
 *   - a blocking interval that turned out long has it taken when it ends, and where
 *     it does not end, by the writer (missing_stacks.c);
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
#include "capture/stack_policy.h"

#include <stdatomic.h>
#include <time.h>

#include "capture/event_in_work.h"
#include "capture/missing_stacks.h"
#include "ring/buffer.h"
#include "rings/clock.h"
#include "ring/recording_state.h"
#include "vm/options.h"
#include "vm/vm.h"

/* For walks: one part of so many of the time that the process takes of processors, and
 * one of so many of all that there is. */
enum { SHARE_OF_OWN = 400, SHARE_OF_ALL = 2000 };
/* Limits of one thread in one round: pairs walked for being new, and walks altogether,
 * for a storm that breaks out between two rounds. */
enum { FIRSTS = 16, WALKS = 512, BRAKE = 64 };
/* Until any has been measured. */
enum { WALK_NS = 1000 };
/* Paces that the pace is set by: a storm with pauses is still one. */
enum { LATELY = 8 };
/* The time that may be saved for a burst, and how soon it may be spent, in paces. The
 * debt has the same limit: more is forgiven, since long blocking intervals are walked
 * whatever they cost. */
enum { SAVED_NS = 5000000, SPREAD = 8 };
static const int64_t PACE_NS = 10000000;
static const int64_t ROUND_NS = 50000000;
static const int64_t POOR_ROUND_NS = 1000000000; /* where something is owed */

static const uint64_t BEGINS = TM__KIND(CONTENDED_ENTER) | TM__KIND(WAIT) |
                               TM__KIND(PARK) | TM__KIND(SLEEP) | TM__KIND(AWAIT);
static const uint64_t ENDS = TM__KIND(CONTENDED_ENTERED) | TM__KIND(WAITED) |
                             TM__KIND(UNPARKED) | TM__KIND(SLEPT) | TM__KIND(AWAITED);

/* Values that the writer sets and every thread reads. */
static struct {
    _Atomic uint32_t chance; ///< a random number up to this: walk
    _Atomic uint32_t round;
} pace = {UINT32_MAX, 1};

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
         is_first(it, event->kind, tm__topic_of(event)))) {
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
    if (tm__is_left_out(TM__LEFT_OUT_STACKS)) {
        if (BEGINS >> event->kind & 1)
            tm__missing_stack_begin(r, event, r->time_ns);
        return 0;
    }
    if (ENDS >> event->kind & 1) {
        int64_t since_ns = tm__missing_stack_end(r);

        return since_ns && r->time_ns - since_ns >= TM__LONG_NS
                   ? (uint32_t)options->depth
                   : 0;
    }
    if (depth == 0)
        return 0;
    chosen = options->stacks == TM__STACKS_ALL || is_chosen(r, event);
    if (BEGINS >> event->kind & 1)
        tm__missing_stack_begin(r, event, chosen ? 0 : r->time_ns);
    if (!chosen)
        return 0;
    return depth < options->depth ? depth : (uint32_t)options->depth;
}

/* The time that walks may take for the time since the last call. */
static int64_t earned_ns(int64_t now_ns)
{
    static int64_t last_ns, last_own_ns;
    int64_t own_ns, earned;

    own_ns = tm__clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    if (!last_ns) {
        last_ns = now_ns;
        last_own_ns = own_ns;
    }
    earned = (own_ns - last_own_ns) / SHARE_OF_OWN +
             (now_ns - last_ns) * tm__the_vm.processors / SHARE_OF_ALL;
    last_ns = now_ns;
    last_own_ns = own_ns;
    return earned;
}

/* The time saved by now or, below 0, owed. */
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

/* Recent counts: the older, the less they weigh. */
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
    for (tm__buffer *b = tm__buffer_first(); b; b = tm__buffer_next(b)) {
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
