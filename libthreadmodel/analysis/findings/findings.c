/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings: every detector has its say, then they are ranked. There are a few dozen
 * at most; what costs is the detectors' one or two passes over the run.
 */
#include "analysis/findings/findings.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "base/error.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "model/caveats.h"
#include "model/object.h"
#include "model/thread.h"
#include "table/builder.h"
#include "table/tables.h"

static int (*const detectors[])(tm__findings *) = {
    tm__find_deadlocks,   tm__find_resources,  tm__find_locks,
    tm__find_notifies,    tm__find_waits,      tm__find_joins,
    tm__find_path_sleeps, tm__find_inversions, tm__find_samples,
};

tm__finding *tm__finding_new(tm__findings *findings, const char *kind,
                             const char *evidence, int64_t impact_ns)
{
    tm__finding *item;

    if (tm__reserve(&findings->memory, &findings->items, &findings->items_capacity,
                    (size_t)findings->items_count + 1, sizeof(*item)) < 0)
        return NULL;
    item = &findings->items[findings->items_count++];
    *item = (tm__finding){.kind = kind,
                          .evidence = evidence,
                          .impact_ns = impact_ns,
                          .class_name = TM__NONE,
                          .place = TM__NONE,
                          .thread = TM__NONE,
                          .inner_method = TM__NONE};
    return item;
}

/* ---- words ---- */

void tm__finding_write(tm__finding *finding, const char *format, ...)
{
    size_t room = sizeof(finding->text) - finding->length;
    va_list arguments;
    int wanted;

    va_start(arguments, format);
    wanted = vsnprintf(finding->text + finding->length, room, format, arguments);
    va_end(arguments);
    if (wanted > 0)
        finding->length += (size_t)wanted < room ? (size_t)wanted : room - 1;
}

void tm__finding_write_duration(tm__finding *finding, int64_t time_ns)
{
    tm__finding_write(finding, "%s", tm__duration_of(time_ns).text);
}

void tm__finding_write_caller(tm__finding *finding, const tm__findings *findings,
                              uint32_t place)
{
    const tm__caller *it = place == TM__NONE ? NULL : &findings->places.items[place];
    const char *method =
        it ? tm__strings_get(&findings->model->strings, it->method) : NULL;

    tm__finding_write(finding, "%.200s", method ? method : "an unknown method");
    if (it && it->line)
        tm__finding_write(finding, ":%u", it->line);
}

void tm__finding_write_thread(tm__finding *finding, const tm_model *model,
                              uint32_t thread)
{
    const char *name = tm__thread_name(model, thread);

    if (thread == TM__NONE)
        tm__finding_write(finding, "an unknown thread");
    else if (name && *name)
        tm__finding_write(finding, "thread %.100s", name);
    else
        tm__finding_write(finding, "thread #%" PRIu64, model->threads[thread].id);
}

void tm__finding_write_class(tm__finding *finding, const tm_model *model,
                             uint32_t class_name)
{
    const char *name = tm__strings_get(&model->strings, class_name);

    tm__finding_write(finding, "%.200s", name ? name : "an unknown class");
}

/* ---- evidence ---- */

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
        snprintf(text, sizeof(text), "= %" PRIu64, model->threads[thread].id);
    add_where(finding, column, text);
}

void tm__where_caller(tm__finding *finding, const tm__findings *findings,
                      const char *column, uint32_t place, int by_line)
{
    const tm__caller *it = place == TM__NONE ? NULL : &findings->places.items[place];

    tm__where_text(finding, column,
                   it ? tm__strings_get(&findings->model->strings, it->method) : NULL);
    if (by_line && it && it->line)
        tm__where_number(finding, "line", it->line);
    else if (by_line)
        add_where(finding, "line", "is null");
}

void tm__where_class(tm__finding *finding, const tm_model *model, uint32_t class_name)
{
    tm__where_text(finding, "class", tm__strings_get(&model->strings, class_name));
}

int tm__percent(int64_t part, int64_t whole)
{
    return whole > 0 ? (int)((double)part * 100 / (double)whole + 0.5) : 0;
}

uint32_t tm__class_name_of_object(const tm_model *model, uint32_t object)
{
    uint32_t class_index =
        object == TM__NONE ? TM__NONE : model->objects[object].class_index;

    return class_index == TM__NONE ? TM__NONE : model->classes[class_index].name;
}

/* ---- sums ---- */

tm__tally_item *tm__tally_add(tm__tally *tally, tm__memory *memory, uint32_t a,
                              uint32_t b, uint32_t c, int64_t time_ns, uint32_t thread)
{
    uint32_t *value = tm__triple_map_at(&tally->map, memory, a, b, c);
    tm__tally_item *item;

    if (!value)
        return NULL;
    if (*value == 0) {
        if (tm__reserve(memory, &tally->items, &tally->items_capacity,
                        (size_t)tally->items_count + 1, sizeof(*item)) < 0)
            return NULL;
        tally->items[tally->items_count++] = (tm__tally_item){
            .a = a, .b = b, .c = c, .worst_thread = thread, .first_thread = thread};
        *value = tally->items_count;
    }
    item = &tally->items[*value - 1];
    item->total_ns = tm__sum(item->total_ns, time_ns);
    item->count++;
    item->is_of_many |= thread != item->first_thread;
    if (time_ns > item->worst_ns) {
        item->worst_ns = time_ns;
        item->worst_thread = thread;
    }
    return item;
}

