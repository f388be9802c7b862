/* SPDX-License-Identifier: Apache-2.0 */
/* The exporters, one a format: each writes all of its file. */
#ifndef TM_EXPORT_EXPORT_H
#define TM_EXPORT_EXPORT_H

#include <threadmodel/export.h>

#include "base/output.h"

/** What an exporter works with. */
typedef struct tm__export {
    const tm_model *model;
    tm__memory *memory;
    tm__output *output;
    const tm_export_options *options;
} tm__export;

/* @return TM_OK, TM_ENOMEM, TM_EINVAL; failed writes stay in the output */
int tm__export_perfetto(const tm__export *to);
int tm__export_chrome(const tm__export *to);
int tm__export_collapsed(const tm__export *to);
int tm__export_dot(const tm__export *to);
int tm__export_hprof(const tm__export *to);
int tm__export_pprof(const tm__export *to);
int tm__export_otlp(const tm__export *to);

/** Put text as a string of C, JSON and Graphviz alike, quotes and all. */
void tm__export_quote(tm__output *output, const char *text);

#endif
