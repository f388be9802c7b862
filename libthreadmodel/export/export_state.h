/* SPDX-License-Identifier: Apache-2.0 */
/* What the exports share: the model, the output, and how both are used. */
#ifndef TM_EXPORT_EXPORT_STATE_H
#define TM_EXPORT_EXPORT_STATE_H

#include <threadmodel/export.h>

#include "base/output.h"

/** What an exporter works with. */
typedef struct tm__export {
    const tm_model *model;
    tm__memory *memory;
    tm__output *output;
    const tm_export_options *options;
} tm__export;

#endif
