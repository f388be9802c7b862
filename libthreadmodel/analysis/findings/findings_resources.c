/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings about resources: many threads that wait for one of a few, which nobody owns.
 * Where uses are known, they say what a permit is spent on. Where they are not, few
 * threads that release many are worth a look, the more so if they are seen to be busy.
 */
#include "analysis/findings/findings.h"
#include "analysis/resources/resources.h"
#include "base/saturate.h"
#include "model/interval.h"
#include "model/thread.h"

enum { ENOUGH_WAITS = 5, ENOUGH_USES = 5, PART_OF_RUN = 20 };

/* Whether most that waited there were released so: of the rest it is not sure that who
 * woke them did so for what they waited for, and not with a lock on the way. */
static int is_the_usual(const tm__resources *all, const tm__resource *it)
{
    int64_t total_ns = 0;

    for (uint32_t i = 0; i < all->items_count; i++)
        if (all->items[i].class_name == it->class_name &&
            all->items[i].waiting == it->waiting)
            total_ns = tm__sum(total_ns, all->items[i].wait_total_ns);
    return it->wait_total_ns >= total_ns / 2;
}

static int is_worth_reporting(const tm__findings *findings, const tm__resources *all,
                              const tm__resource *it)
{
    const tm__strings *strings = &findings->model->strings;
    const char *waiting = tm__strings_get(strings, it->waiting);

    return waiting && it->releasing != TM__NONE && !tm__is_library(waiting) &&
           !tm__is_idle(waiting) && it->waits >= ENOUGH_WAITS && it->threads >= 2 &&
           it->wait_total_ns >= findings->run_ns / PART_OF_RUN &&
           (it->uses.count >= ENOUGH_USES || it->releasers < it->threads) &&
           is_the_usual(all, it);
}

/* Whether who released them most was asleep, blocked or in a lock for half of the time,
 * and waited itself for a fifth at most: then it cannot have been idle. */
static int is_seen_busy(const tm_model *model, const tm__resource *it)
{
    const tm__thread *thread = &model->threads[it->releaser];
    int64_t waited_ns = 0, blocked_ns = 0, span_ns = it->last_ns - it->first_ns;

    for (uint32_t i = 0; i < thread->interval_count; i++) {
        const tm__interval *at = &thread->intervals[i];
        int64_t from_ns = at->start_ns, to_ns = tm__interval_end_ns(model, thread, i);

        from_ns = from_ns > it->first_ns ? from_ns : it->first_ns;
        to_ns = to_ns < it->last_ns ? to_ns : it->last_ns;
        if (to_ns <= from_ns)
            continue;
        if (tm__is_resource_wait(model, at))
            waited_ns = tm__sum(waited_ns, to_ns - from_ns);
        else if (at->state != TM_STATE_RUNNING)
            blocked_ns = tm__sum(blocked_ns, to_ns - from_ns);
    }
    return blocked_ns >= span_ns / 2 && waited_ns <= span_ns / 5;
}

static void write_uses(tm__finding *finding, const tm__findings *findings,
                       const tm__resource *it)
{
    const char *method = tm__strings_get(&findings->model->strings, it->use_method);

    tm__finding_write(finding, " A use takes ");
    tm__finding_write_duration(finding, tm__histogram_quantile(&it->uses, 0.5));
    tm__finding_write(finding, " (median of %llu)", (unsigned long long)it->uses.count);
    if (method && it->use_method_ns >= it->uses.total / 2) {
        tm__finding_write(finding, ", %d %% of all their time in %.200s",
                          tm__percent(it->use_method_ns, it->uses.total), method);
        finding->inner_method = it->use_method;
    }
    tm__finding_write(finding, it->permits && it->objects == 1
                                   ? ": allow more at once, or use it for less time."
                                   : ": use it for less time.");
}

static void write_releaser(tm__finding *finding, const tm__findings *findings,
                           const tm__resource *it)
{
    tm__finding_write(finding, " ");
    tm__finding_write_thread(finding, findings->model, it->releaser);
    tm__finding_write(finding, " released them for %d %% of that time",
                      tm__percent(it->releaser_ns, it->wait_total_ns));
    if (finding->suspected)
        tm__finding_write(
            finding, "; CPU samples of it would show whether it is too slow, or has "
                     "nothing to give.");
    else
        tm__finding_write(finding,
                          ", and was busy itself: it is too slow for so many.");
}

static int report(tm__findings *findings, const tm__resource *it)
{
    const tm_model *model = findings->model;
    const char *class_name = tm__strings_get(&model->strings, it->class_name);
    const char *releasing = tm__strings_get(&model->strings, it->releasing);
    int has_uses = it->uses.count >= ENOUGH_USES;
    tm__finding *finding =
        tm__finding_new(findings, "resource_wait", "resources", it->wait_total_ns);

    if (!finding)
        return TM_ENOMEM;
    finding->class_name = it->class_name;
    finding->place = tm__caller_of(&findings->places, it->waiting_stack);
    finding->suspected = !has_uses && !is_seen_busy(model, it);
    tm__where_class(finding, model, it->class_name);
    tm__where_text(finding, "waiting_method",
                   tm__strings_get(&model->strings, it->waiting));
    tm__where_text(finding, "releasing_method", releasing);
    tm__finding_write(finding, "%s%u threads waited ",
                      finding->suspected ? "Suspected: " : "", it->threads);
    tm__finding_write_duration(finding, it->wait_total_ns);
    tm__finding_write(finding, " in ");
    tm__finding_write_caller(finding, findings, finding->place);
    tm__finding_write(finding, ", %u times, for ", it->waits);
    tm__finding_write(finding, "%.200s", class_name ? class_name : "an unknown class");
    if (has_uses && it->permits && it->objects == 1)
        tm__finding_write(finding, ", %u in use at once", it->permits);
    tm__finding_write(finding, ", until %.200s.", releasing);
    if (has_uses)
        write_uses(finding, findings, it);
    else
        write_releaser(finding, findings, it);
    return TM_OK;
}

int tm__find_resources(tm__findings *findings)
{
    const tm_model *model = findings->model;
    size_t bytes = ((size_t)model->stacks_count + 1) * sizeof(uint32_t);
    uint32_t *callers;
    tm__resources all;
    tm__top top = {.count = 0};
    int rc;

    if (tm__model_is_of_dumps(model))
        return TM_OK;
    callers = tm__stack_callers(model, &findings->memory, NULL);
    if (!callers)
        return TM_ENOMEM;
    rc = tm__resources_open(&all, model, &findings->whole, &findings->memory, callers);
    for (uint32_t i = 0; rc == TM_OK && i < all.items_count; i++)
        if (is_worth_reporting(findings, &all, &all.items[i]))
            tm__top_add(&top, all.items[i].wait_total_ns, i);
    for (uint32_t i = 0; rc == TM_OK && i < top.count; i++)
        rc = report(findings, &all.items[top.numbers[i]]);
    tm__resources_close(&all);
    tm__free(&findings->memory, callers, bytes);
    return rc;
}
