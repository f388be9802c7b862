/* SPDX-License-Identifier: Apache-2.0 */
/* From dumps that were read to a sink. */
#ifndef TM_FORMATS_DUMP_DUMP_EMIT_H
#define TM_FORMATS_DUMP_DUMP_EMIT_H

#include "formats/dump/dump.h"

/** Facts of the run that follow from its dumps; other fields are the reader's. */
void tm__dump_describe(const tm__dump *dump, tm_run *run);

/** Emit what was taken; may be called again after a failure. */
int tm__dump_emit(tm__dump *dump, const tm_sink *sink);

/** @return whether as much waits to be emitted as one call should emit */
int tm__dump_is_full(const tm__dump *dump);

#endif
