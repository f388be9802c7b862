/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at a process as events of a trace, each a thread dump. */
#ifndef TM_NATIVE_INSPECT_EMIT_DUMP_H
#define TM_NATIVE_INSPECT_EMIT_DUMP_H

#include "inspect/target_state.h"

typedef struct tm__dump_writer tm__dump_writer;

/** @return NULL: it cannot be written, which tm_error_text() explains */
tm__dump_writer *tm__dump_writer_open(const char *path, const tm__target *target);

/** Write what was seen in one look. */
void tm__dump_writer_add(tm__dump_writer *it, tm__target *target);

/** @return 0, or -1: the trace is not complete */
int tm__dump_writer_close(tm__dump_writer *it, const tm__target *target);

#endif
