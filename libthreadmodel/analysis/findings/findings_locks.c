/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings about locks, from two walks over the owners of all blocks: the first finds
 * which locks belong together, the second sums up. Hot locks, owners who were blocked
 * themselves, and, in findings_queues.c, convoys and crowds by object.
 */
#include "analysis/findings/findings.h"
#include "analysis/findings/findings_queues.h"
#include "base/saturate.h"
#include "model/interval.h"
#include "model/thread.h"

/* What a tally is about, as its last key. */
enum {
    BLOCKED_AT, ///< (group, place of the blocked)
    HELD_BY,    ///< (group, place of the owner)
    OWNER,      ///< (group, owner)
    BLOCKED,    ///< (group, blocked thread)
    KNOWN,      ///< (group, 0): time whose owner is exact or reported
    WHOLE,      ///< (group, 0)
    WHILE,      ///< + state: (group, place where the owner was blocked)
    WHILE_KNOWN = WHILE + TM_STATE_END, ///< + state: the part that is not inferred
};

/* Too short to have slept in. */
enum { SHORT_NS = 10000, OWN_BLOCKING = 16 };

typedef struct locks {
    tm__findings *findings;
    tm__tally tally;
    tm__queues queues;
    tm__lock_groups groups;
} locks;

static int add(locks *l, uint32_t group, uint32_t key, uint32_t what, int64_t time_ns,
               uint32_t thread)
{
    return tm__tally_add(&l->tally, &l->findings->memory, group, key, what, time_ns,
                         thread)
               ? TM_OK
               : TM_ENOMEM;
}

/* Under which state an owner's own blocking interval is found; 0: it is none. */
static int own_state(int state)
{
    switch (state) {
    case TM_STATE_JOINING: return TM_STATE_WAITING;
    case TM_STATE_REENTERING: return TM_STATE_BLOCKED;
    case TM_STATE_SLEEPING:
    case TM_STATE_WAITING:
    case TM_STATE_PARKED:
    case TM_STATE_BLOCKED: return state;
    default: return 0;
    }
}

/*
 * Whether an owner's blocking interval that began within its share still found it the
 * owner. A share says who had the lock at its beginning; a monitor is let go before the
 * method that took it is left, also where the next in the queue takes long to wake.
 */
static int had_it_still(const tm_model *model, const tm__share *share,
                        const tm__interval *blocked)
{
    if (blocked->start_ns <= share->from_ns)
        return TM__INSIDE;
    /* A synchronizer may be left to itself; a stack is no proof of itself, nor is one
     * that another blocking interval was at. */
    if (share->state == TM_STATE_PARKED || share->owner_stack == blocked->stack ||
        blocked->flags & TM__INTERVAL_SAMPLED)
        return TM__UNPROVEN;
    return tm__stacks_compare(model, share->owner_stack, blocked->stack);
}

/* The owner may have been blocked itself in its share. */
static int look_at_owner(locks *l, const tm__share *share, uint32_t group)
{
    const tm_model *model = l->findings->model;
    const tm__thread *owner = &model->threads[share->owner];
    uint32_t low = 0, high = owner->interval_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (owner->intervals[middle].start_ns <= share->from_ns)
            low = middle + 1;
        else
            high = middle;
    }
    low -= low > 0;
    for (uint32_t i = low; i < owner->interval_count && i < low + OWN_BLOCKING &&
                           owner->intervals[i].start_ns < share->to_ns;
         i++) {
        const tm__interval *it = &owner->intervals[i];
        int64_t from_ns = it->start_ns, to_ns = tm__interval_end_ns(model, owner, i);
        uint32_t state = (uint32_t)own_state(it->state);
        uint32_t place;
        int had_it;

        if (!state || (it->object == share->object && it->object != TM__NONE))
            continue;
        if (from_ns < share->from_ns)
            from_ns = share->from_ns;
        if (to_ns > share->to_ns)
            to_ns = share->to_ns;
        if (to_ns <= from_ns)
            continue;
        had_it = had_it_still(model, share, it);
        if (had_it == TM__LEFT)
            continue;
        place = tm__caller_of(&l->findings->places, it->stack);
        /* A worker that waits for work holds no lock: it has let go unseen. */
        if (place == TM__NONE || tm__caller_is_idle(&l->findings->places, place))
            continue;
        if (add(l, group, place, WHILE + state, to_ns - from_ns, share->owner) < 0)
            return TM_ENOMEM;
        if (share->is_stated && had_it == TM__INSIDE &&
            add(l, group, place, WHILE_KNOWN + state, to_ns - from_ns, share->owner) <
                0)
            return TM_ENOMEM;
    }
    return TM_OK;
}

