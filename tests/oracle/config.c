/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of worlds, and the kinds of events that their producers report. */
#include "world.h"

#define BIT(kind) (UINT64_C(1) << (kind))
#define CORE (BIT(TM_EVENT_THREAD_START) | BIT(TM_EVENT_THREAD_END))
#define ENTERS (BIT(TM_EVENT_CONTENDED_ENTER) | BIT(TM_EVENT_CONTENDED_ENTERED))
#define WAITS (BIT(TM_EVENT_WAIT) | BIT(TM_EVENT_WAITED))
#define NOTIFIES (BIT(TM_EVENT_NOTIFY) | BIT(TM_EVENT_NOTIFY_ALL))
#define SLEEPS (BIT(TM_EVENT_SLEEP) | BIT(TM_EVENT_SLEPT))
#define JOINS (BIT(TM_EVENT_JOIN) | BIT(TM_EVENT_JOINED))
#define PARKS (BIT(TM_EVENT_PARK) | BIT(TM_EVENT_UNPARKED))
#define MOUNTS (BIT(TM_EVENT_VIRTUAL_MOUNT) | BIT(TM_EVENT_VIRTUAL_UNMOUNT))
#define SNAPSHOTS (BIT(TM_EVENT_SNAPSHOT) | BIT(TM_EVENT_HELD))
#define TENURES (BIT(TM_EVENT_ACQUIRED) | BIT(TM_EVENT_RELEASED))
#define POSTS (BIT(TM_EVENT_AWAIT) | BIT(TM_EVENT_AWAITED) | BIT(TM_EVENT_POST))

static uint64_t kinds_random(uint64_t *random, bool full)
{
    static const struct {
        uint64_t kinds;
        unsigned percent;
    } choices[] = {
        {ENTERS, 95},
        {WAITS, 95},
        {NOTIFIES, 70},
        {BIT(TM_EVENT_INTERRUPT_CALLED), 60},
        {BIT(TM_EVENT_INTERRUPTED), 40},
        {BIT(TM_EVENT_THREAD_START_CALLED), 60},
        {SLEEPS, 60},
        {JOINS, 60},
        {PARKS, 75},
        {BIT(TM_EVENT_UNPARK_CALLED), 60},
        {BIT(TM_EVENT_HELD), 40},
        {MOUNTS, 30},
    };
    uint64_t kinds = CORE;

    for (size_t i = 0; i < sizeof(choices) / sizeof(*choices); i++)
        if (full || chance_next(random) % 100 < choices[i].percent)
            kinds |= choices[i].kinds;
    return kinds;
}

static struct config config_of(uint64_t seed, bool terse)
{
    uint64_t random = seed * UINT64_C(0x2545f4914f6cdd1d) + 1;
#define ROLL(percent) (chance_next(&random) % 100 < (percent))
    bool full = ROLL(25) || terse;
    bool reports = full && !terse;
    struct config c = {
        .seed = seed,
        .full = full,
        .terse = terse,
        .thread_count = 3 + (int)(chance_next(&random) % 6),
        .monitor_count = 1 + (int)(chance_next(&random) % 3),
        .synchronizer_count = (int)(chance_next(&random) % 3),
        .step_count = 50 + (int)(chance_next(&random) % 800),
        .lifo = ROLL(50),
        .barging = !full && ROLL(60),
        .spinning = !full && ROLL(40),
        .races = !full && ROLL(50),
        .early_waited = !full && ROLL(60),
        .disorder = ROLL(25),
        .helper = ROLL(60),
        .virtual_some = ROLL(30),
        .virtual_entered = ROLL(50),
        .join_by_wait = ROLL(60),
        .late = !full && ROLL(10),
        .loses = !full && ROLL(10),
        .kinds_known = full || ROLL(80),
        .owners = reports || ROLL(50),
        .releasers = ROLL(30),
        .notifiers = ROLL(15),
        .starters = ROLL(50),
        .park_owners = reports || ROLL(60),
        .unparkers = ROLL(20),
        .held_sets = reports || ROLL(50),
        .names = reports || ROLL(85),
        .stacks = ROLL(70),
    };

    c.kinds = kinds_random(&random, full);
    if (c.late)
        c.kinds |= SNAPSHOTS;
    c.asks = ROLL(50);
    if (c.asks)
        c.kinds |= BIT(TM_EVENT_HELD);
    return c;
#undef ROLL
}

struct config config_random(uint64_t seed)
{
    return config_of(seed, false);
}

struct config config_terse(uint64_t seed)
{
    return config_of(seed, true);
}

/* All that blocks is reported, as by our agent, and half of the producers report each
 * tenure besides. */
struct config config_locks(uint64_t seed)
{
    uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15) + 2;
#define ROLL(percent) (chance_next(&random) % 100 < (percent))
    bool few = ROLL(50);
    struct config c = {
        .seed = seed,
        .locks = true,
        .thread_count =
            few ? 2 + (int)(chance_next(&random) % 6)
                : 8 + (int)(chance_next(&random) % (uint64_t)(MAX_THREADS - 7)),
        .monitor_count = 1 + (int)(chance_next(&random) % 2),
        .synchronizer_count = 1 + (int)(chance_next(&random) % 2),
        .read_write_count = (int)(chance_next(&random) % 2),
        .semaphore_count = (int)(chance_next(&random) % 2),
        .step_count = 100 + (int)(chance_next(&random) % 1000),
        .lifo = ROLL(50),
        .barging = ROLL(70),
        .spinning = ROLL(40),
        .races = ROLL(70),
        .early_waited = ROLL(40),
        .disorder = ROLL(10),
        .virtual_some = ROLL(20),
        .virtual_entered = ROLL(50),
        .late = ROLL(10),
        .loses = ROLL(10),
        .kinds_known = ROLL(80),
        .owners = ROLL(70),
        .releasers = ROLL(20),
        .notifiers = ROLL(15),
        .starters = true,
        .park_owners = ROLL(80),
        .unparkers = ROLL(10),
        .held_sets = ROLL(50),
        .names = true,
        .stacks = ROLL(70),
        .owner_read = ROLL(60),
    };

    c.kinds = CORE | ENTERS | WAITS | NOTIFIES | SLEEPS | PARKS |
              BIT(TM_EVENT_UNPARK_CALLED) | BIT(TM_EVENT_THREAD_START_CALLED) |
              BIT(TM_EVENT_INTERRUPT_CALLED) | BIT(TM_EVENT_INTERRUPTED);
    if (c.late)
        c.kinds |= SNAPSHOTS;
    if (ROLL(40))
        c.kinds |= MOUNTS;
    c.asks = ROLL(50);
    if (c.asks)
        c.kinds |= BIT(TM_EVENT_HELD);
    c.acquired_ends = ROLL(30);
    if (ROLL(50))
        c.kinds |= TENURES;
    else
        c.acquired_ends = false;
    c.posts = ROLL(50);
    c.posts_named = ROLL(50);
    if (c.posts)
        c.kinds |= POSTS;
    c.shares_read = ROLL(50);
    return c;
#undef ROLL
}
