/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order in which locks are taken: for each block the locks that its thread held,
 * noted when the block ends, so that by then others have shown which of them the
 * thread cannot have had any more.
 *
 * Exits are not seen, so a lock that was got once stays owned until another has it.
 * A thread that is elsewhere now has surely let go: Java takes and leaves a monitor
 * in one method.
 *
 *     got the lock at     transfer:41  <-  handle:9  <-  run
 *     blocked now at  debit:7  <-  transfer:43  <-  handle:9  <-  run    may hold it
 *     blocked now at                                  report:3  <-  run  has left
 *
 * Most threads that block hold nothing, and that is one look at a field.
 */
#include <string.h>

#include "model/replay.h"

enum {
    NESTINGS_MAX = 1 << 16,
    COARSE_FROM = NESTINGS_MAX / 2,
    CHAIN_MAX = 32, ///< sets of held locks of one thread, stack and wanted object
    /* Where stacks say nothing, only what was got last is worth a guess. */
    UNPROVEN_MAX = 2
};

enum verdict { LEFT, INSIDE, UNPROVEN };

/* Frames of java.lang.Object are those of wait and notify. */
static int is_of_object(const tm_model *model, const tm__frame *frame)
{
    const char *name;

    if (frame->method == TM__NONE)
        return 0;
    name = tm__class_name(model, model->methods[frame->method].class_index);
    return name && strcmp(name, "java.lang.Object") == 0;
}

static int same_frame(const tm__frame *left, const tm__frame *right)
{
    return left->method == right->method && left->location == right->location &&
           left->line == right->line;
}

static int compare_stacks(const tm_model *model, uint32_t held, uint32_t wanted)
{
    const tm__stack *h = &model->stacks[held], *w = &model->stacks[wanted];
    const tm__frame *inner = &model->frames[h->frame_first], *outer;
    uint32_t count = h->frame_count;

    if ((h->flags | w->flags) & TM_STACK_TRUNCATED)
        return UNPROVEN;
    while (count && is_of_object(model, inner)) {
        inner++;
        count--;
    }
    if (!count || !w->frame_count || inner->method == TM__NONE)
        return UNPROVEN;
    if (w->frame_count < count)
        return LEFT;
    outer = &model->frames[w->frame_first + (w->frame_count - count)];
    if (outer->method != inner->method)
        return LEFT;
    for (uint32_t i = 1; i < count; i++)
        if (!same_frame(&inner[i], &outer[i]))
            return LEFT;
    return INSIDE;
}

static int verdict_of(const tm_model *model, tm__inside *cache, uint32_t held,
                      uint32_t wanted)
{
    tm__inside *known;

    if (held == TM__NONE || wanted == TM__NONE || !model->stacks[held].defined ||
        !model->stacks[wanted].defined)
        return UNPROVEN;
    if (!cache)
        return compare_stacks(model, held, wanted);
    known = &cache[(held * 31 + wanted) % TM__INSIDE_SLOTS];
    if (known->held != held + 1 || known->wanted != wanted)
        *known = (tm__inside){held + 1, wanted, compare_stacks(model, held, wanted)};
    return known->verdict;
}

uint32_t tm__held_by(const tm_model *model, tm__inside *cache, uint32_t thread,
                     tm__held *held)
{
    const tm__thread *it = &model->threads[thread];
    const tm__interval *block = NULL;
    uint32_t count = 0, seen = 0, unproven = 0;

    if (it->wants != TM__NONE && it->interval_count)
        block = &it->intervals[tm__hold_up(it)];
    if (!block || (block->state != TM_STATE_BLOCKED &&
                   (block->state != TM_STATE_PARKED || block->peer == TM__NONE)))
        return 0;
    /* What was got last comes first; far down the list nothing is held any more. */
    for (uint32_t i = it->owned; i != TM__NONE && seen < TM__HELD_AT_ONCE;
         i = model->objects[i].owned_next, seen++) {
        const tm__object *object = &model->objects[i];
        int provenance = tm__owner_provenance(model, i);
        int verdict = INSIDE;
        uint32_t at;

        if (i == it->wants || object->losses != model->losses)
            continue;
        if (provenance <= TM_PROVENANCE_INFERRED)
            verdict = verdict_of(model, cache, object->owner_stack, block->stack);
        if (verdict == UNPROVEN && unproven++ == UNPROVEN_MAX)
            break;
        if (verdict == LEFT)
            continue;
        for (at = count++; at > 0 && held[at - 1].object > i; at--)
            held[at] = held[at - 1];
        held[at] = (tm__held){i, object->owner_stack, (uint8_t)provenance};
    }
    return count;
}

