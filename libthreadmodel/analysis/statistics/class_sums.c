/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums without a model: millions of blocking intervals of some hundred threads at some
 * thousand objects of a few classes. An event costs the look-ups of its thread and
 * object, and the end of a blocking interval one entry in a histogram.
 */
#include <threadmodel/class_sums.h>

#include <string.h>

#include <threadmodel/model.h>

#include "base/error.h"
#include "base/map.h"
#include "base/sink.h"
#include "base/sized.h"
#include "base/sort.h"
#include "base/strings.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "table/distribution.h"
#include "table/tables.h"

enum { STATES = TM_STATE_IO + 1 };

/** A thread, and the blocking interval that it is in. */
typedef struct blocked {
    int64_t since_ns;
    uint64_t object;
    int state; ///< enum tm_state; RUNNING: it is in none
} blocked;

/** A class, and its blocking intervals by state. */
typedef struct group {
    uint32_t name; ///< strings; TM__NONE: unknown
    tm__histogram *durations[STATES];
} group;

typedef struct object {
    uint64_t class_id;
    uint32_t group; ///< of its class; 0: looked for when it is needed
    uint16_t is_thread;
    uint16_t is_io;
} object;

struct tm_class_sums {
    tm__memory memory;
    tm_sink sink;
    tm__strings strings;
    tm__strings caveats; ///< each sentence once
    tm__map thread_map, object_map, class_map, name_map;
    blocked *threads;
    uint32_t thread_count, thread_capacity;
    object *objects;
    uint32_t object_count, object_capacity;
    group *groups; ///< the first one is of what has no class
    uint32_t group_count, group_capacity;
    uint64_t left_out[STATES]; ///< events about blocks that are in no sum
};

/* The group of a name, TM__NONE for none. */
static int find_group(tm_class_sums *self, uint32_t name, uint32_t *number)
{
    *number = tm__map_find(&self->name_map, name);
    if (*number != TM__NONE)
        return TM_OK;
    if (tm__reserve(&self->memory, &self->groups, &self->group_capacity,
                    (size_t)self->group_count + 1, sizeof(*self->groups)) < 0 ||
        tm__map_put(&self->name_map, name, self->group_count) < 0)
        return tm__failure();
    *number = self->group_count++;
    self->groups[*number] = (group){.name = name};
    return TM_OK;
}

static int find_thread(tm_class_sums *self, uint64_t id, uint32_t *number)
{
    *number = tm__map_find(&self->thread_map, id);
    if (*number != TM__NONE)
        return TM_OK;
    if (tm__reserve(&self->memory, &self->threads, &self->thread_capacity,
                    (size_t)self->thread_count + 1, sizeof(*self->threads)) < 0 ||
        tm__map_put(&self->thread_map, id, self->thread_count) < 0)
        return tm__failure();
    *number = self->thread_count++;
    self->threads[*number] = (blocked){.state = TM_STATE_RUNNING};
    return TM_OK;
}

static int add(tm_class_sums *self, uint32_t number, int state, int64_t length_ns)
{
    tm__histogram **at = &self->groups[number].durations[state];

    if (!*at)
        *at = tm__zalloc(&self->memory, sizeof(**at));
    return *at ? tm__histogram_add(*at, &self->memory, length_ns) : TM_ENOMEM;
}

/* The definition of the class may have come after that of the object. */
static uint32_t group_of(tm_class_sums *self, object *of)
{
    if (of->group == 0) {
        uint32_t number = tm__map_find(&self->class_map, of->class_id);

        of->group = number == TM__NONE ? 0 : number;
    }
    return of->group;
}

static int ingest_end(tm_class_sums *self, blocked *thread, const tm_event *event,
                      int state)
{
    uint32_t index = tm__map_find(&self->object_map, thread->object);
    object *of = index == TM__NONE ? NULL : &self->objects[index];
    int64_t length_ns;
    int was = thread->state;

    thread->state = TM_STATE_RUNNING;
    if (was != state) {
        self->left_out[was]++;
        /* A lock that nobody else wanted is acquired without a block. */
        self->left_out[state] += event->kind != TM_EVENT_ACQUIRED;
        return TM_OK;
    }
    if (__builtin_sub_overflow(event->time_ns, thread->since_ns, &length_ns))
        length_ns = INT64_MAX;
    /* Thread.join waits on the thread that is to end. */
    if (was == TM_STATE_WAITING && of && of->is_thread)
        was = TM_STATE_JOINING;
    if (was == TM_STATE_WAITING && of && of->is_io)
        was = TM_STATE_IO;
    return add(self, of ? group_of(self, of) : 0, was, length_ns);
}

