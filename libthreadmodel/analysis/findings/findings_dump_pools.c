/* SPDX-License-Identifier: Apache-2.0 */
/* Pools whose workers wait for one another, as dumps show them: by what the frames of
 * their stacks and the names of their threads state. */
#include "analysis/findings/findings_dump_pools.h"

#include <stdio.h>
#include <string.h>

#include "analysis/findings/finding.h"
#include "analysis/findings/finding_text.h"
#include "analysis/findings/findings_dump_last.h"
#include "analysis/findings/tally.h"
#include "analysis/findings/where.h"
#include "base/error.h"
#include "base/search.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

/* One carrier that is taken does not show anything. */
enum { LEAST_CARRIERS = 1 };

static int has_method(const tm_model *model, uint32_t stack, const char *name)
{
    const tm__stack *it = &model->entities.stacks[stack];

    for (uint32_t i = 0; i < it->frame_count; i++) {
        const char *method = tm__method_name(
            &model->entities, model->entities.frames[it->frame_first + i].method);

        if (method && strcmp(method, name) == 0)
            return 1;
    }
    return 0;
}

static int is_worker(const tm_model *model, const tm__interval *it)
{
    return it && it->stack != TM__NONE &&
           (has_method(model, it->stack,
                       "java.util.concurrent.ThreadPoolExecutor.runWorker") ||
            has_method(model, it->stack,
                       "java.util.concurrent.ForkJoinPool.runWorker"));
}

/* "pool-1-thread-" of pool-1-thread-3 */
static size_t pool_bytes(const char *name)
{
    size_t bytes = name ? strlen(name) : 0;

    while (bytes > 0 && name[bytes - 1] >= '0' && name[bytes - 1] <= '9')
        bytes--;
    return bytes;
}

/* The same without what only stands before the number: "pool-1" */
static int shown_bytes(const char *name)
{
    size_t bytes = pool_bytes(name);

    while (bytes > 1 && strchr("-_#. ", name[bytes - 1]))
        bytes--;
    if (bytes > 7 && strncmp(name + bytes - 7, "-thread", 7) == 0)
        bytes -= 7;
    return bytes < 60 ? (int)bytes : 60;
}

static int is_of_pool(const tm_model *model, uint32_t thread, const char *name)
{
    const char *other = tm__thread_name(&model->entities, thread);

    return other && pool_bytes(other) == pool_bytes(name) &&
           strncmp(other, name, pool_bytes(name)) == 0;
}

/* Whether the thread waits for the result of a task. */
static int awaits_task(const tm_model *model, const tm__interval *it)
{
    return it->state == TM_STATE_PARKED &&
           (has_method(model, it->stack, "java.util.concurrent.FutureTask.get") ||
            has_method(model, it->stack,
                       "java.util.concurrent.CompletableFuture.get") ||
            has_method(model, it->stack,
                       "java.util.concurrent.CompletableFuture.join"));
}

static int write_starved(tm__findings *f, uint32_t first, uint32_t count)
{
    const tm_model *model = f->model;
    const tm__interval *it = tm__dump_last(model, first);
    const char *name = tm__thread_name(&model->entities, first);
    tm__finding *finding = tm__finding_new(f, "pool_starved", "timeline", 0);
    tm__facts facts = TM__NO_FACTS;
    char pool[64];

    if (!finding)
        return tm__failure();
    finding->thread = first;
    finding->suspected = 1;
    finding->place = tm__caller_of(&f->places, it->stack);
    finding->class_name = tm__class_name_of_object(model, it->object);
    tm__where_caller(finding, f, "method", finding->place, 1);
    snprintf(pool, sizeof(pool), "%.*s", shown_bytes(name), name);
    facts.count = count;
    facts.threads = count - 1;
    facts.name = pool;
    facts.thread = first;
    facts.place = finding->place;
    tm__finding_add(finding, f, TM__TEXT_POOL_STARVED_TITLE, &facts);
    tm__finding_add(finding, f, TM__TEXT_POOL_STARVED_WAITS, &facts);
    tm__finding_add(finding, f, TM__TEXT_POOL_STARVED_ADVICE, &facts);
    tm__finding_add(finding, f, TM__TEXT_POOL_STARVED_CAVEAT, &facts);
    return TM_OK;
}

