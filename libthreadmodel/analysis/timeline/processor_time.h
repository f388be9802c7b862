/* SPDX-License-Identifier: Apache-2.0 */
/* For how long threads had a processor, and for how long they wanted one: by the
 * scheduler's counts where the producer has them, else by the switches it reports. */
#ifndef TM_ANALYSIS_PROCESSOR_TIME_H
#define TM_ANALYSIS_PROCESSOR_TIME_H

#include "model/state/model.h"

/** @return for how long a thread was seen in a state */
int64_t tm__seen_ns(const tm_model *model, uint32_t thread, int state);
/** @return for how long a thread was on processors; -1: not known */
int64_t tm__had_processor_ns(const tm_model *model, uint32_t thread);
/** @return for how long it could run and had no processor; -1: not known */
int64_t tm__lacked_processor_ns(const tm_model *model, uint32_t thread);

#endif
