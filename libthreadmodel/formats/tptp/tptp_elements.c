/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements to events. The document writes four of them in two ways, in its headings and
 * in its DTD; both are taken. An element says all in attributes:
 *
 *     <monContendedEnter threadIdRef="7" time="12.5" objIdRef="42" threadOwner="9"/>
 *
 * A thread that starts another names its object, and the thread's id comes with its own
 * start: until then the thread goes by an id that no text has.
 */
#include "formats/tptp/tptp_elements.h"

#include <string.h>

#include "base/error.h"
#include "formats/decimal.h"
#include "formats/descriptor.h"
#include "formats/tptp/attributes.h"

enum { MILLISECOND_NS = 1000000, SECOND_NS = 1000000000 };

/* One element, and what is known of it so far. */
typedef struct element {
    tm__tptp_trace *trace;
    const char *name;
    const char **attributes;
    uint64_t offset;
    tm_event event;
} element;

typedef struct meaning {
    const char *name;
    int (*read_next)(element *it);
    uint16_t kind; ///< enum tm_event_kind, of those that are events
} meaning;

static int damage(const element *it, const char *why)
{
    return tm__notes_damage(&it->trace->notes, "%s at byte %llu is left out: %s",
                            it->name, (unsigned long long)it->offset, why);
}

static int read_time(element *it)
{
    const char *text = tm__tptp_attribute(it->attributes, "time"), *end;

    if (!text)
        return 0;
    end = text + strlen(text);
    return *text &&
           tm__decimal_read(text, end, it->trace->unit_ns, &it->event.time_ns) == end;
}

/* Timeouts are those of Object.wait and Thread.sleep: milliseconds. */
static int64_t read_timeout(const element *it)
{
    const char *text = tm__tptp_attribute(it->attributes, "timeout");
    const char *end = text ? text + strlen(text) : NULL;
    int64_t ns = 0;

    return text && tm__decimal_read(text, end, MILLISECOND_NS, &ns) == end && ns > 0
               ? ns
               : 0;
}

/* The definitions that the sink needs of an object before an event names it. */
static int report_object(const element *it, tm__tptp_entity *object)
{
    tm_object definition = {.size = sizeof(definition),
                            .id = object->id,
                            .class_id = object->class_,
                            .thread = object->other};
    const tm_sink *sink = it->trace->sink;

    if (object->is_reported)
        return TM_OK;
    object->is_reported = 1;
    return sink->define_object(sink->payload, &definition);
}

/* The object of an event; "-1" stands for none. @return 1: there; 0: none; or an error
 */
static int read_object(element *it, tm__tptp_entity **object)
{
    int is_transient, rc;
    const char *text = tm__tptp_id(it->attributes, &tm__tptp_object, &is_transient);

    if (!text || strcmp(text, "-1") == 0)
        return 0;
    rc = tm__tptp_ids_find(&it->trace->objects, text, is_transient, object);
    if (rc >= 0)
        rc = report_object(it, *object);
    return rc < 0 ? rc : 1;
}

static int emit(element *it)
{
    const tm_sink *sink = it->trace->sink;

    return sink->events(sink->payload, &it->event, 1);
}

/* Contended enter, entered and notify. */
static int read_monitor(element *it)
{
    const char *owner = tm__tptp_attribute(it->attributes, "threadOwner");
    tm__tptp_entity *object, *thread;
    int rc = read_object(it, &object);

    if (rc < 0)
        return rc;
    if (rc == 0)
        return damage(it, "it names no object");
    it->event.object = object->id;
    if (it->event.kind == TM_EVENT_NOTIFY &&
        tm__tptp_is_one(it->attributes, "isNotifyAll"))
        it->event.kind = TM_EVENT_NOTIFY_ALL;
    if (it->event.kind == TM_EVENT_CONTENDED_ENTER && owner && *owner &&
        strcmp(owner, "0") != 0 && strcmp(owner, "-1") != 0) {
        rc = tm__tptp_ids_find(&it->trace->threads, owner, 0, &thread);
        if (rc < 0)
            return rc;
        it->event.peer = thread->id;
        it->event.flags = TM_EVENT_PEER_REPORTED;
    }
    return emit(it);
}

