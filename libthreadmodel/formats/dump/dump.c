/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads of a dump in, definitions and events out: each thread is a Snapshot and what
 * it holds. Data that were taken wait here until the reader has the sink at hand, so
 * that a sink that fails costs nothing that was read.
 */
#include "formats/dump/dump.h"
#include "formats/dump/native_calls.h"

#include <string.h>

#include "base/error.h"
#include "formats/dump/dump_names.h"

enum { RECENT_OBJECTS = 1024, MS = 1000000 };
enum { CLOCK_SLACK_NS = 1500 * MS };

int tm__dump_init(tm__dump *dump, tm__memory *memory, tm__notes *notes,
                  tm__dump_nature nature)
{
    *dump = (tm__dump){.memory = memory, .notes = notes, .nature = nature};
    tm__strings_init(&dump->texts, memory);
    tm__strings_init(&dump->frame_texts, memory);
    tm__strings_init(&dump->stacks, memory);
    tm__map_init(&dump->class_map, memory);
    tm__map_init(&dump->cpu_map, memory);
    dump->recent = tm__zalloc(memory, RECENT_OBJECTS * sizeof(*dump->recent));
    return dump->recent ? TM_OK : TM_ENOMEM;
}

void tm__dump_begin(tm__dump *dump, int64_t time_ns)
{
    int64_t grown_ns = dump->grown_ns, stated_ns;

    dump->grown_ns = 0;
    if (dump->dump_count == 0) {
        dump->time_ns = dump->first_ns = time_ns == INT64_MIN ? 0 : time_ns;
    } else if (grown_ns > 0 && dump->time_ns < INT64_MAX - grown_ns) {
        /* Headers are exact to a second, and a clock may be set. */
        stated_ns = time_ns == INT64_MIN ? 0 : time_ns - dump->time_ns;
        if (stated_ns <= 0 || stated_ns - grown_ns > CLOCK_SLACK_NS ||
            grown_ns - stated_ns > CLOCK_SLACK_NS)
            dump->by_growth++;
        dump->time_ns += grown_ns;
    } else if (time_ns > dump->time_ns) {
        dump->time_ns = time_ns;
    } else {
        dump->time_ns += dump->time_ns < INT64_MAX - MS ? MS : 0;
        dump->moved++;
    }
    dump->dump_count++;
    dump->seen_count = dump->late_count = 0;
}

/* Threads of another are others: none of those before has ended. */
void tm__dump_process(tm__dump *dump, uint64_t id)
{
    if (dump->process && id && dump->process != id) {
        dump->has_several = 1;
        dump->before_count = 0;
    }
    dump->process = id ? id : dump->process;
}

/* Copy a text behind the letters, with its zero byte. */
static int add_letters(tm__dump *dump, const char *text, uint32_t *offset)
{
    size_t length;

    *offset = TM__NONE;
    if (!text)
        return TM_OK;
    length = strlen(text) + 1;
    if (tm__reserve(dump->memory, &dump->letters, &dump->letter_capacity,
                    dump->letter_count + length, 1) < 0)
        return tm__failure();
    memcpy(dump->letters + dump->letter_count, text, length);
    *offset = dump->letter_count;
    dump->letter_count += (uint32_t)length;
    return TM_OK;
}

static void add_event(tm__dump *dump, tm_event event)
{
    event.time_ns = dump->time_ns;
    dump->events[dump->event_count++] = event;
}

static int reserve(tm__dump *dump, uint32_t events)
{
    if (tm__reserve(dump->memory, &dump->events, &dump->event_capacity,
                    (size_t)dump->event_count + events, sizeof(*dump->events)) < 0 ||
        tm__reserve(dump->memory, &dump->names, &dump->name_capacity,
                    (size_t)dump->name_count + 1, sizeof(*dump->names)) < 0 ||
        tm__reserve(dump->memory, &dump->late, &dump->late_capacity,
                    (size_t)dump->late_count + 1, sizeof(*dump->late)) < 0)
        return tm__failure();
    /* Half of it is room to sort the other half. */
    return tm__reserve(dump->memory, &dump->seen, &dump->seen_capacity,
                       2 * ((size_t)dump->seen_count + 1), sizeof(*dump->seen));
}