static int ingest_event(tm_class_sums *self, const tm_event *event)
{
    static const uint8_t begins[TM_EVENT_KIND_END] = {
        [TM_EVENT_CONTENDED_ENTER] = TM_STATE_BLOCKED,
        [TM_EVENT_WAIT] = TM_STATE_WAITING,
        [TM_EVENT_SLEEP] = TM_STATE_SLEEPING,
        [TM_EVENT_JOIN] = TM_STATE_JOINING,
        [TM_EVENT_PARK] = TM_STATE_PARKED,
        [TM_EVENT_AWAIT] = TM_STATE_WAITING,
    };
    static const uint8_t ends[TM_EVENT_KIND_END] = {
        [TM_EVENT_CONTENDED_ENTERED] = TM_STATE_BLOCKED,
        [TM_EVENT_WAITED] = TM_STATE_WAITING,
        [TM_EVENT_SLEPT] = TM_STATE_SLEEPING,
        [TM_EVENT_JOINED] = TM_STATE_JOINING,
        [TM_EVENT_UNPARKED] = TM_STATE_PARKED,
        [TM_EVENT_ACQUIRED] = TM_STATE_BLOCKED,
        [TM_EVENT_AWAITED] = TM_STATE_WAITING,
    };
    uint32_t number;

    if (event->kind == TM_EVENT_LOST)
        for (int state = 0; state < STATES; state++)
            self->left_out[state]++;
    if (event->kind == TM_EVENT_SNAPSHOT && event->value >= 0 && event->value < STATES)
        self->left_out[event->value]++;
    if (event->kind >= TM_EVENT_KIND_END || !event->thread ||
        (!begins[event->kind] && !ends[event->kind] &&
         event->kind != TM_EVENT_RUNNABLE && event->kind != TM_EVENT_SNAPSHOT))
        return TM_OK;
    if (find_thread(self, event->thread, &number) < 0)
        return tm__failure();
    if (event->kind == TM_EVENT_RUNNABLE || event->kind == TM_EVENT_SNAPSHOT) {
        self->left_out[self->threads[number].state]++;
        return TM_OK;
    }
    if (ends[event->kind])
        return ingest_end(self, &self->threads[number], event, ends[event->kind]);
    self->left_out[self->threads[number].state]++;
    self->threads[number] = (blocked){.since_ns = event->time_ns,
                                      .object = event->object,
                                      .state = begins[event->kind]};
    return TM_OK;
}

static int ingest_events(void *payload, const tm_event *events, size_t count)
{
    int rc = TM_OK;

    for (size_t i = 0; i < count && rc == TM_OK; i++)
        rc = ingest_event(payload, &events[i]);
    return rc;
}

static int define_class(void *payload, const tm_class *given)
{
    tm_class_sums *self = payload;
    tm_class definition;
    uint32_t name, number;
    int rc = TM__READ(&definition, given, tm_class, id);

    if (rc < 0 || !definition.name ||
        tm__map_find(&self->class_map, definition.id) != TM__NONE)
        return rc;
    if (tm__strings_intern(&self->strings, &name, definition.name) < 0 ||
        find_group(self, name, &number) < 0)
        return tm__failure();
    return tm__map_put(&self->class_map, definition.id, number);
}

static int define_object(void *payload, const tm_object *given)
{
    tm_class_sums *self = payload;
    tm_object definition;
    uint32_t index;
    int rc = TM__READ(&definition, given, tm_object, id);

    if (rc < 0)
        return rc;
    index = tm__map_find(&self->object_map, definition.id);
    if (index == TM__NONE) {
        if (tm__reserve(&self->memory, &self->objects, &self->object_capacity,
                        (size_t)self->object_count + 1, sizeof(*self->objects)) < 0 ||
            tm__map_put(&self->object_map, definition.id, self->object_count) < 0)
            return tm__failure();
        index = self->object_count++;
        self->objects[index] = (object){0};
    }
    if (definition.class_id) {
        self->objects[index].class_id = definition.class_id;
        self->objects[index].group = 0;
    }
    if (definition.thread)
        self->objects[index].is_thread = 1;
    if (definition.kind < TM_OBJECT_KIND_END && tm__object_is_io((int)definition.kind))
        self->objects[index].is_io = 1;
    return TM_OK;
}

static int register_caveat(void *payload, const char *sentence)
{
    tm_class_sums *self = payload;
    uint32_t index;

    return tm__strings_intern(&self->caveats, &index, sentence);
}

