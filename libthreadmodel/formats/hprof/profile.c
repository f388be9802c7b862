/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HPROF writes no time to any line but the durations of waits. So the clock here is the
 * least that is in order and leaves each wait its duration: nothing takes longer than
 * it must have.
 */
#include "formats/dump/dump.h"
#include "formats/hprof/profile.h"

#include <string.h>

#include "base/error.h"
#include "base/saturate.h"
#include "formats/dump/dump_emit.h"
#include "formats/dump/dump_names.h"

enum { MS = 1000000, CLASS_BYTES = 4096, SAMPLES = 1 << 20 };

void tm__profile_init(tm__profile *profile, tm__memory *memory, tm__dump *dump)
{
    *profile = (tm__profile){.memory = memory, .dump = dump};
    tm__map_init(&profile->trace_map, memory);
    tm__map_init(&profile->thread_map, memory);
    tm__map_init(&profile->seen_map, memory);
}

int tm__profile_number(tm__slice text, const char *key, unsigned base, uint64_t *number)
{
    size_t at = tm__slice_find(text, key);

    if (at == text.length)
        return 0;
    text = tm__slice_from(text, at + strlen(key));
    return tm__slice_number(&text, base, number);
}

int tm__profile_class(tm__profile *profile, tm__slice name, uint32_t *id)
{
    char text[CLASS_BYTES];

    /* As the VM writes it, "Ljava/lang/Object;". */
    if (name.length > 2 && name.bytes[0] == 'L' && name.bytes[name.length - 1] == ';') {
        name = tm__slice_from(name, 1);
        name.length--;
    }
    if (name.length > sizeof(text))
        name.length = sizeof(text);
    for (size_t i = 0; i < name.length; i++)
        text[i] = name.bytes[i] == '/' ? '.' : name.bytes[i];
    return tm__dump_class(profile->dump, (tm__slice){text, name.length}, id);
}

const tm__profile_trace *tm__profile_find_trace(const tm__profile *profile,
                                                uint64_t serial)
{
    uint32_t index = tm__map_find(&profile->trace_map, serial);

    return index == TM__NONE ? NULL : &profile->traces[index];
}

static int thread_at(tm__profile *profile, uint64_t id, tm__profile_thread **found)
{
    uint32_t index = tm__map_find(&profile->thread_map, id);

    if (index == TM__NONE) {
        index = profile->thread_count;
        if (tm__reserve(profile->memory, &profile->threads, &profile->thread_capacity,
                        (size_t)index + 1, sizeof(*profile->threads)) < 0 ||
            tm__map_put(&profile->thread_map, id, index) < 0)
            return tm__failure();
        profile->threads[index] = (tm__profile_thread){.since_ns = INT64_MIN};
        profile->thread_count++;
    }
    *found = &profile->threads[index];
    return TM_OK;
}

/* Take the text up to the last `behind` of the line, which a name may hold too. @return
 * 1, and what follows in `text` */
static int read_up_to(tm__slice *text, const char *behind, char *to, size_t room)
{
    size_t length = strlen(behind), end;

    if (text->length < length)
        return 0;
    end = text->length - length;
    while (end > 0 && memcmp(text->bytes + end, behind, length) != 0)
        end--;
    if (memcmp(text->bytes + end, behind, length) != 0)
        return 0;
    memcpy(to, text->bytes, end < room ? end : room - 1);
    to[end < room ? end : room - 1] = '\0';
    *text = tm__slice_from(*text, end + length);
    return 1;
}

int tm__profile_thread_start(tm__profile *profile, tm__slice rest)
{
    static const char name_key[] = "name=\"";
    char name[CLASS_BYTES], group[CLASS_BYTES];
    tm_thread thread = {.size = sizeof(thread), .name = name, .group = group};
    tm_event event = {.time_ns = profile->now_ns, .kind = TM_EVENT_THREAD_START};
    tm__slice names =
        tm__slice_from(rest, tm__slice_find(rest, name_key) + sizeof(name_key) - 1);

    if (!tm__profile_number(rest, "id = ", 10, &thread.id) || thread.id == 0 ||
        !read_up_to(&names, "\", group=\"", name, sizeof(name)) ||
        !read_up_to(&names, "\")", group, sizeof(group)))
        return TM_EDAMAGED;
    event.thread = thread.id;
    if (tm__dump_reserve(profile->dump, 1) < 0 ||
        tm__dump_define(profile->dump, &thread) < 0)
        return tm__failure();
    return tm__dump_note(profile->dump, &event);
}

