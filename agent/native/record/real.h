/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that ours stand in front of, found once. */
#ifndef TM_NATIVE_RECORD_REAL_H
#define TM_NATIVE_RECORD_REAL_H

#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define TM__REAL_FUNCTIONS(X)                                                          \
    X(int, pthread_mutex_lock, (pthread_mutex_t *))                                    \
    X(int, pthread_mutex_trylock, (pthread_mutex_t *))                                 \
    X(int, pthread_mutex_unlock, (pthread_mutex_t *))                                  \
    X(int, pthread_mutex_timedlock, (pthread_mutex_t *, const struct timespec *))      \
    X(int, pthread_mutex_clocklock,                                                    \
      (pthread_mutex_t *, clockid_t, const struct timespec *))                         \
    X(int, pthread_rwlock_rdlock, (pthread_rwlock_t *))                                \
    X(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t *))                             \
    X(int, pthread_rwlock_timedrdlock, (pthread_rwlock_t *, const struct timespec *))  \
    X(int, pthread_rwlock_clockrdlock,                                                 \
      (pthread_rwlock_t *, clockid_t, const struct timespec *))                        \
    X(int, pthread_rwlock_wrlock, (pthread_rwlock_t *))                                \
    X(int, pthread_rwlock_trywrlock, (pthread_rwlock_t *))                             \
    X(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t *, const struct timespec *))  \
    X(int, pthread_rwlock_clockwrlock,                                                 \
      (pthread_rwlock_t *, clockid_t, const struct timespec *))                        \
    X(int, pthread_rwlock_unlock, (pthread_rwlock_t *))                                \
    X(int, pthread_spin_lock, (pthread_spinlock_t *))                                  \
    X(int, pthread_spin_trylock, (pthread_spinlock_t *))                               \
    X(int, pthread_spin_unlock, (pthread_spinlock_t *))                                \
    X(int, pthread_cond_wait, (pthread_cond_t *, pthread_mutex_t *))                   \
    X(int, pthread_cond_timedwait,                                                     \
      (pthread_cond_t *, pthread_mutex_t *, const struct timespec *))                  \
    X(int, pthread_cond_clockwait,                                                     \
      (pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *))       \
    X(int, pthread_cond_signal, (pthread_cond_t *))                                    \
    X(int, pthread_cond_broadcast, (pthread_cond_t *))                                 \
    X(int, pthread_barrier_wait, (pthread_barrier_t *))                                \
    X(int, pthread_once, (pthread_once_t *, void (*)(void)))                           \
    X(int, pthread_create,                                                             \
      (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))                \
    X(int, pthread_join, (pthread_t, void **))                                         \
    X(int, pthread_timedjoin_np, (pthread_t, void **, const struct timespec *))        \
    X(int, pthread_clockjoin_np,                                                       \
      (pthread_t, void **, clockid_t, const struct timespec *))                        \
    X(int, pthread_setname_np, (pthread_t, const char *))                              \
    X(int, prctl, (int, ...))                                                          \
    X(int, sem_wait, (sem_t *))                                                        \
    X(int, sem_trywait, (sem_t *))                                                     \
    X(int, sem_timedwait, (sem_t *, const struct timespec *))                          \
    X(int, sem_clockwait, (sem_t *, clockid_t, const struct timespec *))               \
    X(int, sem_post, (sem_t *))                                                        \
    X(int, nanosleep, (const struct timespec *, struct timespec *))                    \
    X(int, clock_nanosleep,                                                            \
      (clockid_t, int, const struct timespec *, struct timespec *))                    \
    X(int, usleep, (useconds_t))                                                       \
    X(unsigned, sleep, (unsigned))                                                     \
    X(int, mtx_lock, (mtx_t *))                                                        \
    X(int, mtx_trylock, (mtx_t *))                                                     \
    X(int, mtx_timedlock, (mtx_t *, const struct timespec *))                          \
    X(int, mtx_unlock, (mtx_t *))                                                      \
    X(int, cnd_wait, (cnd_t *, mtx_t *))                                               \
    X(int, cnd_timedwait, (cnd_t *, mtx_t *, const struct timespec *))                 \
    X(int, cnd_signal, (cnd_t *))                                                      \
    X(int, cnd_broadcast, (cnd_t *))                                                   \
    X(int, thrd_create, (thrd_t *, thrd_start_t, void *))                              \
    X(int, thrd_join, (thrd_t, int *))                                                 \
    X(int, thrd_sleep, (const struct timespec *, struct timespec *))                   \
    X(void, call_once, (once_flag *, void (*)(void)))

#define TM__REAL_MEMBER(result, name, arguments) result(*name) arguments;
typedef struct tm__real {
    TM__REAL_FUNCTIONS(TM__REAL_MEMBER)
} tm__real;
#undef TM__REAL_MEMBER

extern tm__real tm__the_real;

/** Find them all. Locks are used before any constructor ran, so each may come first. */
void tm__real_find(void);

/** A function in its place; found now where nothing was so far. */
#define TM__REAL(name)                                                                 \
    (__builtin_expect(tm__the_real.name != NULL, 1)                                    \
         ? tm__the_real.name                                                           \
         : (tm__real_find(), tm__the_real.name))

/** The same, in a thread that is recorded: they were found before. */
#define TM__FOUND(name) (tm__the_real.name)

#endif
