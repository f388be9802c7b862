/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entry of a platform thread stays here until the thread ends, so that its begin
 * and its end cost a look-up each; those of virtual threads, which are many and short,
 * come from a list of used ones.
 */
#include "blocked/long_blocked_table.h"

#include <stdlib.h>

typedef struct list {
    tm__long_blocked *first, *last;
} list;

static list lists[TM__LONG_BLOCKED_KNOWN + 1]; /* the oldest first */
static tm__memory memory_of_table;
static tm__long_blocked *table;
static tm__long_blocked *unused;

tm__long_blocked *tm__long_blocked_entry(uint64_t thread)
{
    tm__long_blocked *found;

    HASH_FIND(hh, table, &thread, sizeof(thread), found);
    return found;
}

tm__long_blocked *tm__long_blocked_find(uint64_t thread)
{
    tm__long_blocked *found = tm__long_blocked_entry(thread);

    return found && found->kind ? found : NULL;
}

tm__long_blocked *tm__long_blocked_any(void)
{
    return table;
}

jthread tm__long_blocked_thread(JNIEnv *jni, const tm__long_blocked *it)
{
    return (*jni)->NewLocalRef(jni, it->weak);
}

tm__long_blocked *tm__long_blocked_make(uint64_t thread)
{
    tm__memory *memory = &memory_of_table;
    tm__long_blocked *it = unused;
    int failed = 0;

    if (!memory->hook.resize)
        tm__memory_init(memory, NULL);
    if (it)
        unused = it->next;
    else
        it = malloc(sizeof(*it));
    if (!it)
        return NULL;
    it->thread = thread;
    HASH_ADD(hh, table, thread, sizeof(it->thread), it);
    if (!failed)
        return it;
    free(it);
    return NULL;
}

void tm__long_blocked_release(tm__long_blocked *it)
{
    tm__memory *memory = &memory_of_table;

    HASH_DEL(table, it);
    it->next = unused;
    unused = it;
}

void tm__long_blocked_list(tm__long_blocked *it)
{
    list *to = &lists[it->stage];

    it->previous = to->last;
    it->next = NULL;
    if (to->last)
        to->last->next = it;
    else
        to->first = it;
    to->last = it;
}

/* One that is in no list is as one that is alone in it. */
void tm__long_blocked_unlist(tm__long_blocked *it)
{
    list *from = &lists[it->stage];

    if (it->previous)
        it->previous->next = it->next;
    else if (from->first == it)
        from->first = it->next;
    if (it->next)
        it->next->previous = it->previous;
    else if (from->last == it)
        from->last = it->previous;
    it->previous = NULL;
    it->next = NULL;
}

tm__long_blocked *tm__long_blocked_first(enum tm__long_blocked_stage stage)
{
    return lists[stage].first;
}

tm__long_blocked *tm__long_blocked_last(enum tm__long_blocked_stage stage)
{
    return lists[stage].last;
}

void tm__long_blocked_table_close(void)
{
    while (unused) {
        tm__long_blocked *next = unused->next;

        free(unused);
        unused = next;
    }
}
