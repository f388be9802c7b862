/* SPDX-License-Identifier: Apache-2.0 */
/*
 * musl's layouts. Its ordinary mutex has no owner; its conditions and barriers wait for
 * a word on the stack of a waiter.
 */
#include <stdio.h>
#include <string.h>

#include "inspect/futex_call.h"
#include "inspect/musl_words.h"
#include "inspect/semaphore_words.h"

enum { OWNER_BITS = 0x3FFFFFFF, BUSY = 16, STACK_BYTES = 1 << 16, TYPE_BITS = 15 };

/* The layout of a thread: its own address first, its number, an error number, and the
 * word that a join waits for. */
enum { TID_AT = 48, DETACH_STATE_AT = 56 };

static void describe_mutex(tm__thread_wait *wait, uint32_t type)
{
    static const char *const types[] = {"", "recursive", "errorcheck", ""};

    snprintf(wait->type, sizeof(wait->type), "%s%s%s", types[type & 3],
             type & 3 && type & 4 ? ", " : "", type & 4 ? "robust" : "");
    if ((type & TYPE_BITS) == 0)
        snprintf(wait->detail, sizeof(wait->detail),
                 "musl's normal mutex does not name its owner");
}

static int find_mutex(const tm__target *target, tm__thread_wait *wait, uint64_t address)
{
    uint32_t words[6], owner;

    if (!tm__target_read(target, address - 4, words, sizeof(words)) ||
        words[0] & ~(uint32_t)(TYPE_BITS | 128) || words[2] > 100000)
        return 0;
    owner = words[1] & OWNER_BITS;
    if ((words[0] & TYPE_BITS) == 0 ? owner != BUSY
                                    : owner == 0 || !tm__target_inner(target, owner))
        return 0;
    wait->kind = TM__WAIT_MUTEX;
    wait->object = address - 4;
    wait->owner = (words[0] & TYPE_BITS) ? owner : 0;
    describe_mutex(wait, words[0]);
    return 1;
}

static int find_join(const tm__target *target, tm__thread_wait *wait, uint64_t address)
{
    uint64_t self = 0;
    uint32_t tid;

    if (!tm__target_read(target, address - DETACH_STATE_AT, &self, sizeof(self)) ||
        self != address - DETACH_STATE_AT)
        return 0;
    tid = tm__target_word(target, self + TID_AT);
    wait->kind = TM__WAIT_JOIN;
    wait->owner = tm__target_inner(target, tid) ? tid : 0;
    return 1;
}

static int is_on_stack(const tm__task *task, uint64_t address)
{
    return address >= task->stack_pointer &&
           address - task->stack_pointer < STACK_BYTES;
}

static int find_rwlock(const tm__target *target, tm__thread_wait *wait,
                       uint64_t address, int hint)
{
    uint32_t words[2];

    if (!tm__target_read(target, address, words, sizeof(words)))
        return 0;
    wait->kind = hint;
    wait->object = address;
    if ((words[0] & 0x7FFFFFFF) == 0x7FFFFFFF)
        snprintf(wait->detail, sizeof(wait->detail),
                 "a writer has it, which musl does not name");
    else
        snprintf(wait->detail, sizeof(wait->detail),
                 "%u readers have it, which musl does not name", words[0] & 0x7FFFFFFF);
    return 1;
}

void tm__musl_words_find(tm__target *target, tm__task *task, int hint)
{
    uint64_t address;
    uint32_t operation, value;
    tm__thread_wait *wait = &task->wait;

    wait->layout = TM__LAYOUT_MUSL;
    if (!tm__futex_of(target, task, &address, &operation, &value))
        return;
    if (hint == TM__WAIT_RWLOCK_READ || hint == TM__WAIT_RWLOCK_WRITE) {
        find_rwlock(target, wait, address, hint);
        return;
    }
    if (hint == TM__WAIT_SEMAPHORE) {
        tm__semaphore_words(target, wait, address, 1);
        return;
    }
    if (hint == TM__WAIT_ONCE || hint == TM__WAIT_CONDITION ||
        hint == TM__WAIT_BARRIER) {
        wait->kind = hint;
        /* The word of these is a waiter's own, and says nothing of the object. */
        wait->object = hint == TM__WAIT_ONCE ? address : 0;
        return;
    }
    if (find_join(target, wait, address) || find_mutex(target, wait, address))
        return;
    if (is_on_stack(task, address)) {
        wait->kind = TM__WAIT_CONDITION;
        wait->object = 0;
        return;
    }
    tm__semaphore_words(target, wait, address, 0);
}

uint32_t tm__musl_words_owner(const tm__target *target, const tm__thread_wait *wait)
{
    uint32_t words[2];

    if (wait->kind != TM__WAIT_MUTEX || wait->owner == 0)
        return wait->owner;
    return tm__target_read(target, wait->object, words, sizeof(words))
               ? words[1] & OWNER_BITS
               : 0;
}