int tm__profile_thread_end(tm__profile *profile, tm__slice rest)
{
    tm_event event = {.time_ns = profile->now_ns, .kind = TM_EVENT_THREAD_END};

    if (!tm__profile_number(rest, "id = ", 10, &event.thread) || event.thread == 0)
        return TM_EDAMAGED;
    return tm__dump_note(profile->dump, &event);
}

int tm__profile_trace_start(tm__profile *profile, tm__slice rest)
{
    tm__profile_trace trace = {.first = profile->frame_count};
    uint64_t serial;

    if (!tm__slice_number(&rest, 10, &serial))
        return TM_EDAMAGED;
    tm__profile_number(rest, "(thread=", 10, &trace.thread);
    profile->trace = tm__map_find(&profile->trace_map, serial);
    if (profile->trace != TM__NONE) {
        profile->traces[profile->trace] = trace;
        return TM_OK;
    }
    if (tm__reserve(profile->memory, &profile->traces, &profile->trace_capacity,
                    (size_t)profile->trace_count + 1, sizeof(*profile->traces)) < 0 ||
        tm__map_put(&profile->trace_map, serial, profile->trace_count) < 0)
        return tm__failure();
    profile->trace = profile->trace_count;
    profile->traces[profile->trace_count++] = trace;
    return TM_OK;
}

/* "java.lang.Object.wait(Object.java:Native method)": as elsewhere, but for words in
 * the place of the line. */
int tm__profile_trace_frame(tm__profile *profile, tm__slice text)
{
    static const char *const places[] = {":Native method)", ":Compiled method)",
                                         ":Unknown line)"};
    char line[CLASS_BYTES];
    uint32_t number;

    if (profile->trace_count == 0 || tm__slice_is(text, "<empty>"))
        return TM_OK;
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
        size_t at = tm__slice_find(text, places[i]);

        if (at == text.length || at + 1 >= sizeof(line))
            continue;
        memcpy(line, text.bytes, at);
        line[at] = ')';
        text = (tm__slice){line, at + 1};
    }
    if (tm__reserve(profile->memory, &profile->frames, &profile->frame_capacity,
                    (size_t)profile->frame_count + 1, sizeof(*profile->frames)) < 0 ||
        tm__dump_frame(profile->dump, text, &number) < 0)
        return tm__failure();
    profile->frames[profile->frame_count++] = number;
    profile->traces[profile->trace].count++;
    return TM_OK;
}

/* The object that stands for all of a class: HPROF names no other. */
static int object_of(tm__profile *profile, tm__slice rest, uint64_t *id)
{
    size_t at = tm__slice_find(rest, "MONITOR ");
    tm_object object = {.size = sizeof(object), .flags = TM_OBJECT_MAYBE_MANY};
    uint32_t class_id;
    tm__slice name;

    *id = 0;
    if (at == rest.length)
        return TM_OK;
    name = tm__slice_from(rest, at + strlen("MONITOR "));
    name.length = tm__slice_find(name, ",");
    if (name.length == 0)
        return TM_OK;
    if (tm__profile_class(profile, name, &class_id) < 0)
        return tm__failure();
    object.id = object.class_id = class_id;
    *id = object.id;
    return tm__dump_object(profile->dump, &object);
}

