/* SPDX-License-Identifier: Apache-2.0 */
/* Facts from the thread dumps within a recording: deadlocks, and all waits of the last
 * one.
 */
#ifndef TM_FORMATS_JFR_WITNESS_H
#define TM_FORMATS_JFR_WITNESS_H

#include "formats/jfr/jfr_entities.h"
#include "formats/jfr/fact_order.h"
#include "formats/jstack/cycles.h"

typedef struct tm__jfr_witness {
    tm__memory *memory;
    tm__jfr_entities *entities;
    tm__notes *notes;
    tm__jstack_dump dump;
    tm__jstack_cycles cycles;
    tm__map reported;    ///< by thread: the dump that reported its deadlock
    tm__jfr_fact *facts; ///< what the last dump adds
    uint32_t fact_count;
    uint32_t fact_capacity;
    tm__jfr_fact *sights; ///< threads that wait in the last dump, whatever it is for
    uint32_t sight_count;
    uint32_t sight_capacity;
    int64_t dump_ns; ///< when that dump was taken
} tm__jfr_witness;

void tm__jfr_witness_init(tm__jfr_witness *witness, tm__memory *memory,
                          tm__jfr_entities *entities, tm__notes *notes);

/**
 * Read a dump: `facts` are then the members of deadlocks that were not reported before,
 * and `sights` all threads that wait, but for those of deadlocks.
 * @param text    lent for the call
 * @param offset  of the event in the file, for texts
 * @return TM_OK, or TM_ENOMEM, and then it can be read again
 */
int tm__jfr_witness_read(tm__jfr_witness *witness, const char *text, size_t length,
                         int64_t time_ns, uint64_t offset);

void tm__jfr_witness_free(tm__jfr_witness *witness);

#endif
