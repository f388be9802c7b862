/* SPDX-License-Identifier: Apache-2.0 */
/* A model's life, its sink, and what it knows of the run as a whole. */
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "base/utf8.h"
#include "model/deadlocks/deadlock_search.h"
#include "model/entities/define_entities.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/context.h"
#include "model/intervals/cpu.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"
#include "model/intervals/lost_events.h"
#include "model/ownership/hold_sums.h"
#include "model/replay/aggregate.h"
#include "model/replay/ingest.h"
#include "model/replay/replay.h"
#include "model/replay/unit.h"
#include "model/state/model.h"
#include "model/wakeups/binding_doubt.h"
#include "model/wakeups/posts.h"
#include "table/builder.h"

static int intern_repaired(tm_model *model, uint32_t *index, const char *text,
                           size_t bytes)
{
    size_t repaired_bytes = tm__utf8_repair(NULL, text, bytes);
    char *repaired = tm__resize(&model->memory, NULL, 0, repaired_bytes);
    int rc;

    if (!repaired)
        return TM_ENOMEM;
    tm__utf8_repair(repaired, text, bytes);
    rc = tm__strings_intern_bytes(&model->entities.strings, index, repaired,
                                  repaired_bytes);
    tm__free(&model->memory, repaired, repaired_bytes);
    return rc;
}

/* UTF-8 from here on: tables repair names of their own, these go into files as they
 * are. */
static int set_text(tm_model *model, const char **field, const char *text)
{
    size_t bytes = text ? strlen(text) : 0;
    uint32_t index;
    int rc;

    if (!text)
        return TM_OK;
    rc = tm__utf8_valid_bytes(text, bytes) == bytes
             ? tm__strings_intern(&model->entities.strings, &index, text)
             : intern_repaired(model, &index, text, bytes);
    if (rc == TM_OK)
        *field = tm__strings_get(&model->entities.strings, index);
    return rc;
}

enum {
    MOST_CAVEATS = 1000,     ///< sentences; more are counted
    MOST_POLICY_CHANGES = 16 ///< each asks every object; producers state one policy
};

/* The cost of recording, reported from time to time: it only grows. */
static void read_cost(tm_run *known, const tm_run *run)
{
    known->cost_events = run->cost_events;
    known->cost_dropped = run->cost_dropped;
    known->cost_bytes = run->cost_bytes;
    known->cost_threads_ns = run->cost_threads_ns;
    known->cost_stacks_ns = run->cost_stacks_ns;
    known->cost_recorder_ns = run->cost_recorder_ns;
}

static int read_run(void *payload, const tm_run *given)
{
    tm_model *model = payload;
    tm_run *known = &model->run, read;
    const tm_run *run = &read;
    int old_policy = tm__policy(model);
    int rc = TM__READ(&read, given, tm_run, source);

    tm__kept_drop(model->kept);
    if (rc < 0)
        return rc;
    if (set_text(model, &known->source, run->source) < 0 ||
        set_text(model, &known->format, run->format) < 0 ||
        set_text(model, &known->producer, run->producer) < 0 ||
        set_text(model, &known->vm, run->vm) < 0 ||
        set_text(model, &known->command, run->command) < 0)
        return tm__failure();
    if (run->pid)
        known->pid = run->pid;
    if (run->start_wall_ns)
        known->start_wall_ns = run->start_wall_ns;
    if (run->start_ns)
        known->start_ns = tm__settle_time(model, run->start_ns);
    if (run->end_ns)
        known->end_ns = tm__settle_time(model, run->end_ns);
    if (run->threshold_ns)
        known->threshold_ns = run->threshold_ns;
    if (run->kinds)
        known->kinds = run->kinds;
    if (run->policy && run->policy != known->policy &&
        model->replay.policy_changes < MOST_POLICY_CHANGES) {
        known->policy = run->policy;
        model->replay.policy_changes++;
    }
    if (run->identity)
        known->identity = run->identity;
    if (run->id)
        known->id = run->id;
    if (run->cost_events)
        read_cost(known, run);
    if (run->processors)
        known->processors = run->processors;
    if (run->object_kinds)
        known->object_kinds = run->object_kinds;
    if (run->stopped_ns)
        known->stopped_ns = run->stopped_ns;
    if (run->ending) {
        known->ending = run->ending;
        known->ending_status = run->ending_status;
        /* The process went on, in whatever its threads did last, until it ended. */
        if (known->end_ns > model->last_ns)
            model->last_ns = known->end_ns;
    }
    if (tm__policy(model) != old_policy)
        for (uint32_t i = 0; i < model->entities.objects_count; i++)
            tm__bind_abandon(model, i);
    return TM_OK;
}

