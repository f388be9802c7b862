/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Units of work as the producer states them. Each thread has a stack of open units, a
 * list by `below` whose top is unit_tops[thread]: a unit that begins inside another is
 * nested in it. A unit may end below the top, or on a thread that does not work on it.
 * The list then keeps it until all above it are gone.
 *
 *     A  ──( order ──( query )── leaves order
 *     B                              resumes order ── ends order )──
 */
#include "model/replay/unit.h"

#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "model/replay/block_end.h"
#include "model/state/model.h"

/* How deep below the top a unit is searched for that goes to another thread. */
enum { DEPTH_SEARCHED = 64 };

static int reserve(tm_model *model)
{
    int rc = tm__reserve(
        &model->memory, &model->replay.unit_tops, &model->replay.unit_tops_capacity,
        model->entities.threads_count, sizeof(*model->replay.unit_tops));

    if (rc == TM_OK)
        rc = tm__reserve(
            &model->memory, &model->replay.units, &model->replay.units_capacity,
            (size_t)model->replay.units_count + 1, sizeof(*model->replay.units));
    if (rc == TM_OK)
        rc = tm__reserve(&model->memory, &model->replay.unit_moves,
                         &model->replay.unit_moves_capacity,
                         (size_t)model->replay.unit_moves_count + 2,
                         sizeof(*model->replay.unit_moves));
    while (rc == TM_OK && model->replay.unit_tops_count < model->entities.threads_count)
        model->replay.unit_tops[model->replay.unit_tops_count++] = TM__NONE;
    return rc;
}

static int is_open(const tm_model *model, uint32_t unit)
{
    return model->replay.units[unit].end_ns == INT64_MIN;
}

/* The innermost open unit of a thread; units that ended below the top are dropped. */
static uint32_t settle_top(tm_model *model, uint32_t thread)
{
    uint32_t *top = &model->replay.unit_tops[thread];

    while (*top != TM__NONE &&
           (!is_open(model, *top) || model->replay.units[*top].on_thread != thread))
        *top = model->replay.units[*top].below;
    return *top;
}

/* The open unit of an id; by 0 the innermost of the thread. */
static uint32_t find_unit(tm_model *model, const tm__fact *fact)
{
    uint32_t unit;

    if (!fact->value)
        return settle_top(model, fact->thread);
    unit = tm__map_find(&model->replay.unit_map, (uint64_t)fact->value);
    return unit != TM__NONE && is_open(model, unit) ? unit : TM__NONE;
}

static uint32_t most_units(const tm_model *model)
{
    size_t fit = model->memory_limit_bytes / 4 / sizeof(*model->replay.units);

    return model->memory_limit_bytes && fit < TM__STATED_UNITS_MAX
               ? (uint32_t)fit
               : TM__STATED_UNITS_MAX;
}

static uint32_t parent_of(tm_model *model, const tm__fact *fact, uint64_t parent_id)
{
    return parent_id ? tm__map_find(&model->replay.unit_map, parent_id)
                     : settle_top(model, fact->thread);
}

static int begin(tm_model *model, const tm__fact *fact, uint64_t parent_id)
{
    uint32_t unit = model->replay.units_count, known = TM__NONE;

    if (unit >= most_units(model)) {
        model->diagnostics[TM_DIAGNOSTIC_UNIT_LEFT_OUT]++;
        return TM_OK;
    }
    if (fact->value) {
        known = tm__map_find(&model->replay.unit_map, (uint64_t)fact->value);
        if (known != TM__NONE && is_open(model, known))
            model->diagnostics[TM_DIAGNOSTIC_UNIT_BEGUN_TWICE]++;
        if (tm__map_set(&model->replay.unit_map, (uint64_t)fact->value, unit) < 0)
            return tm__failure();
    }
    model->replay.units[unit] =
        (tm__stated_unit){.start_ns = fact->time_ns,
                          .end_ns = INT64_MIN,
                          .id = (uint64_t)fact->value,
                          .thread = fact->thread,
                          .object = fact->object,
                          .parent = parent_of(model, fact, parent_id),
                          .below = settle_top(model, fact->thread),
                          .on_thread = fact->thread,
                          .first_move = TM__NONE,
                          .last_move = TM__NONE,
                          .stack = fact->stack};
    if (model->replay.units[unit].parent == unit)
        model->replay.units[unit].parent = TM__NONE;
    model->replay.units_count++;
    model->replay.unit_tops[fact->thread] = unit;
    return TM_OK;
}

