/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From all rings to a trace and a sink. A round takes definitions, then events by time;
 * when they are in the trace, the threads get their room back.
 */
#include "rings/recorder_drain.h"

#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "rings/recorder_thread.h"
#include "trace/compose.h"
#include "trace/trace_writer.h"

/* To the trace, and to the user's sink. */
#define TEE(name, type)                                                                \
    static int tee_##name(void *payload, const type *what)                             \
    {                                                                                  \
        tm_recorder *recorder = payload;                                               \
        int rc = TM_OK;                                                                \
                                                                                       \
        if (recorder->writer) {                                                        \
            const tm_sink *trace = tm__trace_writer_sink(recorder->writer);            \
                                                                                       \
            rc = trace->name(trace->payload, what);                                    \
        }                                                                              \
        if (rc >= 0 && recorder->given.name)                                           \
            rc = recorder->given.name(recorder->given.payload, what);                  \
        return rc;                                                                     \
    }

TEE(run, tm_run)
TEE(caveat, char)
TEE(define_class, tm_class)
TEE(define_method, tm_method)
TEE(define_stack, tm_stack)
TEE(define_thread, tm_thread)
TEE(define_object, tm_object)

static int tee_events(void *payload, const tm_event *events, size_t count)
{
    tm_recorder *recorder = payload;
    int rc = TM_OK;

    for (size_t i = 0; i < count; i++)
        if (events[i].kind == TM_EVENT_LOST)
            atomic_fetch_add(&recorder->lost, (uint64_t)events[i].value);
    if (recorder->writer) {
        const tm_sink *trace = tm__trace_writer_sink(recorder->writer);

        rc = trace->events(trace->payload, events, count);
    }
    if (rc >= 0 && recorder->given.events)
        rc = recorder->given.events(recorder->given.payload, events, count);
    return rc;
}

static int put_batch(tm_recorder *recorder)
{
    size_t count = recorder->batch_count;

    recorder->batch_count = 0;
    return count ? tee_events(recorder, recorder->batch, count) : TM_OK;
}

static int emit_stack(tm_recorder *recorder, const tm__record *record, uint32_t id)
{
    tm_stack definition = {
        .size = sizeof(definition),
        .id = id,
        .flags = record->event.stack_flags & TM_STACK_TRUNCATED,
        .frames = (const tm_frame *)(record + 1),
        .frame_count = record->event.frame_count,
    };

    return tee_define_stack(recorder, &definition);
}

static int put_event(tm_recorder *recorder, const tm__record *record)
{
    enum { WORDS = sizeof(tm_frame) / sizeof(uint64_t) };
    tm_event *event = &recorder->batch[recorder->batch_count];
    int rc;

    *event = record->event.fact;
    rc = tm__stack_numbers_find(&recorder->stacks, (const uint64_t *)(record + 1),
                                record->event.frame_count * WORDS,
                                record->event.stack_flags, &event->stack);
    if (rc == TM_MORE)
        rc = emit_stack(recorder, record, event->stack);
    if (rc < 0)
        return rc;
    return ++recorder->batch_count == TM__RECORDER_BATCH ? put_batch(recorder) : TM_OK;
}

static int define_all(tm_recorder *recorder, tm__thread_ring *first)
{
    int rc = TM_OK;

    for (tm__thread_ring *ring = first; ring && rc >= 0; ring = ring->next) {
        uint64_t end = UINT64_MAX;
        tm__record *record;

        while (rc >= 0 && (record = tm__thread_ring_next_definition(ring, &end)))
            rc = tm__record_define(record, &recorder->sink);
    }
    return rc;
}

/* Say what a thread lost and never had room to say itself. */
static int put_loss(tm_recorder *recorder, tm_recorder_thread *thread, int64_t time_ns)
{
    tm_event event;

    tm__recorder_count_interrupted(thread, time_ns);
    event = tm__thread_ring_extract_loss(&thread->ring, thread->id, time_ns);
    return event.value > 0 ? tee_events(recorder, &event, 1) : TM_OK;
}

