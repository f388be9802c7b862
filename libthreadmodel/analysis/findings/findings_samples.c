/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings of thread dumps: threads that dump after dump are blocked by a lock at the
 * same line, or parked for one whose owner the dump names. A few dumps do not measure
 * time, but it is not an accident that several in a row find a thread where it was.
 */
#include <string.h>

#include "analysis/findings/card_names.h"
#include "analysis/findings/finding.h"
#include "analysis/findings/finding_text.h"
#include "analysis/findings/findings_dump_last.h"
#include "analysis/findings/findings_samples.h"
#include "analysis/findings/tally.h"
#include "analysis/findings/where.h"
#include "base/error.h"
#include "base/search.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

typedef struct samples {
    tm__findings *findings;
    tm__tally of_thread; ///< (place, class name, state): dumps of the thread at hand
    tm__tally of_all;    ///< the same, of all threads, one addition each
    tm__tally times;     ///< the same, and the time between the dumps
} samples;

/* How many dumps there are before a time. */
static uint32_t dumps_before(const tm_model *model, int64_t time_ns)
{
    return tm__search(model->replay.dumps, sizeof(int64_t), 0, 0,
                      model->replay.dumps_count, time_ns, 0);
}

/* Whether an owner keeps the thread from going on. Parks have an owner where a dump
 * lists ownable synchronizers; of a recording, whose events have all parks, other
 * findings do. */
static int is_kept(const tm_model *model, const tm__interval *it, uint32_t thread)
{
    return it->state == TM_STATE_BLOCKED || it->state == TM_STATE_REENTERING ||
           (it->state == TM_STATE_PARKED && it->peer != TM__NONE &&
            it->peer != thread && tm__model_is_of_dumps(model));
}

static int note_interval(samples *s, uint32_t thread, uint32_t index)
{
    const tm_model *model = s->findings->model;
    const tm__thread *it = &model->entities.threads[thread];
    const tm__interval *held = &it->intervals[index];
    int is_last = index + 1 == it->interval_count;
    uint32_t first = dumps_before(model, held->start_ns);
    uint32_t end = is_last ? model->replay.dumps_count
                           : dumps_before(model, it->intervals[index + 1].start_ns);
    int64_t end_ns = is_last ? model->last_ns : it->intervals[index + 1].start_ns;
    uint32_t class_name = tm__class_name_of_object(model, held->object);
    uint32_t place = tm__caller_of(&s->findings->places, held->stack);

    if (!is_kept(model, held, thread))
        return TM_OK;
    if (!tm__tally_add(&s->of_thread, &s->findings->memory, place, class_name,
                       held->state, end - first, thread) ||
        !tm__tally_add(&s->times, &s->findings->memory, place, class_name, held->state,
                       end_ns - held->start_ns, thread))
        return tm__failure();
    return TM_OK;
}

static int note_thread(samples *s, uint32_t thread)
{
    const tm__thread *it = &s->findings->model->entities.threads[thread];
    int rc = TM_OK;

    for (uint32_t i = 0; i < it->interval_count && rc == TM_OK; i++)
        rc = note_interval(s, thread, i);
    for (uint32_t i = 0; i < s->of_thread.items_count && rc == TM_OK; i++) {
        const tm__tally_item *item = &s->of_thread.items[i];

        if (!tm__tally_add(&s->of_all, &s->findings->memory, item->a, item->b, item->c,
                           item->total_ns, thread))
            rc = tm__failure();
    }
    if (s->of_thread.items_count)
        tm__tally_free(&s->of_thread, &s->findings->memory);
    s->of_thread = (tm__tally){0};
    return rc;
}

/* The lock's owner in the last dump. */
static void write_owner(samples *s, tm__finding *finding, uint32_t thread)
{
    tm__findings *f = s->findings;
    const tm__interval *it = tm__now(&f->model->entities.threads[thread]);
    tm__facts facts = TM__NO_FACTS;
    tm__object_name name;

    if (!it || it->peer == TM__NONE || it->peer == thread ||
        !is_kept(f->model, it, thread))
        return;
    name = tm__object_name_of(f, it->object);
    facts.thread = it->peer;
    facts.name = name.text;
    tm__finding_add(finding, f, TM__TEXT_SAMPLED_BLOCK_HOLDS, &facts);
    tm__finding_add_doing(finding, f, it->peer);
    tm__finding_add_plain(finding, f, TM__TEXT_STOP);
}

/* The owner that all of an item's threads were blocked by in the last dump; TM__NONE:
 * some have gone on, or had another one. */
