/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sink that writes down everything that it receives, a line for each callback or
 * event, so that two readings can be compared as text. And a stream of everything at
 * random.
 */
#ifndef TM_TESTS_RECORDER_H
#define TM_TESTS_RECORDER_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <threadmodel/error.h>
#include <threadmodel/sink.h>

typedef struct recorder {
    tm_sink sink;
    char *text;
    size_t length;
    size_t capacity;
    uint64_t events;
    uint64_t lost; ///< sum of Lost events' values
    uint64_t caveats;
    char last_caveat[500];
    int counts_only;
    uint64_t fail_after; ///< callbacks until all fail with TM_ESTOPPED; 0: none do
    uint64_t calls;
} recorder;

static inline int recorder_call(recorder *self)
{
    return self->fail_after && ++self->calls > self->fail_after ? TM_ESTOPPED : TM_OK;
}

__attribute__((format(printf, 2, 3))) static inline void recorder_put(
    recorder *self, const char *format, ...)
{
    va_list arguments;
    int length;

    if (self->counts_only)
        return;
    if (self->capacity - self->length < 4096) {
        self->capacity = self->capacity * 2 + 65536;
        self->text = realloc(self->text, self->capacity);
        if (!self->text)
            abort();
    }
    va_start(arguments, format);
    length = vsnprintf(self->text + self->length, 4096, format, arguments);
    va_end(arguments);
    self->length += (size_t)(length < 4096 ? length : 4095);
}

static inline const char *recorder_text(const char *text)
{
    return text ? text : "(null)";
}

static inline int recorder_run(void *payload, const tm_run *run)
{
    recorder *self = payload;

    recorder_put(self,
                 "run %s|%s|%s|%s|%s %" PRIu64 " %" PRId64 " %" PRId64 " %" PRId64
                 " %" PRId64 " %" PRIx64 " %d %d",
                 recorder_text(run->source), recorder_text(run->format),
                 recorder_text(run->producer), recorder_text(run->vm),
                 recorder_text(run->command), run->pid, run->start_wall_ns,
                 run->start_ns, run->end_ns, run->threshold_ns, run->kinds, run->policy,
                 run->identity);
    if (run->id)
        recorder_put(self, " %" PRIx64, run->id);
    if (run->cost_events)
        recorder_put(self,
                     " cost %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64
                     " %" PRId64,
                     run->cost_events, run->cost_dropped, run->cost_bytes,
                     run->cost_threads_ns, run->cost_stacks_ns, run->cost_recorder_ns);
    if (run->processors)
        recorder_put(self, " processors %" PRIu64, run->processors);
    recorder_put(self, "\n");
    return recorder_call(self);
}

static inline int recorder_caveat(void *payload, const char *sentence)
{
    recorder *self = payload;

    self->caveats++;
    snprintf(self->last_caveat, sizeof(self->last_caveat), "%s", sentence);
    recorder_put(self, "caveat %s\n", sentence);
    return recorder_call(self);
}

static inline int recorder_class(void *payload, const tm_class *given)
{
    recorder *self = payload;

    recorder_put(self, "class %" PRIu64 " %s|%s\n", given->id,
                 recorder_text(given->name), recorder_text(given->source));
    if (given->flags || given->build_id)
        recorder_put(self, "  flags %" PRIu64 " %s\n", given->flags,
                     recorder_text(given->build_id));
    return recorder_call(self);
}

static inline int recorder_method(void *payload, const tm_method *given)
{
    recorder *self = payload;

    recorder_put(self, "method %" PRIu64 " %" PRIu64 " %s|%s %zu\n", given->id,
                 given->class_id, recorder_text(given->name),
                 recorder_text(given->signature), given->line_count);
    for (size_t i = 0; i < given->line_count; i++)
        recorder_put(self, "  line %" PRId64 " %d\n", given->lines[i].location,
                     given->lines[i].line);
    if (given->flags)
        recorder_put(self, "  flags %" PRIu64 "\n", given->flags);
    if (given->monitors)
        recorder_put(self, "  monitors %zu\n", given->monitor_count);
    for (size_t i = 0; given->monitors && i < given->monitor_count; i++)
        recorder_put(self, "  monitor %" PRId64 " %" PRId64 "\n",
                     given->monitors[i].enter, given->monitors[i].end);
    return recorder_call(self);
}

