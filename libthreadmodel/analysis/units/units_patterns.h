/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How threads work, from where they are blocked again and again: threads whose names
 * differ in digits alone are a group, and each place where one of a group is blocked is
 * counted.
 */
#ifndef TM_ANALYSIS_UNITS_UNITS_PATTERNS_H
#define TM_ANALYSIS_UNITS_UNITS_PATTERNS_H

#include "analysis/units/pattern_state.h"

/** @param[in,out] next  intervals[] of the thread. @return 1, or 0 after the last */
int tm__unit_block_next(const tm_model *model, const tm__thread *thread, uint32_t *next,
                        tm__unit_block *block);

/** @return TM_OK or TM_ENOMEM; to be closed in either case */
int tm__patterns_open(tm__patterns *patterns, tm__units *units);
void tm__patterns_close(tm__patterns *patterns);

/** @return places[] of a block, which is guessed by its length where its stack is not
 * known; TM__NONE */
uint32_t tm__pattern_place(const tm__patterns *patterns, uint32_t group,
                           const tm__unit_block *block);

enum tm__separator tm__pattern_separator(const tm__patterns *patterns,
                                         const tm__unit_block *block);

#endif