const tm__tally_item *tm__tally_top(const tm__tally *tally, uint32_t a, uint32_t c)
{
    const tm__tally_item *top = NULL;

    for (uint32_t i = 0; i < tally->items_count; i++) {
        const tm__tally_item *item = &tally->items[i];

        if (item->a == a && item->c == c && (!top || item->total_ns > top->total_ns))
            top = item;
    }
    return top;
}

void tm__top_add(tm__top *top, int64_t key, uint32_t number)
{
    uint32_t at = top->count;

    while (at > 0 && top->keys[at - 1] < key)
        at--;
    if (at == TM__FINDINGS_A_KIND)
        return;
    if (top->count < TM__FINDINGS_A_KIND)
        top->count++;
    for (uint32_t i = top->count - 1; i > at; i--) {
        top->keys[i] = top->keys[i - 1];
        top->numbers[i] = top->numbers[i - 1];
    }
    top->keys[at] = key;
    top->numbers[at] = number;
}

void tm__tally_free(tm__tally *tally, tm__memory *memory)
{
    tm__free(memory, tally->items, tally->items_capacity * sizeof(*tally->items));
    tm__triple_map_free(&tally->map, memory);
}

/* ---- the answer ---- */

static void put_finding(tm__builder *builder, const tm__findings *findings,
                        const tm__finding *item, int32_t rank)
{
    const tm_model *model = findings->model;

    tm__put_int32(builder, rank);
    tm__put_string(builder, item->kind);
    tm__put_int64(builder, item->impact_ns);
    tm__put_text(builder, item->text);
    tm__put_string(builder, tm__strings_get(&model->strings, item->class_name));
    tm__put_caller(builder, &findings->places, item->place);
    if (item->thread == TM__NONE)
        tm__put_null(builder);
    else
        tm__put_uint64(builder, model->threads[item->thread].id);
    tm__put_string(builder, tm__thread_name(model, item->thread));
    tm__put_bool(builder, item->suspected);
    tm__put_string(builder, item->evidence);
    tm__put_text(builder, item->where);
}

/* Deadlocks that stand come first, what is only suspected last. */
static int tier_of(const tm__finding *item)
{
    return item->suspected ? 2 : !item->stands;
}

/* Equals keep the order in which the detectors had their say. */
static int by_impact(const void *payload, uint32_t left, uint32_t right)
{
    const tm__finding *items = payload;
    int64_t l = items[left].impact_ns, r = items[right].impact_ns;

    if (l != r)
        return l > r ? -1 : 1;
    return left < right ? -1 : left > right;
}

static int put_ranked(tm__builder *builder, tm__findings *findings)
{
    size_t bytes = findings->items_count * sizeof(tm__sortable);
    tm__sortable *order, *spare;
    int32_t rank = 0;

    if (!bytes)
        return TM_OK;
    order = tm__resize(&findings->memory, NULL, 0, bytes);
    spare = tm__resize(&findings->memory, NULL, 0, bytes);
    if (order && spare) {
        for (uint32_t i = 0; i < findings->items_count; i++)
            order[i] = (tm__sortable){tier_of(&findings->items[i]), i};
        tm__sort(order, spare, findings->items_count, by_impact, findings->items);
        for (uint32_t i = 0; i < findings->items_count; i++)
            put_finding(builder, findings, &findings->items[order[i].number], ++rank);
    }
    tm__free(&findings->memory, spare, bytes);
    tm__free(&findings->memory, order, bytes);
    return order && spare ? TM_OK : TM_ENOMEM;
}

int tm_finding_list(tm_table **out, const tm_model *model)
{
    tm__findings findings = {.model = model};
    tm__builder builder;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    tm__memory_init(&findings.memory, &model->memory.hook);
    findings.run_ns = tm_model_length_ns(model);
    rc = tm__scope_open(&findings.whole, model, NULL);
    if (rc == TM_OK)
        rc = tm__labels_open(&findings.labels, model);
    if (rc < 0)
        return rc;
    tm__builder_start(&builder, &tm__findings_table, 0, &model->memory.hook);
    rc = tm__callers_open(&findings.places, model, &findings.memory, NULL);
    for (size_t i = 0; rc == TM_OK && i < sizeof(detectors) / sizeof(*detectors); i++)
        rc = detectors[i](&findings);
    if (rc == TM_OK)
        rc = put_ranked(&builder, &findings);
    if (rc == TM_OK)
        rc = findings.labels.failed;
    tm__model_put_caveats(model, &builder);
    tm__free(&findings.memory, findings.items,
             findings.items_capacity * sizeof(*findings.items));
    tm__callers_close(&findings.places);
    tm__labels_close(&findings.labels);
    if (rc < 0) {
        tm__builder_abandon(&builder);
        return rc;
    }
    return tm__builder_finish(&builder, out);
}
