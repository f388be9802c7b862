/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings about a group of locks: one for each group. Its kind is the fact that
 * decides what to do: the owner was asleep or blocked in it, the queue is seldom empty
 * or is long, else the lock is hot.
 */
#include "analysis/findings/findings_lock_cards.h"
#include "analysis/findings/finding_text.h"
#include "analysis/findings/lock_sums.h"
#include "base/error.h"

#include "analysis/findings/findings_groups.h"
#include "analysis/findings/findings_kinds.h"
#include "base/saturate.h"
#include "model/entities/object.h"
#include "model/ownership/reads_in_turn.h"

/* A wait that is so many times as long as any reader had the lock is not for one. */
enum {
    HOT_BLOCKS = 5,
    PART_OF_RUN = 100,
    ONCE_PART_OF_RUN = 5,
    SHORT_BLOCK_NS = 1000000
};

static const struct {
    uint32_t state;
    const char *kind;
    tm__card_text words;
    tm__card_text title;
    tm__card_text advice;
} owners_states[] = {
    {TM_STATE_SLEEPING, "held_while_sleeping", TM__TEXT_HELD_SLEEPING,
     TM__TEXT_HELD_SLEEPING_TITLE, TM__TEXT_HELD_SLEEPING_ADVICE},
    {TM_STATE_IO, "held_while_io", TM__TEXT_HELD_IO, TM__TEXT_HELD_IO_TITLE,
     TM__TEXT_HELD_IO_ADVICE},
    {TM_STATE_WAITING, "held_while_waiting", TM__TEXT_HELD_WAITING,
     TM__TEXT_HELD_WAITING_TITLE, TM__TEXT_HELD_WAITING_ADVICE},
    {TM_STATE_PARKED, "held_while_parked", TM__TEXT_HELD_PARKED,
     TM__TEXT_HELD_PARKED_TITLE, TM__TEXT_HELD_PARKED_ADVICE},
    {TM_STATE_BLOCKED, "held_while_blocked", TM__TEXT_HELD_BLOCKED,
     TM__TEXT_HELD_BLOCKED_TITLE, TM__TEXT_HELD_BLOCKED_ADVICE},
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
    tm__reads reads;            ///< by readers that keep others out
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

/* ---- what is said ---- */

static void say(tm__finding *finding, const card *c, tm__card_text text,
                const tm__facts *facts)
{
    tm__finding_add(finding, c->sums->findings, text, facts);
}

static void write_waits(tm__finding *finding, const card *c)
{
    const tm__tally_item *at = sum_of(c, TM__LOCK_BLOCKED_AT);
    tm__facts facts = TM__NO_FACTS;

    facts.threads = c->threads;
    facts.count = (uint64_t)c->blocks;
    facts.total_ns = c->total_ns;
    facts.mean_ns = c->blocks > 1 ? c->total_ns / c->blocks : 0;
    if (at && at->total_ns < c->total_ns)
        facts.place = at->b;
    else if (at)
        facts.other_place = at->b;
    say(finding, c, TM__TEXT_LOCK_WAITS, &facts);
}

static void write_owners(tm__finding *finding, const card *c)
{
    const tm__tally_item *at = sum_of(c, TM__LOCK_HELD_BY);
    const tm__tally_item *owner = sum_of(c, TM__LOCK_OWNER);
    tm__facts facts = TM__NO_FACTS;

    if (!owner) {
        say(finding, c, TM__TEXT_LOCK_NO_OWNER, &facts);
        return;
    }
    if (at && at->b != TM__NONE && at->total_ns >= c->total_ns / 2) {
        facts.place = finding->place = at->b;
        facts.share = tm__percent(at->total_ns, c->total_ns);
        say(finding, c, TM__TEXT_LOCK_ACQUIRED_AT, &facts);
    }
    facts.thread = finding->thread = owner->b;
    facts.share = tm__percent(owner->total_ns, c->total_ns);
    /* If many had it as long, no owner is named. */
    if (owner->total_ns >= c->total_ns / 4)
        say(finding, c, TM__TEXT_LOCK_LONGEST, &facts);
}

static void write_held(tm__finding *finding, const card *c)
{
    tm__facts facts = TM__NO_FACTS;

    if (!c->held)
        return;
    facts.thread = c->held->worst_thread;
    facts.state = tm__card_text_of(owners_states[c->held_state].words);
    facts.place = c->held->b;
    facts.total_ns = c->held->total_ns;
    facts.share = tm__percent(c->held->total_ns, c->total_ns);
    say(finding, c,
        c->held->is_of_many ? TM__TEXT_LOCK_OWNERS_WERE : TM__TEXT_LOCK_OWNER_WAS,
        &facts);
}

static void write_latency(tm__finding *finding, const card *c)
{
    int64_t latency_ns = part_of(c, TM__LOCK_LATENCY);
    tm__facts facts = TM__NO_FACTS;

    facts.share = tm__percent(latency_ns, c->total_ns);
    if (latency_ns >= c->total_ns / 5)
        say(finding, c, TM__TEXT_LOCK_LATENCY, &facts);
}

static void write_caveat(tm__finding *finding, const card *c)
{
    tm__card_text text;

    if (finding->suspected)
        text = TM__TEXT_LOCK_SUSPECTED;
    else if (!sum_of(c, TM__LOCK_OWNER))
        text = TM__TEXT_LOCK_OWNER_UNKNOWN;
    else if (c->held && known_while(c) < c->held->total_ns / 2)
        text = TM__TEXT_LOCK_HELD_INFERRED;
    else if (part_of(c, TM__LOCK_UNKNOWN) > c->total_ns / 2)
        text = TM__TEXT_LOCK_MOSTLY_UNKNOWN;
    else if (part_of(c, TM__LOCK_KNOWN) < part_of(c, TM__LOCK_OWNED) / 2)
        text = TM__TEXT_LOCK_MOSTLY_INFERRED;
    else
        return;
    tm__finding_add_plain(finding, c->sums->findings, text);
}

static void write_title(tm__finding *finding, const card *c, tm__card_text title)
{
    tm__lock_name name = tm__lock_name_of(&c->sums->groups, c->group);
    tm__facts facts = TM__NO_FACTS;

    facts.threads = c->threads;
    facts.name = name.text;
    facts.place = c->held ? c->held->b : TM__NONE;
    say(finding, c, title, &facts);
}

static void write_readers(tm__finding *finding, const card *c)
{
    tm__facts facts = TM__NO_FACTS;

    facts.count = c->reads.count;
    facts.longest_ns = c->reads.longest_ns;
    say(finding, c, TM__TEXT_READERS_HOLD, &facts);
}

/* ---- the finding ---- */

static int emit(const card *c, const char *kind, tm__card_text title,
                tm__card_text advice)
{
    tm__findings *findings = c->sums->findings;
    const tm__lock_group *group = &c->sums->groups.items[c->group];
    const tm__tally_item *at = sum_of(c, TM__LOCK_BLOCKED_AT);
    int is_queue = tm__queue_is_convoy(&c->sums->queues, group->object) ||
                   tm__queue_is_long(&c->sums->queues, group->object);
    tm__finding *finding = tm__finding_new(findings, kind, "blame", c->total_ns);

    if (!finding)
        return tm__failure();
    finding->class_name = group->class_name;
    finding->lock_group = c->group;
    finding->change = TM_WHATIF_PERMITS;
    finding->bound_ns = c->bound_ns;
    finding->place = at ? at->b : TM__NONE;
    finding->blocked_place = finding->place;
    finding->suspected =
        c->held && c->blocks < HOT_BLOCKS && known_while(c) < c->held->total_ns / 2;
    /* A lock that blocked each thread only once is of the past, unless that took long;
     * and where no thread ever queues behind another, short blocks cost little but the
     * wake-up. */
    finding->minor = tm__is_minor(findings, c->total_ns, c->bound_ns) ||
                     (c->blocks >= HOT_BLOCKS && c->blocks <= c->threads &&
                      c->bound_ns < findings->run_ns / ONCE_PART_OF_RUN) ||
                     (c->sums->queues.items[group->object].most == 1 &&
                      c->total_ns / c->blocks < SHORT_BLOCK_NS &&
                      c->total_ns < findings->run_ns / ONCE_PART_OF_RUN);
    if (tm__where_lock_group(finding, &c->sums->groups, c->group) < 0)
        return tm__failure();
    write_title(finding, c, title);
    write_waits(finding, c);
    if (c->reads.count)
        write_readers(finding, c);
    else
        write_owners(finding, c);
    write_held(finding, c);
    write_latency(finding, c);
    if (is_queue && group->objects == 1)
        tm__finding_add_queue(finding, &c->sums->queues, group->object);
    if (c->held) {
        finding->place = c->held->b;
        finding->thread = c->held->worst_thread;
        finding->inner_method = findings->places.items[c->held->b].method;
    }
    tm__finding_add_plain(finding, findings, advice);
    write_caveat(finding, c);
    return TM_OK;
}

static int is_hot(const card *c)
{
    return c->blocks >= HOT_BLOCKS && c->total_ns > 0 &&
           c->total_ns >= c->sums->findings->run_ns / PART_OF_RUN;
}

static void find_readers(card *c)
{
    const tm__lock_group *group = &c->sums->groups.items[c->group];

    if (group->objects != 1 || !c->blocks ||
        c->total_ns < c->sums->findings->run_ns / PART_OF_RUN)
        return;
    c->reads = tm__reads_in_turn(c->sums->findings->model, group->object,
                                 c->total_ns / c->blocks);
    if (c->reads.count)
        c->held = NULL;
}

static int emit_group(const card *c)
{
    const tm__lock_group *group = &c->sums->groups.items[c->group];
    const tm__queues *queues = &c->sums->queues;
    const tm__findings *findings = c->sums->findings;

    if (c->reads.count)
        return emit(c, "hot_lock", TM__TEXT_READERS_TITLE, TM__TEXT_READERS_ADVICE);
    if (c->held)
        return emit(c, owners_states[c->held_state].kind,
                    owners_states[c->held_state].title,
                    owners_states[c->held_state].advice);
    if (part_of(c, TM__LOCK_LATENCY) >= c->total_ns / 2 &&
        tm__is_looked_for(findings, "wake_up_latency"))
        return emit(c, "wake_up_latency", TM__TEXT_WAKE_UP_TITLE,
                    TM__TEXT_WAKE_UP_ADVICE);
    if (group->objects == 1 && tm__queue_is_convoy(queues, group->object) &&
        tm__is_looked_for(findings, "lock_convoy"))
        return emit(c, "lock_convoy", TM__TEXT_CONVOY_TITLE, TM__TEXT_CONVOY_ADVICE);
    if (group->objects == 1 && tm__queue_is_long(queues, group->object) &&
        tm__is_looked_for(findings, "oversubscribed_lock"))
        return emit(c, "oversubscribed_lock", TM__TEXT_OVERSUBSCRIBED_TITLE,
                    TM__TEXT_OVERSUBSCRIBED_ADVICE);
    return emit(c, "hot_lock", TM__TEXT_HOT_LOCK_TITLE, TM__TEXT_HOT_LOCK_ADVICE);
}

/* In a state at places that are not known, for their stacks are of similar intervals.
 */
static int64_t elsewhere_ns(const card *c, const tm__tally_item *item)
{
    const uint32_t *value =
        tm__triple_map_find(&c->sums->tally.map, item->a, TM__NONE, item->c);

    return value && *value ? c->sums->tally.items[*value - 1].total_ns : 0;
}

/* Where its owners were blocked most, if that state is half of the time for which they
 * are known, and that is half of all. */
static void find_held(card *c, const tm__tally_item *item)
{
    int64_t run_ns = c->sums->findings->run_ns;

    for (uint32_t s = 0; s < STATES; s++)
        if (item->c == TM__LOCK_WHILE + owners_states[s].state && item->total_ns > 0 &&
            item->b != TM__NONE && item->total_ns >= run_ns / PART_OF_RUN &&
            c->unknown_ns <= c->total_ns / 2 &&
            item->total_ns + elsewhere_ns(c, item) >=
                (c->total_ns - c->unknown_ns) / 2 &&
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
    int rc = cards ? TM_OK : tm__failure();

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
        find_readers(&cards[i]);
        if (is_hot(&cards[i]) || cards[i].held || cards[i].reads.count)
            tm__top_add(&top, cards[i].total_ns, i);
    }
    for (uint32_t i = 0; rc == TM_OK && i < top.count; i++)
        rc = emit_group(&cards[top.numbers[i]]);
    tm__free(&sums->findings->memory, cards, bytes);
    return rc;
}
