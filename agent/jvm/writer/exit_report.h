/* SPDX-License-Identifier: Apache-2.0 */
/* The report that is printed when the VM ends, of a model in its process. */
#ifndef TM_AGENT_WRITER_EXIT_REPORT_H
#define TM_AGENT_WRITER_EXIT_REPORT_H

#include <stdio.h>

#include <threadmodel/model.h>

#include "vm/options.h"

/**
 * Print what was found: the deadlocks, where threads were blocked and for how long, and
 * which threads. Parts for which there is no memory are left out, which is stated.
 * @param options  cutoff and lineno
 */
void tm__exit_report_print(FILE *out, const tm_model *model,
                           const tm__options *options);

#endif
