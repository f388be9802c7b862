/* SPDX-License-Identifier: Apache-2.0 */
/* A profile of pprof. */
#ifndef TM_EXPORT_PPROF_H
#define TM_EXPORT_PPROF_H

#include "export/export_state.h"

/* @return TM_OK, TM_ENOMEM, TM_EINVAL; failed writes stay in the output */
int tm__export_pprof(const tm__export *to);

#endif