static int register_caveat(void *payload, const char *sentence)
{
    tm_model *model = payload;
    uint32_t index;

    if (model->replay.caveats_count == MOST_CAVEATS) {
        model->replay.caveats_left_out++;
        return TM_OK;
    }
    if (tm__strings_intern(&model->entities.strings, &index, sentence) < 0 ||
        tm__reserve(&model->memory, &model->replay.caveats,
                    &model->replay.caveats_capacity,
                    (size_t)model->replay.caveats_count + 1,
                    sizeof(*model->replay.caveats)) < 0)
        return tm__failure();
    for (uint32_t i = 0; i < model->replay.caveats_count; i++)
        if (model->replay.caveats[i] == index)
            return TM_OK;
    model->replay.caveats[model->replay.caveats_count++] = index;
    return TM_OK;
}

/* The number of nestings for which a memory limit leaves room. */
static uint32_t nestings_max(size_t limit_bytes)
{
    size_t fit = limit_bytes / 32 / sizeof(tm__nesting);

    return limit_bytes && fit < TM__NESTINGS_MAX ? (uint32_t)fit : TM__NESTINGS_MAX;
}

/** Caches of questions lie beside the model, which questions only read. */
typedef struct whole_model {
    tm_model model;
    tm__kept kept;
} whole_model;

int tm_model_new(tm_model **out, const tm_model_options *options)
{
    tm_model_options chosen;
    tm_executor executor;
    tm__memory memory;
    whole_model *whole;
    tm_model *model;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    rc = TM__READ(&chosen, options, tm_model_options, allocator);
    if (rc == TM_OK)
        rc = TM__READ(&executor, chosen.executor, tm_executor, parallel_for);
    if (rc < 0)
        return rc;
    if (chosen.policy < TM_POLICY_UNKNOWN || chosen.policy > TM_POLICY_REPORTED)
        return tm__fail(TM_EINVAL, "unknown policy %d", chosen.policy);
    tm__memory_init(&memory, chosen.allocator);
    whole = tm__zalloc(&memory, sizeof(*whole));
    if (!whole)
        return TM_ENOMEM;
    model = &whole->model;
    model->memory = memory;
    model->kept = &whole->kept;
    tm__memory_init(&model->kept->memory, chosen.allocator);
    model->executor = executor;
    tm__strings_init(&model->entities.strings, &model->memory);
    tm__map_init(&model->entities.thread_map, &model->memory);
    tm__map_init(&model->entities.object_map, &model->memory);
    tm__map_init(&model->entities.class_map, &model->memory);
    tm__map_init(&model->entities.method_map, &model->memory);
    tm__map_init(&model->entities.stack_map, &model->memory);
    tm__map_init(&model->replay.unit_map, &model->memory);
    model->intervals.first_intervals.block_bytes =
        TM__FIRST_INTERVALS * sizeof(tm__interval);
    model->wakeups.free_binding = TM__NONE;
    model->ownership.owner_changed = tm__deadlock_review;
    model->ownership.edges_gone = 1;
    model->wakeups.free_post = TM__NONE;
    model->forced_policy = chosen.policy;
    model->memory_limit_bytes = chosen.memory_limit_bytes;
    model->replay.evict_at_bytes = chosen.memory_limit_bytes;
    model->ownership.nestings_max = nestings_max(chosen.memory_limit_bytes);
    model->replay.evicted_ns = INT64_MIN;
    model->intervals.loss_ns = INT64_MIN;
    model->wakeups.nameless_end_ns = INT64_MIN;
    model->replay.shutdown_ns = INT64_MIN;
    model->replay.shutdown_by = TM__NONE;
    model->replay.others = TM__NONE;
    model->first_ns = INT64_MIN;
    model->last_ns = INT64_MIN;
    model->run.size = sizeof(model->run);
    model->sink = (tm_sink){.size = sizeof(model->sink),
                            .payload = model,
                            .run = read_run,
                            .caveat = register_caveat,
                            .define_class = tm__define_class,
                            .define_method = tm__define_method,
                            .define_stack = tm__define_stack,
                            .define_thread = tm__define_thread,
                            .define_object = tm__define_object,
                            .events = tm__ingest};
    *out = model;
    return TM_OK;
}