/* Rings of threads that are gone, and whose last was taken, are for others. */
static int recycle(tm_recorder *recorder, tm__thread_ring *first, int64_t time_ns)
{
    int rc = TM_OK;

    for (tm__thread_ring *ring = first; ring && rc >= 0; ring = ring->next) {
        tm_recorder_thread *thread = (tm_recorder_thread *)ring;

        if (atomic_load(&thread->is_free) ||
            !atomic_load_explicit(&thread->is_detached, memory_order_acquire) ||
            ring->taken != atomic_load(&ring->page->head) ||
            ring->scanned < ring->taken)
            continue;
        rc = put_loss(recorder, thread, time_ns);
        ring->idle_ns = 0;
        atomic_store(&thread->is_free, 1);
    }
    return rc;
}

static int put_round(tm_recorder *recorder, int final)
{
    tm__thread_ring *first, *ring;
    tm__record *record;
    int64_t horizon_ns;
    int rc;

    tm__round_begin(&recorder->round);
    first = (tm__thread_ring *)atomic_load(&recorder->threads);
    /* There may be memory in the next round. */
    if (tm__round_limit(&recorder->round, first, final) != 0)
        return final ? tm__fail(TM_ENOMEM, "no memory to sort events") : TM_OK;
    horizon_ns = recorder->round.horizon_ns;
    if (final)
        recorder->round.horizon_ns = INT64_MAX;
    tm__rings_begin_round(&recorder->rings, recorder->round.horizon_ns);
    rc = define_all(recorder, first);
    tm__round_load(&recorder->round, first);
    while (rc >= 0 && (record = tm__round_next(&recorder->round, &ring)))
        rc = put_event(recorder, record);
    if (rc >= 0)
        rc = put_batch(recorder);
    if (rc >= 0)
        rc = recycle(recorder, first, horizon_ns - 1);
    for (ring = first; final && ring && rc >= 0; ring = ring->next)
        rc = put_loss(recorder, (tm_recorder_thread *)ring, horizon_ns);
    return rc;
}

/* Others may do to the file of rings what they like: the trace says so. */
static int look_after_file(tm_recorder *recorder)
{
    const char *changed = tm__rings_changed(&recorder->rings);
    char sentence[200];

    if (!changed)
        return TM_OK;
    snprintf(sentence, sizeof(sentence),
             "The file of rings was %s by another program: had the program been killed "
             "after that, its last events would be missing.",
             changed);
    return tee_caveat(recorder, sentence);
}

static int flush(tm_recorder *recorder)
{
    int rc = recorder->writer ? tm__trace_writer_flush(recorder->writer) : TM_OK;

    if (rc < 0)
        return rc;
    tm__rings_begin_advance(&recorder->rings);
    for (tm__thread_ring *ring = (tm__thread_ring *)atomic_load(&recorder->threads);
         ring; ring = ring->next)
        tm__thread_ring_release(ring);
    tm__rings_end_advance(&recorder->rings,
                          recorder->writer ? tm__trace_writer_events(recorder->writer)
                                           : 0);
    tm__rings_prepare(&recorder->rings);
    return look_after_file(recorder);
}

/* @return TM_OK, or what has ended the recording */
int tm__recorder_judge(tm_recorder *recorder, int rc)
{
    if (rc >= 0)
        return TM_OK;
    if (recorder->failure == 0) {
        recorder->failure = rc;
        snprintf(recorder->failure_text, sizeof(recorder->failure_text), "%s",
                 tm_error_text());
        atomic_store(&recorder->presence->is_on, 0);
    }
    return rc;
}

int tm__recorder_drain(tm_recorder *recorder, int final)
{
    uint64_t count;
    int rc;

    if (recorder->failure)
        return tm__fail(recorder->failure, "%s", recorder->failure_text);
    /* Where no drain is due there is nothing to read. */
    if (read(recorder->wake_fd, &count, sizeof(count)) < 0)
        count = 0;
    rc = put_round(recorder, final);
    if (rc >= 0)
        rc = flush(recorder);
    return tm__recorder_judge(recorder, rc);
}

void tm__recorder_sink_init(tm_recorder *recorder)
{
    recorder->sink = (tm_sink){sizeof(tm_sink),  recorder,          tee_run,
                               tee_caveat,       tee_define_class,  tee_define_method,
                               tee_define_stack, tee_define_thread, tee_define_object,
                               tee_events};
}
