/* SPDX-License-Identifier: Apache-2.0 */
/* A chunk's threads and objects as ids that hold across chunks. */
#ifndef TM_FORMATS_JFR_ACTORS_H
#define TM_FORMATS_JFR_ACTORS_H

#include "formats/jfr/jfr_entities.h"

/* The id of the thread that a key of the chunk stands for; 0: the key is 0.
 * @return TM_OK or TM_ENOMEM */
int tm__jfr_thread_id(tm__jfr_entities *entities, uint64_t key, uint64_t *id);

/** The id of a thread by Java's own number for it; 0: it has none. */
uint64_t tm__jfr_java_thread_id(const tm__jfr_entities *entities, uint64_t java_id);

/**
 * The id of a thread by Java's own number, defined by this name where no event
 * reported more.
 * @param name  texts
 * @return TM_OK or TM_ENOMEM
 */
int tm__jfr_java_thread(tm__jfr_entities *entities, uint64_t java_id, uint32_t name,
                        uint64_t *id);

/** The id of an object. @return TM_OK or TM_ENOMEM */
int tm__jfr_object_id(tm__jfr_entities *entities, int kind, uint64_t address,
                      uint32_t class_, uint64_t *id);

/** Define a thread anew as a daemon, which no event says. @return TM_OK or TM_ENOMEM */
int tm__jfr_thread_note_daemon(tm__jfr_entities *entities, uint64_t java_id);

#endif
