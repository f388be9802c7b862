/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order in which locks are taken: for each block the locks that its thread held,
 * noted when the block ends, so that by then others have shown which of them the
 * thread cannot have had any more.
 *
 * Exits are not seen, so a lock that was acquired once stays owned until another thread
 * has it. A thread that is elsewhere now has certainly released it: Java enters and
 * exits a monitor in one method, and between two instructions of it where the producer
 * states these.
 *
 *     got the lock at     transfer:41  <-  handle:9  <-  run
 *     blocked now at  debit:7  <-  transfer:43  <-  handle:9  <-  run    may hold it
 *     blocked now at  debit:7  <-  transfer:48  <-  handle:9  <-  run    exit was at 46
 *     blocked now at                                  report:3  <-  run  has left
 *
 * Most threads that block hold nothing, and that is one look at a field.
 */
#include <string.h>

#include "base/error.h"
#include "model/entities/entity_names.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"
#include "model/ownership/lock_nesting.h"
#include "model/ownership/present_owner.h"
#include "model/ownership/tenure.h"
#include "model/state/model.h"

enum {
    CHAIN_MAX = 32 ///< sets of held locks of one thread, stack and wanted object
};

/* Frames of java.lang.Object are those of wait and notify. */
static int is_of_object(const tm_model *model, const tm__frame *frame)
{
    const char *name;

    if (frame->method == TM__NONE)
        return 0;
    name = tm__class_name(&model->entities,
                          model->entities.methods[frame->method].class_index);
    return name && strcmp(name, "java.lang.Object") == 0;
}

static int same_frame(const tm__frame *left, const tm__frame *right)
{
    return left->method == right->method && left->location == right->location &&
           left->line == right->line;
}

static int is_defined(const tm_model *model, uint32_t stack)
{
    return stack != TM__NONE && model->entities.stacks[stack].defined;
}

/* A stack that is sampled from other blocks does not prove where this one was. */
static int is_own(const tm_model *model, const tm__interval *block)
{
    return is_defined(model, block->stack) && !(block->flags & TM__INTERVAL_SAMPLED);
}

/* Whether a thread that took a monitor at one place of a method can have it at another.
 * A lock that no instruction there enters, as that of a class which is initialised, is
 * the VM's, which has it while that instruction runs. */
static int ranges_compare(const tm_model *model, const tm__method *method,
                          int64_t taken, int64_t now)
{
    const tm_monitor_range *first = &model->entities.monitors[method->monitor_first];
    const tm_monitor_range *end = first + method->monitor_count - 1;
    int is_entered = 0;

    for (const tm_monitor_range *it = first; it < end; it++)
        is_entered |= it->enter == taken;
    for (const tm_monitor_range *it = first; it < end; it++)
        if ((is_entered ? it->enter == taken : it->enter < taken && taken < it->end) &&
            it->enter <= now && now < it->end)
            return TM__INSIDE;
    return taken == now ? TM__UNPROVEN : TM__LEFT;
}

int tm__stacks_compare(const tm_model *model, uint32_t taken, uint32_t now)
{
    const tm__stack *h, *w;
    const tm__frame *inner, *outer;
    uint32_t count;

    if (!is_defined(model, taken) || !is_defined(model, now))
        return TM__UNPROVEN;
    h = &model->entities.stacks[taken];
    w = &model->entities.stacks[now];
    inner = &model->entities.frames[h->frame_first];
    count = h->frame_count;
    if ((h->flags | w->flags) & TM_STACK_TRUNCATED)
        return TM__UNPROVEN;
    while (count && is_of_object(model, inner)) {
        inner++;
        count--;
    }
    if (!count || !w->frame_count || inner->method == TM__NONE)
        return TM__UNPROVEN;
    if (w->frame_count < count)
        return TM__LEFT;
    outer = &model->entities.frames[w->frame_first + (w->frame_count - count)];
    if (outer->method != inner->method)
        return TM__LEFT;
    for (uint32_t i = 1; i < count; i++)
        if (!same_frame(&inner[i], &outer[i]))
            return TM__LEFT;
    if (model->entities.methods[inner->method].monitor_count && inner->location >= 0 &&
        outer->location >= 0)
        return ranges_compare(model, &model->entities.methods[inner->method],
                              inner->location, outer->location);
    return TM__INSIDE;
}

static int verdict_of(const tm_model *model, tm__inside *cache, uint32_t held,
                      uint32_t wanted)
{
    tm__inside *known;

    if (!cache || !is_defined(model, held) || !is_defined(model, wanted))
        return tm__stacks_compare(model, held, wanted);
    known = &cache[(held * 31 + wanted) % TM__INSIDE_SLOTS];
    if (known->held != held + 1 || known->wanted != wanted)
        *known =
            (tm__inside){held + 1, wanted, tm__stacks_compare(model, held, wanted)};
    return known->verdict;
}

