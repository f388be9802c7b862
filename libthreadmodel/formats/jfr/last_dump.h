/* SPDX-License-Identifier: Apache-2.0 */
/* Waits that have not ended, from the last thread dump of a recording. */
#ifndef TM_FORMATS_JFR_LAST_DUMP_H
#define TM_FORMATS_JFR_LAST_DUMP_H

#include "formats/jfr/events.h"

/**
 * Add what the last thread dump of the recording shows: waits that have not ended leave
 * no event. To be called once all facts of the last chunk are there.
 * @return TM_OK or TM_ENOMEM
 */
int tm__jfr_last_dump_add(tm__jfr_events *events);

#endif
