/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that ours stand in front of, found once. */
#ifndef TM_NATIVE_RECORD_REAL_H
#define TM_NATIVE_RECORD_REAL_H

#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

/* An allocator may call some of these while the others are looked for. */
#define TM__REAL_IO_FUNCTIONS(X)                                                       \
    X(long, syscall, (long, ...))                                                      \
    X(int, open, (const char *, int, ...))                                             \
    X(int, openat, (int, const char *, int, ...))                                      \
    X(int, creat, (const char *, mode_t))                                              \
    X(int, close, (int))                                                               \
    X(int, fclose, (FILE *))                                                           \
    X(int, dup, (int))                                                                 \
    X(int, dup2, (int, int))                                                           \
    X(int, dup3, (int, int, int))                                                      \
    X(int, pipe, (int *))                                                              \
    X(int, pipe2, (int *, int))                                                        \
    X(int, socket, (int, int, int))                                                    \
    X(int, socketpair, (int, int, int, int *))                                         \
    X(int, listen, (int, int))                                                         \
    X(ssize_t, read, (int, void *, size_t))                                            \
    X(ssize_t, pread, (int, void *, size_t, off_t))                                    \
    X(ssize_t, readv, (int, const struct iovec *, int))                                \
    X(ssize_t, preadv, (int, const struct iovec *, int, off_t))                        \
    X(ssize_t, write, (int, const void *, size_t))                                     \
    X(ssize_t, pwrite, (int, const void *, size_t, off_t))                             \
    X(ssize_t, writev, (int, const struct iovec *, int))                               \
    X(ssize_t, pwritev, (int, const struct iovec *, int, off_t))                       \
    X(ssize_t, sendfile, (int, int, off_t *, size_t))                                  \
    X(ssize_t, recv, (int, void *, size_t, int))                                       \
    X(ssize_t, recvfrom, (int, void *, size_t, int, struct sockaddr *, socklen_t *))   \
    X(ssize_t, recvmsg, (int, struct msghdr *, int))                                   \
    X(ssize_t, send, (int, const void *, size_t, int))                                 \
    X(ssize_t, sendto,                                                                 \
      (int, const void *, size_t, int, const struct sockaddr *, socklen_t))            \
    X(ssize_t, sendmsg, (int, const struct msghdr *, int))                             \
    X(int, accept, (int, struct sockaddr *, socklen_t *))                              \
    X(int, accept4, (int, struct sockaddr *, socklen_t *, int))                        \
    X(int, connect, (int, const struct sockaddr *, socklen_t))                         \
    X(int, fsync, (int))                                                               \
    X(int, fdatasync, (int))                                                           \
    X(int, flock, (int, int))                                                          \
    X(int, poll, (struct pollfd *, nfds_t, int))                                       \
    X(int, ppoll,                                                                      \
      (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *))            \
    X(int, select, (int, fd_set *, fd_set *, fd_set *, struct timeval *))              \
    X(int, pselect,                                                                    \
      (int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *))  \
    X(int, epoll_wait, (int, struct epoll_event *, int, int))                          \
    X(int, epoll_pwait, (int, struct epoll_event *, int, int, const sigset_t *))       \
    X(int, getaddrinfo,                                                                \
      (const char *, const char *, const struct addrinfo *, struct addrinfo **))       \
    X(int, getnameinfo,                                                                \
      (const struct sockaddr *, socklen_t, char *, socklen_t, char *, socklen_t, int)) \
    X(struct hostent *, gethostbyname, (const char *))                                 \
    X(pid_t, wait, (int *))                                                            \
    X(pid_t, waitpid, (pid_t, int *, int))                                             \
    X(pid_t, wait4, (pid_t, int *, int, struct rusage *))                              \
    X(int, waitid, (idtype_t, id_t, siginfo_t *, int))                                 \
    X(int, system, (const char *))                                                     \
    X(int, pclose, (FILE *))                                                           \
    X(size_t, fread, (void *, size_t, size_t, FILE *))                                 \
    X(size_t, fwrite, (const void *, size_t, size_t, FILE *))                          \
    X(char *, fgets, (char *, int, FILE *))                                            \
    X(int, fputs, (const char *, FILE *))                                              \
    X(ssize_t, getline, (char **, size_t *, FILE *))                                   \
    X(ssize_t, getdelim, (char **, size_t *, int, FILE *))                             \
    X(int, fflush, (FILE *))

