/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocking intervals and calls whose stack was not taken get that of one of their like:
 * the last that was walked of the same thread, kind and object, and, as blocking
 * intervals of different length come from different places, of about the same length.
 * A sleep has no object; its like is asked to sleep as long, and where such sleeps were
 * walked at two places, none is given either.
 * Those walked are drawn at random, so that sums by caller come out as if all had been;
 * each event that was given a stack in this way says so by TM_EVENT_SAMPLED. One
 * without its like stays without.
 *
 * Many an object is made for one wait, as that of a future is: one that has no like
 * gets the stack of the last of its class. Virtual threads are many and short, too:
 * they take one another's place.
 *
 * On the writer thread, once an event. All tables are of a fixed size, and what finds
 * its place taken by another takes it over, where there is something to be kept.
 */

#include "writer/sampled_stacks.h"

#include <stdlib.h>

#include "ring/recording_state.h"

/* Lengths differ by a factor of four from one to the next: 1 us or less to 16 s. */
enum { LENGTHS = 13, SHORTEST_NS_LOG2 = 10 };
enum { THREADS = 4096, OBJECTS = 16384, LIKES_LOG2 = 11, LIKES = 1 << LIKES_LOG2 };

/* So often what has no object must be walked, at one place, before another gets its
 * stack.
 */
enum { WALKS = 8 };

/* The blocking interval that a thread is in. */
typedef struct blocked {
    uint64_t thread;
    uint64_t what;     ///< as of a topic
    uint64_t class_id; ///< of that; 0: not known
    int64_t since_ns;
    uint32_t stack;
    uint16_t kind; ///< 0: none
} blocked;

/* Stacks that were walked; of a call, all under the first length. */
typedef struct like {
    uint64_t thread; ///< 0: virtual ones
    uint64_t what;   ///< object or class, or the thread that was called
    uint32_t kind;
    uint32_t walks;    ///< up to WALKS
    uint32_t is_mixed; ///< of no object, and walked at more than one place
    uint32_t stacks[LENGTHS];
} like;

/* The subject of an event. */
typedef struct topic {
    uint64_t thread; ///< 0: a virtual one
    uint64_t what;   ///< object, or the thread that was called; of a sleep how long
    uint64_t class_id;
    uint16_t kind;
} topic;

/* All or none: without memory, or where no stack is ever left out, nobody needs them.
 */
static blocked *blocks;
static like *likes; /* LIKES of objects, and as many of classes */
static struct {
    uint64_t object;
    uint64_t class_id;
} * classes;           /* of objects that were met lately */
static uint64_t shown; /* events with a stack that is not their own */
static uint64_t bare;  /* blocking intervals without */

static const uint64_t CALLS = TM__KIND(NOTIFY) | TM__KIND(NOTIFY_ALL) |
                              TM__KIND(UNPARK_CALLED) | TM__KIND(INTERRUPT_CALLED);

static like *place_of(uint64_t thread, uint16_t kind, uint64_t what, int is_class)
{
    uint64_t hash = (thread << 40 ^ what << 8 ^ kind) * UINT64_C(0x9e3779b97f4a7c15);

    /* The top bits, which all others have a part in. */
    return &likes[(hash >> (64 - LIKES_LOG2)) + (is_class ? LIKES : 0)];
}

static int is_of(const like *it, uint64_t thread, uint16_t kind, uint64_t what)
{
    return it->thread == thread && it->what == what && it->kind == kind;
}

static uint64_t class_of(uint64_t object)
{
    size_t i = object % OBJECTS;

    return classes[i].object == object ? classes[i].class_id : 0;
}

static int length_of(int64_t ns)
{
    int log2 = ns > 0 ? 63 - __builtin_clzll((uint64_t)ns) : 0;
    int length = (log2 - SHORTEST_NS_LOG2) / 2;

    return length < 0 ? 0 : length < LENGTHS ? length : LENGTHS - 1;
}

/* A sleep is of no object, and a park need not be: only the place tells one from
 * another.
 */
static int has_object(const topic *of)
{
    return of->kind != TM_EVENT_SLEEP && of->what != 0;
}

/* The stack nearest by length; 0: none. */
static uint32_t nearest(const topic *of, uint64_t what, int is_class, int length)
{
    const like *it = place_of(of->thread, of->kind, what, is_class);

    if (!is_of(it, of->thread, of->kind, what) || it->is_mixed ||
        (!has_object(of) && it->walks < WALKS))
        return 0;
    for (int distance = 0; distance < LENGTHS; distance++) {
        if (length - distance >= 0 && it->stacks[length - distance])
            return it->stacks[length - distance];
        if (length + distance < LENGTHS && it->stacks[length + distance])
            return it->stacks[length + distance];
    }
    return 0;
}

