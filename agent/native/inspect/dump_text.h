/* SPDX-License-Identifier: Apache-2.0 */
/* A look at a process, as text. */
#ifndef TM_NATIVE_INSPECT_DUMP_TEXT_H
#define TM_NATIVE_INSPECT_DUMP_TEXT_H

#include <stdio.h>

#include "inspect/target_state.h"

void tm__dump_text_put(FILE *out, tm__target *target);

#endif
