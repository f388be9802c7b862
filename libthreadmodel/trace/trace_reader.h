/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of .tmt files. */
#ifndef TM_TRACE_TRACE_READER_H
#define TM_TRACE_TRACE_READER_H

#include "base/format.h"

extern const tm__format tm__format_tmt;

/** As tm_source_follow(). */
void tm__trace_follow(void *reader, int growing);

#endif
