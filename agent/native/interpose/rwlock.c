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

TM__TRY_CHECKED(try_to_read, pthread_rwlock_t, TM__FOUND(pthread_rwlock_tryrdlock),
                pthread_rwlock_timedrdlock)
TM__TRY_CHECKED(try_to_write, pthread_rwlock_t, TM__FOUND(pthread_rwlock_trywrlock),
                pthread_rwlock_timedwrlock)

LOCK(pthread_rwlock_rdlock, pthread_rwlock_t, try_to_read, READ, OWNED, BUSY)
TRY_LOCK(pthread_rwlock_tryrdlock, pthread_rwlock_t, READ, OWNED)
LOCK_UNTIL(pthread_rwlock_timedrdlock,
           (pthread_rwlock_t * lock, const struct timespec *until), (lock, until),
           try_to_read, READ, CLOCK_REALTIME, OWNED, BUSY)
LOCK_UNTIL(pthread_rwlock_clockrdlock,
           (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *until),
           (lock, clock, until), try_to_read, READ, clock, OWNED, BUSY)

LOCK(pthread_rwlock_wrlock, pthread_rwlock_t, try_to_write, WRITE, OWNED, BUSY)
TRY_LOCK(pthread_rwlock_trywrlock, pthread_rwlock_t, WRITE, OWNED)
LOCK_UNTIL(pthread_rwlock_timedwrlock,
           (pthread_rwlock_t * lock, const struct timespec *until), (lock, until),
           try_to_write, WRITE, CLOCK_REALTIME, OWNED, BUSY)
LOCK_UNTIL(pthread_rwlock_clockwrlock,
           (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *until),
           (lock, clock, until), try_to_write, WRITE, clock, OWNED, BUSY)

TM__UNLOCK(pthread_rwlock_unlock, pthread_rwlock_t, 0)

TM__RENEW(pthread_rwlock_init, tm__lock_begins,
          (pthread_rwlock_t * lock, const pthread_rwlockattr_t *attributes),
          (lock, attributes))
TM__RENEW(pthread_rwlock_destroy, tm__lock_ends, (pthread_rwlock_t * lock), (lock))