int tm__profile_wait(tm__profile *profile, tm__slice rest, int is_over)
{
    tm_event event = {.kind = is_over ? TM_EVENT_WAITED : TM_EVENT_WAIT};
    uint64_t time_ms = 0;
    tm__profile_thread *thread;

    if (!tm__profile_number(rest, is_over ? "time_waited=" : "timeout=", 10, &time_ms))
        return TM_EDAMAGED;
    if (!tm__profile_number(rest, "thread ", 10, &event.thread) || !event.thread) {
        profile->strangers++;
        return TM_OK;
    }
    time_ms = time_ms < INT64_MAX / MS ? time_ms : INT64_MAX / MS;
    if (object_of(profile, rest, &event.object) < 0 ||
        thread_at(profile, event.thread, &thread) < 0 ||
        tm__dump_reserve(profile->dump, 1) < 0)
        return tm__failure();
    if (is_over && thread->since_ns != INT64_MIN) {
        int64_t end_ns = tm__sum(thread->since_ns, (int64_t)time_ms * MS);

        profile->now_ns = end_ns > profile->now_ns ? end_ns : profile->now_ns;
        if (thread->is_asleep)
            event.kind = TM_EVENT_SLEPT;
    }
    if (!is_over)
        event.value = (int64_t)time_ms * MS;
    thread->since_ns = is_over ? INT64_MIN : profile->now_ns;
    thread->is_asleep = 0;
    event.time_ns = profile->now_ns;
    return tm__dump_note(profile->dump, &event);
}

int tm__profile_sleep(tm__profile *profile, tm__slice rest)
{
    tm_event event = {.time_ns = profile->now_ns, .kind = TM_EVENT_SLEEP};
    uint64_t time_ms = 0;
    tm__profile_thread *thread;

    if (!tm__profile_number(rest, "timeout=", 10, &time_ms))
        return TM_EDAMAGED;
    if (!tm__profile_number(rest, "thread ", 10, &event.thread) || !event.thread) {
        profile->strangers++;
        return TM_OK;
    }
    event.value = time_ms < INT64_MAX / MS ? (int64_t)time_ms * MS : INT64_MAX;
    if (thread_at(profile, event.thread, &thread) < 0 ||
        tm__dump_reserve(profile->dump, 1) < 0)
        return tm__failure();
    thread->since_ns = profile->now_ns;
    thread->is_asleep = 1;
    return tm__dump_note(profile->dump, &event);
}

/* Skip the first columns of a row. */
static tm__slice column(tm__slice row, int number)
{
    for (;; number--) {
        while (row.length > 0 && row.bytes[0] == ' ')
            row = tm__slice_from(row, 1);
        if (number == 0 || row.length == 0)
            return row;
        row = tm__slice_from(row, tm__slice_find(row, " "));
    }
}

/* "   1 49.57% 49.57%     229 300187 java.util.zip.ZipFile.getNextEntry" */
int tm__profile_sample(tm__profile *profile, tm__slice row)
{
    tm__slice at = column(row, 3);
    tm_event event = {.time_ns = profile->now_ns, .kind = TM_EVENT_CPU_SAMPLE};
    const tm__profile_trace *trace;
    uint64_t count, serial;

    if (!tm__slice_number(&at, 10, &count))
        return TM_OK; /* the heads of the columns */
    at = column(at, 0);
    if (!tm__slice_number(&at, 10, &serial))
        return TM_EDAMAGED;
    trace = tm__profile_find_trace(profile, serial);
    if (!trace || !trace->thread || count > SAMPLES ||
        profile->samples + count > SAMPLES) {
        profile->left_out += count;
        return TM_OK;
    }
    event.thread = trace->thread;
    if (tm__dump_stack(profile->dump, profile->frames + trace->first, trace->count, 0,
                       &event.stack) < 0)
        return tm__failure();
    for (; profile->within < count; profile->within++) {
        if (tm__dump_is_full(profile->dump))
            return TM_MORE;
        if (tm__dump_note(profile->dump, &event) < 0)
            return tm__failure();
    }
    profile->within = 0;
    profile->samples += count;
    return TM_OK;
}

void tm__profile_free(tm__profile *profile)
{
    tm__memory *memory = profile->memory;

    tm__map_clear(&profile->trace_map);
    tm__map_clear(&profile->thread_map);
    tm__map_clear(&profile->seen_map);
    tm__free(memory, profile->traces,
             profile->trace_capacity * sizeof(*profile->traces));
    tm__free(memory, profile->frames,
             profile->frame_capacity * sizeof(*profile->frames));
    tm__free(memory, profile->threads,
             profile->thread_capacity * sizeof(*profile->threads));
    tm__free(memory, profile->seen, profile->seen_capacity * sizeof(*profile->seen));
    tm__free(memory, profile->holds, profile->hold_capacity * sizeof(*profile->holds));
    tm__free(memory, profile->held, profile->held_capacity * sizeof(*profile->held));
}
