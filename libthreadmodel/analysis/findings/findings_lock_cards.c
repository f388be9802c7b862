/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is said of a group of locks: one finding, whatever there is to say. Its kind is
 * what decides what to do: that the owner was asleep or blocked in it, that the queue
 * never drains or is long, else that it is hot.
 */
#include "analysis/findings/findings_locks.h"

#include "base/saturate.h"

enum {
    HOT_BLOCKS = 5,
    PART_OF_RUN = 100,
    ONCE_PART_OF_RUN = 5,
    SHORT_BLOCK_NS = 1000000
};

static const struct {
    uint32_t state;
    const char *kind;
    const char *words;
    const char *title;
    const char *advice;
} owners_states[] = {
    {TM_STATE_SLEEPING, "held_while_sleeping", "asleep", "whose owner sleeps",
     "Do the slow part (a disk, a server, a delay) before the lock is acquired or "
     "after it is released."},
    {TM_STATE_IO, "held_while_io", "in I/O", "whose owner waits for I/O",
     "Read, write or call the server before the lock is acquired or after it is "
     "released."},
    {TM_STATE_WAITING, "held_while_waiting", "waiting for something else",
     "whose owner waits", "Release the lock before waiting for something else."},
    {TM_STATE_PARKED, "held_while_parked", "parked", "whose owner is parked",
     "Wait for other threads' work before the lock is acquired or after it is "
     "released."},
    {TM_STATE_BLOCKED, "held_while_blocked", "blocked by another lock",
     "whose owner is blocked",
     "Find out what blocks the owner; take the other lock outside of this one."},
};

enum { STATES = sizeof(owners_states) / sizeof(*owners_states) };

/** A group, and what its finding rests on. */
typedef struct card {
    const tm__lock_sums *sums;
    uint32_t group;
    int64_t total_ns;
    int64_t unknown_ns; ///< of it, nobody knows who had it
    int64_t blocks;
    uint32_t threads;
    int64_t bound_ns; ///< the most that one thread was blocked
    int64_t longest_ns;
    const tm__tally_item *held; ///< where the owner was blocked, or NULL
    uint32_t held_state;        ///< of owners_states[]
} card;

static const tm__tally_item *sum_of(const card *c, uint32_t what)
{
    return tm__tally_top(&c->sums->tally, c->group, what);
}

static int64_t part_of(const card *c, uint32_t what)
{
    const tm__tally_item *it = sum_of(c, what);

    return it ? it->total_ns : 0;
}

static int64_t known_while(const card *c)
{
    const uint32_t *value =
        tm__triple_map_find(&c->sums->tally.map, c->group, c->held->b,
                            TM__LOCK_WHILE_KNOWN + owners_states[c->held_state].state);

    return value ? c->sums->tally.items[*value - 1].total_ns : 0;
}

/* ---- words ---- */

static void write_waits(tm__finding *finding, const card *c)
{
    const tm__tally_item *at = sum_of(c, TM__LOCK_BLOCKED_AT);

    tm__part(finding, TM__WAITS);
    tm__finding_write_threads(finding, c->threads);
    tm__finding_write(finding, c->threads == 1 ? " was blocked " : " were blocked ");
    tm__finding_write_times(finding, (uint64_t)c->blocks);
    tm__finding_write(finding, ", ");
    tm__finding_write_duration(finding, c->total_ns);
    if (c->blocks > 1) {
        tm__finding_write(finding, " in all, ");
        tm__finding_write_duration(finding, c->total_ns / c->blocks);
        tm__finding_write(finding, " on average");
    }
    if (at && at->b != TM__NONE) {
        tm__finding_write(finding, at->total_ns < c->total_ns ? ", most in " : ", in ");
        tm__finding_write_caller(finding, c->sums->findings, at->b);
    }
    tm__finding_write(finding, ".");
}

static void write_owners(tm__finding *finding, const card *c)
{
    const tm__findings *findings = c->sums->findings;
    const tm__tally_item *at = sum_of(c, TM__LOCK_HELD_BY);
    const tm__tally_item *owner = sum_of(c, TM__LOCK_OWNER);

    tm__part(finding, TM__HOLDS);
    if (!owner) {
        tm__finding_write(finding, "No event names an owner.");
        return;
    }
    if (at && at->b != TM__NONE && at->total_ns >= c->total_ns / 2) {
        tm__finding_write(finding, "Owners acquired it in ");
        tm__finding_write_caller(finding, findings, at->b);
        tm__finding_write(finding, " for %d %% of that time.",
                          tm__percent(at->total_ns, c->total_ns));
        finding->place = at->b;
    }
    finding->thread = owner->b;
    /* Of many who had it as long there is nobody to be named. */
    if (owner->total_ns < c->total_ns / 4)
        return;
    tm__finding_write(finding, "%s", finding->lengths[TM__HOLDS] ? " " : "");
    tm__finding_write_thread(finding, findings->model, owner->b);
    tm__finding_write(finding, " had it longest, %d %% of that time.",
                      tm__percent(owner->total_ns, c->total_ns));
}

