/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/futex_call.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>

#include "names/c_library.h"

/** Numbers that older headers lack. */
enum { LOCK_PI2 = 13, WAIT_FOR_SEVERAL = 449, SEVERAL_MOST = 128 };

int tm__futex_has_owner(uint32_t operation)
{
    return (operation & 0x7F) == FUTEX_LOCK_PI || (operation & 0x7F) == LOCK_PI2;
}

/* The first word of a futex_waitv(). */
static uint32_t first_of_several(const tm__target *target, const tm__task *task,
                                 uint64_t *address, uint32_t *operation,
                                 uint32_t *value)
{
    struct {
        uint64_t value, address;
        uint32_t flags, reserved;
    } first;

    if (task->arguments[1] == 0 || task->arguments[1] > SEVERAL_MOST ||
        !tm__target_read(target, task->arguments[0], &first, sizeof(first)))
        return 0;
    *address = first.address;
    *operation = FUTEX_WAIT | (first.flags & TM__FUTEX_PRIVATE);
    *value = (uint32_t)first.value;
    return (uint32_t)task->arguments[1];
}

uint32_t tm__futex_of(const tm__target *target, const tm__task *task, uint64_t *address,
                      uint32_t *operation, uint32_t *value)
{
    uint32_t command = (uint32_t)task->arguments[1] & 0x7F;

    if (task->call == WAIT_FOR_SEVERAL)
        return first_of_several(target, task, address, operation, value);
    /* A wait with a limit that was interrupted goes on as another call. */
    if (task->call != SYS_futex && task->call != SYS_restart_syscall)
        return 0;
    if (command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET &&
        !tm__futex_has_owner(command) && command != FUTEX_WAIT_REQUEUE_PI)
        return 0;
    if (task->arguments[1] & ~(uint64_t)(0x7F | TM__FUTEX_PRIVATE | TM__FUTEX_REALTIME))
        return 0;
    *address = task->arguments[0];
    *operation = (uint32_t)task->arguments[1];
    *value = (uint32_t)task->arguments[2];
    return *address != 0 && *address % 4 == 0;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

const char *tm__futex_caller(const tm__target *target, const tm__task *task)
{
    const tm__mapped *caller = NULL;
    int has_c_library = 0;

    for (size_t i = 0; i < target->module_count; i++) {
        const tm__mapped *it = &target->modules[i];

        has_c_library |= tm__is_c_library(base_name(it->path));
        if (task->program_counter >= it->begin && task->program_counter < it->end)
            caller = it;
    }
    return has_c_library && caller && !tm__is_c_library(base_name(caller->path))
               ? base_name(caller->path)
               : NULL;
}