static int add_name(tm__dump *dump, const tm_thread *thread)
{
    struct tm__dump_name *name = &dump->names[dump->name_count];
    uint32_t letters = dump->letter_count;

    name->thread = *thread;
    if (add_letters(dump, thread->name, &name->name) < 0 ||
        add_letters(dump, thread->group, &name->group) < 0) {
        dump->letter_count = letters;
        return TM_ENOMEM;
    }
    dump->name_count++;
    return TM_OK;
}

/* Where a lock was taken: the stack from that frame on. */
static int hold_stack(tm__dump *dump, const tm__dump_thread *it,
                      const tm__dump_hold *hold, uint32_t *stack)
{
    *stack = 0;
    return hold->depth < it->frame_count
               ? tm__dump_stack(dump, it->frames + hold->depth,
                                it->frame_count - hold->depth,
                                it->is_truncated ? TM_STACK_TRUNCATED : 0, stack)
               : TM_OK;
}

/* The locks that it holds, then the end of that list. The stacks were made before. */
static void add_holds(tm__dump *dump, const tm__dump_thread *it)
{
    uint16_t sure = dump->nature.is_one_instant ? 0 : TM_EVENT_PEER_INFERRED;

    for (uint32_t i = 0; i < it->hold_count; i++) {
        uint32_t stack;

        hold_stack(dump, it, &it->holds[i], &stack);
        add_event(dump, (tm_event){.thread = it->thread.id,
                                   .object = it->holds[i].object,
                                   .stack = stack,
                                   .kind = TM_EVENT_HELD,
                                   .flags = sure});
    }
    if (dump->nature.reports_monitors)
        add_event(dump, (tm_event){.thread = it->thread.id,
                                   .kind = TM_EVENT_HELD,
                                   .flags = dump->nature.reports_synchronizers
                                                ? TM_EVENT_CONFIRMED
                                                : 0});
}

/* Whether it waits for what somebody else may prove to hold further down. */
static int is_late(const tm__dump *dump, const tm__dump_thread *it)
{
    return it->wanted && !it->owner &&
           (it->state == TM_STATE_BLOCKED || it->state == TM_STATE_REENTERING ||
            (it->state == TM_STATE_PARKED && dump->nature.reports_synchronizers));
}

/* Room for what a thread of the first dump had run by then. */
static int note_cpu(tm__dump *dump, const tm__dump_thread *it)
{
    if (!it->has_cpu || dump->dump_count > 1 ||
        tm__map_find(&dump->cpu_map, it->thread.id) != TM__NONE)
        return TM_OK;
    if (tm__reserve(dump->memory, &dump->cpu_first_ns, &dump->cpu_capacity,
                    (size_t)dump->cpu_count + 1, sizeof(*dump->cpu_first_ns)) < 0 ||
        tm__map_put(&dump->cpu_map, it->thread.id, dump->cpu_count) < 0)
        return tm__failure();
    dump->cpu_first_ns[dump->cpu_count++] = it->cpu_ns;
    return TM_OK;
}

/* A thread that the first dump does not have was started later. */
static int64_t cpu_before_ns(const tm__dump *dump, const tm__dump_thread *it)
{
    uint32_t index = tm__map_find(&dump->cpu_map, it->thread.id);

    return index == TM__NONE ? 0 : dump->cpu_first_ns[index];
}