/* Names that not every C library has: those of glibc for large files and for sizes that
 * are checked, and what came later. */
#ifdef __GLIBC__
#define TM__REAL_IO_ALIASES(X)                                                         \
    X(int, open64, (const char *, int, ...))                                           \
    X(int, openat64, (int, const char *, int, ...))                                    \
    X(int, creat64, (const char *, mode_t))                                            \
    X(int, __open_2, (const char *, int))                                              \
    X(int, __open64_2, (const char *, int))                                            \
    X(int, __openat_2, (int, const char *, int))                                       \
    X(int, __openat64_2, (int, const char *, int))                                     \
    X(ssize_t, pread64, (int, void *, size_t, off64_t))                                \
    X(ssize_t, preadv64, (int, const struct iovec *, int, off64_t))                    \
    X(ssize_t, pwrite64, (int, const void *, size_t, off64_t))                         \
    X(ssize_t, pwritev64, (int, const struct iovec *, int, off64_t))                   \
    X(ssize_t, sendfile64, (int, int, off64_t *, size_t))                              \
    X(ssize_t, __read_chk, (int, void *, size_t, size_t))                              \
    X(ssize_t, __pread_chk, (int, void *, size_t, off_t, size_t))                      \
    X(ssize_t, __pread64_chk, (int, void *, size_t, off64_t, size_t))                  \
    X(ssize_t, __recv_chk, (int, void *, size_t, size_t, int))                         \
    X(ssize_t, __recvfrom_chk,                                                         \
      (int, void *, size_t, size_t, int, struct sockaddr *, socklen_t *))              \
    X(int, __poll_chk, (struct pollfd *, nfds_t, int, size_t))                         \
    X(int, __ppoll_chk,                                                                \
      (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t))    \
    X(int, close_range, (unsigned, unsigned, int))                                     \
    X(void, closefrom, (int))                                                          \
    X(int, epoll_pwait2,                                                               \
      (int, struct epoll_event *, int, const struct timespec *, const sigset_t *))     \
    X(ssize_t, __getdelim, (char **, size_t *, int, FILE *))                           \
    X(size_t, __fread_chk, (void *, size_t, size_t, size_t, FILE *))                   \
    X(char *, __fgets_chk, (char *, size_t, int, FILE *))
#else
#define TM__REAL_IO_ALIASES(X)
#endif

#define TM__REAL_FUNCTIONS(X)                                                          \
    X(int, pthread_mutex_init, (pthread_mutex_t *, const pthread_mutexattr_t *))       \
    X(int, pthread_mutex_destroy, (pthread_mutex_t *))                                 \
    X(int, pthread_mutex_lock, (pthread_mutex_t *))                                    \
    X(int, pthread_mutex_trylock, (pthread_mutex_t *))                                 \
    X(int, pthread_mutex_unlock, (pthread_mutex_t *))                                  \
    X(int, pthread_mutex_timedlock, (pthread_mutex_t *, const struct timespec *))      \
    X(int, pthread_mutex_clocklock,                                                    \
      (pthread_mutex_t *, clockid_t, const struct timespec *))                         \
    X(int, pthread_rwlock_init, (pthread_rwlock_t *, const pthread_rwlockattr_t *))    \
    X(int, pthread_rwlock_destroy, (pthread_rwlock_t *))                               \
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
    X(int, pthread_spin_init, (pthread_spinlock_t *, int))                             \
    X(int, pthread_spin_destroy, (pthread_spinlock_t *))                               \
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
    X(int, mtx_init, (mtx_t *, int))                                                   \
    X(void, mtx_destroy, (mtx_t *))                                                    \
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

/* Functions of the C++ library, if the program has one. */
#define TM__REAL_CPP_FUNCTIONS(X)                                                      \
    X(int, __cxa_guard_acquire, (void *))                                              \
    X(void, __cxa_guard_release, (void *))                                             \
    X(void, __cxa_guard_abort, (void *))

#define TM__REAL_MEMBER(result, name, arguments) result(*name) arguments;
typedef struct tm__real {
    TM__REAL_IO_FUNCTIONS(TM__REAL_MEMBER)
    TM__REAL_FUNCTIONS(TM__REAL_MEMBER)
    TM__REAL_IO_ALIASES(TM__REAL_MEMBER)
    TM__REAL_CPP_FUNCTIONS(TM__REAL_MEMBER)
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
