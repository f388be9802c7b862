/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of each thread for the nestings of locks that it has reported. */
#ifndef TM_NATIVE_RECORD_KNOWN_NESTINGS_H
#define TM_NATIVE_RECORD_KNOWN_NESTINGS_H

#include <stdint.h>

enum { TM__NESTINGS_KNOWN = 256 }; ///< of a thread

/** Once a process: room for all threads. Without it none is reported. */
void tm__known_nestings_begin(uint32_t rings);

/** A thread's, TM__NESTINGS_KNOWN of them, none known; NULL: there is no room. */
uint64_t *tm__known_nestings_of(uint32_t ring_number);

#endif
