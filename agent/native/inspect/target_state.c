/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/target_state.h"

#include <sys/uio.h>

int tm__target_read(const tm__target *it, uint64_t address, void *to, size_t bytes)
{
    struct iovec here = {to, bytes}, there = {(void *)(uintptr_t)address, bytes};

    return address != 0 &&
           process_vm_readv((pid_t)it->pid, &here, 1, &there, 1, 0) == (ssize_t)bytes;
}

uint32_t tm__target_word(const tm__target *it, uint64_t address)
{
    uint32_t word = 0;

    tm__target_read(it, address, &word, sizeof(word));
    return word;
}

tm__task *tm__target_inner(const tm__target *it, uint32_t inner)
{
    for (size_t i = 0; inner && i < it->task_count; i++)
        if (it->tasks[i].inner == inner)
            return &it->tasks[i];
    return NULL;
}
