/* SPDX-License-Identifier: Apache-2.0 */
/* The kind of a unit that is inferred. */
#ifndef TM_ANALYSIS_UNITS_PATTERN_KINDS_H
#define TM_ANALYSIS_UNITS_PATTERN_KINDS_H

#include "analysis/units/pattern_state.h"

/** @return the frame below which an event loop calls handlers; count: no frame */
uint32_t tm__pattern_below_dispatch(const tm_model *model, const tm__frame *frames,
                                    uint32_t count);

/** @return strings: the kind of the units in which a place occurs, or TM__NONE */
uint32_t tm__pattern_kind(tm__patterns *patterns, uint32_t place);

#endif
