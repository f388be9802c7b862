/* SPDX-License-Identifier: Apache-2.0 */
/* Methods and stacks, on the writer thread. */
#ifndef TM_AGENT_WRITER_STACK_TABLE_H
#define TM_AGENT_WRITER_STACK_TABLE_H

#include <jvmti.h>
#include <stdint.h>

#include "trace/ring_record.h"

void tm__stack_table_open(void);

/** Emit what a method is, the first time. @return TM_OK or what the sink returned */
int tm__stack_table_method(const tm__record *record);

/**
 * The number of a stack, defined in the trace on first sight.
 * @param flags    bits of enum tm_stack_flag
 * @param[out] id  0 where there are no frames
 * @return TM_OK or what the sink returned
 */
int tm__stack_table_stack(uint32_t *id, const jvmtiFrameInfo *frames, uint32_t count,
                          uint32_t flags);

/**
 * The number of a stack without its innermost frames: where the method was called from
 * that is `depth` frames further out.
 * @param[out] id  0: there is no such frame
 */
int tm__stack_table_outer(uint32_t *id, uint32_t of, int64_t depth);

/** How often a stack was left out, since it was new and there was no memory for it. */
uint64_t tm__stack_table_refused(void);

void tm__stack_table_close(void);

#endif
