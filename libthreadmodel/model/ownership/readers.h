/* SPDX-License-Identifier: Apache-2.0 */
/* Several owners of a lock at once, readers for instance. */
#ifndef TM_MODEL_OWNERSHIP_READERS_H
#define TM_MODEL_OWNERSHIP_READERS_H

#include "model/ownership/tenure_record.h"

/** Keep the records of all that share it, and of all after them. @return the first */
uint32_t tm__readers_see(tm_model *model, uint32_t object);
/** Those that shared it have released it by now, seen or not.
 * @param flags  TM__TENURE_LOST: or it is not known whether they have */
void tm__readers_end(tm_model *model, uint32_t object, int64_t time_ns, int flags);
/** A reader has left: another stands for those that still have it. */
void tm__reader_left(tm_model *model, uint32_t object, uint32_t thread,
                     int64_t time_ns);
/** A thread without a record reads from now on. */
void tm__reader_add(tm_model *model, uint32_t object, const tm__had *fact);
/** One of several owners releases it now. */
void tm__tenure_left(tm_model *model, uint32_t object, const tm__had *fact);
/** Those that share it release it now. */
void tm__tenure_nobody_shares(tm_model *model, uint32_t object, int64_t time_ns);

#endif
