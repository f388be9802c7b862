/* SPDX-License-Identifier: Apache-2.0 */
/* A trace of Perfetto. */
#ifndef TM_EXPORT_PERFETTO_H
#define TM_EXPORT_PERFETTO_H

#include "export/export_state.h"

int tm__export_perfetto(const tm__export *to);

#endif