uint32_t tm__held_by(const tm_model *model, tm__inside *cache, uint32_t thread,
                     tm__held *held, uint32_t *unproven)
{
    const tm__thread *it = &model->entities.threads[thread];
    const tm__interval *block;
    uint32_t count = 0, seen = 0;
    int are_reported = tm__owners_are_reported(model), is_provable;

    if (it->wants == TM__NONE || (it->blocking_state != TM_STATE_BLOCKED &&
                                  it->blocking_state != TM_STATE_PARKED))
        return 0;
    block = &it->intervals[tm__blocking_index(it)];
    /* A block that ends by itself does not close a cycle. */
    if ((block->state == TM_STATE_PARKED && block->peer == TM__NONE) ||
        block->traits & TM__TRAIT_TIMED)
        return 0;
    /* Most threads that block have no stack to prove anything by. */
    is_provable =
        are_reported || is_own(model, block) || block->flags & TM__INTERVAL_SNAPSHOT;
    /* The lock acquired last comes first; far down the list nothing is held any more.
     */
    for (uint32_t i = it->owned; i != TM__NONE && seen < TM__HELD_AT_ONCE;
         i = model->entities.links[i].next, seen++) {
        const tm__object *object = &model->entities.objects[i];
        const tm__tenure *tenure;
        int provenance, verdict = TM__INSIDE;
        uint32_t at, taken;

        if (i == it->wants || object->losses != model->intervals.losses)
            continue;
        if (!is_provable && !it->is_stated) {
            ++*unproven;
            break;
        }
        provenance = tm__owner_provenance(model, object);
        /* No release went unseen: the thread owns what it acquired, though it ran. */
        if (are_reported && it->losses == model->intervals.losses &&
            object->owner_provenance > provenance)
            provenance = object->owner_provenance;
        if (!is_provable && provenance <= TM_PROVENANCE_INFERRED) {
            ++*unproven;
            continue;
        }
        tenure = tm__tenure_at(model, object->tenure);
        taken = tenure ? tm__tenure_own_stack(tenure) : TM__NONE;
        if (provenance <= TM_PROVENANCE_INFERRED && !are_reported)
            /* Come to the same place again, a thread has left what it took there. */
            verdict = taken == block->stack
                          ? TM__UNPROVEN
                          : verdict_of(model, cache, taken, block->stack);
        if (verdict == TM__UNPROVEN)
            ++*unproven;
        if (verdict != TM__INSIDE)
            continue;
        for (at = count++; at > 0 && held[at - 1].object > i; at--)
            held[at] = held[at - 1];
        held[at] = (tm__held){i, taken, (uint8_t)provenance,
                              tenure && tenure->flags & TM__TENURE_SHARED};
    }
    return count;
}

static uint32_t coarse(const tm_model *model, uint32_t object)
{
    return tm__class_key(model->entities.objects[object].class_index);
}

/* Objects give way to their classes; one class stays once. */
static uint32_t coarsen(const tm_model *model, tm__held *held, uint32_t count)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        tm__held it = held[i];
        uint32_t at = 0;

        it.object = coarse(model, it.object);
        while (at < kept && held[at].object < it.object)
            at++;
        if (at < kept && held[at].object == it.object) {
            held[at].is_shared &= it.is_shared;
            continue;
        }
        for (uint32_t last = kept++; last > at; last--)
            held[last] = held[last - 1];
        held[at] = it;
    }
    return kept;
}

static int is_same(const tm_model *model, const tm__nesting *nesting,
                   const tm__noted *block)
{
    const tm__held *known = &model->ownership.helds[nesting->held_first];

    if (nesting->held_count != block->held_count)
        return 0;
    for (uint32_t i = 0; i < block->held_count; i++)
        if (known[i].object != block->held[i].object ||
            known[i].is_shared != block->held[i].is_shared)
            return 0;
    return nesting->is_shared == block->is_shared;
}

/* A producer may know the innermost frame alone at first. */
static int is_longer(const tm_model *model, uint32_t stack, uint32_t known)
{
    return known == TM__NONE ||
           (stack != TM__NONE && model->entities.stacks[stack].frame_count >
                                     model->entities.stacks[known].frame_count);
}

static void add_to(tm_model *model, tm__nesting *nesting, const tm__noted *block)
{
    tm__held *known = &model->ownership.helds[nesting->held_first];

    nesting->count += nesting->count < UINT32_MAX;
    if (block->start_ns < nesting->first_ns)
        nesting->first_ns = block->start_ns;
    if (block->start_ns > nesting->last_ns)
        nesting->last_ns = block->start_ns;
    for (uint32_t i = 0; i < nesting->held_count; i++) {
        if (block->held[i].provenance > known[i].provenance)
            known[i].provenance = block->held[i].provenance;
        if (is_longer(model, block->held[i].stack, known[i].stack))
            known[i].stack = block->held[i].stack;
    }
}

