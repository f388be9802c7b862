/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and records of what is defined. */
#ifndef TM_AGENT_IDENT_DEFINITION_RECORDS_H
#define TM_AGENT_IDENT_DEFINITION_RECORDS_H

#include <stdint.h>

#include "ring/buffer.h"

/** Longer names are cut: a record must fit the smallest ring many times over. */
enum { TM__TEXT_BYTES = 2000 };

/** Copy as much of a text as a record may have. @return bytes */
uint32_t tm__text_copy(char *to, const char *text);

/** A number that nothing has. */
uint64_t tm__identity_new(void);

/** Put down what is known of a class by its signature alone. @return its number */
uint64_t tm__class_by_name(tm__buffer *own, const char *signature);

/** The same of a class that is known by a name in UTF-8, and is not the VM's. */
uint64_t tm__class_by_plain_name(tm__buffer *own, const char *name);

/** The same of an object. */
void tm__object_by_hash(tm__buffer *own, uint64_t number, uint64_t class_id,
                        uint32_t hash);

/** An object that goes by its kind (enum tm_object_kind) and its name.
 * @param class_id  0: it has no class
 * @return its number; 0: there is no room */
uint64_t tm__object_by_name(tm__buffer *own, uint64_t class_id, int kind,
                            const char *name);

#endif
