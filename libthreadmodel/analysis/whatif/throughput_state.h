/* SPDX-License-Identifier: Apache-2.0 */
/* A prediction for requests. */
#ifndef TM_ANALYSIS_WHATIF_THROUGHPUT_STATE_H
#define TM_ANALYSIS_WHATIF_THROUGHPUT_STATE_H

#include <stdint.h>

/** The next bottleneck: a lock, a pool, the processors, or a place in which requests
 * sleep or wait: it is known how many were there at once, and not how many there may
 * be. */
typedef struct tm__next {
    uint32_t kind;       ///< enum tm__station_kind; TM__NONE: there is nothing
    uint32_t class_name; ///< strings or TM__NONE
    uint32_t method;     ///< strings or TM__NONE
    double in_use;       ///< of it, on average
    uint32_t servers;    ///< so many there are, or were seen
} tm__next;

typedef struct tm__throughput {
    int is_known;
    int is_played;            ///< by the recorded requests
    int is_replayed;          ///< by the replay of the run
    double low, middle, high; ///< units a second
    double share; ///< of a unit's time, that is queued or slept for what changes
    double lost;  ///< of it, what a unit that is alone would not lose
    int64_t mean_ns, mean_low_ns, mean_high_ns;
    int64_t p99_now_ns, p99_ns;
    tm__next next;
} tm__throughput;

#endif
