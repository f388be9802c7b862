/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lock of each kind that one thread owns while another queues for it. The program
 * holds it until the other is blocked.
 */
#include "program.h"

static pthread_mutex_t the_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t the_recursive;
static pthread_rwlock_t the_rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t the_spinlock;
static mtx_t the_mtx;

#define QUEUER(name, take, give)                                                       \
    static void *name(void *unused)                                                    \
    {                                                                                  \
        about_to_block();                                                              \
        take;                                                                          \
        give;                                                                          \
        return unused;                                                                 \
    }

QUEUER(lock_mutex, pthread_mutex_lock(&the_mutex), pthread_mutex_unlock(&the_mutex))
QUEUER(lock_recursive, pthread_mutex_lock(&the_recursive),
       pthread_mutex_unlock(&the_recursive))
QUEUER(read_lock, pthread_rwlock_rdlock(&the_rwlock),
       pthread_rwlock_unlock(&the_rwlock))
QUEUER(write_lock, pthread_rwlock_wrlock(&the_rwlock),
       pthread_rwlock_unlock(&the_rwlock))
QUEUER(lock_spinlock, pthread_spin_lock(&the_spinlock),
       pthread_spin_unlock(&the_spinlock))
QUEUER(lock_mtx, mtx_lock(&the_mtx), mtx_unlock(&the_mtx))

int main(void)
{
    pthread_mutexattr_t recursive;

    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&the_recursive, &recursive);
    pthread_spin_init(&the_spinlock, PTHREAD_PROCESS_PRIVATE);
    mtx_init(&the_mtx, mtx_plain);

    pthread_mutex_lock(&the_mutex);
    start("lock_mutex", lock_mutex);
    pthread_mutex_unlock(&the_mutex);
    join();

    pthread_mutex_lock(&the_recursive);
    pthread_mutex_lock(&the_recursive);
    start("recursive", lock_recursive);
    pthread_mutex_unlock(&the_recursive);
    pthread_mutex_unlock(&the_recursive);
    join();

    pthread_rwlock_wrlock(&the_rwlock);
    start("read_lock", read_lock);
    pthread_rwlock_unlock(&the_rwlock);
    join();

    pthread_rwlock_rdlock(&the_rwlock);
    start("write_lock", write_lock);
    pthread_rwlock_unlock(&the_rwlock);
    join();

    pthread_spin_lock(&the_spinlock);
    start("lock_spinlock", lock_spinlock);
    pthread_spin_unlock(&the_spinlock);
    join();

    mtx_lock(&the_mtx);
    start("lock_mtx", lock_mtx);
    mtx_unlock(&the_mtx);
    join();
    return 0;
}
