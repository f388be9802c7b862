/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of a script, written one after the other. */
#ifndef TM_ANALYSIS_WHATIF_SCRIPT_STEPS_H
#define TM_ANALYSIS_WHATIF_SCRIPT_STEPS_H

#include "analysis/whatif/script_marks.h"

void tm__put_work(tm__script_writer *w);

/** Put a step, after the work before it. */
void tm__put_step(tm__script_writer *w, tm__step step);

void tm__put_mark(tm__script_writer *w, const tm__mark *it);

const tm__mark *tm__next_mark(const tm__script_writer *w);

void tm__put_marks_before(tm__script_writer *w, int64_t time_ns);

#endif
