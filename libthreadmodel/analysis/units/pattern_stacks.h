/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks that are one place in the program. */
#ifndef TM_ANALYSIS_UNITS_PATTERN_STACKS_H
#define TM_ANALYSIS_UNITS_PATTERN_STACKS_H

#include "analysis/units/pattern_state.h"

/** @return a number that stacks have in common if their methods have the same names and
 *          are at the same lines; TM__NONE: no memory */
uint32_t tm__pattern_stack(tm__patterns *patterns, uint32_t stack);

#endif
