/* SPDX-License-Identifier: Apache-2.0 */
/* The rate of requests by operational laws: see throughput_laws.c. */
#ifndef TM_ANALYSIS_WHATIF_THROUGHPUT_LAWS_H
#define TM_ANALYSIS_WHATIF_THROUGHPUT_LAWS_H

#include <threadmodel/whatif.h>

/** The changes for a unit of the main kind, on average, in seconds. */
typedef struct tm__unit_demand {
    double queued;   ///< waits for what others have
    double used;     ///< then has itself, or is served
    double saved;    ///< asleep itself, in the method asked about
    double others;   ///< waits while others are asleep in it
    double variance; ///< of `used`, as the square of its coefficient of variation
    int is_own;      ///< others are only delayed by what units do themselves
    double servers;  ///< that `used` may be done by at once; 0: any number
    int are_apart;   ///< each of the servers has a queue of its own
    double stall;    ///< what stops many units at once: how long each time; 0: nothing
    double gap;      ///< from the end of one of these to the begin of the next
} tm__unit_demand;

/** Units a second. */
typedef struct tm__rates {
    double low, middle, high;
} tm__rates;

/**
 * The rate of a closed network: `customers` that each need `delay` seconds of nothing
 * that is shared, and then `service` seconds of one of `servers`.
 * @param variance  0: each service is as long; 1: their lengths vary as those of an
 *                  exponential distribution
 */
double tm__closed_rate(double customers, double delay, double service, double servers,
                       double variance);

/**
 * The rate after a change.
 * @param in_flight  units at once, before the change and after it
 * @param rate       units a second, before it
 */
tm__rates tm__rates_by_laws(double in_flight, double rate,
                            const tm_whatif_options *options,
                            const tm__unit_demand *demand);

#endif
