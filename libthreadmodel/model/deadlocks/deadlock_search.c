/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deadlock search. Runs inside ingest on every event that makes a thread want
 * something, so the usual case must cost a few loads and no allocation.
 *
 *      blocked ──wants──▶ object ──owned by──▶ thread ──wants──▶ ...
 *              ──joins─────────────────────▶
 *
 * A thread wants one thing at a time, so a chain cannot branch: a cycle that a new
 * edge closed leads back to the thread where the edge is. And that thread must
 * itself be wanted, which few are, or there is nothing to walk.
 */
#include "base/error.h"
#include "model/deadlocks/deadlock_search.h"
#include "model/deadlocks/deadlock_provenance.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"
#include "model/ownership/lock_nesting.h"
#include "model/ownership/present_owner.h"
#include "model/ownership/tenure_bounds.h"
#include "model/ownership/tenure_record.h"
#include "model/state/model.h"

enum { LONG_WAY = 16 };

/* Whether a dump showed, in memory, that a thread owns the mutex that it queues for. */
static int is_seen_to_own(const tm_model *model, const tm__thread *it)
{
    const tm__object *wanted = &model->entities.objects[it->wants];

    return (wanted->kind == TM_OBJECT_KIND_MUTEX ||
            wanted->kind == TM_OBJECT_KIND_RWLOCK) &&
           it->blocking_state == TM_STATE_BLOCKED && it->interval_count &&
           it->intervals[tm__blocking_index(it)].flags & TM__INTERVAL_SNAPSHOT;
}

/* The thread that this one waits for, or TM__NONE. One that is known to own what
 * it queues for has got it, though its Entered is still to come; but where each
 * acquisition is reported, it waits for itself: a reader that wants to write, a mutex
 * that is locked twice. */
static uint32_t blocker(const tm_model *model, uint32_t thread)
{
    const tm__thread *it = &model->entities.threads[thread];
    uint32_t owner;

    if (it->joins != TM__NONE)
        return it->joins;
    if (it->wants == TM__NONE ||
        model->entities.objects[it->wants].losses != model->intervals.losses)
        return TM__NONE;
    if (tm__shares_what_it_wants(model, thread))
        return thread;
    owner = model->entities.objects[it->wants].owner;
    return owner == thread && !tm__owners_are_reported(model) &&
                   !is_seen_to_own(model, it)
               ? TM__NONE
               : owner;
}

/* The same, or a thread further along where the way to it is known. */
static uint32_t onward(const tm_model *model, uint32_t thread)
{
    if (thread < model->deadlocks.leads_count &&
        model->deadlocks.leads[thread].edges_gone == model->ownership.edges_gone)
        return model->deadlocks.leads[thread].to;
    return blocker(model, thread);
}

/* Keep for all on the way from one thread to another that it leads there; without
 * memory it is walked again. */
static void keep_way(tm_model *model, uint32_t from, uint32_t to)
{
    if (tm__reserve(&model->memory, &model->deadlocks.leads,
                    &model->deadlocks.leads_capacity, model->entities.threads_count,
                    sizeof(*model->deadlocks.leads)) < 0)
        return;
    while (model->deadlocks.leads_count < model->entities.threads_count)
        model->deadlocks.leads[model->deadlocks.leads_count++] = (tm__lead){0};
    while (from != to) {
        uint32_t next = onward(model, from);

        model->deadlocks.leads[from] =
            (tm__lead){.edges_gone = model->ownership.edges_gone, .to = to};
        from = next;
    }
}

/* A cycle that is closed by every event, as no program does, may not take ever more
 * memory: all cycles together have no more members than this and an event each. */
enum { LEAST_MEMBERS_MOST = 1 << 18 };

static int has_room(const tm_model *model, uint32_t length)
{
    return model->deadlocks.members_count + (uint64_t)length <=
           LEAST_MEMBERS_MOST + model->event_count;
}

static uint32_t cycle_length(const tm_model *model, uint32_t start)
{
    uint32_t length = 1;

    for (uint32_t thread = blocker(model, start); thread != start; length++)
        thread = blocker(model, thread);
    return length;
}

/* Length of the cycle through `start`, or 0. A thread that is deadlocked already
 * leads into its own cycle, never back to `start`.
 *
 * Chains can be long, and grow at their heads. So what was found of one is kept until
 * some edge goes: a way that is known cannot pass `start`, whose edge is new. Where
 * edges come and go all the time the walk is abandoned once the steps that all events
 * together may cost are used up. */
