/* SPDX-License-Identifier: Apache-2.0 */
/* Read-write locks: readers share them. */
#include "interpose/lock.h"

#define READ TM__OBJECT_RWLOCK, TM_EVENT_SHARED
#define WRITE TM__OBJECT_RWLOCK, 0
/* A reader beyond the most that are possible gets EAGAIN, and does not queue. */
#define OWNED (rc == 0)
#define BUSY (rc == EBUSY)

/* One level more, so that READ and WRITE become two arguments. */
#define LOCK(...) TM__LOCK(__VA_ARGS__)
#define LOCK_UNTIL(...) TM__LOCK_UNTIL(__VA_ARGS__)
#define TRY_LOCK(...) TM__TRY_LOCK(__VA_ARGS__)

LOCK(pthread_rwlock_rdlock, pthread_rwlock_t, TM__FOUND(pthread_rwlock_tryrdlock), READ,
     OWNED, BUSY)
TRY_LOCK(pthread_rwlock_tryrdlock, pthread_rwlock_t, READ, OWNED)
LOCK_UNTIL(pthread_rwlock_timedrdlock,
           (pthread_rwlock_t * lock, const struct timespec *until), (lock, until),
           TM__FOUND(pthread_rwlock_tryrdlock), READ, CLOCK_REALTIME, OWNED, BUSY)
LOCK_UNTIL(pthread_rwlock_clockrdlock,
           (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *until),
           (lock, clock, until), TM__FOUND(pthread_rwlock_tryrdlock), READ, clock,
           OWNED, BUSY)

LOCK(pthread_rwlock_wrlock, pthread_rwlock_t, TM__FOUND(pthread_rwlock_trywrlock),
     WRITE, OWNED, BUSY)
TRY_LOCK(pthread_rwlock_trywrlock, pthread_rwlock_t, WRITE, OWNED)
LOCK_UNTIL(pthread_rwlock_timedwrlock,
           (pthread_rwlock_t * lock, const struct timespec *until), (lock, until),
           TM__FOUND(pthread_rwlock_trywrlock), WRITE, CLOCK_REALTIME, OWNED, BUSY)
LOCK_UNTIL(pthread_rwlock_clockwrlock,
           (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *until),
           (lock, clock, until), TM__FOUND(pthread_rwlock_trywrlock), WRITE, clock,
           OWNED, BUSY)

TM__UNLOCK(pthread_rwlock_unlock, pthread_rwlock_t, 0)
