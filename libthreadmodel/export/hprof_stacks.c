/* SPDX-License-Identifier: Apache-2.0 */
#include "export/hprof_stacks.h"

#include <string.h>

#include "base/error.h"

void tm__hprof_stacks_init(tm__hprof_stacks *s, tm__hprof_output *records,
                           tm__memory *memory, int without_lines, int by_thread)
{
    *s = (tm__hprof_stacks){.records = records,
                            .memory = memory,
                            .without_lines = without_lines,
                            .by_thread = by_thread,
                            .last_serial = TM__HPROF_EMPTY_STACK};
    tm__map_init(&s->methods, memory);
    tm__map_init(&s->stacks, memory);
    tm__map_init(&s->frames, memory);
    tm__map_init(&s->sites, memory);
}

int tm__hprof_stacks_add_method(tm__hprof_stacks *s, const tm_method *definition,
                                const tm__hprof_method *names)
{
    size_t lines = definition->lines ? definition->line_count : 0;
    tm__hprof_method made = *names;
    int rc = tm__reserve(s->memory, &s->method_list, &s->method_capacity,
                         (size_t)s->method_count + 1, sizeof(*s->method_list));

    if (rc == TM_OK)
        rc = tm__reserve(s->memory, &s->line_list, &s->line_capacity,
                         s->line_count + lines, sizeof(*s->line_list));
    if (rc == TM_OK)
        rc = tm__map_put(&s->methods, definition->id, s->method_count);
    if (rc < 0)
        return rc;
    made.first_line = s->line_count;
    made.line_count = (uint32_t)lines;
    if (lines > 0)
        memcpy(s->line_list + s->line_count, definition->lines,
               lines * sizeof(*s->line_list));
    s->line_count += (uint32_t)lines;
    s->method_list[s->method_count++] = made;
    return TM_OK;
}

int tm__hprof_stacks_add(tm__hprof_stacks *s, const tm_stack *definition)
{
    size_t count = definition->frames ? definition->frame_count : 0;
    int rc;

    if (tm__map_find(&s->stacks, definition->id) != TM__NONE)
        return TM_OK;
    rc = tm__reserve(s->memory, &s->stack_list, &s->stack_capacity,
                     (size_t)s->stack_count + 1, sizeof(*s->stack_list));
    if (rc == TM_OK)
        rc = tm__reserve(s->memory, &s->frame_list, &s->frame_capacity,
                         s->frame_count + count, sizeof(*s->frame_list));
    if (rc == TM_OK)
        rc = tm__map_put(&s->stacks, definition->id, s->stack_count);
    if (rc < 0)
        return rc;
    if (count > 0)
        memcpy(s->frame_list + s->frame_count, definition->frames,
               count * sizeof(*s->frame_list));
    s->stack_list[s->stack_count++] =
        (tm__hprof_stack){s->frame_count, (uint32_t)count};
    s->frame_count += (uint32_t)count;
    return TM_OK;
}

/* The source line of a frame; 0 none, as the manual has it. */
static int32_t line_of(const tm__hprof_stacks *s, const tm__hprof_method *of,
                       const tm_frame *frame)
{
    int32_t line = frame->line;

    if (s->without_lines)
        return 0;
    for (uint32_t i = 0; !frame->line && frame->location >= 0 && i < of->line_count;
         i++)
        if (s->line_list[of->first_line + i].location <= frame->location)
            line = s->line_list[of->first_line + i].line;
    return line;
}

static int frame_id(tm__hprof_stacks *s, uint64_t *id, const tm_frame *frame)
{
    static const tm__hprof_method UNKNOWN = {0};
    uint32_t index = tm__map_find(&s->methods, frame->method);
    const tm__hprof_method *of = index != TM__NONE ? &s->method_list[index] : &UNKNOWN;
    int32_t line = line_of(s, of, frame);
    /* Exact: numbers of methods and lines have 32 bits each. */
    uint64_t key = (uint64_t)index << 32 | (uint32_t)line;
    uint32_t known = tm__map_find(&s->frames, key);
    int rc;

    if (known != TM__NONE) {
        *id = known;
        return TM_OK;
    }
    *id = ++s->records->last_id;
    rc = tm__hprof_record(s->records, TM__HPROF_FRAME, "888844",
                          (uint64_t[]){*id, of->name, of->signature, of->source,
                                       of->class_serial, (uint32_t)line});
    return rc < 0 ? rc : tm__map_put(&s->frames, key, (uint32_t)*id);
}