int tm_class_sums_new(tm_class_sums **out, const tm_allocator *allocator)
{
    tm__memory memory;
    tm_class_sums *self;
    uint32_t unknown;

    TM__CHECK(out);
    *out = NULL;
    tm__memory_init(&memory, allocator);
    self = tm__zalloc(&memory, sizeof(*self));
    if (!self)
        return TM_ENOMEM;
    self->memory = memory;
    tm__strings_init(&self->strings, &self->memory);
    tm__strings_init(&self->caveats, &self->memory);
    tm__map_init(&self->thread_map, &self->memory);
    tm__map_init(&self->object_map, &self->memory);
    tm__map_init(&self->class_map, &self->memory);
    tm__map_init(&self->name_map, &self->memory);
    self->sink = (tm_sink){.payload = self,
                           .caveat = register_caveat,
                           .define_class = define_class,
                           .define_object = define_object,
                           .events = ingest_events};
    tm__sink_fill(&self->sink);
    if (find_group(self, TM__NONE, &unknown) < 0) {
        tm_class_sums_free(self);
        return TM_ENOMEM;
    }
    *out = self;
    return TM_OK;
}

const tm_sink *tm_class_sums_sink(tm_class_sums *summary)
{
    return &summary->sink;
}

/* Equal totals in the order of first sight. */
static int keep_order(const void *payload, uint32_t left, uint32_t right)
{
    return (void)payload, left < right ? -1 : left > right;
}

static void put_sums(tm__builder *builder, const tm_class_sums *summary,
                     const tm__sortable *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const group *it = &summary->groups[rows[i].number / STATES];
        int state = (int)(rows[i].number % STATES);
        tm__distribution durations = tm__distribution_of(it->durations[state]);

        tm__put_string(builder, tm__strings_get(&summary->strings, it->name));
        tm__put_string(builder, tm_state_name(state));
        tm__put_distribution(builder, &durations);
    }
}

int tm_class_sums_list(tm_table **out, const tm_class_sums *summary)
{
    tm__builder builder;
    tm__memory memory;
    tm__sortable *rows;
    size_t bytes, count = 0;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(summary);
    tm__memory_init(&memory, &summary->memory.hook);
    bytes = ((size_t)summary->group_count * STATES + 1) * 2 * sizeof(*rows);
    rows = tm__resize(&memory, NULL, 0, bytes);
    if (!rows)
        return TM_ENOMEM;
    for (uint32_t g = 0; g < summary->group_count; g++)
        for (uint32_t s = 0; s < STATES; s++)
            if (summary->groups[g].durations[s])
                rows[count++] = (tm__sortable){-summary->groups[g].durations[s]->total,
                                               g * STATES + s};
    tm__sort(rows, rows + count, count, keep_order, NULL);
    tm__builder_start(&builder, &tm__class_sums_table, 0, &summary->memory.hook);
    put_sums(&builder, summary, rows, count);
    for (uint32_t i = 0; i < summary->caveats.count; i++)
        tm__builder_caveat(&builder, tm__strings_get(&summary->caveats, i));
    tm__free(&memory, rows, bytes);
    return tm__builder_finish(&builder, out);
}

uint64_t tm_class_sums_left_out(const tm_class_sums *summary, int state)
{
    uint64_t count;

    if (state < 0 || state >= STATES)
        return 0;
    count = summary->left_out[state];
    for (uint32_t i = 0; i < summary->thread_count; i++)
        count += summary->threads[i].state == state;
    return count;
}

void tm_class_sums_free(tm_class_sums *summary)
{
    tm__memory memory;

    if (!summary)
        return;
    for (uint32_t g = 0; g < summary->group_count; g++)
        for (int s = 0; s < STATES; s++)
            if (summary->groups[g].durations[s]) {
                tm__histogram_free(summary->groups[g].durations[s], &summary->memory);
                tm__free(&summary->memory, summary->groups[g].durations[s],
                         sizeof(tm__histogram));
            }
    tm__free(&summary->memory, summary->groups,
             summary->group_capacity * sizeof(*summary->groups));
    tm__free(&summary->memory, summary->threads,
             summary->thread_capacity * sizeof(*summary->threads));
    tm__free(&summary->memory, summary->objects,
             summary->object_capacity * sizeof(*summary->objects));
    tm__map_clear(&summary->thread_map);
    tm__map_clear(&summary->object_map);
    tm__map_clear(&summary->class_map);
    tm__map_clear(&summary->name_map);
    tm__strings_clear(&summary->strings);
    tm__strings_clear(&summary->caveats);
    memory = summary->memory;
    tm__free(&memory, summary, sizeof(*summary));
}