static void write_held(tm__finding *finding, const card *c)
{
    const tm__findings *findings = c->sums->findings;

    if (!c->held)
        return;
    tm__finding_write(finding, "%s", finding->lengths[TM__HOLDS] ? " " : "");
    if (c->held->is_of_many)
        tm__finding_write(finding, "Its owners were ");
    else {
        tm__finding_write_thread(finding, findings->model, c->held->worst_thread);
        tm__finding_write(finding, " was ");
    }
    tm__finding_write(finding, "%s in ", owners_states[c->held_state].words);
    tm__finding_write_caller(finding, findings, c->held->b);
    tm__finding_write(finding, " meanwhile, for ");
    tm__finding_write_duration(finding, c->held->total_ns);
    tm__finding_write(finding, " of that time (%d %%).",
                      tm__percent(c->held->total_ns, c->total_ns));
}

static void write_latency(tm__finding *finding, const card *c)
{
    int64_t latency_ns = part_of(c, TM__LOCK_LATENCY);

    if (latency_ns < c->total_ns / 5)
        return;
    tm__finding_write(
        finding,
        "%sFor %d %% of that time nobody held it: the next owner was being woken.",
        finding->lengths[TM__HOLDS] ? " " : "", tm__percent(latency_ns, c->total_ns));
}

static void write_caveat(tm__finding *finding, const card *c)
{
    tm__part(finding, TM__CAVEAT);
    if (finding->suspected)
        tm__finding_write(finding,
                          "Suspected: who held the lock is inferred. Look in the code "
                          "whether this is called with the lock held.");
    else if (!sum_of(c, TM__LOCK_OWNER))
        tm__finding_write(finding, "Who held it is not known.");
    else if (c->held && known_while(c) < c->held->total_ns / 2)
        tm__finding_write(
            finding, "That the owner held it meanwhile is inferred from stacks: look "
                     "in the code whether this is called with the lock held.");
    else if (part_of(c, TM__LOCK_UNKNOWN) > c->total_ns / 2)
        tm__finding_write(finding,
                          "For most of that time it is not known who held it.");
    else if (part_of(c, TM__LOCK_KNOWN) < part_of(c, TM__LOCK_OWNED) / 2)
        tm__finding_write(finding,
                          "Who held it is mostly inferred: not every acquire and "
                          "release was reported.");
}

static void write_title(tm__finding *finding, const card *c, const char *words)
{
    tm__part(finding, TM__TITLE);
    tm__finding_write_threads(finding, c->threads);
    tm__finding_write(finding, " blocked by ");
    tm__finding_write_lock_group(finding, &c->sums->groups, c->group);
    tm__finding_write(finding, "%s%s", *words ? " " : "", words);
    if (c->held) {
        tm__finding_write(finding, " in ");
        tm__finding_write_caller(finding, c->sums->findings, c->held->b);
    }
}

/* ---- the finding ---- */

static int emit(const card *c, const char *kind, const char *title, const char *advice)
{
    tm__findings *findings = c->sums->findings;
    const tm__lock_group *group = &c->sums->groups.items[c->group];
    const tm__tally_item *at = sum_of(c, TM__LOCK_BLOCKED_AT);
    int is_queue = tm__queue_is_convoy(&c->sums->queues, group->object) ||
                   tm__queue_is_long(&c->sums->queues, group->object);
    tm__finding *finding = tm__finding_new(findings, kind, "blame", c->total_ns);

    if (!finding)
        return TM_ENOMEM;
    finding->class_name = group->class_name;
    finding->lock_group = c->group;
    finding->change = TM_WHATIF_PERMITS;
    finding->bound_ns = c->bound_ns;
    finding->place = at ? at->b : TM__NONE;
    finding->blocked_place = finding->place;
    finding->suspected =
        c->held && c->blocks < HOT_BLOCKS && known_while(c) < c->held->total_ns / 2;
    /* What blocked each thread once is over, unless that took long; and where nobody
     * ever queues behind another, short blocks cost little but the wake-up. */
    finding->minor = tm__is_minor(findings, c->total_ns, c->bound_ns) ||
                     (c->blocks >= HOT_BLOCKS && c->blocks <= c->threads &&
                      c->bound_ns < findings->run_ns / ONCE_PART_OF_RUN) ||
                     (c->sums->queues.items[group->object].most == 1 &&
                      c->total_ns / c->blocks < SHORT_BLOCK_NS &&
                      c->total_ns < findings->run_ns / ONCE_PART_OF_RUN);
    if (tm__where_lock_group(finding, &c->sums->groups, c->group) < 0)
        return TM_ENOMEM;
    write_title(finding, c, title);
    write_waits(finding, c);
    write_owners(finding, c);
    write_held(finding, c);
    write_latency(finding, c);
    if (is_queue && group->objects == 1)
        tm__finding_write_queue(finding, &c->sums->queues, group->object);
    if (c->held) {
        finding->place = c->held->b;
        finding->thread = c->held->worst_thread;
        finding->inner_method = findings->places.items[c->held->b].method;
    }
    tm__part(finding, TM__ADVICE);
    tm__finding_write(finding, "%s", advice);
    write_caveat(finding, c);
    return TM_OK;
}

