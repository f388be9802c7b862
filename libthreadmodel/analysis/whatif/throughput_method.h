/* SPDX-License-Identifier: Apache-2.0 */
/* The time that requests lose by sleeps of other threads in a method: see
 * throughput_method.c.
 */
#ifndef TM_ANALYSIS_WHATIF_THROUGHPUT_METHOD_H
#define TM_ANALYSIS_WHATIF_THROUGHPUT_METHOD_H

#include "analysis/whatif/candidates.h"
#include "analysis/whatif/throughput_laws.h"
#include "analysis/whatif/throughput_load.h"

/**
 * Find the demand that the method asked about makes of a unit.
 * @param demand  `saved` is known: what the unit itself sleeps there
 * @return TM_OK or TM_ENOMEM
 */
int tm__method_demand_of(tm__unit_demand *demand, const tm__load *load,
                         tm__candidates *all);

#endif