static uint32_t coarse(const tm_model *model, uint32_t object)
{
    return tm__class_key(model->objects[object].class_index);
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
        if (at < kept && held[at].object == it.object)
            continue;
        memmove(&held[at + 1], &held[at], (kept - at) * sizeof(*held));
        held[at] = it;
        kept++;
    }
    return kept;
}

static int is_same(const tm_model *model, const tm__nesting *nesting,
                   const tm__held *held, uint32_t count)
{
    const tm__held *known = &model->helds[nesting->held_first];

    if (nesting->held_count != count)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        if (known[i].object != held[i].object)
            return 0;
    return 1;
}

static void add_to(tm_model *model, tm__nesting *nesting, const tm__held *held,
                   int64_t time_ns)
{
    tm__held *known = &model->helds[nesting->held_first];

    nesting->count += nesting->count < UINT32_MAX;
    if (time_ns < nesting->first_ns)
        nesting->first_ns = time_ns;
    if (time_ns > nesting->last_ns)
        nesting->last_ns = time_ns;
    for (uint32_t i = 0; i < nesting->held_count; i++)
        if (held[i].provenance > known[i].provenance)
            known[i].provenance = held[i].provenance;
}

/* What a memory limit leaves for this. */
static uint32_t nestings_max(const tm_model *model)
{
    size_t fit = model->memory_limit_bytes / 32 / sizeof(tm__nesting);

    return model->memory_limit_bytes && fit < NESTINGS_MAX ? (uint32_t)fit
                                                           : NESTINGS_MAX;
}

static int append(tm_model *model, tm__nesting nesting, const tm__held *held,
                  uint32_t *head)
{
    uint32_t chain = 0;

    for (uint32_t i = *head; i != 0 && chain < CHAIN_MAX; chain++)
        i = model->nestings[i - 1].next + 1;
    if (chain == CHAIN_MAX || model->nestings_count >= nestings_max(model) ||
        tm__reserve(&model->memory, &model->nestings, &model->nestings_capacity,
                    (size_t)model->nestings_count + 1, sizeof(nesting)) < 0 ||
        tm__reserve(&model->memory, &model->helds, &model->helds_capacity,
                    (size_t)model->helds_count + nesting.held_count, sizeof(*held)) < 0)
        return TM_ENOMEM;
    nesting.next = *head - 1; /* TM__NONE where there is none */
    nesting.held_first = model->helds_count;
    memcpy(&model->helds[model->helds_count], held, nesting.held_count * sizeof(*held));
    model->helds_count += nesting.held_count;
    model->nestings[model->nestings_count++] = nesting;
    *head = model->nestings_count;
    return TM_OK;
}

void tm__order_note(tm_model *model, uint32_t thread)
{
    const tm__thread *it = &model->threads[thread];
    const tm__interval *block;
    tm__held held[TM__HELD_AT_ONCE + 1];
    uint32_t count = tm__held_by(model, model->inside, thread, held), *head;
    tm__nesting nesting;

    if (!count)
        return;
    block = &it->intervals[tm__hold_up(it)];
    nesting = (tm__nesting){.first_ns = block->start_ns,
                            .last_ns = block->start_ns,
                            .wanted = it->wants,
                            .thread = thread,
                            .stack = block->stack,
                            .held_count = count,
                            .count = 1};
    if (model->nestings_count >= COARSE_FROM ||
        model->nestings_count >= nestings_max(model) / 2) {
        nesting.is_coarse = 1;
        nesting.wanted = coarse(model, it->wants);
        nesting.held_count = count = coarsen(model, held, count);
    }
    /* A triple that is added must get a value. */
    if (model->nestings_count < nestings_max(model))
        head = tm__triples_at(&model->nesting_map, &model->memory, nesting.wanted,
                              thread, block->stack);
    else
        head =
            tm__triples_find(&model->nesting_map, nesting.wanted, thread, block->stack);
    if (head) {
        for (uint32_t i = *head; i != 0; i = model->nestings[i - 1].next + 1)
            if (model->nestings[i - 1].is_coarse == nesting.is_coarse &&
                is_same(model, &model->nestings[i - 1], held, count)) {
                add_to(model, &model->nestings[i - 1], held, block->start_ns);
                return;
            }
        if (append(model, nesting, held, head) == TM_OK)
            return;
    }
    model->nestings_left_out++;
}
