/* SPDX-License-Identifier: Apache-2.0 */
/* From the threads of a text dump to those that all dumps have in common. */
#ifndef TM_FORMATS_JSTACK_FILL_H
#define TM_FORMATS_JSTACK_FILL_H

#include "formats/dump/dump.h"
#include "formats/jstack/cycles.h"

/** A thread of a cycle, for the next dump to know it by. */
typedef struct tm__jstack_member {
    uint64_t thread;
    uint64_t object; ///< that it wants
    uint64_t stack;  ///< hash of its lines
} tm__jstack_member;

/** How old a thread was. The first ones of a dump are the JVM's own, which stay. */
enum { TM__JSTACK_AGES = 32 };
typedef struct tm__jstack_age {
    uint64_t thread;
    int64_t elapsed_ns;
} tm__jstack_age;

typedef struct tm__jstack_fill {
    tm__memory *memory;
    tm__dump *dump;
    tm__jstack_cycles cycles;
    tm__map classes;      ///< address: class's id
    tm__map initialisers; ///< number of a class: threads[] that initialises it
    tm__map moved;        ///< address in this dump: moved_ids[]
    uint64_t *moved_ids;
    uint32_t moved_count, moved_capacity;
    tm__jstack_member *members; ///< of the last dump's cycles
    uint32_t member_count, member_capacity;
    tm__map member_map;       ///< thread: members[]
    tm__jstack_member *found; ///< of this dump's
    uint32_t found_count, found_capacity;
    uint32_t *frames; ///< of the thread at hand
    uint32_t frame_capacity;
    tm__dump_hold *holds;
    uint32_t hold_capacity;
    char *name;
    uint32_t name_capacity;
    tm__jstack_age ages[TM__JSTACK_AGES]; ///< of threads of the last dump
    uint32_t age_count;
    uint32_t next; ///< thread of the dump that is to be taken next
} tm__jstack_fill;

void tm__jstack_fill_init(tm__jstack_fill *fill, tm__memory *memory, tm__dump *dump);

/** By how much the threads of a dump have grown older since the dump before; 0: they
 * do not tell. From then on the next dump is compared with this one. */
int64_t tm__jstack_fill_grown_ns(tm__jstack_fill *fill, const tm__jstack_dump *parsed);

/**
 * Take all threads of a dump that begins at `offset`.
 * @return TM_OK; TM_ENOMEM: call again with the same, and no thread is taken twice
 */
int tm__jstack_fill_read(tm__jstack_fill *fill, const tm__jstack_dump *parsed,
                         uint64_t offset);

void tm__jstack_fill_free(tm__jstack_fill *fill);

#endif