const tm_sink *tm_model_sink(tm_model *model)
{
    return &model->sink;
}

uint64_t tm_model_event_count(const tm_model *model)
{
    return model->event_count;
}

size_t tm_model_memory_bytes(const tm_model *model)
{
    return model->memory.used_bytes + model->kept->memory.used_bytes;
}

const tm_run *tm_model_run(const tm_model *model)
{
    return &model->run;
}

#define FREE_ARRAY(model, array)                                                       \
    tm__free(&(model)->memory, (model)->array,                                         \
             (model)->array##_capacity * sizeof(*(model)->array))

void tm_model_free(tm_model *model)
{
    tm__memory memory;

    if (!model)
        return;
    tm__kept_drop(model->kept);
    for (uint32_t i = 0; i < model->entities.threads_count; i++)
        if (model->entities.threads[i].interval_capacity > TM__FIRST_INTERVALS)
            tm__free(&model->memory, model->entities.threads[i].intervals,
                     model->entities.threads[i].interval_capacity *
                         sizeof(tm__interval));
    tm__pool_free(&model->intervals.first_intervals, &model->memory);
    for (uint32_t i = 0; i < model->replay.aggregates_count; i++)
        tm__histogram_free(&model->replay.aggregates[i].durations, &model->memory);
    tm__triple_map_free(&model->replay.aggregate_map, &model->memory);
    tm__hold_sums_free(model);
    FREE_ARRAY(model, replay.aggregates);
    tm__free_lines(&model->memory, model->entities.threads,
                   model->entities.threads_capacity * sizeof(*model->entities.threads));
    tm__free_lines(&model->memory, model->entities.objects,
                   model->entities.objects_capacity * sizeof(*model->entities.objects));
    FREE_ARRAY(model, entities.links);
    FREE_ARRAY(model, entities.details);
    FREE_ARRAY(model, entities.classes);
    FREE_ARRAY(model, entities.methods);
    FREE_ARRAY(model, entities.lines);
    FREE_ARRAY(model, entities.monitors);
    FREE_ARRAY(model, entities.stacks);
    FREE_ARRAY(model, entities.frames);
    FREE_ARRAY(model, intervals.interactions);
    tm__triple_map_free(&model->ownership.nesting_map, &model->memory);
    FREE_ARRAY(model, ownership.nestings);
    FREE_ARRAY(model, ownership.helds);
    FREE_ARRAY(model, deadlocks.leads);
    FREE_ARRAY(model, deadlocks.cycles);
    FREE_ARRAY(model, replay.dumps);
    FREE_ARRAY(model, intervals.gaps);
    FREE_ARRAY(model, deadlocks.members);
    FREE_ARRAY(model, wakeups.bindings);
    FREE_ARRAY(model, replay.caveats);
    FREE_ARRAY(model, intervals.contexts);
    FREE_ARRAY(model, ownership.tenures);
    FREE_ARRAY(model, wakeups.posts);
    FREE_ARRAY(model, intervals.wakes);
    FREE_ARRAY(model, intervals.cpu_uses);
    FREE_ARRAY(model, replay.units);
    FREE_ARRAY(model, replay.unit_moves);
    FREE_ARRAY(model, replay.unit_tops);
    tm__map_clear(&model->entities.thread_map);
    tm__map_clear(&model->entities.object_map);
    tm__map_clear(&model->entities.class_map);
    tm__map_clear(&model->entities.method_map);
    tm__map_clear(&model->entities.stack_map);
    tm__map_clear(&model->replay.unit_map);
    tm__strings_clear(&model->entities.strings);
    memory = model->memory;
    tm__free(&memory, model, sizeof(whole_model));
}