/* Wait and waited; on object -1 they are a sleep. */
static int read_wait(element *it)
{
    tm__tptp_entity *object, *thread;
    int rc = read_object(it, &object), is_wait = it->event.kind == TM_EVENT_WAIT;
    const char *text = tm__tptp_attribute(it->attributes, "objIdRef");

    if (rc < 0)
        return rc;
    it->event.object = rc ? object->id : 0;
    rc = tm__tptp_find(it->attributes, &tm__tptp_thread, &it->trace->threads, &thread);
    if (rc < 0)
        return rc;
    if (is_wait)
        thread->is_sleeping = text && strcmp(text, "-1") == 0;
    if (thread->is_sleeping && !it->event.object)
        it->event.kind = is_wait ? TM_EVENT_SLEEP : TM_EVENT_SLEPT;
    if (is_wait)
        it->event.value = read_timeout(it);
    else if (tm__tptp_is_one(it->attributes, "isTimedOut"))
        it->event.flags |= TM_EVENT_TIMED_OUT;
    return emit(it);
}

/* The thread of an object, by an id of its own while none is known. */
static uint64_t thread_of(element *it, tm__tptp_entity *object)
{
    if (!object->other) {
        object->other = tm__tptp_ids_mint(&it->trace->threads);
        object->is_reported = 0;
    }
    return object->other;
}

/* Start called and interrupt called: of the thread whose object is named. */
static int read_call(element *it)
{
    tm__tptp_entity *object;
    int is_transient, rc;
    const char *text = tm__tptp_id(it->attributes, &tm__tptp_object, &is_transient);

    if (!text || strcmp(text, "-1") == 0)
        return damage(it, "it names no thread's object");
    rc = tm__tptp_ids_find(&it->trace->objects, text, is_transient, &object);
    if (rc < 0)
        return rc;
    it->event.peer = thread_of(it, object);
    it->event.flags = TM_EVENT_PEER_REPORTED;
    rc = report_object(it, object);
    return rc < 0 ? rc : emit(it);
}

/* Read the start of a thread, whose object may have been started under another id. */
static int read_start(element *it)
{
    tm__tptp_trace *trace = it->trace;
    const tm_sink *sink = trace->sink;
    tm__tptp_entity *thread, *object = NULL;
    tm_thread definition = {.size = sizeof(definition),
                            .name = tm__tptp_attribute(it->attributes, "threadName"),
                            .group = tm__tptp_attribute(it->attributes, "groupName")};
    int rc = tm__tptp_find(it->attributes, &tm__tptp_thread, &trace->threads, &thread);

    if (rc < 0)
        return rc;
    if (thread->is_started) {
        trace->threads.reused++;
        tm__tptp_ids_renew(&trace->threads, thread);
    }
    thread->is_started = 1;
    rc = tm__tptp_find(it->attributes, &tm__tptp_object, &trace->objects, &object);
    if (rc < 0)
        return rc;
    if (rc == 1) {
        /* A thread's object is that of no other thread. */
        if (object->is_started) {
            trace->objects.reused++;
            tm__tptp_ids_renew(&trace->objects, object);
        }
        if (object->other)
            thread->id = object->other;
        object->is_started = 1;
        object->other = thread->id;
        object->is_reported = 0;
        rc = report_object(it, object);
        if (rc < 0)
            return rc;
        thread->other = definition.object = object->id;
        rc = tm__tptp_define(it->attributes, &tm__tptp_object, &trace->objects, object);
        if (rc < 0)
            return rc;
    }
    it->event.thread = definition.id = thread->id;
    rc = tm__tptp_define(it->attributes, &tm__tptp_thread, &trace->threads, thread);
    if (rc >= 0)
        rc = sink->define_thread(sink->payload, &definition);
    return rc < 0 ? rc : emit(it);
}

static int read_end(element *it)
{
    int rc = tm__tptp_undefine(it->attributes, &tm__tptp_thread, &it->trace->threads);

    return rc < 0 ? rc : emit(it);
}

static int read_plain(element *it)
{
    return emit(it);
}

static int define_class(element *it)
{
    tm__tptp_trace *trace = it->trace;
    const char *name = tm__tptp_attribute(it->attributes, "name");
    tm__tptp_entity *entity;
    tm_class definition = {.size = sizeof(definition),
                           .source = tm__tptp_attribute(it->attributes, "sourceName")};
    size_t length = name ? strlen(name) : 0;
    int rc = tm__tptp_find(it->attributes, &tm__tptp_class, &trace->classes, &entity);

    if (rc < 0)
        return rc;
    if (rc == 0 || !name)
        return damage(it, "it has no id or no name");
    if (tm__reserve(trace->memory, &trace->text, &trace->text_capacity,
                    2 * length + TM__DESCRIPTOR_ROOM + 1, 1) < 0)
        return tm__failure();
    length = tm__descriptor_write_class(trace->text, name, length);
    trace->text[length] = '\0';
    definition.id = entity->id;
    definition.name = trace->text;
    rc = tm__tptp_define(it->attributes, &tm__tptp_class, &trace->classes, entity);
    return rc < 0 ? rc : trace->sink->define_class(trace->sink->payload, &definition);
}