static void add_state(tm__dump *dump, const tm__dump_thread *it, uint32_t stack)
{
    tm_event event = {.thread = it->thread.id,
                      .object = it->wanted,
                      .peer = it->owner,
                      .value = it->state,
                      .stack = stack,
                      .kind = TM_EVENT_SNAPSHOT};

    if (it->owner)
        event.flags = dump->nature.is_one_instant ? TM_EVENT_PEER_REPORTED
                                                  : TM_EVENT_PEER_INFERRED;
    if (it->is_timed && it->state != TM_STATE_SLEEPING)
        event.flags |= TM_EVENT_TIMED;
    if (it->state == TM_STATE_DEAD)
        event = (tm_event){.thread = it->thread.id, .kind = TM_EVENT_THREAD_END};
    if (it->carrier)
        add_event(dump, (tm_event){.thread = it->thread.id,
                                   .peer = it->carrier,
                                   .kind = TM_EVENT_VIRTUAL_MOUNT});
    else if (it->thread.flags & TM_THREAD_VIRTUAL && dump->dump_count > 1)
        add_event(dump, (tm_event){.thread = it->thread.id,
                                   .kind = TM_EVENT_VIRTUAL_UNMOUNT});
    add_event(dump, event);
    if (it->has_cpu && it->state != TM_STATE_DEAD)
        add_event(dump, (tm_event){.thread = it->thread.id,
                                   .value = it->cpu_ns - cpu_before_ns(dump, it),
                                   .kind = TM_EVENT_CPU_TIME});
    if (is_late(dump, it))
        dump->late[dump->late_count++] = event;
}

int tm__dump_read(tm__dump *dump, const tm__dump_thread *given)
{
    tm__dump_thread copy = *given, *thread = &copy;
    uint32_t stack;

    if (tm__dump_native_wait(dump, thread) < 0)
        return tm__failure();
    for (uint32_t i = 0; i < thread->hold_count; i++)
        if (hold_stack(dump, thread, &thread->holds[i], &stack) < 0)
            return tm__failure();
    if (tm__dump_stack(dump, thread->frames, thread->frame_count,
                       thread->is_truncated ? TM_STACK_TRUNCATED : 0, &stack) < 0 ||
        reserve(dump, thread->hold_count + 4) < 0 || note_cpu(dump, thread) < 0 ||
        add_name(dump, &thread->thread) < 0)
        return tm__failure();
    dump->seen[dump->seen_count++] =
        (tm__sortable){.key = (int64_t)thread->thread.id,
                       .number = thread->thread.flags & TM_THREAD_VIRTUAL};
    dump->thread_total++;
    add_state(dump, thread, stack);
    add_holds(dump, thread);
    return TM_OK;
}

int tm__dump_reserve(tm__dump *dump, uint32_t events)
{
    return tm__reserve(dump->memory, &dump->events, &dump->event_capacity,
                       (size_t)dump->event_count + events, sizeof(*dump->events));
}

int tm__dump_note(tm__dump *dump, const tm_event *event)
{
    if (tm__dump_reserve(dump, 1) < 0)
        return tm__failure();
    dump->events[dump->event_count++] = *event;
    return TM_OK;
}

int tm__dump_define(tm__dump *dump, const tm_thread *thread)
{
    if (tm__reserve(dump->memory, &dump->names, &dump->name_capacity,
                    (size_t)dump->name_count + 1, sizeof(*dump->names)) < 0)
        return tm__failure();
    return add_name(dump, thread);
}

static int by_kind(const void *payload, uint32_t left, uint32_t right)
{
    (void)payload;
    return (left > right) - (left < right);
}

/* A thread that was in the dump before and is not in this one. */
static void add_gone(tm__dump *dump, const tm__sortable *thread)
{
    tm_event event = {.thread = (uint64_t)thread->key, .kind = TM_EVENT_THREAD_END};

    if (thread->number && !dump->nature.shows_all_virtual)
        event.kind = TM_EVENT_SNAPSHOT; /* nothing is known about it */
    add_event(dump, event);
}

int tm__dump_end(tm__dump *dump, int is_whole)
{
    tm__sortable *seen = dump->seen;
    uint32_t old = 0;

    if (tm__reserve(dump->memory, &dump->events, &dump->event_capacity,
                    (size_t)dump->event_count + dump->late_count + dump->before_count,
                    sizeof(*dump->events)) < 0 ||
        tm__reserve(dump->memory, &dump->before, &dump->before_capacity,
                    dump->seen_count, sizeof(*dump->before)) < 0)
        return tm__failure();
    for (uint32_t i = 0; i < dump->late_count; i++)
        add_event(dump, dump->late[i]);
    dump->late_count = 0;
    dump->is_partial = !is_whole;
    if (dump->seen_count == 0)
        return TM_OK;
    /* A thread that is missing from a truncated dump may be in the missing part. */
    if (!is_whole) {
        dump->seen_count = 0;
        return TM_OK;
    }
    tm__sort(seen, seen + dump->seen_count, dump->seen_count, by_kind, NULL);
    for (uint32_t new = 0; old < dump->before_count; old++) {
        while (new < dump->seen_count && seen[new].key < dump->before[old].key)
            new ++;
        if (new == dump->seen_count || seen[new].key != dump->before[old].key)
            add_gone(dump, &dump->before[old]);
    }
    memcpy(dump->before, seen, dump->seen_count * sizeof(*seen));
    dump->before_count = dump->seen_count;
    dump->seen_count = 0;
    return TM_OK;
}

