/* SPDX-License-Identifier: Apache-2.0 */
/* One more thread that blocks for a mutex. */
#ifndef TM_TEST_NATIVE_ODDITIES_H
#define TM_TEST_NATIVE_ODDITIES_H

#include "modes.h"
#include "program.h"

extern const mode OF_LOCKS[], OF_WAITS[];

static inline void *locks_one(void *mutex)
{
    about_to_block();
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
    return NULL;
}

static inline void block_one(const char *name, pthread_mutex_t *mutex)
{
    atomic_store(&the_blocker, 0);
    pthread_create(&the_thread, NULL, locks_one, mutex);
    pthread_setname_np(the_thread, name);
    wait_until_blocked();
}

#endif
