/* SPDX-License-Identifier: Apache-2.0 */
/* Dumps of threads that are being read, and what was taken of them. */
#ifndef TM_FORMATS_DUMP_DUMP_STATE_H
#define TM_FORMATS_DUMP_DUMP_STATE_H

#include <threadmodel/model.h>

#include "base/map.h"
#include "base/sort.h"
#include "base/triple_map.h"
#include "formats/dump/frame_text.h"
#include "formats/notes.h"

/** A lock that a thread holds. */
typedef struct tm__dump_hold {
    uint64_t object;
    uint32_t depth; ///< of the frame that took it, from 0; TM__NONE: not known
} tm__dump_hold;

/** A thread as it was seen. Texts are lent for the call. */
typedef struct tm__dump_thread {
    tm_thread thread;
    int state;        ///< enum tm_state; UNKNOWN: only its name is known
    uint64_t wanted;  ///< object that it is blocked for; 0: none or unknown
    uint64_t owner;   ///< thread that has it; or the one that is joined; 0: unknown
    uint64_t carrier; ///< thread that it is mounted on
    int64_t cpu_ns;   ///< it was on processors in its life, with has_cpu
    int has_cpu;
    int is_timed;           ///< its wait has a timeout
    const uint32_t *frames; ///< numbers that tm__dump_frame() gave, innermost first
    uint32_t frame_count;
    const tm__dump_hold *holds;
    uint32_t hold_count;
    int is_truncated; ///< the stack is
} tm__dump_thread;

/** Properties of a format's dumps. */
typedef struct tm__dump_nature {
    int is_one_instant;        ///< no thread ran while others were looked at
    int reports_monitors;      ///< all that a thread holds are listed
    int reports_synchronizers; ///< the same of ownable synchronizers
    int shows_all_virtual;     ///< a virtual thread that is missing has ended
} tm__dump_nature;

typedef struct tm__dump {
    tm__memory *memory;
    tm__notes *notes;
    tm__dump_nature nature;
    /** Whether a class of this name is of a library; NULL: the model knows. */
    int (*is_library)(const char *class_name);

    tm__strings texts;
    tm__map class_map; ///< texts: classes[]
    struct tm__dump_class *classes;
    uint32_t class_count, class_capacity;
    uint32_t *class_queue; ///< to be defined, or defined anew
    uint32_t class_queue_count, class_queue_capacity;
    tm__triple_map method_map; ///< class, name: methods[] + 1
    struct tm__dump_method *methods;
    uint32_t method_count, method_capacity, methods_emitted;
    tm__strings frame_texts; ///< as they stand in the file
    tm_frame *frames;        ///< by number of the text
    uint32_t frame_capacity;
    tm__strings stacks; ///< numbers of frames, and flags behind them
    uint32_t stacks_emitted;
    tm_frame *stack; ///< room for the one that is emitted
    uint32_t stack_capacity;
    uint32_t *numbers; ///< room for the one that is looked up
    uint32_t number_capacity;

    struct tm__dump_name *names; ///< threads to be defined
    uint32_t name_count, name_capacity, names_emitted;
    char *letters; ///< of their names and groups
    uint32_t letter_count, letter_capacity;
    tm_object *objects; ///< to be defined
    uint32_t object_count, object_capacity, objects_emitted;
    tm_object *recent; ///< by their id: those that were defined last
    tm_event *events;
    uint32_t event_count, event_capacity, events_emitted;
    tm_event *late; ///< snapshots to be said again when all owners are known
    uint32_t late_count, late_capacity;

    uint32_t dump_count; ///< begun so far
    uint32_t moved;      ///< dumps whose time was moved behind the one before
    int64_t time_ns;     ///< of the dump that is being read
    int64_t first_ns;
    int64_t grown_ns; ///< by so much the threads of the next dump are older than those
                      ///< of the last one, by themselves; 0: not known
    uint32_t by_growth;    ///< dumps whose time the clock did not give
    tm__map cpu_map;       ///< thread: cpu_first_ns[]
    int64_t *cpu_first_ns; ///< processor time before the first dump
    uint32_t cpu_count, cpu_capacity;
    tm__sortable *seen; ///< threads of this dump, and spare room behind them
    uint32_t seen_count, seen_capacity;
    tm__sortable *before; ///< those of the last whole dump, by id
    uint32_t before_count, before_capacity;
    uint64_t thread_total; ///< of all dumps
    uint64_t process;      ///< as the last dump that says so has it; 0: none did
    int has_several;       ///< dumps of several processes
    int is_partial;        ///< the last dump may lack threads
} tm__dump;

#endif