static int add_share(void *payload, const tm__share *share)
{
    locks *l = payload;
    const tm__callers *places = &l->findings->places;
    uint32_t group;
    int64_t time_ns = share->to_ns - share->from_ns;
    int64_t block_ns = share->end_ns - share->start_ns;

    if (share->object == TM__NONE)
        return TM_OK; /* what is not known is no lock that could be made cheaper */
    if (tm__lock_group_of(&l->groups, &group, share->object,
                          tm__caller_of(places, share->stack)) < 0)
        return TM_ENOMEM;
    if (share->is_first &&
        (add(l, group, tm__caller_of(places, share->stack), BLOCKED_AT, block_ns,
             share->thread) < 0 ||
         add(l, group, share->thread, BLOCKED, block_ns, share->thread) < 0 ||
         add(l, group, 0, WHOLE, block_ns, share->thread) < 0))
        return TM_ENOMEM;
    if (share->owner == TM__NONE)
        return TM_OK;
    if (add(l, group, share->owner, OWNER, time_ns, share->owner) < 0)
        return TM_ENOMEM;
    if (share->owner_stack != TM__NONE &&
        add(l, group, tm__caller_of(places, share->owner_stack), HELD_BY, time_ns,
            share->owner) < 0)
        return TM_ENOMEM;
    if (share->is_stated && add(l, group, 0, KNOWN, time_ns, share->owner) < 0)
        return TM_ENOMEM;
    return time_ns < SHORT_NS ? TM_OK : look_at_owner(l, share, group);
}

static int note(void *payload, const tm__share *share)
{
    locks *l = payload;

    return share->object == TM__NONE ? TM_OK : tm__queue_note(&l->queues, share);
}

static void write_holder(tm__finding *finding, const locks *l, uint32_t group,
                         int64_t whole_ns)
{
    const tm__findings *findings = l->findings;
    const tm__tally_item *at = tm__tally_top(&l->tally, group, HELD_BY);
    const tm__tally_item *owner = tm__tally_top(&l->tally, group, OWNER);
    const tm__tally_item *known = tm__tally_top(&l->tally, group, KNOWN);
    int sure = known && known->total_ns >= whole_ns / 2;

    if (!owner) {
        tm__finding_write(finding, " Its owner is not known.");
        return;
    }
    if (at && at->b != TM__NONE && at->total_ns >= whole_ns / 2) {
        tm__finding_write(finding, sure ? " Its owners took it in "
                                        : " Its owners, it seems, took it in ");
        tm__finding_write_caller(finding, findings, at->b);
        tm__finding_write(finding, " for %d %% of that time.",
                          tm__percent(at->total_ns, whole_ns));
        finding->place = at->b;
    }
    finding->thread = owner->b;
    /* Of many who had it as long there is nobody to be named. */
    if (owner->total_ns < whole_ns / 10)
        return;
    tm__finding_write(finding, " Of all owners ");
    tm__finding_write_thread(finding, findings->model, owner->b);
    tm__finding_write(finding, " had it longest, %d %% of that time.",
                      tm__percent(owner->total_ns, whole_ns));
}

static int report_hot(locks *l, const tm__tally_item *item)
{
    tm__findings *findings = l->findings;
    const tm__tally_item *at = tm__tally_top(&l->tally, item->a, BLOCKED_AT);
    tm__finding *finding =
        tm__finding_new(findings, "hot_lock", "blame", item->total_ns);
    uint32_t threads = 0;
    double on_average;

    if (!finding)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < l->tally.items_count; i++)
        threads += l->tally.items[i].c == BLOCKED && l->tally.items[i].a == item->a;
    finding->class_name = l->groups.items[item->a].class_name;
    finding->place = at ? at->b : TM__NONE;
    tm__where_lock_group(finding, &l->groups, item->a);
    tm__finding_write(finding, "Hot lock ");
    tm__finding_write_lock_group(finding, &l->groups, item->a);
    tm__finding_write(finding, ": %u thread%s blocked %lld times for ", threads,
                      threads == 1 ? " was" : "s were", (long long)item->count);
    tm__finding_write_duration(finding, item->total_ns);
    on_average =
        (double)item->total_ns / (double)(findings->run_ns ? findings->run_ns : 1);
    tm__finding_write(finding, " in all, %.*f blocked threads on average",
                      on_average < 10 ? 2 : 0, on_average);
    if (at && at->b != TM__NONE) {
        tm__finding_write(finding, ", most in ");
        tm__finding_write_caller(finding, findings, at->b);
    }
    tm__finding_write(finding, ".");
    write_holder(finding, l, item->a, item->total_ns);
    return TM_OK;
}

