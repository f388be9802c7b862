/* SPDX-License-Identifier: Apache-2.0 */
/* Collapsed stacks, a line each, for flame graphs. */
#ifndef TM_EXPORT_COLLAPSED_H
#define TM_EXPORT_COLLAPSED_H

#include "export/export_state.h"

int tm__export_collapsed(const tm__export *to);

#endif
