/* SPDX-License-Identifier: Apache-2.0 */
/* The conditions that choose the rows on which a finding rests, in SQL. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/findings/finding.h"
#include "analysis/findings/where.h"
#include "base/error.h"
#include "model/entities/thread.h"

/* The most that a report contains for one finding. */
enum { LONGEST_WHERE = 1 << 20, NUMBER_BYTES = 24 };

/* Add " and " and bytes; what does not fit leaves no condition that says less. */
static void add_where(tm__finding *finding, const char *column, const char *rest)
{
    size_t room = sizeof(finding->where) - finding->where_length;
    int wanted;

    if (finding->where_length == sizeof(finding->where))
        return;
    wanted = snprintf(finding->where + finding->where_length, room, "%s%s %s",
                      finding->where_length ? " and " : "", column, rest);
    if (wanted < 0 || (size_t)wanted >= room) {
        finding->where[0] = '\0';
        finding->where_length = sizeof(finding->where);
        return;
    }
    finding->where_length += (size_t)wanted;
}

void tm__where_text(tm__finding *finding, const char *column, const char *text)
{
    char quoted[TM__WHERE_BYTES];
    size_t at = 0;

    if (!text) {
        add_where(finding, column, "is null");
        return;
    }
    at += (size_t)snprintf(quoted, sizeof(quoted), "= '");
    for (; *text && at + 4 < sizeof(quoted); text++) {
        if (*text == '\'')
            quoted[at++] = '\'';
        quoted[at++] = *text;
    }
    quoted[at++] = *text ? ' ' : '\''; /* cut short, it is too long for the rest, too */
    quoted[at] = '\0';
    add_where(finding, column, quoted);
}

void tm__where_number(tm__finding *finding, const char *column, int64_t number)
{
    char text[32];

    snprintf(text, sizeof(text), "= %" PRId64, number);
    add_where(finding, column, text);
}

void tm__where_thread(tm__finding *finding, const char *column, const tm_model *model,
                      uint32_t thread)
{
    char text[32] = "is null";

    if (thread != TM__NONE)
        snprintf(text, sizeof(text), "= %" PRIu64, model->entities.threads[thread].id);
    add_where(finding, column, text);
}

void tm__where_caller(tm__finding *finding, const tm__findings *findings,
                      const char *column, uint32_t place, int by_line)
{
    const tm__caller *it = place == TM__NONE ? NULL : &findings->places.items[place];

    tm__where_text(finding, column,
                   it ? tm__strings_get(&findings->model->entities.strings, it->method)
                      : NULL);
    if (by_line && it && it->line)
        tm__where_number(finding, "line", it->line);
    else if (by_line)
        add_where(finding, "line", "is null");
}

void tm__where_class(tm__finding *finding, const tm_model *model, uint32_t class_name)
{
    tm__where_text(finding, "class",
                   tm__strings_get(&model->entities.strings, class_name));
}

void tm__where_states(tm__finding *finding, const int *states, uint32_t count)
{
    char list[TM__WHERE_BYTES];
    size_t at = 0;

    for (uint32_t i = 0; i < count; i++)
        at += (size_t)snprintf(list + at, sizeof(list) - at, "%s'%s'",
                               i ? ", " : "in (", tm_state_name(states[i]));
    snprintf(list + at, sizeof(list) - at, ")");
    add_where(finding, "state", list);
}

int tm__where_in(tm__finding *finding, tm__findings *findings, const char *column,
                 const uint64_t *numbers, uint32_t count)
{
    const char *before = finding->long_where ? finding->long_where : finding->where;
    size_t room = strlen(before) + strlen(column) + (size_t)count * NUMBER_BYTES + 16;
    char *where;
    size_t at;

    /* Empty, which chooses nothing rather than too much, and stays so. */
    if (room > LONGEST_WHERE || finding->where_length == sizeof(finding->where) ||
        (finding->long_where && !*before))
        room = 1;
    where = tm__zalloc(&findings->memory, room);
    if (!where)
        return tm__failure();
    if (room > 1) {
        at = (size_t)snprintf(where, room, "%s%s%s in (", before,
                              *before ? " and " : "", column);
        for (uint32_t i = 0; i < count; i++)
            at += (size_t)snprintf(where + at, room - at, "%s%" PRIu64, i ? ", " : "",
                                   numbers[i]);
        snprintf(where + at, room - at, ")");
    }
    tm__free(&findings->memory, finding->long_where, finding->long_where_bytes);
    finding->long_where = where;
    finding->long_where_bytes = room;
    return TM_OK;
}

int tm__where_threads(tm__finding *finding, tm__findings *findings,
                      tm__is_chosen *is_chosen, const void *context)
{
    const tm_model *model = findings->model;
    size_t bytes = ((size_t)model->entities.threads_count + 1) * sizeof(uint64_t);
    uint64_t *ids = tm__zalloc(&findings->memory, bytes);
    uint32_t count = 0;
    int rc;

    if (!ids)
        return tm__failure();
    for (uint32_t t = 0; t < model->entities.threads_count; t++)
        if (is_chosen(context, t))
            ids[count++] = model->entities.threads[t].id;
    rc = tm__where_in(finding, findings, "thread_id", ids, count);
    tm__free(&findings->memory, ids, bytes);
    return rc;
}
