/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the threads that end waits work for them, and for how long. */
#ifndef TM_ANALYSIS_WHATIF_SERVED_SERVERS_H
#define TM_ANALYSIS_WHATIF_SERVED_SERVERS_H

#include "analysis/whatif/served_state.h"

/** Find what others did for those who waited, if they did. @return TM_OK or TM_ENOMEM
 */
int tm__served_find_servers(tm__served *served);

#endif
