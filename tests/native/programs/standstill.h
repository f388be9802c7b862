/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks, conditions and threads that the modes share. A mode starts its threads by
 * begin() and ends by say().
 */
#ifndef TM_TEST_NATIVE_STANDSTILL_H
#define TM_TEST_NATIVE_STANDSTILL_H

#include "own_mutex.h"

typedef struct situation {
    const char *name;
    void (*run)(void);
} situation;

/** Each ends with one without a name. */
extern const situation HUNG[], ON_OWN[], WAITS[], TURNS[];

extern pthread_mutex_t one, other;
extern pthread_rwlock_t table;
extern pthread_cond_t ready, done;
extern pthread_barrier_t all;
extern sem_t permits, requests, answers;
extern atomic_int own_one, own_other, own_tasks;
extern pthread_t threads[8];
extern atomic_int count, is_done;
extern int tasks;

void begin(const char *name, void *(*routine)(void *));

/** Prints the truth once it is so, and joins all threads. */
void say(const char *truth);

/** The truth must not depend on how busy the machine is: wait for what comes first. */
void after(atomic_int *it, int least);

/** Locks `one` once is_done, and keeps it. */
void *locks(void *unused);

#endif
