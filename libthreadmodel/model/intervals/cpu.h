/* SPDX-License-Identifier: Apache-2.0 */
/* Wake-ups and processors, which only some producers report. */
#ifndef TM_MODEL_CPU_H
#define TM_MODEL_CPU_H

#include <threadmodel/model.h>

#include "model/entities/fact.h"
#include "model/state/interval_state.h"

/** How a thread was woken, which only some producers report. */
typedef struct tm__wake {
    int64_t runnable_ns; ///< it may go on since then; INT64_MIN: not reported
    int64_t on_cpu_ns;   ///< and runs since; INT64_MIN: not yet
    uint32_t waker;      ///< threads[] that made it runnable, or TM__NONE
    uint32_t post;       ///< posts[] that it is thought to have got, or TM__NONE
} tm__wake;

/** The scheduler's counts of a thread; -1: not reported. */
typedef struct tm__cpu_use {
    int64_t ran_ns;
    int64_t waited_ns; ///< could run, and had no processor
} tm__cpu_use;

/** Make room for what is known of the processors of all threads.
 * @return TM_OK or TM_ENOMEM */
int tm__cpu_uses_reserve(tm_model *model);

/** Note a count of the scheduler's. @return TM_OK or TM_ENOMEM */
int tm__on_cpu_use(tm_model *model, const tm__fact *fact);
/** @return for how long a thread was on processors; -1: not reported */
int64_t tm__cpu_time_ns(const tm__intervals *intervals, uint32_t thread);
/** @return for how long it could run and had none; -1: not reported */
int64_t tm__cpu_wait_ns(const tm__intervals *intervals, uint32_t thread);

/** Room in wakes[] for every thread. @return TM_OK or TM_ENOMEM */
int tm__wake_reserve(tm_model *model);
void tm__on_runnable(tm_model *model, const tm__fact *fact);
void tm__on_cpu(tm_model *model, const tm__fact *fact);
void tm__off_cpu(tm_model *model, const tm__fact *fact);
/** The thread that made a blocked one runnable. @return threads[] or TM__NONE */
uint32_t tm__waker(const tm_model *model, uint32_t thread);
/** A thread begins to run; where its wake-up was reported, it was runnable since then.
 * @param cause  interactions[] or TM__NONE */
void tm__run(tm_model *model, uint32_t thread, int64_t time_ns, uint32_t cause);

#endif