/* Millions of these are of no monitor: the sink hears of those that events name. */
static int define_object(element *it)
{
    tm__tptp_entity *object, *class_ = NULL;
    int rc =
        tm__tptp_find(it->attributes, &tm__tptp_object, &it->trace->objects, &object);

    if (rc < 0)
        return rc;
    if (rc == 0)
        return damage(it, "it has no id");
    rc = tm__tptp_find(it->attributes, &tm__tptp_class, &it->trace->classes, &class_);
    if (rc < 0)
        return rc;
    object->class_ = class_ ? class_->id : 0;
    object->is_reported = 0;
    return tm__tptp_define(it->attributes, &tm__tptp_object, &it->trace->objects,
                           object);
}

static int free_object(element *it)
{
    return tm__tptp_undefine(it->attributes, &tm__tptp_object, &it->trace->objects);
}

static int unload_class(element *it)
{
    return tm__tptp_undefine(it->attributes, &tm__tptp_class, &it->trace->classes);
}

static const meaning meanings[] = {
    {"monContendedEnter", read_monitor, TM_EVENT_CONTENDED_ENTER},
    {"monContendedEntered", read_monitor, TM_EVENT_CONTENDED_ENTERED},
    {"monWait", read_wait, TM_EVENT_WAIT},
    {"monWaited", read_wait, TM_EVENT_WAITED},
    {"threadStart", read_start, TM_EVENT_THREAD_START},
    {"threadEnd", read_end, TM_EVENT_THREAD_END},
    {"callStart", read_call, TM_EVENT_THREAD_START_CALLED},
    {"threadStartCalled", read_call, TM_EVENT_THREAD_START_CALLED},
    {"callInterrupt", read_call, TM_EVENT_INTERRUPT_CALLED},
    {"threadInterruptCalled", read_call, TM_EVENT_INTERRUPT_CALLED},
    {"callNotify", read_monitor, TM_EVENT_NOTIFY},
    {"monNotifyCalled", read_monitor, TM_EVENT_NOTIFY},
    {"threadInterrupted", read_plain, TM_EVENT_INTERRUPTED},
    {"classDef", define_class, 0},
    {"objDef", define_object, 0},
    {"objAlloc", define_object, 0},
    {"objFree", free_object, 0},
    {"classUnload", unload_class, 0},
};

void tm__tptp_trace_init(tm__tptp_trace *trace, tm__memory *memory, int64_t unit_ns)
{
    *trace =
        (tm__tptp_trace){.memory = memory, .unit_ns = unit_ns ? unit_ns : SECOND_NS};
    tm__tptp_ids_init(&trace->threads, memory);
    tm__tptp_ids_init(&trace->objects, memory);
    tm__tptp_ids_init(&trace->classes, memory);
    tm__notes_init(&trace->notes, memory);
}

int tm__tptp_is_element(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof(meanings) / sizeof(*meanings); i++)
        if (strlen(meanings[i].name) == length &&
            memcmp(meanings[i].name, name, length) == 0)
            return 1;
    return length == 5 && memcmp(name, "TRACE", 5) == 0;
}

int tm__tptp_trace_read(tm__tptp_trace *trace, const char *name,
                        const char **attributes, uint64_t offset)
{
    element it = {
        .trace = trace, .name = name, .attributes = attributes, .offset = offset};
    const meaning *what = NULL;
    tm__tptp_entity *thread;
    int rc;

    for (size_t i = 0; !what && i < sizeof(meanings) / sizeof(*meanings); i++)
        if (strcmp(meanings[i].name, name) == 0)
            what = &meanings[i];
    if (!what)
        return TM_OK;
    it.event.kind = what->kind;
    if (!what->kind)
        return what->read_next(&it);
    if (!read_time(&it))
        return damage(&it, "its time is missing or no number");
    rc = tm__tptp_find(attributes, &tm__tptp_thread, &trace->threads, &thread);
    if (rc < 0)
        return rc;
    if (rc == 0)
        return damage(&it, "it names no thread");
    it.event.thread = thread->id;
    return what->read_next(&it);
}

void tm__tptp_trace_free(tm__tptp_trace *trace)
{
    tm__tptp_ids_free(&trace->threads);
    tm__tptp_ids_free(&trace->objects);
    tm__tptp_ids_free(&trace->classes);
    tm__notes_free(&trace->notes);
    tm__free(trace->memory, trace->text, trace->text_capacity);
}
