/* SPDX-License-Identifier: Apache-2.0 */
/* The activity of a thread in the kernel, in words. */
#ifndef TM_NATIVE_INSPECT_SYSTEM_CALL_H
#define TM_NATIVE_INSPECT_SYSTEM_CALL_H

#include "inspect/target_state.h"

enum tm__call_kind { TM__CALL_OTHER, TM__CALL_SLEEP, TM__CALL_FUTEX };

/** @param[out] text  "read of descriptor 3, socket:[1234]"; "": not known */
int tm__call_describe(const tm__target *target, const tm__task *task, char *text,
                      size_t room);

#endif
