/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hold-ups and calls whose stack was not taken get that of one of their like: the last
 * that was walked of the same thread, kind and object, and, as hold-ups of different
 * length come from different places, of about the same length. Those walked are drawn
 * at random, so that sums by caller come out as if all had been; each event that was
 * given a stack in this way says so by TM_EVENT_SAMPLED. One without its like stays
 * without.
 *
 * Virtual threads are many and short: they take one another's place.
 *
 * On the writer thread, once an event. Both tables are of a fixed size, and what finds
 * its place taken by another takes it over.
 */
#include "agent.h"

#include <stdlib.h>

#define KIND(name) (UINT64_C(1) << TM_EVENT_##name)

/* Lengths differ by a factor of four from one to the next: 1 us or less to 16 s. */
enum { LENGTHS = 13, SHORTEST_NS_LOG2 = 10 };
enum { THREADS = 4096, LIKES = 4096 };

/* The hold-up that a thread is in. */
typedef struct held_up {
    uint64_t thread;
    uint64_t object;
    int64_t since_ns;
    uint32_t stack;
    uint16_t kind; ///< 0: none
} held_up;

/* Stacks that were walked; of a call, all under the first length. */
typedef struct like {
    uint64_t thread; ///< 0: virtual ones
    uint64_t what;   ///< object, or the thread that was called
    uint32_t kind;
    uint32_t stacks[LENGTHS];
} like;

/* Both or none: without memory, or where no stack is ever left out, nobody needs them.
 */
static held_up *held_ups;
static like *likes;
static uint64_t shown; /* events with a stack that is not their own */
static uint64_t bare;  /* hold-ups without */

static const uint64_t CALLS =
    KIND(NOTIFY) | KIND(NOTIFY_ALL) | KIND(UNPARK_CALLED) | KIND(INTERRUPT_CALLED);

static like *like_of(uint64_t thread, uint16_t kind, uint64_t what)
{
    uint64_t hash = (thread << 40 ^ what << 8 ^ kind) * UINT64_C(0x9e3779b97f4a7c15);
    like *it = &likes[hash >> 32 & (LIKES - 1)];

    if (it->thread != thread || it->what != what || it->kind != kind)
        *it = (like){.thread = thread, .what = what, .kind = kind};
    return it;
}

static int length_of(int64_t ns)
{
    int log2 = ns > 0 ? 63 - __builtin_clzll((uint64_t)ns) : 0;
    int length = (log2 - SHORTEST_NS_LOG2) / 2;

    return length < 0 ? 0 : length < LENGTHS ? length : LENGTHS - 1;
}

/* The stack nearest by length; 0: none. */
static uint32_t nearest(const like *it, int length)
{
    for (int distance = 0; distance < LENGTHS; distance++) {
        if (length - distance >= 0 && it->stacks[length - distance])
            return it->stacks[length - distance];
        if (length + distance < LENGTHS && it->stacks[length + distance])
            return it->stacks[length + distance];
    }
    return 0;
}

static void learn_or_give(tm_event *event, like *it, int length, uint32_t walked)
{
    if (walked) {
        it->stacks[length] = walked;
        return;
    }
    event->stack = nearest(it, length);
    if (event->stack) {
        event->flags |= TM_EVENT_SAMPLED;
        shown++;
    }
}

static void begin(const tm_event *event)
{
    held_ups[event->thread % THREADS] = (held_up){.thread = event->thread,
                                                  .object = event->object,
                                                  .since_ns = event->time_ns,
                                                  .stack = event->stack,
                                                  .kind = event->kind};
}

static void end(tm_event *event, uint16_t kind, int is_virtual)
{
    held_up *it = &held_ups[event->thread % THREADS];

    if (it->thread != event->thread || it->kind != kind)
        return;
    learn_or_give(event, like_of(is_virtual ? 0 : event->thread, kind, it->object),
                  length_of(event->time_ns - it->since_ns),
                  it->stack ? it->stack : event->stack);
    bare += !it->stack && !event->stack;
    it->kind = 0;
}

void tm__samples_follow(tm_event *event, int is_virtual)
{
    if (!likes)
        return;
    switch (event->kind) {
    case TM_EVENT_CONTENDED_ENTER:
    case TM_EVENT_WAIT:
    case TM_EVENT_PARK:
    case TM_EVENT_SLEEP: begin(event); return;
    case TM_EVENT_CONTENDED_ENTERED:
        end(event, TM_EVENT_CONTENDED_ENTER, is_virtual);
        return;
    case TM_EVENT_WAITED: end(event, TM_EVENT_WAIT, is_virtual); return;
    case TM_EVENT_UNPARKED: end(event, TM_EVENT_PARK, is_virtual); return;
    case TM_EVENT_SLEPT: end(event, TM_EVENT_SLEEP, is_virtual); return;
    default: break;
    }
    if (CALLS >> event->kind & 1)
        learn_or_give(event,
                      like_of(is_virtual ? 0 : event->thread, event->kind,
                              event->object ? event->object : event->peer),
                      0, event->stack);
}

void tm__samples_open(void)
{
    held_ups = calloc(THREADS, sizeof(*held_ups));
    likes = calloc(LIKES, sizeof(*likes));
    if (!held_ups || !likes)
        tm__samples_close();
}

uint64_t tm__samples_shown(void)
{
    return shown;
}

uint64_t tm__samples_bare(void)
{
    return bare;
}

void tm__samples_close(void)
{
    free(held_ups);
    free(likes);
    held_ups = NULL;
    likes = NULL;
    shown = 0;
    bare = 0;
}
