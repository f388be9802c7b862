/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of OpenTelemetry, v1development. */
#ifndef TM_EXPORT_OTLP_H
#define TM_EXPORT_OTLP_H

#include "export/export_state.h"

int tm__export_otlp(const tm__export *to);

#endif
