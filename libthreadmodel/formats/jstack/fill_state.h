/* SPDX-License-Identifier: Apache-2.0 */
/* The state of fill.h, from one thread and dump to the next. */
#ifndef TM_FORMATS_JSTACK_FILL_STATE_H
#define TM_FORMATS_JSTACK_FILL_STATE_H

#include "formats/dump/dump_state.h"
#include "formats/jstack/cycles.h"

/** Ids of threads and addresses of objects are below, in all but the first JVM. */
enum { TM__JVM_SHIFT = 49 };

/** A thread of a cycle, for the next dump to know it by. */
typedef struct tm__jstack_member {
    uint64_t thread;
    uint64_t object; ///< that it wants
    uint64_t stack;  ///< hash of its lines
} tm__jstack_member;

typedef struct tm__jstack_fill {
    tm__memory *memory;
    tm__dump *dump;
    tm__jstack_cycles cycles;
    tm__map classes; ///< address: class's id
    tm__map moved;   ///< address in this dump: moved_ids[]
    uint64_t *moved_ids;
    uint32_t moved_count, moved_capacity;
    tm__jstack_member *members; ///< of the last dump's cycles
    uint32_t member_count, member_capacity;
    tm__map member_map;       ///< thread: members[]
    tm__jstack_member *found; ///< of this dump's
    uint32_t found_count, found_capacity;
    uint32_t *frames;  ///< of the thread at hand
    uint32_t *numbers; ///< by text: the frame's number + 1; 0: not asked for yet
    uint32_t number_capacity, number_count;
    tm__map edges;             ///< hash of a name: the first of the account's edges
    tm__jstack_lock from_edge; ///< what only the account says that a thread wants
    uint64_t jvm;              ///< which of several, from 0
    uint32_t frame_capacity;
    tm__dump_hold *holds;
    uint32_t hold_capacity;
    char *name;
    uint32_t name_capacity;
    char *label; ///< of the object at hand
    uint32_t label_capacity;
    uint32_t next; ///< thread of the dump that is to be taken next
} tm__jstack_fill;

/** @return the id of a thread, whose number several JVMs may use */
static inline uint64_t tm__jstack_fill_id(const tm__jstack_fill *fill, uint64_t id)
{
    return id ? id ^ fill->jvm << TM__JVM_SHIFT : 0;
}

#endif