static inline int recorder_stack(void *payload, const tm_stack *given)
{
    recorder *self = payload;

    recorder_put(self, "stack %u %u %zu\n", given->id, given->flags,
                 given->frame_count);
    for (size_t i = 0; i < given->frame_count; i++)
        recorder_put(self, "  frame %" PRIu64 " %" PRId64 " %d\n",
                     given->frames[i].method, given->frames[i].location,
                     given->frames[i].line);
    return recorder_call(self);
}

static inline int recorder_thread(void *payload, const tm_thread *given)
{
    recorder *self = payload;

    recorder_put(self, "thread %" PRIu64 " %" PRIu64 " %" PRIu64 " %s|%s %d %u\n",
                 given->id, given->object, given->os_id, recorder_text(given->name),
                 recorder_text(given->group), given->priority, given->flags);
    if (given->pid)
        recorder_put(self, "  pid %" PRIu64 "\n", given->pid);
    return recorder_call(self);
}

static inline int recorder_object(void *payload, const tm_object *given)
{
    recorder *self = payload;

    recorder_put(self, "object %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %u\n", given->id,
                 given->class_id, given->thread, given->hash, given->flags);
    if (given->name || given->kind)
        recorder_put(self, "  kind %" PRIu64 " %s\n", given->kind,
                     recorder_text(given->name));
    return recorder_call(self);
}

static inline int recorder_events(void *payload, const tm_event *events, size_t count)
{
    recorder *self = payload;

    self->events += count;
    for (size_t i = 0; i < count; i++) {
        const tm_event *event = &events[i];

        if (event->kind == TM_EVENT_LOST)
            self->lost += (uint64_t)event->value;
        recorder_put(self,
                     "event %" PRId64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRId64
                     " %u %u %u\n",
                     event->time_ns, event->thread, event->object, event->peer,
                     event->value, event->stack, event->kind, event->flags);
    }
    return recorder_call(self);
}

static inline void recorder_init(recorder *self)
{
    *self = (recorder){.sink = {sizeof(tm_sink), self, recorder_run, recorder_caveat,
                                recorder_class, recorder_method, recorder_stack,
                                recorder_thread, recorder_object, recorder_events}};
}

static inline void recorder_free(recorder *self)
{
    free(self->text);
}

/* xorshift64*: the same stream everywhere for a seed that is not 0. */
static inline uint64_t random_next(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * UINT64_C(0x2545f4914f6cdd1d);
}

/* Often a small number, often the edge of a coding or a type. */
static inline uint64_t random_number(uint64_t *seed)
{
    static const uint64_t edges[] = {0,
                                     1,
                                     63,
                                     64,
                                     127,
                                     128,
                                     16383,
                                     16384,
                                     INT32_MAX,
                                     UINT64_C(1) << 31,
                                     UINT32_MAX,
                                     UINT64_C(1) << 32,
                                     INT64_MAX,
                                     UINT64_C(1) << 63,
                                     (UINT64_C(1) << 63) + 1,
                                     UINT64_MAX - 1,
                                     UINT64_MAX};
    uint64_t number = random_next(seed);

    switch (random_next(seed) >> 61) {
    case 0: return number;
    case 1:
    case 2: return edges[number % (sizeof(edges) / sizeof(*edges))];
    case 3: return number >> 40;
    default: return number >> 58;
    }
}

static inline const char *random_text(uint64_t *seed, char buffer[64])
{
    static const char *const texts[] = {
        NULL,          "", "a", "java.util.HashMap", "main \xc3\xbc \xe2\x82\xac",
        "\xff\xfe bad"};
    uint64_t number = random_next(seed) >> 32;

    if (number % 8 < sizeof(texts) / sizeof(*texts))
        return texts[number % 8];
    snprintf(buffer, 64, "text-%" PRIx64, number);
    return buffer;
}