static int put_trace(tm__hprof_stacks *s, const tm__hprof_stack *of, uint32_t serial,
                     uint32_t thread)
{
    const tm_frame *frames = s->frame_list + of->first;
    uint64_t id;
    int rc = TM_OK;

    /* A record has no other within: all frames first, and then their ids. */
    for (uint32_t i = 0; i < of->count && rc == TM_OK; i++)
        rc = frame_id(s, &id, &frames[i]);
    if (rc == TM_OK)
        rc = tm__hprof_begin(s->records, TM__HPROF_TRACE);
    if (rc < 0)
        return rc;
    if (tm__hprof_put(s->records, serial, 4) < 0 ||
        tm__hprof_put(s->records, thread, 4) < 0 ||
        tm__hprof_put(s->records, of->count, 4) < 0)
        rc = tm__failure();
    for (uint32_t i = 0; i < of->count && rc == TM_OK; i++) {
        rc = frame_id(s, &id, &frames[i]);
        if (rc == TM_OK)
            rc = tm__hprof_put(s->records, id, TM__HPROF_ID_BYTES);
    }
    return tm__hprof_end(s->records, rc);
}

int tm__hprof_put_empty_stack(tm__hprof_stacks *s)
{
    static const tm__hprof_stack EMPTY = {0};

    return put_trace(s, &EMPTY, TM__HPROF_EMPTY_STACK, 0);
}

/* The place where a thread was, put out on first sight. @param[out] out  sites[] */
static int find_site(tm__hprof_stacks *s, uint32_t *out, uint32_t stack_id,
                     uint32_t thread)
{
    static const tm__hprof_stack EMPTY = {0};
    uint64_t key = (uint64_t)(s->by_thread ? thread : 0) << 32 | stack_id;
    uint32_t index = tm__map_find(&s->stacks, stack_id);
    int rc;

    *out = tm__map_find(&s->sites, key);
    if (*out != TM__NONE)
        return TM_OK;
    rc = tm__reserve(s->memory, &s->site_list, &s->site_capacity,
                     (size_t)s->site_count + 1, sizeof(*s->site_list));
    if (rc == TM_OK)
        rc = put_trace(s, index != TM__NONE ? &s->stack_list[index] : &EMPTY,
                       s->last_serial + 1, s->by_thread ? thread : 0);
    if (rc == TM_OK)
        rc = tm__map_put(&s->sites, key, s->site_count);
    if (rc < 0)
        return rc;
    *out = s->site_count;
    s->site_list[s->site_count++] = (tm__hprof_site){++s->last_serial, 0};
    return TM_OK;
}

int tm__hprof_stacks_see(tm__hprof_stacks *s, uint32_t stack, uint32_t thread,
                         int is_sample)
{
    uint32_t at;
    int rc = find_site(s, &at, stack, thread);

    if (rc == TM_OK && is_sample) {
        s->site_list[at].samples++;
        s->sample_total++;
    }
    return rc;
}

static int is_shown(const tm__hprof_stacks *s, const tm__hprof_site *of, double cutoff)
{
    return of->samples > 0 && (double)of->samples >= cutoff * (double)s->sample_total;
}

int tm__hprof_put_samples(tm__hprof_stacks *s, double cutoff)
{
    uint32_t shown = 0;
    int rc = tm__hprof_begin(s->records, TM__HPROF_CPU_SAMPLES);

    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < s->site_count; i++)
        shown += is_shown(s, &s->site_list[i], cutoff) != 0;
    if (tm__hprof_put(s->records, s->sample_total, 4) < 0 ||
        tm__hprof_put(s->records, shown, 4) < 0)
        rc = tm__failure();
    for (uint32_t i = 0; i < s->site_count && rc == TM_OK; i++)
        if (is_shown(s, &s->site_list[i], cutoff) &&
            (tm__hprof_put(s->records, s->site_list[i].samples, 4) < 0 ||
             tm__hprof_put(s->records, s->site_list[i].serial, 4) < 0))
            rc = tm__failure();
    return tm__hprof_end(s->records, rc);
}

void tm__hprof_stacks_free(tm__hprof_stacks *s)
{
    tm__map_clear(&s->methods);
    tm__map_clear(&s->stacks);
    tm__map_clear(&s->frames);
    tm__map_clear(&s->sites);
    tm__free(s->memory, s->method_list, s->method_capacity * sizeof(*s->method_list));
    tm__free(s->memory, s->line_list, s->line_capacity * sizeof(*s->line_list));
    tm__free(s->memory, s->stack_list, s->stack_capacity * sizeof(*s->stack_list));
    tm__free(s->memory, s->frame_list, s->frame_capacity * sizeof(*s->frame_list));
    tm__free(s->memory, s->site_list, s->site_capacity * sizeof(*s->site_list));
}