static int append(tm_model *model, const tm__noted *block, uint32_t *head)
{
    uint32_t chain = 0, held_count = block->held_count;

    for (uint32_t i = *head; i != 0 && chain < CHAIN_MAX; chain++)
        i = model->ownership.nestings[i - 1].next + 1;
    if (chain == CHAIN_MAX ||
        model->ownership.nestings_count >= model->ownership.nestings_max ||
        tm__reserve(&model->memory, &model->ownership.nestings,
                    &model->ownership.nestings_capacity,
                    (size_t)model->ownership.nestings_count + 1,
                    sizeof(*model->ownership.nestings)) < 0 ||
        tm__reserve(&model->memory, &model->ownership.helds,
                    &model->ownership.helds_capacity,
                    (size_t)model->ownership.helds_count + held_count,
                    sizeof(*model->ownership.helds)) < 0)
        return tm__failure();
    model->ownership.nestings[model->ownership.nestings_count++] =
        (tm__nesting){.first_ns = block->start_ns,
                      .last_ns = block->start_ns,
                      .wanted = block->wanted,
                      .thread = block->thread,
                      .stack = block->stack,
                      .held_first = model->ownership.helds_count,
                      .held_count = held_count,
                      .next = *head - 1, /* TM__NONE where there is none */
                      .count = 1,
                      .is_coarse = (uint16_t)model->ownership.nestings_coarse,
                      .is_shared = (uint16_t)block->is_shared};
    memcpy(&model->ownership.helds[model->ownership.helds_count], block->held,
           held_count * sizeof(*model->ownership.helds));
    model->ownership.helds_count += held_count;
    *head = model->ownership.nestings_count;
    return TM_OK;
}

/* From now on nestings are kept by class: those by object are no longer looked up. */
static void go_coarse(tm_model *model)
{
    tm__triple_map_free(&model->ownership.nesting_map, &model->memory);
    model->ownership.nestings_coarse = 1;
}

static void settle(tm_model *model, tm__noted *block)
{
    uint32_t *head;

    if (!model->ownership.nestings_coarse &&
        model->ownership.nestings_count >= model->ownership.nestings_max / 2)
        go_coarse(model);
    if (model->ownership.nestings_coarse) {
        block->wanted = coarse(model, block->wanted);
        block->held_count = coarsen(model, block->held, block->held_count);
    }
    /* A triple that is added must get a value. */
    if (model->ownership.nestings_count < model->ownership.nestings_max)
        head = tm__triple_map_at(&model->ownership.nesting_map, &model->memory,
                                 block->wanted, block->thread, block->stack);
    else
        head = tm__triple_map_find(&model->ownership.nesting_map, block->wanted,
                                   block->thread, block->stack);
    if (head) {
        for (uint32_t i = *head; i != 0; i = model->ownership.nestings[i - 1].next + 1)
            if (is_same(model, &model->ownership.nestings[i - 1], block)) {
                add_to(model, &model->ownership.nestings[i - 1], block);
                return;
            }
        if (append(model, block, head) == TM_OK)
            return;
    }
    model->ownership.nestings_left_out++;
}

/* Each step asks for what the next will touch, of all blocks before any goes on. */
void tm__order_settle(tm_model *model)
{
    uint32_t first[TM__NOTED_AT_ONCE];

    for (uint32_t i = 0; i < model->ownership.noted_count; i++) {
        const tm__noted *it = &model->ownership.noted[i];
        uint32_t wanted =
            model->ownership.nestings_coarse ? coarse(model, it->wanted) : it->wanted;

        tm__triple_map_ask_for(&model->ownership.nesting_map, wanted, it->thread,
                               it->stack);
    }
    for (uint32_t i = 0; i < model->ownership.noted_count; i++) {
        const tm__noted *it = &model->ownership.noted[i];
        uint32_t wanted =
            model->ownership.nestings_coarse ? coarse(model, it->wanted) : it->wanted;
        const uint32_t *head = tm__triple_map_find(&model->ownership.nesting_map,
                                                   wanted, it->thread, it->stack);

        first[i] = head ? *head : 0;
        if (first[i])
            tm__ask_for(&model->ownership.nestings[first[i] - 1]);
    }
    for (uint32_t i = 0; i < model->ownership.noted_count; i++)
        if (first[i])
            tm__ask_for(
                &model->ownership
                     .helds[model->ownership.nestings[first[i] - 1].held_first]);
    for (uint32_t i = 0; i < model->ownership.noted_count; i++)
        settle(model, &model->ownership.noted[i]);
    model->ownership.noted_count = 0;
}

void tm__order_noted(tm_model *model)
{
    if (++model->ownership.noted_count == TM__NOTED_AT_ONCE)
        tm__order_settle(model);
}

void tm__order_note(tm_model *model, uint32_t thread)
{
    const tm__thread *it = &model->entities.threads[thread];
    tm__noted *block = &model->ownership.noted[model->ownership.noted_count];
    const tm__interval *interval;
    uint32_t unproven = 0;

    block->held_count =
        tm__held_by(model, model->ownership.inside, thread, block->held, &unproven);
    model->ownership.nestings_unproven += unproven > 0;
    if (!block->held_count)
        return;
    interval = &it->intervals[tm__blocking_index(it)];
    block->wanted = it->wants;
    block->thread = thread;
    block->stack = interval->stack;
    block->start_ns = interval->start_ns;
    block->is_shared = (interval->traits & TM__TRAIT_SHARED) != 0;
    tm__order_noted(model);
}
