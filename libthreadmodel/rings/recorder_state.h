/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a recorder and of its threads. */
#ifndef TM_RINGS_RECORDER_STATE_H
#define TM_RINGS_RECORDER_STATE_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include <threadmodel/recorder.h>

#include "base/memory.h"
#include "rings/ring_file.h"
#include "rings/round.h"
#include "rings/stack_numbers.h"
#include "rings/thread_ring.h"
#include "trace/trace_writer_state.h"

/* In a page that the kernel clears in a child, however that was forked: the handlers of
 * pthread_atfork do not run for _Fork() and bare system calls. */
typedef struct tm__presence {
    atomic_int is_on;  ///< 0: it has failed, or this process is a child of its own
    atomic_int is_own; ///< 0: this process is a child of its own
} tm__presence;

struct tm_recorder_thread {
    tm__thread_ring ring; ///< first, so that who has the ring has this
    tm_recorder *recorder;
    const tm__presence *presence; ///< the recorder's
    void *block;                  ///< that this lies in
    uint64_t id;
    volatile sig_atomic_t
        is_writing;          ///< a handler that comes now finds the ring in use
    atomic_uint interrupted; ///< events of handlers that did
    atomic_int is_detached;
    atomic_int is_free; ///< for another thread
};

struct tm_recorder {
    tm__memory memory;
    tm__presence *presence;
    tm_recorder_thread *_Atomic threads; ///< none is ever taken out
    tm__rings rings;
    pthread_mutex_t thread_lock; ///< over who gets which ring
    int wake_fd;

    pthread_mutex_t drain_lock; ///< over what follows
    tm__round round;
    tm__memory stack_memory;
    tm__stack_numbers stacks;
    tm__trace_writer *writer; ///< NULL: there is no trace
    tm_sink given;            ///< the user's; all callbacks NULL: there is none
    tm_sink sink;             ///< to both
    tm_event *batch;
    size_t batch_count;
    _Atomic uint64_t lost;
    int failure; ///< what ended the recording; 0: nothing has
    char failure_text[512];
    int is_disowned; ///< in a child, once: what the parent owns has been left to it

    pthread_t helper;
    int has_helper;
    uint32_t every_ms;
    atomic_int is_stopping;
    tm_recorder *next; ///< of the process, under the lock of recorder_forks.c
};

#endif