static int is_hot(const card *c)
{
    return c->blocks >= HOT_BLOCKS && c->total_ns > 0 &&
           c->total_ns >= c->sums->findings->run_ns / PART_OF_RUN;
}

static int emit_group(const card *c)
{
    const tm__lock_group *group = &c->sums->groups.items[c->group];
    const tm__queues *queues = &c->sums->queues;
    const tm__findings *findings = c->sums->findings;

    if (c->held)
        return emit(c, owners_states[c->held_state].kind,
                    owners_states[c->held_state].title,
                    owners_states[c->held_state].advice);
    if (part_of(c, TM__LOCK_LATENCY) >= c->total_ns / 2 &&
        tm__is_looked_for(findings, "wake_up_latency"))
        return emit(c, "wake_up_latency", "while its next owner wakes",
                    "Acquire it less often, for more work at once: each handoff wakes "
                    "a thread, which takes longer than the lock is held.");
    if (group->objects == 1 && tm__queue_is_convoy(queues, group->object) &&
        tm__is_looked_for(findings, "lock_convoy"))
        return emit(c, "lock_convoy", "whose queue never drains",
                    "Acquire it less often, for more work at once, or split it.");
    if (group->objects == 1 && tm__queue_is_long(queues, group->object) &&
        tm__is_looked_for(findings, "oversubscribed_lock"))
        return emit(c, "oversubscribed_lock", "in a long queue",
                    "Hold it for less time, or split it: more threads cannot make this "
                    "faster.");
    return emit(c, "hot_lock", "", "Hold it for less time, or acquire it less often.");
}

/* Where its owners were blocked most, if that is half of the time for which they are
 * known, and that is half of all. */
static void find_held(card *c, const tm__tally_item *item)
{
    int64_t run_ns = c->sums->findings->run_ns;

    for (uint32_t s = 0; s < STATES; s++)
        if (item->c == TM__LOCK_WHILE + owners_states[s].state && item->total_ns > 0 &&
            item->total_ns >= run_ns / PART_OF_RUN &&
            c->unknown_ns <= c->total_ns / 2 &&
            item->total_ns >= (c->total_ns - c->unknown_ns) / 2 &&
            tm__is_looked_for(c->sums->findings, owners_states[s].kind) &&
            (!c->held || item->total_ns > c->held->total_ns)) {
            c->held = item;
            c->held_state = s;
        }
}

int tm__lock_cards(const tm__lock_sums *sums)
{
    uint32_t count = sums->groups.items_count;
    size_t bytes = ((size_t)count + 1) * sizeof(card);
    card *cards = tm__zalloc(&sums->findings->memory, bytes);
    tm__top top = {.count = 0};
    int rc = cards ? TM_OK : TM_ENOMEM;

    for (uint32_t i = 0; rc == TM_OK && i < sums->tally.items_count; i++) {
        const tm__tally_item *item = &sums->tally.items[i];
        card *c = &cards[item->a];

        c->sums = sums;
        if (item->c == TM__LOCK_WHOLE) {
            c->total_ns = item->total_ns;
            c->blocks = item->count;
        } else if (item->c == TM__LOCK_UNKNOWN) {
            c->unknown_ns = item->total_ns;
        } else if (item->c == TM__LOCK_BLOCKED) {
            c->threads++;
            if (item->total_ns > c->bound_ns)
                c->bound_ns = item->total_ns;
        }
    }
    for (uint32_t i = 0; rc == TM_OK && i < sums->tally.items_count; i++)
        find_held(&cards[sums->tally.items[i].a], &sums->tally.items[i]);
    for (uint32_t i = 0; rc == TM_OK && i < count; i++) {
        cards[i].sums = sums;
        cards[i].group = i;
        if (is_hot(&cards[i]) || cards[i].held)
            tm__top_add(&top, cards[i].total_ns, i);
    }
    for (uint32_t i = 0; rc == TM_OK && i < top.count; i++)
        rc = emit_group(&cards[top.numbers[i]]);
    tm__free(&sums->findings->memory, cards, bytes);
    return rc;
}
