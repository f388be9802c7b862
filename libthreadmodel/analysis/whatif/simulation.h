/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A script played again: a simulation of discrete events, in which threads fight for
 * the locks anew.
 */
#ifndef TM_ANALYSIS_WHATIF_SIMULATION_H
#define TM_ANALYSIS_WHATIF_SIMULATION_H

#include "analysis/whatif/simulation_state.h"

/** @return TM_OK or TM_ENOMEM */
int tm__simulate(tm__simulation *it);

#endif
