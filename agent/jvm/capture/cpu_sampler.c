/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of threads on a processor, by the writer thread. A thread gets one for each
 * interval of processor time that it has used, so that their number times the interval
 * is that time, however late the writer comes by. A stack is taken where the VM next
 * lets a thread be looked at, which is not always where it was.
 *
 * The stack of a carrier is its own; the stack of the virtual thread on it is not seen.
 */
#include "capture/cpu_sampler.h"

#include <stdatomic.h>
#include <time.h>

#include "capture/stack_walk.h"
#include "ident/method_identity.h"
#include "ring/buffer.h"
#include "rings/clock.h"
#include "ring/recording_state.h"
#include "vm/options.h"

/* A thread that has used more since the last round was looked at too late. */
enum { SAMPLES_A_ROUND = 100 };

static int64_t due_ns;

static int64_t interval_ns(void)
{
    return (int64_t)tm__the_options.interval_ms * 1000000;
}

/* Processor time of a thread of this process so far; -1: it has gone. */
static int64_t used_ns(uint64_t os_id)
{
    /* The clock that pthread_getcpuclockid() makes of a thread that it knows. */
    return tm__clock_ns((clockid_t)(~(uint32_t)os_id << 3 | 6));
}

/* How many samples a thread is due; the first look only notes where it stands. */
static int64_t samples_due(tm__buffer *b)
{
    int64_t now_ns = used_ns(b->os_id), count;

    if (now_ns < 0)
        return 0;
    if (b->sampled_os_id != b->os_id) {
        b->sampled_os_id = b->os_id;
        b->sampled_ns = now_ns;
    }
    count = (now_ns - b->sampled_ns) / interval_ns();
    b->sampled_ns += count * interval_ns();
    return count < SAMPLES_A_ROUND ? count : SAMPLES_A_ROUND;
}

static void sample(JNIEnv *jni, tm__buffer *own, const tm__buffer *sampled,
                   int64_t count)
{
    uint32_t depth = (uint32_t)tm__the_options.depth;
    jthread thread = (*jni)->NewLocalRef(jni, sampled->thread_weak);

    for (; thread && count > 0; count--) {
        tm__record *record =
            tm__thread_ring_reserve(&own->ring, (depth + 1) * sizeof(jvmtiFrameInfo));

        if (!record) {
            tm__buffer_lose(own, tm__now_ns());
            continue;
        }
        record->kind = TM_EVENT_CPU_SAMPLE;
        record->event.fact = (tm_event){.thread = sampled->thread,
                                        .time_ns = tm__now_ns(),
                                        .kind = TM_EVENT_CPU_SAMPLE};
        tm__methods_commit(own, record,
                           depth ? tm__stack_walk_of(record, thread, 0, depth) : 0);
    }
    if (thread)
        (*jni)->DeleteLocalRef(jni, thread);
}

void tm__cpu_sampler_round(JNIEnv *jni, tm__buffer *own)
{
    int64_t now_ns = tm__now_ns();

    if (tm__the_options.cpu == TM__CPU_NONE || now_ns < due_ns)
        return;
    due_ns = now_ns + interval_ns();
    atomic_fetch_or(&tm__the_recording.kinds, TM__KIND(CPU_SAMPLE));
    for (tm__buffer *b = tm__buffer_first(); b; b = tm__buffer_next(b))
        if (atomic_load(&b->listed) && b != own && b->thread_weak && b->os_id)
            sample(jni, own, b, samples_due(b));
}

int64_t tm__cpu_sampler_due_ns(void)
{
    return tm__the_options.cpu == TM__CPU_NONE ? INT64_MAX : due_ns;
}