static uint32_t find_cycle(tm_model *model, uint32_t start)
{
    uint32_t limit = model->deadlocks.blocked_count, steps = 1, last = start;
    uint32_t thread = blocker(model, start);

    while (thread != TM__NONE && thread != start &&
           model->entities.threads[thread].deadlock == TM__NONE) {
        if (steps++ > limit)
            return 0;
        if (model->deadlocks.search_steps == 0) {
            model->deadlocks.searches_abandoned++;
            return 0;
        }
        model->deadlocks.search_steps--;
        last = thread;
        thread = onward(model, thread);
    }
    if (thread == start) {
        uint32_t length = cycle_length(model, start);

        if (has_room(model, length))
            return length;
        model->deadlocks.searches_abandoned++;
        model->ownership.edges_gone++; /* a cycle stays that no way may lead around */
        return 0;
    }
    if (steps > LONG_WAY)
        keep_way(model, start, last);
    return 0;
}

static int reserve(tm_model *model, uint32_t start, uint32_t length)
{
    uint32_t thread = start;

    if (tm__reserve(&model->memory, &model->deadlocks.cycles,
                    &model->deadlocks.cycles_capacity,
                    (size_t)model->deadlocks.cycles_count + 1,
                    sizeof(*model->deadlocks.cycles)) < 0 ||
        tm__reserve(&model->memory, &model->deadlocks.members,
                    &model->deadlocks.members_capacity,
                    (size_t)model->deadlocks.members_count + length,
                    sizeof(*model->deadlocks.members)) < 0)
        return tm__failure();
    for (uint32_t i = 0; i < length; i++, thread = blocker(model, thread))
        /* One to go in, one to come out of it for others' sake, and its own next. */
        if (tm__interval_reserve(model, thread, 4) < 0)
            return tm__failure();
    return TM_OK;
}

static int call_back(tm_model *model, uint32_t deadlock)
{
    const tm__deadlock *it = &model->deadlocks.cycles[deadlock];
    size_t bytes = it->member_count * sizeof(tm_deadlock_member);
    tm_deadlock_member *members;
    int rc;

    if (!model->deadlocks.watch)
        return TM_OK;
    members = tm__resize(&model->memory, NULL, 0, bytes);
    if (!members)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < it->member_count; i++) {
        const tm__deadlock_member *m = &model->deadlocks.members[it->member_first + i];

        members[i] = (tm_deadlock_member){
            .thread = model->entities.threads[m->thread].id,
            .object = m->object == TM__NONE ? 0 : model->entities.details[m->object].id,
            .stack = m->stack == TM__NONE ? 0 : model->entities.stacks[m->stack].id,
            .kind = m->state,
            .provenance = m->provenance,
        };
    }
    tm__order_settle(model); /* it may ask for any answer */
    rc = model->deadlocks.watch(model->deadlocks.watch_payload, members,
                                it->member_count, (int32_t)deadlock);
    tm__kept_drop(model->kept);
    tm__free(&model->memory, members, bytes);
    return rc;
}

/* The member that was blocked last: it closed the cycle, even where an owner
 * became known only later. */
static uint32_t last_blocked(const tm_model *model, uint32_t start, uint32_t length)
{
    uint32_t last = start, thread = start;

    for (uint32_t i = 0; i < length; i++, thread = blocker(model, thread))
        if (tm__now(&model->entities.threads[thread])->start_ns >
            tm__now(&model->entities.threads[last])->start_ns)
            last = thread;
    return last;
}

enum { WITHDRAWN_MOST = 4096 };

void tm__deadlock_withdraw(tm_model *model, uint32_t index)
{
    tm__deadlock *it = &model->deadlocks.cycles[index];

    for (uint32_t i = 0; i < it->member_count; i++) {
        tm__thread *member =
            &model->entities
                 .threads[model->deadlocks.members[it->member_first + i].thread];

        member->deadlock = TM__NONE;
        tm__revoke(member, member->interval_count - 1);
    }
    it->withdrawn = 1;
    model->ownership
        .edges_gone++; /* the cycle is still there, and may be found again */
    /* The watcher may still answer with the number of a withdrawn cycle, so that number
     * is not reused at once. */
    if (model->deadlocks.watch && model->deadlocks.cycles_count < WITHDRAWN_MOST)
        return;
    while (model->deadlocks.cycles_count &&
           model->deadlocks.cycles[model->deadlocks.cycles_count - 1].withdrawn) {
        it = &model->deadlocks.cycles[--model->deadlocks.cycles_count];
        model->deadlocks.members_count = it->member_first;
    }
}

