/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of a recorder that the program's threads call. The event's time is read
 * after the thread has said that it is in work, so that the drainer lets no later event
 * pass by.
 */
#include "rings/recorder_state.h"
#include "rings/recorder_thread.h"

#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "rings/clock.h"
#include "rings/record_tables.h"

static tm_recorder_thread *first_free(tm_recorder *recorder)
{
    tm_recorder_thread *thread = atomic_load(&recorder->threads);

    while (thread && !atomic_load(&thread->is_free))
        thread = (tm_recorder_thread *)thread->ring.next;
    return thread;
}

/* Its two halves are to lie in cache lines of their own. */
enum { BLOCK_BYTES = sizeof(tm_recorder_thread) + _Alignof(tm_recorder_thread) };

static tm_recorder_thread *make(tm_recorder *recorder)
{
    unsigned char *block = tm__zalloc(&recorder->memory, BLOCK_BYTES);
    tm_recorder_thread *thread;
    tm__mirror mirror;
    tm__ring *page = block ? tm__rings_acquire(&recorder->rings, &mirror) : NULL;

    if (!page) {
        tm__free(&recorder->memory, block, BLOCK_BYTES);
        return NULL;
    }
    thread = (tm_recorder_thread *)(block + _Alignof(tm_recorder_thread) -
                                    (uintptr_t)block % _Alignof(tm_recorder_thread));
    tm__thread_ring_put(&thread->ring, page, &mirror);
    thread->ring.wake_fd = recorder->wake_fd;
    thread->recorder = recorder;
    thread->presence = recorder->presence;
    thread->block = block;
    thread->ring.next = (tm__thread_ring *)atomic_load(&recorder->threads);
    atomic_store_explicit(&recorder->threads, thread, memory_order_release);
    return thread;
}

void tm__recorder_thread_free(tm_recorder_thread *thread)
{
    tm_recorder *recorder = thread->recorder;

    tm__rings_release(&recorder->rings, thread->ring.page, &thread->ring.mirror);
    tm__free(&recorder->memory, thread->block, BLOCK_BYTES);
}

int tm_recorder_attach(tm_recorder *recorder, const tm_thread *definition,
                       tm_recorder_thread **out)
{
    tm_recorder_thread *thread;
    tm_thread given;
    int rc;

    TM__CHECK(recorder && definition && out);
    *out = NULL;
    rc = TM__READ(&given, definition, tm_thread, id);
    if (rc < 0)
        return rc;
    if (given.id == 0)
        return tm__fail(TM_EINVAL, "thread id 0 is reserved");
    if (!atomic_load(&recorder->presence->is_on))
        return tm__fail(TM_ESTOPPED, "the recording has ended");
    pthread_mutex_lock(&recorder->thread_lock);
    thread = first_free(recorder);
    if (!thread)
        thread = make(recorder);
    if (thread) {
        thread->id = given.id;
        thread->ring.woke_at = UINT64_MAX;
        /* In this order: one that is not free and detached goes to the next thread. */
        atomic_store(&thread->is_detached, 0);
        atomic_store(&thread->is_free, 0);
    }
    pthread_mutex_unlock(&recorder->thread_lock);
    if (!thread)
        return tm__fail(TM_ENOMEM, "out of memory: a thread's ring");
    /* Without room for it, nothing else has room either, and that is counted. */
    (void)tm_recorder_define_thread(thread, definition);
    *out = thread;
    return TM_OK;
}

void tm_recorder_detach(tm_recorder_thread *thread)
{
    if (thread)
        atomic_store_explicit(&thread->is_detached, 1, memory_order_release);
}

static void put_frames(tm__record *record, const tm_frame *frames, size_t count)
{
    tm_frame *to = (tm_frame *)(record + 1);

    for (size_t i = 0; i < count; i++)
        to[i] = (tm_frame){frames[i].method, frames[i].location, frames[i].line, 0};
    record->event.frame_count = (uint16_t)count;
    record->event.stack_flags = TM__STACK_LINES;
}

