/* SPDX-License-Identifier: Apache-2.0 */
/* The common part of the exports: the model, the output, and how both are used. */
#ifndef TM_EXPORT_EXPORT_STATE_H
#define TM_EXPORT_EXPORT_STATE_H

#include <threadmodel/export.h>
#include <threadmodel/selection.h>

#include "base/output.h"

/** The inputs of an exporter. */
typedef struct tm__export {
    const tm_model *model;
    tm__memory *memory;
    tm__output *output;
    const tm_export_options *options;
} tm__export;

/** The part of the run that an export is of. */
static inline tm_selection tm__export_part(const tm__export *to)
{
    return (tm_selection){.size = sizeof(tm_selection),
                          .from_ns = to->options->from_ns,
                          .to_ns = to->options->to_ns};
}

#endif
