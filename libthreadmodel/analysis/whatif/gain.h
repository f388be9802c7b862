/* SPDX-License-Identifier: Apache-2.0 */
/* The gain of one change, as an interval. */
#ifndef TM_ANALYSIS_WHATIF_GAIN_H
#define TM_ANALYSIS_WHATIF_GAIN_H

#include "analysis/whatif/candidates.h"

/** The effect of a change on requests, or on other units of work. */
typedef struct tm__gain_requests {
    int are_units;  ///< the run has any
    int is_service; ///< they come from outside: the run is as long as its load
    int is_load;    ///< or are made until a given time: it is no longer for its units
    int is_known;   ///< what follows is
    double now, low, middle, high; ///< units a second
    double share;                  ///< of their time goes to what the change is about
    double lost; ///< of their time that is lost to others there, and not their own use
    int64_t p99_now_ns, p99_ns;
} tm__gain_requests;

typedef struct tm__gain {
    int is_known; ///< else nothing is known that would change, or the replay does not
                  ///< show the run: see tm__replay_is_image()
    int64_t low_ns;
    int64_t middle_ns;
    int64_t high_ns;
    int64_t absorbed_ns; ///< by which threads wait longer for what is not recorded
    int64_t off_ns;      ///< the unchanged replay less the recording
    uint64_t forced;     ///< threads that its replays had to continue
    tm__gain_requests requests;
} tm__gain;

/** Whether the replay with nothing changed is as long as the run, but for an eighth,
 * and no thread had to be released in it. */
int tm__replay_is_image(int64_t off_ns, uint64_t forced, int64_t run_ns);

/** The gain of a candidate that was replayed. */
tm__gain tm__gain_of(const tm__candidates *all, const tm__candidate *it);

#endif