/* Owners that have become known since confirm a suspicion, or refute it. */
void tm__deadlock_review(tm_model *model, uint32_t index)
{
    tm__deadlock *it = &model->deadlocks.cycles[index];

    if (!it->suspected || it->confirmed)
        return;
    it->suspected = 0;
    for (uint32_t i = 0; i < it->member_count; i++) {
        tm__deadlock_member *m = &model->deadlocks.members[it->member_first + i];
        uint32_t next =
            model->deadlocks.members[it->member_first + (i + 1) % it->member_count]
                .thread;
        tm__interval *stuck = tm__now(&model->entities.threads[m->thread]);

        if (blocker(model, m->thread) != next) {
            tm__deadlock_withdraw(model, index);
            return;
        }
        m->provenance =
            (uint8_t)tm__edge_provenance(model, &model->entities.threads[m->thread]);
        stuck->provenance = m->provenance;
        if (m->provenance <= TM_PROVENANCE_INFERRED)
            it->suspected = 1;
    }
}

int tm__deadlock_check(tm_model *model, uint32_t start)
{
    uint32_t length, index = model->deadlocks.cycles_count, thread;
    tm__deadlock *deadlock;

    if (model->entities.threads[start].deadlock != TM__NONE) {
        tm__deadlock_review(model, model->entities.threads[start].deadlock);
        return TM_OK;
    }
    if (model->entities.threads[start].wanted == 0 &&
        !tm__shares_what_it_wants(model, start))
        return TM_OK;
    length = find_cycle(model, start);
    if (!length)
        return TM_OK;
    if (reserve(model, start, length) < 0) {
        model->ownership.edges_gone++; /* a cycle stays that no way may lead around */
        return TM_ENOMEM;
    }
    thread = last_blocked(model, start, length);
    deadlock = &model->deadlocks.cycles[model->deadlocks.cycles_count++];
    *deadlock =
        (tm__deadlock){.time_ns = tm__now(&model->entities.threads[thread])->start_ns,
                       .resolved_ns = INT64_MIN,
                       .member_first = model->deadlocks.members_count,
                       .member_count = length};
    for (uint32_t i = 0; i < length; i++) {
        tm__thread *it = &model->entities.threads[thread];
        int provenance = tm__edge_provenance(model, it);
        uint32_t next = blocker(model, thread);
        tm__interval stuck;

        if (it->wants != TM__NONE)
            tm__name_owner(model, thread);
        stuck = *tm__now(it);
        model->deadlocks.members[model->deadlocks.members_count++] =
            (tm__deadlock_member){
                /* Nobody queues for a monitor until a deadline. */
                .deadline_ns = it->blocking_state == TM_STATE_PARKED ||
                                       it->blocking_state == TM_STATE_JOINING
                                   ? it->deadline_ns
                                   : INT64_MAX,
                .thread = thread,
                .object = it->wants != TM__NONE ? it->wants : stuck.object,
                .stack = stuck.stack,
                .state = (uint8_t)it->blocking_state,
                .provenance = (uint8_t)provenance,
            };
        if (provenance <= TM_PROVENANCE_INFERRED)
            deadlock->suspected = 1;
        it->deadlock = index;
        stuck.state = TM_STATE_DEADLOCKED;
        stuck.peer = next;
        stuck.provenance = (uint8_t)provenance;
        stuck.flags &= TM__INTERVAL_SAMPLED;
        stuck.flags |= TM__INTERVAL_CONTINUES;
        tm__begin(model, thread, deadlock->time_ns, stuck);
        thread = next;
    }
    return call_back(model, index);
}

void tm__deadlock_leave(tm_model *model, uint32_t thread, int64_t time_ns)
{
    uint32_t index = model->entities.threads[thread].deadlock;
    tm__deadlock *it = &model->deadlocks.cycles[index];

    if (it->suspected && !it->confirmed) {
        tm__deadlock_withdraw(model, index);
        return;
    }
    it->resolved_ns = time_ns;
    for (uint32_t i = 0; i < it->member_count; i++) {
        const tm__deadlock_member *m = &model->deadlocks.members[it->member_first + i];
        tm__thread *member = &model->entities.threads[m->thread];
        tm__interval free_again = *tm__now(member);

        member->deadlock = TM__NONE;
        if (m->thread == thread)
            continue;
        free_again.state = m->state;
        if (m->state != TM_STATE_JOINING &&
            free_again.provenance > TM_PROVENANCE_INFERRED)
            free_again.provenance = TM_PROVENANCE_INFERRED;
        tm__begin(model, m->thread, time_ns, free_again);
    }
}
