/* SPDX-License-Identifier: Apache-2.0 */
/* What a change makes of the rate and the latency of requests: see throughput.c. */
#ifndef TM_ANALYSIS_WHATIF_THROUGHPUT_H
#define TM_ANALYSIS_WHATIF_THROUGHPUT_H

#include "analysis/units/unit_state.h"
#include "analysis/whatif/gain.h"
#include "model/entities/caller_frame.h"

/** The units of a run, opened once for all questions; read alone, by any thread. */
typedef struct tm__load {
    const tm_model *model;
    tm__memory memory;
    uint32_t *callers; ///< frames[] of each stack
    tm__scope scope;
    tm__units units;
    const tm__unit_kind *kind; ///< the main one; NULL: there is none
    uint8_t *serves;           ///< of each thread: units of that kind begin on it
    double seconds;            ///< of the steady time
    double rate;               ///< units a second
    double in_flight;          ///< units at once
    int is_service; ///< its units come from outside: the run is as long as the load
    int is_open;    ///< 0: nothing is to be closed
} tm__load;

/** What changes for a unit of the main kind, on average, in seconds. */
typedef struct tm__unit_demand {
    double queued;   ///< waits for what others have
    double used;     ///< then has itself, or is served
    double saved;    ///< less to do, of what is neither
    double variance; ///< of `used`, as the square of its coefficient of variation
    double servers;  ///< that `used` may be done by at once; 0: any number
    int is_others;   ///< another thread has it, and not a unit of the kind
} tm__unit_demand;

typedef struct tm__throughput {
    int is_known;
    double low, middle, high; ///< units a second
    double share; ///< of a unit's time, that is queued or slept for what changes
    int64_t mean_ns, mean_low_ns, mean_high_ns;
    int64_t p99_now_ns, p99_ns;
} tm__throughput;

/**
 * @param libraries  as for tm__stack_callers()
 * @return TM_OK or TM_ENOMEM; to be closed in either case
 */
int tm__load_open(tm__load *load, const tm_model *model,
                  const tm__libraries *libraries);
/** Close one that was opened, or is 0. */
void tm__load_close(tm__load *load);

/** @return TM_OK or TM_ENOMEM */
int tm__throughput_of(tm__throughput *out, const tm__load *load, tm__candidates *all,
                      const tm__candidate *it);

/** What most of a unit's time goes to once the change is made; NULL: it runs. */
const char *tm__next_bottleneck(const tm__load *load, const tm__candidates *all,
                                const tm__candidate *it);

/**
 * The rate of a closed network: `customers` that each need `delay` seconds of nothing
 * that is shared, and then `service` seconds of one of `servers`.
 * @param variance  0: each service is as long; 1: their lengths vary as those of an
 *                  exponential distribution
 */
double tm__closed_rate(double customers, double delay, double service, double servers,
                       double variance);

#endif
