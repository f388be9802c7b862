/* SPDX-License-Identifier: Apache-2.0 */
/* The gain of one change, for the run and for its units of work, in one call. */
#ifndef TM_ANALYSIS_WHATIF_GAIN_ASK_H
#define TM_ANALYSIS_WHATIF_GAIN_ASK_H

#include "analysis/whatif/gain.h"
#include "analysis/whatif/throughput.h"

/** What if nobody had to wait for it, or if it took no time? */
typedef struct tm__gain_question {
    uint32_t change;     ///< TM_WHATIF_PERMITS: nobody waits; TM_WHATIF_METHOD: sleeps
                         ///< and I/O whose caller is `method` take no time;
                         ///< TM_WHATIF_IO: I/O with the endpoint `object` does
    uint32_t class_name; ///< strings: of what is waited for in `method`, or TM__NONE
    uint32_t method;     ///< strings
    uint32_t object;     ///< objects[] of an endpoint
} tm__gain_question;

/**
 * @param load    of the run, opened once for all questions
 * @param is_alone  no other thread asks the model meanwhile
 * @param needed  which replays; the gain of one that they do not settle is unreliable
 * @return TM_OK or TM_ENOMEM
 */
int tm__gain_ask(tm__gain *gain, const tm__load *load,
                 const tm__gain_question *question, const tm__replays_needed *needed,
                 int is_alone);

/**
 * What if nobody had to wait for the locks of one group? Of each of some groups, on the
 * same replays of the run unchanged.
 * @param gains   gets `count`
 * @param of_object  which group each object is in; TM__NONE: in none
 * @param groups  that are asked about, `count`
 * @return TM_OK or TM_ENOMEM
 */
int tm__gain_ask_locks(tm__gain *gains, const tm__load *load, const uint32_t *of_object,
                       const uint32_t *groups, uint32_t count,
                       const tm__replays_needed *needed);

#endif