static uint32_t owner_of_all(const samples *s, const tm__tally_item *item,
                             uint32_t *object)
{
    const tm_model *model = s->findings->model;
    uint32_t owner = TM__NONE, count = 0;

    for (uint32_t t = 0; t < model->entities.threads_count; t++) {
        const tm__interval *it = tm__now(&model->entities.threads[t]);

        if (!it || it->state != item->c || !is_kept(model, it, t) ||
            tm__caller_of(&s->findings->places, it->stack) != item->a ||
            tm__class_name_of_object(model, it->object) != item->b)
            continue;
        if (it->peer == TM__NONE || it->peer == t || (count > 0 && it->peer != owner))
            return TM__NONE;
        *object = count > 0 && it->object != *object ? TM__NONE : it->object;
        owner = it->peer;
        count++;
    }
    return count == item->count ? owner : TM__NONE;
}

static tm__card_text state_text(int state)
{
    if (state == TM_STATE_PARKED)
        return TM__TEXT_SAMPLED_PARKED;
    return state == TM_STATE_BLOCKED ? TM__TEXT_SAMPLED_BLOCKED
                                     : TM__TEXT_SAMPLED_REENTERING;
}

static int say(samples *s, const tm__tally_item *item, int64_t time_ns,
               int64_t longest_ns)
{
    tm__findings *f = s->findings;
    uint32_t object = TM__NONE, owner = owner_of_all(s, item, &object);
    const char *class_name = tm__strings_get(&f->model->entities.strings, item->b);
    tm__finding *finding = tm__finding_new(f, "sampled_block", "timeline", time_ns);
    tm__facts facts = TM__NO_FACTS;
    tm__object_name name;

    if (!finding)
        return tm__failure();
    finding->bound_ns = longest_ns;
    finding->class_name = item->b;
    finding->place = item->a;
    finding->thread = item->worst_thread;
    tm__where_text(finding, "state", tm_state_name((int)item->c));
    tm__where_class(finding, f->model, item->b);
    tm__where_caller(finding, f, "method", item->a, 1);
    /* The lock of a class is known by which class that is. */
    if (owner != TM__NONE && object != TM__NONE && class_name &&
        strcmp(class_name, "java.lang.Class") == 0)
        name = tm__object_name_of(f, object);
    else
        name = tm__class_name_of(f, item->b, TM__NONE);
    facts.name = name.text;
    facts.threads = (uint64_t)item->count;
    facts.thread = owner;
    tm__finding_add(finding, f,
                    owner == TM__NONE ? TM__TEXT_SAMPLED_BLOCK_TITLE_UNOWNED
                                      : TM__TEXT_SAMPLED_BLOCK_TITLE,
                    &facts);
    facts.thread = item->worst_thread;
    facts.state = tm__card_text_of(state_text((int)item->c));
    facts.count = (uint64_t)item->worst_ns;
    facts.of = f->model->replay.dumps_count;
    facts.place = item->a;
    facts.class_name = item->b;
    facts.others = (uint64_t)item->count - 1;
    tm__finding_add(finding, f, TM__TEXT_SAMPLED_BLOCK_WAITS, &facts);
    write_owner(s, finding, item->worst_thread);
    tm__finding_add(finding, f, TM__TEXT_SOME_DUMPS, &facts);
    return TM_OK;
}

/* Those that were seen most often. A single sighting proves nothing. */
static int report_most(samples *s)
{
    tm__top top = {.count = 0};
    int rc = TM_OK;

    for (uint32_t i = 0; i < s->of_all.items_count; i++)
        if (s->of_all.items[i].worst_ns > 1)
            tm__top_add(&top, s->of_all.items[i].total_ns, i);
    for (uint32_t i = 0; i < top.count && rc == TM_OK; i++) {
        const tm__tally_item *item = &s->of_all.items[top.numbers[i]];
        const uint32_t *time =
            tm__triple_map_find(&s->times.map, item->a, item->b, item->c);

        rc = say(s, item, time ? s->times.items[*time - 1].total_ns : 0,
                 time ? s->times.items[*time - 1].worst_ns : 0);
    }
    return rc;
}

int tm__find_samples(tm__findings *findings)
{
    const tm_model *model = findings->model;
    samples s = {.findings = findings};
    int rc = TM_OK;

    if (model->replay.dumps_count < 2)
        return TM_OK;
    for (uint32_t i = 0; i < model->entities.threads_count && rc == TM_OK; i++)
        rc = note_thread(&s, i);
    if (rc == TM_OK)
        rc = report_most(&s);
    tm__tally_free(&s.of_all, &findings->memory);
    tm__tally_free(&s.times, &findings->memory);
    return rc;
}
