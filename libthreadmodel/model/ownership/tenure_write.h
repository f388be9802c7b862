/* SPDX-License-Identifier: Apache-2.0 */
/* The owners of a lock over time, as events state them, one fact at a time. */
#ifndef TM_MODEL_OWNERSHIP_TENURE_WRITE_H
#define TM_MODEL_OWNERSHIP_TENURE_WRITE_H

#include "model/ownership/owner_facts.h"

/** How certain an event's statement about an owner is. @return enum tm_provenance */
int tm__reported_provenance(const tm__fact *fact);

/** A thread begins to queue for an object. @return the record that is then the last */
uint32_t tm__tenure_wanted(tm_model *model, uint32_t object, int64_t time_ns);
/** Somebody has it, for a thread is blocked by it, and nobody is known to. */
void tm__tenure_unknown(tm_model *model, uint32_t object, int64_t time_ns);
/** A thread has it at an instant, and may have had it before. */
void tm__tenure_had(tm_model *model, uint32_t object, const tm__had *fact);
/** A thread has it from now on. @param earliest_ns  or maybe since then; INT64_MIN:
 * since any time  @param flags  TM__TENURE_HANDED, _PROVISIONAL, _SHARED */
void tm__tenure_got(tm_model *model, uint32_t object, const tm__had *fact,
                    int64_t earliest_ns, int flags);
/** A thread releases it now. */
void tm__tenure_released(tm_model *model, uint32_t object, const tm__had *fact);
/** A thread that may have had it does not have it now. */
void tm__tenure_over(tm_model *model, uint32_t object, uint32_t thread,
                     int64_t time_ns);
/** The same, of all that it is thought to have. */
void tm__tenure_all_over(tm_model *model, uint32_t thread, int64_t time_ns);
/** The same, where it had all of that until then if releases are reported: from now on
 * nobody tells. */
void tm__tenure_all_unseen(tm_model *model, uint32_t thread, int64_t time_ns);
/** A thread that was woken to take an object did not get it.
 * @param from  a record of that object from which on to look
 * @return who woke it, where that need not have been a release; or TM__NONE */
uint32_t tm__tenure_revoke(tm_model *model, uint32_t thread, uint32_t from);

#endif
