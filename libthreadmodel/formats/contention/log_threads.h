/* SPDX-License-Identifier: Apache-2.0 */
/* The threads behind hashes: a log's hashes may be shared and used again. */
#ifndef TM_FORMATS_CONTENTION_LOG_THREADS_H
#define TM_FORMATS_CONTENTION_LOG_THREADS_H

#include "base/map.h"

typedef struct tm__log_thread {
    uint64_t id;       ///< the hash, and above it which thread of that hash it is
    uint32_t object;   ///< of the state that it is in, where the log says
    uint32_t older;    ///< the thread before it with this hash, or TM__NONE
    uint32_t newest;   ///< of the first thread of a hash: the last one
    uint16_t state;    ///< the event that began it: contended enter, wait, ...; 0: none
    uint8_t is_called; ///< somebody called its start
    uint8_t is_started;
    uint8_t is_ended;
} tm__log_thread;

typedef struct tm__log_threads {
    tm__memory *memory;
    tm__map map; ///< hash: the first thread with it
    tm__log_thread *threads;
    uint32_t count, capacity;
    uint64_t shared; ///< hashes of two threads that lived at once
    uint64_t reused; ///< hashes of a thread that had ended
    uint64_t torn;   ///< events that the thread of their hash cannot have had
} tm__log_threads;

void tm__log_threads_init(tm__log_threads *threads, tm__memory *memory);

/**
 * The thread whose event this is. Among several with its hash, the one that was
 * doing what the event ends. Its state is then what the event makes of it.
 *
 * @param[out] index  threads[]
 * @return TM_OK or TM_ENOMEM
 */
int tm__log_threads_event(tm__log_threads *threads, uint32_t hash, int kind,
                          uint32_t object, uint32_t *index);

/** The thread that an event of another names. A thread that is started is a new one. */
int tm__log_threads_name(tm__log_threads *threads, uint32_t hash, int is_start,
                         uint32_t *index);

void tm__log_threads_free(tm__log_threads *threads);

#endif
