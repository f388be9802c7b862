/* SPDX-License-Identifier: Apache-2.0 */
/* Executables and libraries that are loaded. */
#ifndef TM_NATIVE_RECORD_REPORTED_MODULES_H
#define TM_NATIVE_RECORD_REPORTED_MODULES_H

#include "layout/region.h"

/** Learn the program's file, which it may not ask for later. */
void tm__modules_begin(void);

/** Report executables and libraries, if any came since. In a record of the caller's. */
void tm__modules_report(tm__ring *ring);

#endif