static inline int emit_random_definition(const tm_sink *sink, uint64_t *seed)
{
    char a[64], b[64], c[64], d[64], e[64];
    tm_line lines[40];
    tm_monitor_range monitors[4];
    tm_frame frames[40];

    switch (random_next(seed) >> 32 & 7) {
    case 0: {
        tm_class item = {sizeof(item),         random_number(seed),
                         random_text(seed, a), random_text(seed, b),
                         random_number(seed),  random_text(seed, c)};
        return sink->define_class(sink->payload, &item);
    }
    case 1: {
        tm_method item = {sizeof(item),
                          random_number(seed),
                          random_number(seed),
                          random_text(seed, a),
                          random_text(seed, b),
                          lines,
                          (uint32_t)(random_next(seed) % 40),
                          random_number(seed),
                          random_next(seed) % 2 ? monitors : NULL,
                          random_next(seed) % 4};
        for (size_t i = 0; i < item.monitor_count; i++)
            monitors[i] = (tm_monitor_range){(int64_t)random_number(seed),
                                             (int64_t)random_number(seed)};
        for (size_t i = 0; i < item.line_count; i++)
            lines[i] = (tm_line){(int64_t)random_number(seed),
                                 (int32_t)random_number(seed), 0};
        return sink->define_method(sink->payload, &item);
    }
    case 2:
    case 3: {
        tm_stack item = {sizeof(item), (uint32_t)random_number(seed),
                         (uint32_t)random_number(seed), frames,
                         (uint32_t)(random_next(seed) % 40)};
        for (size_t i = 0; i < item.frame_count; i++)
            frames[i] = (tm_frame){random_number(seed), (int64_t)random_number(seed),
                                   (int32_t)random_number(seed), 0};
        return sink->define_stack(sink->payload, &item);
    }
    case 4: {
        tm_thread item = {sizeof(item),
                          random_number(seed),
                          random_number(seed),
                          random_number(seed),
                          random_text(seed, a),
                          random_text(seed, b),
                          (int32_t)random_number(seed),
                          (uint32_t)random_number(seed),
                          random_number(seed)};
        return sink->define_thread(sink->payload, &item);
    }
    case 5: {
        tm_object item = {sizeof(item),
                          random_number(seed),
                          random_number(seed),
                          random_number(seed),
                          (uint32_t)random_number(seed),
                          (uint32_t)random_number(seed),
                          random_text(seed, a),
                          random_number(seed)};
        return sink->define_object(sink->payload, &item);
    }
    case 6: {
        const char *text = random_text(seed, a);
        return sink->caveat(sink->payload, text ? text : "no text");
    }
    default: {
        tm_run item = {.size = sizeof(item),
                       .source = random_text(seed, a),
                       .format = random_text(seed, b),
                       .producer = random_text(seed, c),
                       .vm = random_text(seed, d),
                       .command = random_text(seed, e),
                       .pid = random_number(seed),
                       .start_wall_ns = (int64_t)random_number(seed),
                       .start_ns = (int64_t)random_number(seed),
                       .end_ns = (int64_t)random_number(seed),
                       .threshold_ns = (int64_t)random_number(seed),
                       .kinds = random_number(seed),
                       .policy = (int32_t)random_number(seed),
                       .identity = (int32_t)random_number(seed),
                       .id = random_number(seed),
                       .cost_events = random_number(seed),
                       .cost_dropped = random_number(seed),
                       .cost_bytes = random_number(seed),
                       .cost_threads_ns = (int64_t)random_number(seed),
                       .cost_stacks_ns = (int64_t)random_number(seed),
                       .cost_recorder_ns = (int64_t)random_number(seed),
                       .processors = random_number(seed)};
        return sink->run(sink->payload, &item);
    }
    }
}

static inline tm_event random_event(uint64_t *seed, int64_t time_ns)
{
    return (tm_event){.time_ns = time_ns,
                      .thread = random_number(seed),
                      .object = random_number(seed),
                      .peer = random_number(seed),
                      .value = (int64_t)random_number(seed),
                      .stack = (uint32_t)random_number(seed),
                      .kind = (uint16_t)random_number(seed),
                      .flags = (uint16_t)random_number(seed)};
}

/* Definitions and events of every kind, by rising time. */
static inline int emit_random(const tm_sink *sink, uint64_t seed, size_t count)
{
    int64_t time_ns = INT64_MIN;
    int rc = TM_OK;

    for (size_t i = 0; rc >= 0 && i < count; i++)
        if (random_next(&seed) >> 62 == 0)
            rc = emit_random_definition(sink, &seed);
        else {
            tm_event event = random_event(&seed, time_ns);
            uint64_t step =
                i == count / 2 ? UINT64_C(1) << 63 : random_next(&seed) >> 36;

            if (step <= (uint64_t)INT64_MAX - (uint64_t)time_ns)
                time_ns = (int64_t)((uint64_t)time_ns + step);
            if (i % 5 == 0)
                event.kind = (uint16_t)(1 + i / 5 % (TM_EVENT_KIND_END - 1));
            rc = sink->events(sink->payload, &event, 1);
        }
    return rc;
}

#endif
