/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deadlocks of one text dump: those that its locks show, those that the JVM's own
 * account names, and where the two differ.
 */
#ifndef TM_FORMATS_JSTACK_CYCLES_H
#define TM_FORMATS_JSTACK_CYCLES_H

#include "base/map.h"
#include "formats/jstack/parse_state.h"
#include "formats/notes.h"

/** The lock that a thread wants, by address. */
typedef struct tm__jstack_want {
    uint64_t address;    ///< 0: nothing that is known
    uint32_t owner;      ///< threads[] that has it; TM__NONE: unknown
    uint32_t cycle;      ///< from 0; TM__NONE: it is in none
    uint8_t is_reported; ///< the JVM's account names it in a deadlock
    uint8_t is_stated;   ///< the owner is known from that account or its line alone
    uint8_t is_initialized_by_other; ///< waits for a class that another initialises
    uint8_t is_initializing;         ///< initialises a class that another waits for
} tm__jstack_want;

typedef struct tm__jstack_cycles {
    tm__memory *memory;
    tm__jstack_want *wants; ///< by thread
    uint32_t want_capacity;
    uint32_t want_count;
    uint32_t *marks;
    uint32_t mark_capacity;
    uint32_t cycle_count;
    tm__map owners; ///< address: threads[]
    tm__map names;  ///< hash of a name: threads[], the first of that name
    uint32_t *next_namesake;
    uint32_t namesake_capacity;
} tm__jstack_cycles;

void tm__jstack_cycles_init(tm__jstack_cycles *cycles, tm__memory *memory);

/** A new dump: nobody wants or holds anything yet. @return TM_OK or TM_ENOMEM */
int tm__jstack_cycles_start(tm__jstack_cycles *cycles, const tm__jstack_dump *dump);

/** A thread holds the object at this address. */
int tm__jstack_cycles_hold(tm__jstack_cycles *cycles, uint64_t address,
                           uint32_t thread);

/** The class that a frame initialises. @return 1: it does */
int tm__jstack_initialized_class(tm__slice frame, tm__slice *name);
/** The address that stands for the initialisation of a class. */
uint64_t tm__jstack_class_address(tm__slice name);

/**
 * A thread that has the initialiser of a class on its stack is the one that others
 * wait for which need that class.
 */
int tm__jstack_cycles_initializers(tm__jstack_cycles *cycles,
                                   const tm__jstack_dump *dump);

/**
 * Take over what the JVM's account says, find the cycles and note the differences.
 * @param offset  of the dump, for texts
 */
int tm__jstack_cycles_find(tm__jstack_cycles *cycles, const tm__jstack_dump *dump,
                           tm__notes *notes, uint64_t offset);

void tm__jstack_cycles_free(tm__jstack_cycles *cycles);

#endif
