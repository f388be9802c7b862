/* SPDX-License-Identifier: Apache-2.0 */
/* A run in Chrome's Trace Event Format. */
#ifndef TM_EXPORT_CHROME_H
#define TM_EXPORT_CHROME_H

#include "export/export_state.h"

int tm__export_chrome(const tm__export *to);

#endif
