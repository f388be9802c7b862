/* SPDX-License-Identifier: Apache-2.0 */
/* A simulation: its threads, locks and clock. */
#ifndef TM_ANALYSIS_WHATIF_SIMULATION_STATE_H
#define TM_ANALYSIS_WHATIF_SIMULATION_STATE_H

#include "analysis/whatif/script_state.h"

/** How a place's time is scaled. */
enum tm__scaling {
    TM__SCALING_NONE,
    TM__SCALING_CHOSEN, ///< by the factor
    TM__SCALING_GONE,   ///< others do it, see served.h
};

typedef struct tm__simulation {
    const tm__script *script;
    tm__memory *memory;
    const uint8_t *scalings; ///< enum tm__scaling of each of the holds' places
    const uint8_t *ends;     ///< a thread: the run is not over before it is
    double factor;
    double processors;      ///< as many times as many as there were
    uint32_t more_permits;  ///< of locks that are asked about
    uint32_t group;         ///< which those are, of the holds' groups
    uint8_t scales_method;  ///< what is in the method takes `factor` times as long
    uint8_t scales_service; ///< what servers do takes `factor` times as long
    uint8_t scales_waits;   ///< waits in scaled holds are scaled as well
    uint8_t scales_hidden;  ///< so is what is thought to be another's hold
    uint8_t plays_on;       ///< up to the end of threads that do not decide it, too
    uint8_t moves_unknown;  ///< unexplained waits last as long, whenever they begin
    int64_t length_ns;      ///< the answer: from the begin to the last end
    uint64_t forced;        ///< blocked threads that had to be released
    int64_t until_ns;       ///< waited for something unrecorded, all threads together
    int64_t *saved_ns;      ///< NULL, or gets what each thread did not have to do
    int64_t *finished_ns;   ///< gets when each had taken its steps, if it had
} tm__simulation;

#endif
