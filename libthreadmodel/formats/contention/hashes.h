/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of a run as the hashes of a log: a hash each, and that which the VM gave it if
 * no other has it. */
#ifndef TM_FORMATS_CONTENTION_HASHES_H
#define TM_FORMATS_CONTENTION_HASHES_H

#include "base/map.h"

typedef struct tm__log_hashes {
    tm__map objects; ///< id: hash
    tm__map threads; ///< id: hash
    tm__map used;    ///< hashes that are taken
    uint32_t next;   ///< that may be free
} tm__log_hashes;

void tm__log_hashes_init(tm__log_hashes *hashes, tm__memory *memory);

/**
 * The hash of an object.
 *
 * @param wanted     its identity hash code; 0: not known
 * @param[out] hash  0 for id 0
 * @return TM_OK or TM_ENOMEM
 */
int tm__log_hash_object(tm__log_hashes *hashes, uint64_t id, uint32_t wanted,
                        uint32_t *hash);

/** The hash of a thread: its object's, where that is known by now (not 0). */
int tm__log_hash_thread(tm__log_hashes *hashes, uint64_t id, uint64_t object,
                        uint32_t *hash);

void tm__log_hashes_free(tm__log_hashes *hashes);

#endif
