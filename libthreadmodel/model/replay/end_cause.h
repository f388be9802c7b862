/* SPDX-License-Identifier: Apache-2.0 */
/* The row of a block that ended by time or interrupt. */
#ifndef TM_MODEL_END_CAUSE_H
#define TM_MODEL_END_CAUSE_H

#include <threadmodel/model.h>

#include "model/entities/fact.h"
#include "model/entities/thread.h"

/**
 * The row for a blocking interval that says it ended by time or interrupt.
 * @param provenance  how sure it is that nothing else ended it, enum tm_provenance
 * @return it, or TM__NONE where neither is said
 */
uint32_t tm__end_cause(tm_model *model, const tm__fact *fact, int provenance);
/** Forget an interrupt that was called before the present block began. */
void tm__forget_old_interrupt(tm_model *model, tm__thread *thread);
/** Whether the thread that interrupted another may not have woken it yet: it has done
 * nothing else since. */
int tm__may_be_interrupting(const tm_model *model, const tm__thread *target);

#endif