int tm__dump_conclude(tm__dump *dump)
{
    int rc = TM_OK;

    if (dump->dump_count == 1)
        rc = tm__notes_caveat(dump->notes,
                              "A thread dump is one instant: no state in it has a "
                              "duration.");
    else if (dump->dump_count > 1)
        rc = tm__notes_caveat(
            dump->notes,
            "%u thread dumps in %lld ms: between two of them each thread is shown as "
            "in the earlier one; anything that began and ended in between is not seen.",
            dump->dump_count, (long long)((dump->time_ns - dump->first_ns) / MS));
    if (rc == TM_OK && dump->dump_count > 0 && !dump->nature.is_one_instant)
        rc = tm__notes_caveat(
            dump->notes,
            "The threads of a dump were read one after the other while they ran: "
            "owners are inferred. A deadlock in two dumps is certain.");
    if (rc == TM_OK && dump->has_several)
        rc = tm__notes_caveat(dump->notes,
                              "The dumps are of several processes: threads of the same "
                              "number are shown as one.");
    if (rc == TM_OK && dump->by_growth)
        rc = tm__notes_caveat(dump->notes,
                              "The clock did not move, went back or was set between "
                              "the dumps (%u times): the time between them is what "
                              "\"elapsed=\" of their threads grew by.",
                              dump->by_growth);
    if (rc == TM_OK && dump->moved)
        rc = tm__notes_caveat(dump->notes,
                              "%u of the dumps are not later than the one before, or "
                              "have no time: they are placed 1 ms after it.",
                              dump->moved);
    return rc;
}

void tm__dump_free(tm__dump *dump)
{
    tm__memory *memory = dump->memory;

    tm__strings_clear(&dump->texts);
    tm__strings_clear(&dump->frame_texts);
    tm__strings_clear(&dump->stacks);
    tm__map_clear(&dump->class_map);
    tm__map_clear(&dump->cpu_map);
    tm__free(memory, dump->cpu_first_ns,
             dump->cpu_capacity * sizeof(*dump->cpu_first_ns));
    tm__triple_map_free(&dump->method_map, memory);
    tm__free(memory, dump->classes, dump->class_capacity * sizeof(*dump->classes));
    tm__free(memory, dump->class_queue,
             dump->class_queue_capacity * sizeof(*dump->class_queue));
    tm__free(memory, dump->methods, dump->method_capacity * sizeof(*dump->methods));
    tm__free(memory, dump->frames, dump->frame_capacity * sizeof(*dump->frames));
    tm__free(memory, dump->stack, dump->stack_capacity * sizeof(*dump->stack));
    tm__free(memory, dump->numbers, dump->number_capacity * sizeof(*dump->numbers));
    tm__free(memory, dump->names, dump->name_capacity * sizeof(*dump->names));
    tm__free(memory, dump->letters, dump->letter_capacity);
    tm__free(memory, dump->objects, dump->object_capacity * sizeof(*dump->objects));
    tm__free(memory, dump->recent, RECENT_OBJECTS * sizeof(*dump->recent));
    tm__free(memory, dump->events, dump->event_capacity * sizeof(*dump->events));
    tm__free(memory, dump->late, dump->late_capacity * sizeof(*dump->late));
    tm__free(memory, dump->seen, dump->seen_capacity * sizeof(*dump->seen));
    tm__free(memory, dump->before, dump->before_capacity * sizeof(*dump->before));
}
