/* SPDX-License-Identifier: Apache-2.0 */
/* The conditions that choose the rows on which a finding rests, in SQL. */
#ifndef TM_ANALYSIS_FINDINGS_WHERE_H
#define TM_ANALYSIS_FINDINGS_WHERE_H

#include "analysis/findings/finding.h"

/* Conditions on the rows of the evidence, which all hold: column = value, in SQL.
 * Too long a text makes the condition empty, which is all of the table. */
void tm__where_text(tm__finding *finding, const char *column, const char *text);
void tm__where_number(tm__finding *finding, const char *column, int64_t number);
void tm__where_thread(tm__finding *finding, const char *column, const tm_model *model,
                      uint32_t thread);
/** The column `method`, by another name perhaps; and `line` where by_line is 1. */
void tm__where_caller(tm__finding *finding, const tm__findings *findings,
                      const char *column, uint32_t place, int by_line);
/** The column `state`, one of a few. */
void tm__where_states(tm__finding *finding, const int *states, uint32_t count);
/** One of so many numbers, at least one. So many that no report could hold them make
 * the condition empty for good: ask last. @return TM_OK or TM_ENOMEM */
int tm__where_in(tm__finding *finding, tm__findings *findings, const char *column,
                 const uint64_t *numbers, uint32_t count);
/** The same of the column `thread_id`: of the threads that are chosen. */
int tm__where_threads(tm__finding *finding, tm__findings *findings,
                      tm__is_chosen *is_chosen, const void *context);
/** The column `class`. */
void tm__where_class(tm__finding *finding, const tm_model *model, uint32_t class_name);

#endif
