/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the recorder. */
#ifndef TM_NATIVE_RECORDER_WHOLE_RECORDER_H
#define TM_NATIVE_RECORDER_WHOLE_RECORDER_H

#include "recorder/process.h"
#include "recorder/reader_table.h"
#include "recorder/shared_memory.h"
#include "recorder/tick_clock.h"

enum { TM__UNSEEN_MOST = 8, TM__SILENT_MOST = 32 };

/** The trace of a process that has ended. */
typedef struct tm__ended {
    char path[4096];
    char name[64];
    int64_t lived_ns; ///< from its first event to its end
    uint64_t events;
    int is_replaced; ///< another program runs in its process
} tm__ended;

typedef struct tm__recorder {
    const char *output;
    int shows_paths;
    int keeps_all; ///< each process has a trace
    tm__memory memory;
    tm__tick_clock clock;
    tm__readers readers;
    tm__image *images;
    tm__nested nested;
    uint64_t nested_round; ///< in which they were looked for
    int nested_looks;      ///< of late; each is forgotten after 10 rounds
    uint64_t begin;        ///< in ticks
    uint64_t rounds;
    int64_t ahead_ns; ///< of the clock that counts while the machine is suspended
    char unseen[TM__UNSEEN_MOST][4096]; ///< programs that have no image
    size_t unseen_count;
    char input[64]; ///< what was read of a line of standard input
    size_t input_length;
    uint32_t reported_pid; ///< of the program, once it has ended
    int reported_status;   ///< as of waitpid()
    int is_named;    ///< a trace of threads that had to do with one another is named
    tm__ended spare; ///< of processes of no interest the one that lived longest
    struct {
        char name[64];
        uint32_t count;
    } silent[TM__SILENT_MOST]; ///< processes that have no trace
    size_t silent_count;
    char trace[4096]; ///< the one that was asked for, wherever it is
    uint64_t trace_events;
    char *others; ///< "EVENTS PATH" of each other process, up to a byte 0
    size_t others_bytes;
    int64_t stuck_ns; ///< threads that cannot go on for so long are reported; 0: none
    int rc;
} tm__recorder;

#endif
