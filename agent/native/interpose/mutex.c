/* SPDX-License-Identifier: Apache-2.0 */
/* Mutexes of all types, of POSIX and of C11, and spin locks. */
#include "interpose/lock.h"

#include <limits.h>

/* A robust mutex whose owner died is owned all the same. */
#define POSIX_OWNED (rc == 0 || rc == EOWNERDEAD)
#define C11_OWNED (rc == thrd_success)

/* To try a robust mutex that is not recoverable any more leaves it locked in glibc, and
 * the next to lock it would wait for ever. */
static inline int try_recoverable(pthread_mutex_t *lock)
{
#ifdef __GLIBC__
    enum { ROBUST = 16, INCONSISTENT = INT_MAX, NOT_RECOVERABLE = INT_MAX - 1 };

    if (__builtin_expect(lock->__data.__kind & ROBUST, 0)) {
        if (*(volatile int *)&lock->__data.__owner == NOT_RECOVERABLE)
            return ENOTRECOVERABLE;
        /* It is owned, and may be about to become that. */
        if (*(volatile int *)&lock->__data.__owner == INCONSISTENT)
            return EBUSY;
    }
#endif
    return TM__FOUND(pthread_mutex_trylock)(lock);
}

TM__TRY_CHECKED(try_mutex, pthread_mutex_t, try_recoverable, pthread_mutex_timedlock)
TM__LOCK(pthread_mutex_lock, pthread_mutex_t, try_mutex, TM__OBJECT_MUTEX, 0,
         POSIX_OWNED, rc == EBUSY)
TM__TRY_LOCK(pthread_mutex_trylock, pthread_mutex_t, TM__OBJECT_MUTEX, 0, POSIX_OWNED)
TM__UNLOCK(pthread_mutex_unlock, pthread_mutex_t, 0)
TM__LOCK_UNTIL(pthread_mutex_timedlock,
               (pthread_mutex_t * lock, const struct timespec *until), (lock, until),
               try_mutex, TM__OBJECT_MUTEX, 0, CLOCK_REALTIME, POSIX_OWNED, rc == EBUSY)
TM__LOCK_UNTIL(pthread_mutex_clocklock,
               (pthread_mutex_t * lock, clockid_t clock, const struct timespec *until),
               (lock, clock, until), try_mutex, TM__OBJECT_MUTEX, 0, clock, POSIX_OWNED,
               rc == EBUSY)

TM__LOCK(mtx_lock, mtx_t, TM__FOUND(mtx_trylock), TM__OBJECT_MUTEX, 0, C11_OWNED,
         rc == thrd_busy)
TM__TRY_LOCK(mtx_trylock, mtx_t, TM__OBJECT_MUTEX, 0, C11_OWNED)
TM__UNLOCK(mtx_unlock, mtx_t, 0)
TM__LOCK_UNTIL(mtx_timedlock,
               (mtx_t *restrict lock, const struct timespec *restrict until),
               (lock, until), TM__FOUND(mtx_trylock), TM__OBJECT_MUTEX, 0,
               CLOCK_REALTIME, C11_OWNED, rc == thrd_busy)

TM__LOCK(pthread_spin_lock, pthread_spinlock_t, TM__FOUND(pthread_spin_trylock),
         TM__OBJECT_SPIN_LOCK, 0, rc == 0, rc == EBUSY)
TM__TRY_LOCK(pthread_spin_trylock, pthread_spinlock_t, TM__OBJECT_SPIN_LOCK, 0, rc == 0)
TM__UNLOCK(pthread_spin_unlock, pthread_spinlock_t, 1)

TM__RENEW(pthread_mutex_init, tm__lock_begins,
          (pthread_mutex_t * lock, const pthread_mutexattr_t *attributes),
          (lock, attributes))
TM__RENEW(pthread_mutex_destroy, tm__lock_ends, (pthread_mutex_t * lock), (lock))
TM__RENEW(pthread_spin_init, tm__lock_begins, (pthread_spinlock_t * lock, int shared),
          (lock, shared))
TM__RENEW(pthread_spin_destroy, tm__lock_ends, (pthread_spinlock_t * lock), (lock))
TM__RENEW(mtx_init, tm__lock_begins, (mtx_t * lock, int type), (lock, type))

TM__EXPORT void mtx_destroy(mtx_t *lock)
{
    tm__lock_ends(lock);
    TM__REAL(mtx_destroy)(lock);
}
