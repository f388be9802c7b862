/* SPDX-License-Identifier: Apache-2.0 */
/* From records to definitions, on the writer thread. */
#ifndef TM_AGENT_WRITER_DEFINITIONS_H
#define TM_AGENT_WRITER_DEFINITIONS_H

#include "ring/buffer.h"

/** Emit all that a buffer holds now. @return TM_OK or what the sink returned */
int tm__definitions_emit(tm__buffer *buffer);

#endif
