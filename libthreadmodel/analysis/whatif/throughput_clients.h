/* SPDX-License-Identifier: Apache-2.0 */
/* Units that are requests of clients: see throughput_clients.c. */
#ifndef TM_ANALYSIS_WHATIF_THROUGHPUT_CLIENTS_H
#define TM_ANALYSIS_WHATIF_THROUGHPUT_CLIENTS_H

#include "analysis/units/unit_state.h"

/** Whether the units of a kind begin with what clients outside of the program
 * send. */
int tm__units_are_of_clients(const tm_model *model, const tm__units *units,
                             const tm__unit_kind *kind);

#endif
