/* SPDX-License-Identifier: Apache-2.0 */
/* Where in the VM its threads are. Knows nothing of the VM. */
#ifndef TM_AGENT_IDENT_JAVA_THREADS_H
#define TM_AGENT_IDENT_JAVA_THREADS_H

#include <stdint.h>

/** Where the VM has a thread. */
typedef struct tm__java_thread {
    uintptr_t address;   ///< of its JavaThread, which is even
    uintptr_t low, high; ///< of its stack; high is the first address beyond
} tm__java_thread;

/** A thread is there now, whatever was there before. */
void tm__java_threads_add(const tm__java_thread *it, uint64_t thread);

/**
 * A thread may be there: it is not found before it is confirmed.
 * @return 0: something is known of that address already, and stays
 */
int tm__java_threads_propose(const tm__java_thread *it, uint64_t thread);

/** @param is_there  0: it may have ended before it was proposed */
void tm__java_threads_confirm(uintptr_t address, int is_there);

/** The thread there ends. */
void tm__java_threads_remove(uintptr_t address);

/** None is known any more. @param on  0: nor is any from now on */
void tm__java_threads_open(int on);

/**
 * The thread of a JavaThread, or the one on whose stack an address is. It was there
 * at some time during the call. Takes no lock.
 * @return 0: none that is known
 */
uint64_t tm__java_threads_find(uintptr_t address);

/**
 * Ask of each thread until one gives an answer. While that goes on none that is asked
 * of ends, if each is removed before the VM frees it.
 * @return the answer; 0: there was none
 */
uint64_t tm__java_threads_ask(uint64_t (*question)(uintptr_t address,
                                                   const void *payload),
                              const void *payload);

#endif
