/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answers that a trace is made of, each asked for once. Millions of rows are read
 * from front to back; their strings are lent by the tables.
 */
#include "export/story.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <threadmodel/context.h>
#include <threadmodel/interaction.h>
#include <threadmodel/path.h>
#include <threadmodel/statistics.h>
#include <threadmodel/timeline.h>

static void note_least(tm__story *story, const tm_table *table, const char *column)
{
    const int64_t *times = tm_table_int64(table, column);

    for (size_t i = 0; i < tm_table_row_count(table); i++)
        if (times[i] < story->least_ns)
            story->least_ns = times[i];
}

static int number_threads(tm__story *story)
{
    const uint64_t *ids = tm_table_uint64(story->threads, "thread_id");
    int rc = TM_OK;

    for (size_t i = 0; i < tm_table_row_count(story->threads) && rc == TM_OK; i++)
        rc = tm__map_put(&story->numbers, ids[i], (uint32_t)i);
    return rc;
}

/* A column that a table does not have is null in every row. */
static tm__slice_columns find_columns(const tm_table *table, const char *name,
                                      const char *peer, const char *via)
{
    return (tm__slice_columns){.table = table,
                               .start_ns = tm_table_int64(table, "start_ns"),
                               .end_ns = tm_table_int64(table, "end_ns"),
                               .thread_id = tm_table_uint64(table, "thread_id"),
                               .name = tm_table_column(table, name),
                               .object = tm_table_column(table, "object"),
                               .class_name = tm_table_column(table, "class"),
                               .method = tm_table_column(table, "method"),
                               .peer =
                                   peer ? tm_table_column(table, peer) : TM_ENOTFOUND,
                               .via = via ? tm_table_column(table, via) : TM_ENOTFOUND};
}

int tm__story_open(tm__story *story, const tm__export *to)
{
    tm_selection part = tm__export_part(to);
    tm_path_options path = {
        .size = sizeof(path), .from_ns = part.from_ns, .to_ns = part.to_ns};
    int rc;

    *story = (tm__story){0};
    tm__map_init(&story->numbers, to->memory);
    rc = tm_thread_list(&story->threads, to->model, NULL);
    if (rc == TM_OK)
        rc = number_threads(story);
    if (rc == TM_OK)
        rc = tm_timeline_list(&story->timeline, to->model, &part);
    if (rc == TM_OK)
        rc = tm_interaction_list(&story->interactions, to->model, &part);
    if (rc == TM_OK)
        rc = tm_path_list(&story->path, to->model, &path);
    if (rc == TM_OK)
        rc = tm_context_list(&story->context, to->model, &part);
    if (rc < 0)
        return rc;
    story->states = find_columns(story->timeline, "state", "peer", NULL);
    story->segments = find_columns(story->path, "thread", "state", "via");
    story->facts = find_columns(story->context, "kind", NULL, "cause");
    note_least(story, story->timeline, "start_ns");
    note_least(story, story->interactions, "time_ns");
    note_least(story, story->context, "start_ns");
    return TM_OK;
}

uint32_t tm__story_thread(const tm__story *story, uint64_t id)
{
    return tm__map_find(&story->numbers, id);
}

const char *tm__story_thread_name(const tm__story *story, size_t row, char *buffer,
                                  size_t bytes)
{
    const char *name = tm_table_string(story->threads, "name", row);

    if (name && *name)
        return name;
    snprintf(buffer, bytes, "#%" PRIu64,
             tm_table_uint64(story->threads, "thread_id")[row]);
    return buffer;
}

static void read_slice(const tm__story *story, const tm__slice_columns *columns,
                       size_t row, tm__story_slice *slice)
{
    const tm_table *table = columns->table;

    *slice = (tm__story_slice){
        .start_ns = columns->start_ns[row] - story->least_ns,
        .end_ns = columns->end_ns[row] - story->least_ns,
        .name = tm_table_cell_string(table, columns->name, row),
        .object = tm_table_cell_string(table, columns->object, row),
        .class_name = tm_table_cell_string(table, columns->class_name, row),
        .method = tm_table_cell_string(table, columns->method, row),
        .peer = tm_table_cell_string(table, columns->peer, row),
        .via = tm_table_cell_string(table, columns->via, row)};
}

int tm__story_state(const tm__story *story, size_t row, tm__story_slice *slice,
                    uint32_t *thread)
{
    read_slice(story, &story->states, row, slice);
    *thread = tm__story_thread(story, story->states.thread_id[row]);
    return *thread != TM__NONE &&
           strcmp(slice->name, tm_state_name(TM_STATE_DEAD)) != 0;
}

void tm__story_segment(const tm__story *story, size_t row, tm__story_slice *slice)
{
    read_slice(story, &story->segments, row, slice);
    if (!slice->name || !*slice->name)
        slice->name = "unnamed";
}

void tm__story_context(const tm__story *story, size_t row, tm__story_slice *slice,
                       uint32_t *thread)
{
    read_slice(story, &story->facts, row, slice);
    *thread = tm_table_is_null(story->context, "thread_id", row)
                  ? TM__NONE
                  : tm__story_thread(story, story->facts.thread_id[row]);
}

int tm__story_flow(const tm__story *story, size_t row, tm__flow *flow)
{
    const tm_table *table = story->interactions;
    const char *effect = tm_table_string(table, "effect", row);

    if (tm_table_is_null(table, "from_thread_id", row) ||
        tm_table_is_null(table, "to_thread_id", row) ||
        tm_table_is_null(table, "woken_ns", row) || !effect ||
        strcmp(effect, "woke") != 0)
        return 0;
    *flow = (tm__flow){
        .kind = tm_table_string(table, "kind", row),
        .class_name = tm_table_string(table, "class", row),
        .provenance = tm_table_string(table, "provenance", row),
        .from = tm__story_thread(story, tm_table_uint64(table, "from_thread_id")[row]),
        .to = tm__story_thread(story, tm_table_uint64(table, "to_thread_id")[row]),
        .from_ns = tm_table_int64(table, "time_ns")[row] - story->least_ns,
        .to_ns = tm_table_int64(table, "woken_ns")[row] - story->least_ns};
    return flow->from != TM__NONE && flow->to != TM__NONE &&
           flow->to_ns >= flow->from_ns;
}

void tm__story_close(tm__story *story)
{
    tm_table_free(story->threads);
    tm_table_free(story->timeline);
    tm_table_free(story->interactions);
    tm_table_free(story->path);
    tm_table_free(story->context);
    tm__map_clear(&story->numbers);
}
