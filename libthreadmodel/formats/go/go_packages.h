/* SPDX-License-Identifier: Apache-2.0 */
/* The packages of Go itself. */
#ifndef TM_FORMATS_GO_GO_PACKAGES_H
#define TM_FORMATS_GO_GO_PACKAGES_H

#include "formats/go/go_generation.h"

/** Whether a package belongs to Go itself: a wait there is a wait of its caller. */
int tm__go_is_own_package(tm__go_text package);

/** How long the package is with which a function's name begins; 0: there is none. */
uint32_t tm__go_package_length(tm__go_text name);

int tm__go_begins_with(tm__go_text text, const char *start);

#endif
