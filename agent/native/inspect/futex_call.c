/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/futex_call.h"

#include <linux/futex.h>
#include <sys/syscall.h>

int tm__futex_of(const tm__target *target, const tm__task *task, uint64_t *address,
                 uint32_t *operation, uint32_t *value)
{
    uint32_t command = (uint32_t)task->arguments[1] & 0x7F;

    (void)target;
    /* A wait with a limit that was interrupted goes on as another call. */
    if (task->call != SYS_futex && task->call != SYS_restart_syscall)
        return 0;
    if (command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET &&
        command != FUTEX_LOCK_PI && command != 13 && command != FUTEX_WAIT_REQUEUE_PI)
        return 0;
    if (task->arguments[1] & ~(uint64_t)(0x7F | TM__FUTEX_PRIVATE | TM__FUTEX_REALTIME))
        return 0;
    *address = task->arguments[0];
    *operation = (uint32_t)task->arguments[1];
    *value = (uint32_t)task->arguments[2];
    return *address != 0 && *address % 4 == 0;
}