static void add_move(tm__replayed *replay, uint32_t unit, uint32_t thread,
                     int64_t time_ns)
{
    tm__stated_unit *it = &replay->units[unit];
    uint32_t number = replay->unit_moves_count++;
    int64_t since_ns = it->last_move == TM__NONE
                           ? it->start_ns
                           : replay->unit_moves[it->last_move].time_ns;

    /* Clocks of two threads may differ by a little. */
    replay->unit_moves[number] =
        (tm__unit_move){.time_ns = time_ns > since_ns ? time_ns : since_ns,
                        .thread = thread,
                        .next = TM__NONE};
    if (it->last_move == TM__NONE)
        it->first_move = number;
    else
        replay->unit_moves[it->last_move].next = number;
    it->last_move = number;
}

/* Take a unit out of the list of the thread that works on it. */
static void remove_open(tm__replayed *replay, uint32_t unit)
{
    tm__stated_unit *it = &replay->units[unit];
    uint32_t thread = it->on_thread, above;

    it->on_thread = TM__NONE;
    if (thread == TM__NONE)
        return;
    above = replay->unit_tops[thread];
    if (above == unit) {
        replay->unit_tops[thread] = it->below;
        return;
    }
    for (int i = 0; i < DEPTH_SEARCHED && above != TM__NONE; i++) {
        if (replay->units[above].below == unit) {
            replay->units[above].below = it->below;
            return;
        }
        above = replay->units[above].below;
    }
    replay->unit_tops[thread] = TM__NONE; /* nested too deep to follow */
}

static void resume(tm_model *model, uint32_t unit, const tm__fact *fact)
{
    tm__stated_unit *it = &model->replay.units[unit];

    if (it->on_thread == fact->thread)
        return;
    remove_open(&model->replay, unit);
    add_move(&model->replay, unit, fact->thread, fact->time_ns);
    it->on_thread = fact->thread;
    it->below = settle_top(model, fact->thread);
    model->replay.unit_tops[fact->thread] = unit;
}

static void end(tm_model *model, uint32_t unit, const tm__fact *fact)
{
    tm__stated_unit *it = &model->replay.units[unit];
    int64_t since_ns = it->last_move == TM__NONE
                           ? it->start_ns
                           : model->replay.unit_moves[it->last_move].time_ns;

    it->end_ns = fact->time_ns > since_ns ? fact->time_ns : since_ns;
    if (fact->object != TM__NONE)
        it->object = fact->object;
    settle_top(model, fact->thread);
}

int tm__on_unit(tm_model *model, const tm__fact *fact, uint64_t parent_id)
{
    uint32_t unit;

    if (reserve(model) < 0)
        return tm__failure();
    tm__must_run(model, fact);
    if (fact->kind == TM_EVENT_UNIT_BEGIN)
        return begin(model, fact, parent_id);
    unit = find_unit(model, fact);
    if (unit == TM__NONE) {
        model->diagnostics[TM_DIAGNOSTIC_UNIT_NOT_BEGUN]++;
        return TM_OK;
    }
    if (fact->kind == TM_EVENT_UNIT_END) {
        end(model, unit, fact);
    } else if (fact->kind == TM_EVENT_UNIT_RESUME) {
        resume(model, unit, fact);
    } else if (model->replay.units[unit].on_thread != TM__NONE) {
        remove_open(&model->replay, unit);
        add_move(&model->replay, unit, TM__NONE, fact->time_ns);
    }
    return TM_OK;
}
