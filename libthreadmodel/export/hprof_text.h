/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of HPROF's monitor=y and cpu=samples. */
#ifndef TM_EXPORT_HPROF_TEXT_H
#define TM_EXPORT_HPROF_TEXT_H

#include "export/export_state.h"

int tm__export_hprof(const tm__export *to);

#endif
