/* SPDX-License-Identifier: Apache-2.0 */
/* HPROF's text format: threads as they come and go; stacks and sums at the end. */
#ifndef TM_AGENT_WRITER_HPROF_TEXT_H
#define TM_AGENT_WRITER_HPROF_TEXT_H

#include <stdint.h>
#include <stdio.h>

#include <threadmodel/model.h>

#include "vm/options.h"

/** Print the head of such a file. @param wall_ns  since 1970, now */
void tm__hprof_text_head(FILE *out, const char *producer, int64_t wall_ns);

/**
 * Print what a run came to: its threads, the stacks at which monitors were waited for
 * or a processor was used, and how much at each.
 * @param options  lineno, thread, cutoff
 * @param wall_ns  since 1970, now
 * @return TM_OK or TM_ENOMEM
 */
int tm__hprof_text_print(FILE *out, const tm_model *model, const tm__options *options,
                         int64_t wall_ns);

#endif
