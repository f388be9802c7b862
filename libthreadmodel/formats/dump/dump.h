/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The common part of all thread dumps: a dump is an instant at which some
 * threads were seen, each in a state, with a stack and locks. Readers take a thread
 * after the other and emit what was taken; several dumps make a sampled timeline.
 */
#ifndef TM_FORMATS_DUMP_DUMP_H
#define TM_FORMATS_DUMP_DUMP_H

#include "formats/dump/dump_state.h"

/** @param notes  the reader's; stays where it is */
int tm__dump_init(tm__dump *dump, tm__memory *memory, tm__notes *notes,
                  tm__dump_nature nature);

/**
 * A dump begins. One that is not later than the dump before is moved behind it.
 * @param time_ns  since 1970; INT64_MIN: not known
 */
void tm__dump_begin(tm__dump *dump, int64_t time_ns);

/** The process that it is of. */
void tm__dump_process(tm__dump *dump, uint64_t id);

/** The dump is over. @param is_whole 0: more threads may have been in it */
int tm__dump_end(tm__dump *dump, int is_whole);

/** Take a thread. @return TM_OK; TM_ENOMEM: as if it had not been taken */
int tm__dump_read(tm__dump *dump, const tm__dump_thread *thread);

/** Make room for some events that tm__dump_note() is to take. */
int tm__dump_reserve(tm__dump *dump, uint32_t events);

/** Add an event that is not part of a dump. @return TM_OK or TM_ENOMEM */
int tm__dump_note(tm__dump *dump, const tm_event *event);

/** Define a thread that is in no dump. @return TM_OK or TM_ENOMEM */
int tm__dump_define(tm__dump *dump, const tm_thread *thread);

/** Note the caveats that all dumps have. @return TM_OK or TM_ENOMEM */
int tm__dump_conclude(tm__dump *dump);

void tm__dump_free(tm__dump *dump);

#endif
