/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks and regions of runtime/trace as units of work. */
#ifndef TM_FORMATS_GO_GO_UNITS_H
#define TM_FORMATS_GO_GO_UNITS_H

#include "formats/go/go_step.h"

int tm__go_on_unit(const tm__go_step *at);

#endif