static const struct {
    uint32_t state;
    const char *kind;
    const char *words;
} owners_states[] = {
    {TM_STATE_SLEEPING, "held_while_sleeping", "slept"},
    {TM_STATE_WAITING, "held_while_waiting", "waited for something else"},
    {TM_STATE_PARKED, "held_while_parked", "parked"},
    {TM_STATE_BLOCKED, "held_while_blocked", "blocked on another lock"},
};

static int64_t known_while(const locks *l, const tm__tally_item *item)
{
    const uint32_t *value = tm__triple_map_find(&l->tally.map, item->a, item->b,
                                                item->c - WHILE + WHILE_KNOWN);

    return value ? l->tally.items[*value - 1].total_ns : 0;
}

static int report_held(locks *l, const tm__tally_item *item, size_t state)
{
    tm__findings *findings = l->findings;
    tm__finding *finding =
        tm__finding_new(findings, owners_states[state].kind, "blame", item->total_ns);

    if (!finding)
        return TM_ENOMEM;
    finding->class_name = l->groups.items[item->a].class_name;
    finding->place = item->b;
    finding->thread = item->worst_thread;
    finding->suspected = known_while(l, item) < item->total_ns / 2;
    finding->inner_method = findings->places.items[item->b].method;
    tm__where_lock_group(finding, &l->groups, item->a);
    if (!item->is_of_many)
        tm__where_thread(finding, "owner_id", findings->model, item->worst_thread);
    if (finding->suspected)
        tm__finding_write(finding, "Suspected: ");
    tm__finding_write_thread(finding, findings->model, item->worst_thread);
    tm__finding_write(finding, "%s %s in ", item->is_of_many ? " and others" : "",
                      owners_states[state].words);
    tm__finding_write_caller(finding, findings, item->b);
    tm__finding_write(finding,
                      item->is_of_many ? " while each held " : " while it held ");
    tm__finding_write_lock_group(finding, &l->groups, item->a);
    tm__finding_write(finding, "; meanwhile others were blocked by that for ");
    tm__finding_write_duration(finding, item->total_ns);
    tm__finding_write(finding, " in all.");
    if (finding->suspected)
        tm__finding_write(finding,
                          " Look in the code whether it is called with the lock held.");
    return TM_OK;
}

static int report_sums(locks *l)
{
    enum { STATES = sizeof(owners_states) / sizeof(*owners_states) };
    tm__top hot = {.count = 0}, held[STATES] = {{.count = 0}};
    int rc = TM_OK;

    for (uint32_t i = 0; i < l->tally.items_count; i++) {
        const tm__tally_item *item = &l->tally.items[i];

        if (item->total_ns < l->findings->run_ns / TM__HOT_PART_OF_RUN ||
            item->total_ns == 0)
            continue;
        if (item->c == WHOLE && item->count >= TM__HOT_BLOCKS)
            tm__top_add(&hot, item->total_ns, i);
        for (size_t s = 0; s < STATES; s++)
            if (item->c == WHILE + owners_states[s].state)
                tm__top_add(&held[s], item->total_ns, i);
    }
    for (uint32_t i = 0; rc == TM_OK && i < hot.count; i++)
        rc = report_hot(l, &l->tally.items[hot.numbers[i]]);
    for (size_t s = 0; s < STATES; s++)
        for (uint32_t i = 0; rc == TM_OK && i < held[s].count; i++)
            rc = report_held(l, &l->tally.items[held[s].numbers[i]], s);
    return rc;
}

int tm__find_locks(tm__findings *findings)
{
    locks l = {.findings = findings};
    int rc = tm__queues_open(&l.queues, findings);

    if (rc == TM_OK)
        rc = tm__shares_walk(findings->model, &findings->whole, note, &l, NULL);
    if (rc == TM_OK) {
        rc = tm__lock_groups_open(&l.groups, &l.queues);
        if (rc == TM_OK)
            rc =
                tm__shares_walk(findings->model, &findings->whole, add_share, &l, NULL);
    }
    if (rc == TM_OK)
        rc = report_sums(&l);
    if (rc == TM_OK)
        rc = tm__queues_report(&l.queues);
    if (l.groups.findings)
        tm__lock_groups_close(&l.groups);
    tm__queues_close(&l.queues);
    tm__tally_free(&l.tally, &findings->memory);
    return rc;
}
