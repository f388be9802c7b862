/* SPDX-License-Identifier: Apache-2.0 */
/* The futex that a call into the kernel waits for. */
#ifndef TM_NATIVE_INSPECT_FUTEX_CALL_H
#define TM_NATIVE_INSPECT_FUTEX_CALL_H

#include "inspect/target_state.h"

/** The futex that a thread waits for, the first of several.
 * @return how many; 0: it does not wait for one */
uint32_t tm__futex_of(const tm__target *target, const tm__task *task, uint64_t *address,
                      uint32_t *operation, uint32_t *value);

/** Flags of a futex's operation. */
enum { TM__FUTEX_PRIVATE = 128, TM__FUTEX_REALTIME = 256 };

/** Whether an operation is of a lock whose word has the number of its owner. */
int tm__futex_has_owner(uint32_t operation);

/** The file whose own code asked the kernel for it, as OpenMP's runtime does; NULL: the
 * C library did, or it is not known. */
const char *tm__futex_caller(const tm__target *target, const tm__task *task);

#endif