/* Whether the verdict tells already that threads cannot go on. */
static int is_at_standstill(const tm__findings *f)
{
    for (uint32_t i = 0; i < f->items_count; i++)
        if (strcmp(f->items[i].kind, "stuck") == 0 ||
            strcmp(f->items[i].kind, "partly_stuck") == 0 ||
            strcmp(f->items[i].kind, "starved") == 0)
            return 1;
    return 0;
}

int tm__find_dump_starved(tm__findings *f)
{
    const tm_model *model = f->model;
    uint32_t found = 0;

    if (is_at_standstill(f))
        return TM_OK;
    for (uint32_t t = 0;
         t < model->entities.threads_count && found < TM__FINDINGS_A_KIND; t++) {
        const char *name = tm__thread_name(&model->entities, t);
        uint32_t count = 0;
        int is_first = 1, all = 1;

        if (!is_worker(model, tm__dump_last(model, t)) || !pool_bytes(name) ||
            !awaits_task(model, tm__dump_last(model, t)))
            continue;
        for (uint32_t o = 0; o < model->entities.threads_count && is_first && all;
             o++) {
            const tm__interval *other = tm__dump_last(model, o);

            if (!is_of_pool(model, o, name) || !other)
                continue;
            is_first = o >= t || !is_worker(model, other);
            all = is_worker(model, other) && awaits_task(model, other);
            count++;
        }
        if (is_first && all && count > 1) {
            found++;
            if (write_starved(f, t, count) < 0)
                return tm__failure();
        }
    }
    return TM_OK;
}

/* A worker of the scheduler of virtual threads, and whether it carries one. */
static int is_carrier(const tm_model *model, uint32_t thread)
{
    static const char pool[] = "ForkJoinPool-1-worker-";
    const char *name = tm__thread_name(&model->entities, thread);

    return model->entities.threads[thread].flags & TM_THREAD_CARRIER ||
           (name && strncmp(name, pool, sizeof(pool) - 1) == 0);
}

int tm__find_dump_carriers(tm__findings *f)
{
    const tm_model *model = f->model;
    uint32_t carriers = 0, taken = 0, stopped = 0, first = TM__NONE;
    tm__facts facts = TM__NO_FACTS;
    tm__finding *finding;

    for (uint32_t t = 0; t < model->entities.threads_count; t++) {
        uint32_t carried = model->entities.threads[t].carrier;

        if (model->entities.threads[t].flags & TM_THREAD_VIRTUAL ||
            !tm__dump_last(model, t) || !is_carrier(model, t))
            continue;
        carriers++;
        taken += model->entities.threads[t].flags & TM_THREAD_CARRIER ? 1 : 0;
        if (carried != TM__NONE && tm__dump_last(model, carried) &&
            tm__is_stopped(tm__dump_last(model, carried)->state)) {
            stopped++;
            first = first == TM__NONE ? carried : first;
        }
    }
    if (taken <= LEAST_CARRIERS || taken < carriers)
        return TM_OK;
    finding = tm__finding_new(f, "carriers_taken", "timeline", 0);
    if (!finding)
        return tm__failure();
    finding->suspected = stopped < taken;
    finding->thread = first;
    facts.count = taken;
    facts.of = carriers;
    tm__finding_add(finding, f, TM__TEXT_CARRIERS_TITLE, &facts);
    tm__finding_add(finding, f, TM__TEXT_CARRIERS_WAITS, &facts);
    if (stopped) {
        facts.count = stopped;
        tm__finding_add(finding, f, TM__TEXT_CARRIERS_PINNED, &facts);
        tm__finding_add_doing(finding, f, first);
        tm__finding_add_plain(finding, f, TM__TEXT_STOP);
    }
    tm__finding_add(finding, f, TM__TEXT_CARRIERS_ADVICE, &facts);
    if (finding->suspected)
        tm__finding_add(finding, f, TM__TEXT_CARRIERS_CAVEAT, &facts);
    return TM_OK;
}
