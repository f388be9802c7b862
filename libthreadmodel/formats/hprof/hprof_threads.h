/* SPDX-License-Identifier: Apache-2.0 */
/* Threads out of a heap dump, put together from their objects. */
#ifndef TM_FORMATS_HPROF_HPROF_THREADS_H
#define TM_FORMATS_HPROF_HPROF_THREADS_H

#include "formats/hprof/heap.h"
#include "formats/hprof/hprof_names.h"

typedef struct tm__hprof_thread {
    uint64_t object;
    uint64_t values[TM__HPROF_SLOTS];     ///< of its fields; 0 where it has none
    uint32_t serial;                      ///< 0: unknown
    uint32_t trace;                       ///< serial
    uint64_t started_name, started_group; ///< strings, of a start record
    uint32_t hold;                        ///< owned[] of it, the first; TM__NONE
    uint8_t is_root;                      ///< it lived
    uint8_t is_seen;                      ///< its fields are known
    uint8_t is_virtual;
    uint8_t has_block_permit; ///< JDK 24 or later
} tm__hprof_thread;

/** An object whose class or text matters. */
typedef struct tm__hprof_object {
    uint64_t class_id;
    uint64_t text; ///< id of the array that holds it; 0: none
    uint8_t coder; ///< 1: UTF-16
} tm__hprof_object;

typedef struct tm__hprof_owned {
    uint64_t object;
    uint64_t class_id;
    uint64_t owner;
    uint32_t next; ///< of the same owner; TM__NONE
} tm__hprof_owned;

typedef struct tm__hprof_threads {
    tm__memory *memory;
    tm__hprof_names *names;
    tm__dump *dump;
    tm__map thread_map; ///< object: threads[]
    tm__hprof_thread *threads;
    uint32_t thread_count, thread_capacity;
    tm__map serial_map; ///< serial: threads[]
    tm__map part_map;   ///< object of a holder or group: parts[]
    uint64_t (*parts)[TM__HPROF_SLOTS];
    uint32_t part_count, part_capacity;
    tm__map owned_map; ///< object: owned[]
    tm__hprof_owned *owned;
    uint32_t owned_count, owned_capacity;
    tm__map object_map; ///< object: objects[]
    tm__hprof_object *objects;
    uint32_t object_count, object_capacity;
    tm__map text_map;      ///< array: texts[]
    tm__hprof_text *texts; ///< with length TM__NONE: not found yet
    uint32_t text_count, text_capacity, text_missing;
    char *letters;
    uint32_t letter_count, letter_capacity;
    uint64_t late; ///< objects of classes that were not described yet
    uint32_t *frames;
    uint32_t frame_capacity;
    tm__dump_hold *holds;
    uint32_t hold_capacity;
    uint32_t next; ///< thread to be taken next
} tm__hprof_threads;

void tm__hprof_threads_init(tm__hprof_threads *threads, tm__memory *memory,
                            tm__hprof_names *names, tm__dump *dump);

/** First pass: threads, what belongs to them, and locks that are owned. */
tm__hprof_visitor tm__hprof_first_pass(tm__hprof_threads *threads);

/** Between: what is to be looked up of names and park blockers. */
int tm__hprof_prepare(tm__hprof_threads *threads);

/** Second pass: these. Again, while `text_missing` falls: a text that comes before what
 * refers to it. */
tm__hprof_visitor tm__hprof_second_pass(tm__hprof_threads *threads);

/** The thread of a start record. */
int tm__hprof_start(tm__hprof_threads *threads, const uint8_t *body, size_t length);

void tm__hprof_threads_free(tm__hprof_threads *threads);

#endif
