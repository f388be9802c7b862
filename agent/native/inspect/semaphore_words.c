/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/semaphore_words.h"

#include <stdio.h>

enum { WAITERS_MOST = 100000, MARK = 0x7FFFFFFF, SHARED = 128 };

/* How many can be had, how many wait, and whether processes share it. Where somebody
 * waits, musl sets a bit of the first besides, and in older releases makes it -1. */
int tm__semaphore_words(const tm__target *target, tm__thread_wait *wait,
                        uint64_t address, int is_sure)
{
    uint32_t words[3];

    if (!tm__target_read(target, address, words, sizeof(words)))
        return 0;
    if (!is_sure &&
        (((words[0] & MARK) != 0 && words[0] != UINT32_MAX) || words[1] == 0 ||
         words[1] > WAITERS_MOST || (words[2] != 0 && words[2] != SHARED)))
        return 0;
    wait->kind = TM__WAIT_SEMAPHORE;
    wait->object = address;
    snprintf(wait->detail, sizeof(wait->detail), "%u waiter%s", words[1],
             words[1] == 1 ? "" : "s");
    return 1;
}