/* @return 1; 0: there was no room */
static int put_event(tm_recorder_thread *thread, const tm_event *event, int64_t now_ns,
                     const tm_frame *frames, size_t count)
{
    int is_cut = count > TM_RECORDER_FRAMES;
    tm__record *record;

    if (is_cut)
        count = TM_RECORDER_FRAMES;
    record = tm__thread_ring_reserve(&thread->ring, count * sizeof(*frames));
    if (!record)
        return 0;
    record->kind = event->kind;
    record->event.fact = *event;
    record->event.fact.stack = 0;
    if (event->time_ns == 0 || event->time_ns > now_ns)
        record->event.fact.time_ns = now_ns;
    if (event->thread == 0)
        record->event.fact.thread = thread->id;
    if (count > 0)
        put_frames(record, frames, count);
    if (is_cut)
        record->event.stack_flags |= TM_STACK_TRUNCATED;
    tm__thread_ring_commit(&thread->ring, record, count * sizeof(*frames));
    return 1;
}

/* From here on a signal's handler leaves the ring alone. @return 0: this is one */
static int enter(tm_recorder_thread *thread)
{
    if (thread->is_writing)
        return 0;
    thread->is_writing = 1;
    atomic_signal_fence(memory_order_seq_cst);
    return 1;
}

static void leave(tm_recorder_thread *thread)
{
    atomic_signal_fence(memory_order_seq_cst);
    thread->is_writing = 0;
}

void tm__recorder_count_interrupted(tm_recorder_thread *thread, int64_t time_ns)
{
    unsigned count;

    if (atomic_load_explicit(&thread->interrupted, memory_order_relaxed) == 0)
        return;
    count = atomic_exchange(&thread->interrupted, 0);
    while (count-- > 0)
        tm__thread_ring_lose(&thread->ring, thread->id, time_ns);
}

int tm_recorder_report(tm_recorder_thread *thread, const tm_event *event,
                       const tm_frame *frames, size_t frame_count)
{
    tm__thread_ring *ring = &thread->ring;
    int64_t now_ns;
    int is_put;

    TM__CHECK(thread && event && (frames || frame_count == 0));
    if (event->kind == 0 || event->kind >= TM_EVENT_KIND_END)
        return tm__fail(TM_EINVAL, "unknown event kind %d", event->kind);
    if (!atomic_load_explicit(&thread->presence->is_on, memory_order_relaxed))
        return 0;
    if (!enter(thread)) {
        atomic_fetch_add(&thread->interrupted, 1);
        return 0;
    }
    now_ns = tm__thread_ring_begin(ring, tm__now_ns);
    tm__thread_ring_report_loss(ring, thread->id, now_ns);
    is_put = put_event(thread, event, now_ns, frames, frame_count);
    if (!is_put)
        tm__thread_ring_lose(ring, thread->id, now_ns);
    tm__recorder_count_interrupted(thread, now_ns);
    tm__thread_ring_end(ring);
    leave(thread);
    return is_put;
}

/* Room for a definition with so many bytes of text. @return TM_OK, and then
 * define_end() is called; TM_ELIMIT, TM_ESTOPPED */
static int define_begin(tm_recorder_thread *thread, size_t bytes, tm__record **record)
{
    if (!atomic_load(&thread->presence->is_on))
        return tm__fail(TM_ESTOPPED, "the recording has ended");
    if (enter(thread)) {
        *record = tm__thread_ring_reserve(&thread->ring, bytes);
        if (*record)
            return TM_OK;
        leave(thread);
    }
    return tm__fail(TM_ELIMIT, "no room for a definition in the ring of thread %llu",
                    (unsigned long long)thread->id);
}

static void define_end(tm_recorder_thread *thread, tm__record *record, uint16_t kind,
                       size_t bytes)
{
    record->kind = kind | TM__RECORD_PLAIN;
    tm__thread_ring_commit(&thread->ring, record, bytes);
    leave(thread);
}

/* Bytes of a name that are kept: no character is cut in two. */
static size_t kept(const char *name)
{
    size_t bytes = name ? strlen(name) : 0;

    if (bytes <= TM_RECORDER_NAME_BYTES)
        return bytes;
    bytes = TM_RECORDER_NAME_BYTES;
    while (bytes > 0 && ((unsigned char)name[bytes] & 0xC0) == 0x80)
        bytes--;
    return bytes;
}

static void put_texts(tm__record *record, const char *first, size_t first_bytes,
                      const char *second, size_t second_bytes)
{
    char *text = (char *)(record + 1);

    if (first_bytes > 0)
        memcpy(text, first, first_bytes);
    if (second_bytes > 0)
        memcpy(text + first_bytes, second, second_bytes);
}

