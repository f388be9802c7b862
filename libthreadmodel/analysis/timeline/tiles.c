/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timeline with less detail. A drawing of ten million intervals shows some hundred
 * thousand pixels; what it needs is long intervals as they are and, of the rest, how
 * much time went where.
 *
 *     intervals   |-|--|-|-|----------------|-|-|---|--------|
 *     rows        |--------|----------------|-------|--------|
 *                  merged        as it is     merged  as it is
 *
 * Counting rows makes no table, so that a tile length can be searched for.
 */
#include <threadmodel/timeline.h>

#include <string.h>

#include "analysis/listing/listing.h"
#include "analysis/listing/selection.h"
#include "analysis/listing/timeline.h"
#include "base/error.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"
#include "model/state/model.h"
#include "model/wakeups/worker_loops.h"

enum {
    DETAIL_COLUMNS = 13, /* those after the times of the states */
    LONGEST_TILE_BITS = 62
};

typedef struct tile {
    int64_t start_ns;
    int64_t end_ns;
    int64_t count;
    uint32_t interval; ///< of the thread's: the last one merged in
    int64_t state_ns[TM_STATE_END];
} tile;

typedef struct walk {
    const tm_model *model;
    const tm__scope *scope;
    const tm__thread *thread;
    uint32_t next; ///< intervals[] of the thread
    int64_t tile_ns;
} walk;

/* The part of an interval that is asked about. @return 0: none of it is */
static int cut(const walk *at, uint32_t index, int64_t *start_ns, int64_t *end_ns)
{
    const tm__interval *it = &at->thread->intervals[index];

    *start_ns = it->start_ns;
    *end_ns = tm__interval_end_ns(at->model, at->thread, index);
    return tm__interval_cut(at->model, at->scope, it, start_ns, end_ns);
}

/* @return 1 and the next row, or 0 after the last */
static int next_tile(walk *at, tile *row)
{
    int64_t start_ns, end_ns;

    row->count = 0;
    for (; at->next < at->thread->interval_count; at->next++) {
        if (!cut(at, at->next, &start_ns, &end_ns))
            continue;
        if (row->count && (start_ns != row->end_ns || end_ns - start_ns >= at->tile_ns))
            return 1;
        if (!row->count) {
            memset(row->state_ns, 0, sizeof(row->state_ns));
            row->start_ns = start_ns;
        }
        row->end_ns = end_ns;
        row->interval = at->next;
        row->count++;
        row->state_ns[at->thread->intervals[at->next].state] += end_ns - start_ns;
        if (row->end_ns - row->start_ns >= at->tile_ns) {
            at->next++;
            return 1;
        }
    }
    return row->count != 0;
}

static int main_state(const walk *at, const tile *row)
{
    int best = at->thread->intervals[row->interval].state;

    if (row->count == 1)
        return best;
    best = TM_STATE_UNKNOWN;
    for (int state = best + 1; state < TM_STATE_END; state++)
        if (row->state_ns[state] > row->state_ns[best])
            best = state;
    return best;
}

static void put_tile(tm__listing *list, const walk *at, const tile *row)
{
    tm__builder *builder = &list->builder;

    tm__put_uint64(builder, at->thread->id);
    tm__put_string(builder,
                   tm__strings_get(&at->model->entities.strings, at->thread->name));
    tm__put_int64(builder, row->start_ns - list->origin_ns);
    tm__put_int64(builder, row->end_ns - list->origin_ns);
    tm__put_int64(builder, row->count);
    tm__put_string(builder, tm_state_name(main_state(at, row)));
    for (int state = TM_STATE_UNKNOWN; state < TM_STATE_END; state++)
        tm__put_int64(builder, row->state_ns[state]);
    if (row->count == 1) {
        tm__put_interval_detail(list, at->model, at->thread, row->interval);
        return;
    }
    for (int i = 0; i < DETAIL_COLUMNS; i++)
        tm__put_null(builder);
}

/* Count the rows, up to a limit; with a listing, put them too. */
static size_t walk_rows(tm__listing *list, const tm_model *model,
                        const tm__scope *scope, int64_t tile_ns, size_t limit)
{
    size_t rows = 0;

    for (uint32_t t = 0; t < model->entities.threads_count && rows <= limit; t++) {
        walk at = {model, scope, &model->entities.threads[t], 0, tile_ns};
        tile row;

        if (scope->threads && !scope->threads[t])
            continue;
        while (rows <= limit && next_tile(&at, &row)) {
            rows++;
            if (list)
                put_tile(list, &at, &row);
        }
    }
    return rows;
}

int tm_tile_list(tm_table **out, const tm_model *model, const tm_selection *selection,
                 int64_t tile_ns)
{
    tm__listing list;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    if (tile_ns < 0)
        return tm__fail(TM_EINVAL, "invalid tile length %lld ns", (long long)tile_ns);
    rc = tm__worker_loops_find(model);
    if (rc < 0)
        return rc;
    rc = tm__listing_open(&list, model, &tm__tiles_table, selection);
    if (rc < 0)
        return rc;
    walk_rows(&list, model, &list.scope, tile_ns, SIZE_MAX);
    return tm__listing_close(&list, model, out, TM_OK);
}

int tm_tile_fit(int64_t *tile_ns, const tm_model *model, const tm_selection *selection,
                size_t max_rows)
{
    tm__scope scope;
    int rc;

    TM__CHECK(tile_ns);
    *tile_ns = 0;
    TM__CHECK(model);
    if (max_rows == SIZE_MAX)
        return TM_OK;
    rc = tm__scope_open(&scope, model, selection);
    if (rc < 0)
        return rc;
    if (walk_rows(NULL, model, &scope, 0, max_rows) > max_rows) {
        int too_short = -1, enough = LONGEST_TILE_BITS;

        while (enough - too_short > 1) {
            int bits = (too_short + enough) / 2;

            if (walk_rows(NULL, model, &scope, INT64_C(1) << bits, max_rows) > max_rows)
                too_short = bits;
            else
                enough = bits;
        }
        *tile_ns = INT64_C(1) << enough;
    }
    tm__scope_close(&scope, model);
    return TM_OK;
}