static void learn(const topic *of, uint64_t what, int is_class, int length,
                  uint32_t walked)
{
    like *it = place_of(of->thread, of->kind, what, is_class);

    if (!is_of(it, of->thread, of->kind, what))
        *it = (like){.thread = of->thread, .what = what, .kind = of->kind};
    for (int i = 0; i < LENGTHS && !has_object(of); i++)
        it->is_mixed |= it->stacks[i] && it->stacks[i] != walked;
    it->walks += it->walks < WALKS;
    it->stacks[length] = walked;
}

static void learn_or_reuse(tm_event *event, topic of, int length, uint32_t walked)
{
    if (walked) {
        learn(&of, of.what, 0, length, walked);
        if (of.class_id)
            learn(&of, of.class_id, 1, length, walked);
        return;
    }
    event->stack = nearest(&of, of.what, 0, length);
    if (!event->stack && of.class_id)
        event->stack = nearest(&of, of.class_id, 1, length);
    if (event->stack) {
        event->flags |= TM_EVENT_SAMPLED;
        shown++;
    }
}

static void begin(const tm_event *event)
{
    blocks[event->thread % THREADS] = (blocked){.thread = event->thread,
                                                .what = tm__topic_of(event),
                                                .class_id = class_of(event->object),
                                                .since_ns = event->time_ns,
                                                .stack = event->stack,
                                                .kind = event->kind};
}

static void end(tm_event *event, uint16_t kind, int is_virtual)
{
    blocked *it = &blocks[event->thread % THREADS];

    if (it->thread != event->thread || it->kind != kind)
        return;
    learn_or_reuse(event,
                   (topic){.thread = is_virtual ? 0 : event->thread,
                           .what = it->what,
                           .class_id = it->class_id,
                           .kind = kind},
                   length_of(event->time_ns - it->since_ns),
                   it->stack ? it->stack : event->stack);
    bare += !it->stack && !event->stack;
    it->kind = 0;
}

void tm__sampled_stacks_follow(tm_event *event, int is_virtual)
{
    if (!likes)
        return;
    switch (event->kind) {
    case TM_EVENT_CONTENDED_ENTER:
    case TM_EVENT_WAIT:
    case TM_EVENT_PARK:
    case TM_EVENT_AWAIT:
    case TM_EVENT_SLEEP: begin(event); return;
    case TM_EVENT_CONTENDED_ENTERED:
        end(event, TM_EVENT_CONTENDED_ENTER, is_virtual);
        return;
    case TM_EVENT_WAITED: end(event, TM_EVENT_WAIT, is_virtual); return;
    case TM_EVENT_UNPARKED: end(event, TM_EVENT_PARK, is_virtual); return;
    case TM_EVENT_SLEPT: end(event, TM_EVENT_SLEEP, is_virtual); return;
    case TM_EVENT_AWAITED: end(event, TM_EVENT_AWAIT, is_virtual); return;
    default: break;
    }
    if (CALLS >> event->kind & 1)
        learn_or_reuse(event,
                       (topic){.thread = is_virtual ? 0 : event->thread,
                               .what = tm__topic_of(event),
                               .class_id = class_of(event->object),
                               .kind = event->kind},
                       0, event->stack);
}

void tm__sampled_stacks_open(void)
{
    blocks = calloc(THREADS, sizeof(*blocks));
    likes = calloc(2 * LIKES, sizeof(*likes));
    classes = calloc(OBJECTS, sizeof(*classes));
    if (!blocks || !likes || !classes)
        tm__sampled_stacks_close();
}

void tm__sampled_stacks_register(uint64_t object, uint64_t class_id)
{
    size_t i = object % OBJECTS;

    if (!classes)
        return;
    classes[i].object = object;
    classes[i].class_id = class_id;
}

uint64_t tm__sampled_stacks_reused(void)
{
    return shown;
}

uint64_t tm__sampled_stacks_missing(void)
{
    return bare;
}

void tm__sampled_stacks_close(void)
{
    free(blocks);
    free(likes);
    free(classes);
    blocks = NULL;
    likes = NULL;
    classes = NULL;
    shown = 0;
    bare = 0;
}