int tm_recorder_define_class(tm_recorder_thread *thread, const tm_class *definition)
{
    size_t name_bytes, source_bytes, build_id_bytes, bytes;
    tm__record *record;
    tm_class given;
    int rc;

    TM__CHECK(thread && definition);
    rc = TM__READ(&given, definition, tm_class, id);
    if (rc < 0)
        return rc;
    name_bytes = kept(given.name);
    source_bytes = kept(given.source);
    build_id_bytes = kept(given.build_id);
    bytes = name_bytes + source_bytes + build_id_bytes;
    rc = define_begin(thread, bytes, &record);
    if (rc < 0)
        return rc;
    record->class = (tm__class_record){
        .name_bytes = (uint16_t)name_bytes,
        .source_bytes = (uint32_t)source_bytes,
        .id = given.id,
        .build_id_bytes = (uint32_t)build_id_bytes,
        .flags = (uint16_t)given.flags,
        .has_source = given.source != NULL,
    };
    put_texts(record, given.name, name_bytes, given.source, source_bytes);
    if (build_id_bytes > 0)
        memcpy((char *)(record + 1) + name_bytes + source_bytes, given.build_id,
               build_id_bytes);
    define_end(thread, record, TM__RECORD_CLASS, bytes);
    return TM_OK;
}

int tm_recorder_define_method(tm_recorder_thread *thread, const tm_method *definition)
{
    size_t name_bytes, signature_bytes, lines_at, count;
    tm__record *record;
    tm_method given;
    int rc;

    TM__CHECK(thread && definition);
    rc = TM__READ(&given, definition, tm_method, id);
    if (rc < 0)
        return rc;
    TM__CHECK(given.lines || given.line_count == 0);
    name_bytes = kept(given.name);
    signature_bytes = kept(given.signature);
    rc = define_begin(thread, name_bytes + signature_bytes + 4 + TM__TABLES_BYTES,
                      &record);
    if (rc < 0)
        return rc;
    record->method = (tm__method_record){
        .name_bytes = (uint16_t)name_bytes,
        .signature_bytes = (uint32_t)signature_bytes,
        .id = given.id,
        .class_id = given.class_id,
        .flags = given.flags,
    };
    put_texts(record, given.name, name_bytes, given.signature, signature_bytes);
    lines_at = tm__record_lines_at(&record->method);
    count = tm__record_put_tables(record, &given);
    define_end(thread, record, TM__RECORD_METHOD,
               lines_at + count * sizeof(tm__record_line));
    return TM_OK;
}

int tm_recorder_define_thread(tm_recorder_thread *thread, const tm_thread *definition)
{
    size_t name_bytes, group_bytes;
    tm__record *record;
    tm_thread given;
    int rc;

    TM__CHECK(thread && definition);
    rc = TM__READ(&given, definition, tm_thread, id);
    if (rc < 0)
        return rc;
    name_bytes = kept(given.name);
    group_bytes = kept(given.group);
    rc = define_begin(thread, name_bytes + group_bytes, &record);
    if (rc < 0)
        return rc;
    record->thread = (tm__thread_record){
        .name_bytes = (uint16_t)name_bytes,
        .group_bytes = (uint32_t)group_bytes,
        .id = given.id,
        .object = given.object,
        .os_id = given.os_id,
        .priority = given.priority,
        .flags = given.flags,
        .pid = given.pid,
        .has_no_name = given.name == NULL,
        .has_group = given.group != NULL,
    };
    put_texts(record, given.name, name_bytes, given.group, group_bytes);
    define_end(thread, record, TM__RECORD_THREAD, name_bytes + group_bytes);
    return TM_OK;
}

int tm_recorder_define_object(tm_recorder_thread *thread, const tm_object *definition)
{
    tm__record *record;
    size_t name_bytes;
    tm_object given;
    int rc;

    TM__CHECK(thread && definition);
    rc = TM__READ(&given, definition, tm_object, id);
    if (rc < 0)
        return rc;
    name_bytes = kept(given.name);
    rc = define_begin(thread, name_bytes, &record);
    if (rc < 0)
        return rc;
    record->object = (tm__object_record){
        .name_bytes = (uint16_t)name_bytes,
        .object_kind = given.kind < TM_OBJECT_KIND_END ? (uint16_t)given.kind : 0,
        .thread = given.thread,
        .id = given.id,
        .class_id = given.class_id,
        .hash = given.hash,
        .flags = (uint16_t)given.flags,
    };
    put_texts(record, given.name, name_bytes, NULL, 0);
    define_end(thread, record, TM__RECORD_OBJECT, name_bytes);
    return TM_OK;
}
