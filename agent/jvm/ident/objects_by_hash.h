/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that are known by class and identity hash alone, until they are met. */
#ifndef TM_AGENT_IDENT_OBJECTS_BY_HASH_H
#define TM_AGENT_IDENT_OBJECTS_BY_HASH_H

#include <stdint.h>

#include "ring/buffer.h"

/** While it is open, objects that are met are kept as well, to be found by hash. */
void tm__by_hash_open(void);

/** All that are to be known this way are. */
void tm__by_hash_seal(void);
void tm__by_hash_close(void);

/** Whether one must ask or tell here. */
int tm__by_hash_is_used(void);

/**
 * The number of an object that another name is known of.
 * @param name   of its class, as Class.getName() gives it
 * @return a new one when it was not met; 0: no memory
 */
uint64_t tm__by_hash_id(tm__buffer *own, const char *name, uint32_t hash);

/**
 * An object is met that has no number yet: the one that it goes by here, or a new one.
 * @param signature  of its class
 * @param number     a new one
 */
uint64_t tm__by_hash_resolve(const char *signature, uint32_t hash, uint64_t number);

#endif
