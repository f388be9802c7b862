/* SPDX-License-Identifier: Apache-2.0 */
/* The two ways in which a resource is replayed: as uses, or as the work of servers. */
#ifndef TM_ANALYSIS_WHATIF_SERVED_PARTS_H
#define TM_ANALYSIS_WHATIF_SERVED_PARTS_H

#include "analysis/whatif/served.h"

/** A row of a number that counts from the run's begin. @return NULL: it is gone */
const tm__interaction *tm__served_row(const tm__served *served, uint32_t number);

/** @return TM_OK or TM_ENOMEM */
int tm__served_add_span(tm__served *served, tm__span span);

/** Find the uses of permits. @return TM_OK or TM_ENOMEM */
int tm__served_find_uses(tm__served *served);

/** Find what others did for those who waited, if they did. @return TM_OK or TM_ENOMEM
 */
int tm__served_find_servers(tm__served *served);

#endif
