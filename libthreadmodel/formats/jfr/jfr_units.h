/* SPDX-License-Identifier: Apache-2.0 */
/* Units of work in a recording. */
#ifndef TM_FORMATS_JFR_JFR_UNITS_H
#define TM_FORMATS_JFR_JFR_UNITS_H

#include "formats/jfr/events.h"

/** Add the unit, or the move of one, that was read last. @return TM_OK or TM_ENOMEM */
int tm__jfr_unit_read(tm__jfr_events *events);
int tm__jfr_unit_move_read(tm__jfr_events *events);

#endif
