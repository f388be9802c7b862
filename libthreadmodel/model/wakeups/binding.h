/* SPDX-License-Identifier: Apache-2.0 */
/* Which notify woke which waiter. */
#ifndef TM_MODEL_BINDING_H
#define TM_MODEL_BINDING_H

#include <threadmodel/model.h>

#include "model/entities/fact.h"
#include "model/entities/object.h"
#include "model/intervals/interaction.h"

/** A notify and the waiter that it is thought to have woken, while in doubt. */
typedef struct tm__binding {
    uint32_t interaction; ///< interactions[]; TM__NONE: a waiter without a notify
    uint32_t waiter;      ///< threads[]; TM__NONE: a notify without a waiter
    uint32_t interval;    ///< of a waiter without a notify: the wait's number
    uint32_t next;        ///< in the object's list, or the list of free ones
    uint8_t doubtful;     ///< the waiter may have left before the notify
    uint8_t settled;      ///< the waiter came back
    uint8_t tainted; ///< never exact: it, or one before it, left at an unknown time
    uint8_t all;     ///< a notifyAll, which may wake many
} tm__binding;

/** @return TM_OK or TM_ENOMEM, and then nothing has changed */
int tm__bind_notify(tm_model *model, const tm__fact *fact);
/** Wake all waiters of an object. @return TM_OK or TM_ENOMEM, nothing changed */
int tm__bind_all(tm_model *model, const tm__fact *fact, uint32_t object, int kind);
/**
 * A waiter came back.
 * @param[out] certain  whether it is certain, where no notify woke it, that none did
 * @return interactions[] that woke it, or TM__NONE
 */
uint32_t tm__bind_waited(tm_model *model, const tm__fact *fact, int *certain);
/** A woken waiter was seen to run without a Waited; settle what it was bound to. */
void tm__bind_unseen_return(tm_model *model, const tm__fact *fact);

/* binding_doubt.c: and which did where a waiter may have left before */

/** A notify takes the waiter out of the set, to queue for the monitor. */
void tm__bind_wake(tm_model *model, uint32_t waiter, uint32_t row);
/** It was not notified after all, or not by that: it only waits, out of the set. */
void tm__bind_unwake(tm_model *model, uint32_t waiter, int64_t time_ns);
/** A notify found nobody. */
void tm__bind_woke_nobody(tm_model *model, uint32_t row);
/** Nothing from here on will be sure, of those who wait since this notify or before. */
void tm__bind_raise_doubt(tm_model *model, uint32_t object, enum tm__doubt doubt,
                          uint32_t notify);
/** The notify that came last, of those in an object's list. @return interactions[] */
uint32_t tm__bind_last_listed(const tm_model *model, uint32_t object);
/**
 * The waiter of a listed notify had left before it: this and each later notify
 * gets the next one's waiter, as far as that was waiting then.
 */
void tm__bind_shift(tm_model *model, uint32_t object, uint32_t binding);
/** The binding of a notify is sure, and so is that its caller had the monitor. */
void tm__bind_make_exact(tm_model *model, tm__interaction *row);
/** What stands at the head of the list without a doubt is settled. */
void tm__bind_settle(tm_model *model, uint32_t object);
/** Whether a woken waiter comes back will not be seen. */
void tm__bind_forget(tm_model *model, uint32_t thread);
/** Forget what is unsettled; what was bound so far stays as inferred. */
void tm__bind_abandon(tm_model *model, uint32_t object);

/* binding_tptp.c, binding_reported.c: the other policies */
int tm__bind_notify_tptp(tm_model *model, const tm__fact *fact);
uint32_t tm__bind_waited_tptp(tm_model *model, const tm__fact *fact);
int tm__bind_notify_reported(tm_model *model, const tm__fact *fact);
uint32_t tm__bind_waited_reported(tm_model *model, const tm__fact *fact);

/**
 * A waiter came back of which it was not known what it waited for.
 * @param fact  with the object, as the end names it
 * @return interactions[] that woke it, or TM__NONE
 */
uint32_t tm__bind_late(tm_model *model, const tm__fact *fact);

/* binding_list.c: an object's notifies that are not settled, oldest first */

/** Room for one more. @return TM_OK or TM_ENOMEM */
int tm__binding_reserve(tm_model *model);
/** Append one to an object's list. @return its index */
uint32_t tm__binding_append(tm_model *model, uint32_t object, tm__binding binding);
/** Put one before all others of an object's list. */
void tm__binding_prepend(tm_model *model, uint32_t object, tm__binding binding);
/** Unlink and free the one after `previous` (TM__NONE: the first). */
void tm__binding_drop(tm_model *model, uint32_t object, uint32_t previous);
/**
 * Bind a waiter that has come back to a listed notify, and drop the notify from
 * the list unless it may wake more.
 * @param previous  the one before it in the list, or TM__NONE
 * @return interactions[]
 */
uint32_t tm__binding_match(tm_model *model, uint32_t object, uint32_t binding,
                           uint32_t previous, const tm__fact *to, int provenance);

#endif
