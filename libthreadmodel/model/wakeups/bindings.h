/* SPDX-License-Identifier: Apache-2.0 */
/* A notify and the waiter that it is bound to. */
#ifndef TM_MODEL_WAKEUPS_BINDINGS_H
#define TM_MODEL_WAKEUPS_BINDINGS_H

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

#endif
