/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A generation: a second or so of a trace. Its batches are of one thread each, or of
 * strings, stacks, samples and clocks, in any order; numbers of strings and stacks hold
 * for it alone.
 */
#ifndef TM_FORMATS_GO_GENERATION_H
#define TM_FORMATS_GO_GENERATION_H

#include "base/map.h"
#include "formats/go/go_wire.h"
#include "formats/notes.h"

/** A batch of events of one thread. */
typedef struct tm__go_batch {
    uint64_t time; ///< in ticks
    const uint8_t *bytes;
    uint32_t length;
    uint32_t next; ///< batches[] of the same thread; TM__NONE: the last
} tm__go_batch;

/** The batches of one thread, and the event among them that is next. */
typedef struct tm__go_stream {
    uint64_t thread;
    uint32_t first; ///< batches[]
    uint32_t last;
    uint32_t batch; ///< the present one; TM__NONE: all are read
    uint8_t type;   ///< of the event at hand
    tm__cursor cursor;
    uint64_t ticks;
    uint64_t arguments[TM__GO_ARGUMENTS]; ///< of the event at hand, but for its time
    int64_t time_ns;
} tm__go_stream;

typedef struct tm__go_text {
    const char *bytes;
    uint32_t length;
} tm__go_text;

typedef struct tm__go_stack {
    tm__cursor frames; ///< PC, function, file and line of each, the innermost first
    uint32_t frame_count;
    uint32_t id;           ///< as it was defined; 0: not yet
    uint32_t object;       ///< waited for there, strings of tm__go_names; TM__NONE
    uint64_t reason_plus1; ///< for this reason; 0: not looked for yet
    uint64_t read_place;   ///< a hash of where a connection is read; 0: it is not
    uint8_t is_accept;     ///< connections are accepted there, waiting or not
    uint8_t io_kind;       ///< enum tm_object_kind of that I/O; 0: not I/O
    uint8_t is_idle;       ///< that I/O waits for what others begin
} tm__go_stack;

typedef struct tm__go_sample {
    int64_t time_ns;
    uint64_t goroutine;
    uint64_t stack;
    uint32_t number; ///< in the order of the file
} tm__go_sample;

typedef struct tm__go_generation {
    tm__memory *memory;
    uint64_t number;
    tm__go_batch *batches;
    tm__go_stream *streams;
    tm__go_text *strings;
    tm__go_stack *stacks;
    tm__go_sample *samples; ///< by time
    uint32_t batch_count, batch_capacity;
    uint32_t stream_count, stream_capacity;
    uint32_t string_count, string_capacity;
    uint32_t stack_count, stack_capacity;
    uint32_t sample_count, sample_capacity;
    tm__map stream_map; ///< thread: streams[]
    tm__map string_map;
    tm__map stack_map;
    uint64_t ticks_per_second; ///< 0: not stated
    uint64_t clock_ticks;      ///< when the clocks were compared
    uint64_t clock_wall_ns;    ///< the wall clock then; 0: not stated
    uint64_t first_ticks;
} tm__go_generation;

void tm__go_generation_init(tm__go_generation *generation, tm__memory *memory);

/**
 * Load the batches of a generation.
 *
 * @param bytes    lent until the next one is loaded
 * @param damage   where a text on what is wrong is written; "" where nothing is
 * @return TM_OK; TM_EDAMAGED: nothing of it can be read; TM_ENOMEM: load it again
 */
int tm__go_generation_load(tm__go_generation *generation, const uint8_t *bytes,
                           size_t length, char *damage, size_t damage_bytes);

/** Read a stream's next event. @return TM_MORE: there is one; TM_OK; TM_EDAMAGED */
int tm__go_stream_next(const tm__go_generation *generation, tm__go_stream *stream);

/** @return the time of a tick; INT64_MAX: none that can be written */
int64_t tm__go_time(const tm__go_generation *generation, uint64_t ticks);

/** @return the stack of a number; NULL: none */
tm__go_stack *tm__go_stack_of(const tm__go_generation *generation, uint64_t number);

/** @return the string of a number, an empty one where there is none */
tm__go_text tm__go_text_of(const tm__go_generation *generation, uint64_t number);

void tm__go_generation_free(tm__go_generation *generation);

/** The head of a batch. */
typedef struct tm__go_head {
    uint8_t type; ///< TM__GO_EVENT_BATCH, TM__GO_EXPERIMENTAL_BATCH or
                  ///< TM__GO_END_OF_GENERATION
    uint64_t generation, thread, time, length;
} tm__go_head;

/** @return 1; 0: there is no batch */
int tm__go_head_read(tm__cursor *cursor, tm__go_head *head);

/** How many numbers an event has that may stand in a thread's batch, its time among
 * them; 0: none may. */
int tm__go_arguments(int type);

#endif
