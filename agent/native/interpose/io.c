/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that read, write, connect, look a name up, or wait for a process. */
/* Both the functions for files of 2 GB and for larger ones are defined here. */
#undef _FILE_OFFSET_BITS
#include "interpose/followed_call.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/sendfile.h>

/* With its extensions glibc declares an address as any of a union of pointers. */
#pragma GCC diagnostic ignored "-Wpedantic"

#define NOTHING (void)0
#define READ TM__USE_READ
#define WRITE TM__USE_WRITE
#define WAITS (TM__USE_WRITE | TM__USE_WAITS)

/* A vector may hold many bytes, and is not examined. */
#define MANY TM__LARGE_BYTES

TM__CALL(ssize_t, read, (int fd, void *to, size_t bytes), (fd, to, bytes), READ, fd,
         bytes, NOTHING)
TM__CALL(ssize_t, pread, (int fd, void *to, size_t bytes, off_t at),
         (fd, to, bytes, at), READ, fd, bytes, NOTHING)
TM__CALL(ssize_t, readv, (int fd, const struct iovec *to, int count), (fd, to, count),
         READ, fd, MANY, NOTHING)
TM__CALL(ssize_t, preadv, (int fd, const struct iovec *to, int count, off_t at),
         (fd, to, count, at), READ, fd, MANY, NOTHING)
TM__CALL(ssize_t, write, (int fd, const void *from, size_t bytes), (fd, from, bytes),
         WRITE, fd, bytes, NOTHING)
TM__CALL(ssize_t, pwrite, (int fd, const void *from, size_t bytes, off_t at),
         (fd, from, bytes, at), WRITE, fd, bytes, NOTHING)
TM__CALL(ssize_t, writev, (int fd, const struct iovec *from, int count),
         (fd, from, count), WRITE, fd, MANY, NOTHING)
TM__CALL(ssize_t, pwritev, (int fd, const struct iovec *from, int count, off_t at),
         (fd, from, count, at), WRITE, fd, MANY, NOTHING)
TM__CALL(ssize_t, sendfile, (int fd, int from, off_t *at, size_t bytes),
         (fd, from, at, bytes), WRITE, fd, bytes, NOTHING)

TM__CALL(ssize_t, recv, (int fd, void *to, size_t bytes, int flags),
         (fd, to, bytes, flags), READ, fd, bytes, NOTHING)
TM__CALL(ssize_t, recvfrom,
         (int fd, void *restrict to, size_t bytes, int flags,
          struct sockaddr *restrict peer, socklen_t *restrict length),
         (fd, to, bytes, flags, peer, length), READ, fd, bytes, NOTHING)
TM__CALL(ssize_t, recvmsg, (int fd, struct msghdr *to, int flags), (fd, to, flags),
         READ, fd, 0, NOTHING)
TM__CALL(ssize_t, send, (int fd, const void *from, size_t bytes, int flags),
         (fd, from, bytes, flags), WRITE, fd, bytes, NOTHING)
TM__CALL(ssize_t, sendto,
         (int fd, const void *from, size_t bytes, int flags,
          const struct sockaddr *peer, socklen_t length),
         (fd, from, bytes, flags, peer, length), WRITE, fd, bytes, NOTHING)
TM__CALL(ssize_t, sendmsg, (int fd, const struct msghdr *from, int flags),
         (fd, from, flags), WRITE, fd, MANY, NOTHING)

/* A listening descriptor is noted before the first connection is read. */
TM__CALL(int, accept,
         (int fd, struct sockaddr *restrict peer, socklen_t *restrict length),
         (fd, peer, length), READ, fd, 0, tm__descriptor_changed(rc))
TM__CALL(int, accept4,
         (int fd, struct sockaddr *restrict peer, socklen_t *restrict length,
          int flags),
         (fd, peer, length, flags), READ, fd, 0, tm__descriptor_changed(rc))
TM__CALL_IF((tm__descriptor_changed(fd), 1), int, connect,
            (int fd, const struct sockaddr *peer, socklen_t length), (fd, peer, length),
            WAITS, fd, 0, tm__endpoint_at_connect(ring, peer, length),
            tm__descriptor_changed(fd))

TM__CALL(int, fsync, (int fd), (fd), WAITS, fd, 0, NOTHING)
TM__CALL(int, fdatasync, (int fd), (fd), WAITS, fd, 0, NOTHING)
TM__CALL_IF(!(how & LOCK_NB), int, flock, (int fd, int how), (fd, how), WAITS, fd, 0, 0,
            NOTHING)

TM__CALL(int, getaddrinfo,
         (const char *restrict host, const char *restrict service,
          const struct addrinfo *restrict wanted, struct addrinfo **restrict found),
         (host, service, wanted, found), TM__USE_NAME, -1, 0, wait.host = host)
TM__CALL(int, getnameinfo,
         (const struct sockaddr *restrict address, socklen_t length,
          char *restrict host, socklen_t host_bytes, char *restrict service,
          socklen_t service_bytes, int flags),
         (address, length, host, host_bytes, service, service_bytes, flags),
         TM__USE_NAME, -1, 0, NOTHING)
TM__CALL(struct hostent *, gethostbyname, (const char *host), (host), TM__USE_NAME, -1,
         0, wait.host = host)

/* A thread that waits for a certain process needs what that does; one that waits for
 * any looks after them. */
#define CHILD(is_certain) ((is_certain) ? TM__USE_CHILD : TM__USE_PROCESS)
TM__CALL(pid_t, wait, (int *status), (status), TM__USE_PROCESS, -1, 0, NOTHING)
TM__CALL_IF(!(options & WNOHANG), pid_t, waitpid, (pid_t pid, int *status, int options),
            (pid, status, options), CHILD(pid > 0), -1, 0,
            tm__endpoint_at_begin(ring, TM__USE_CHILD, -1), NOTHING)
TM__CALL_IF(!(options & WNOHANG), pid_t, wait4,
            (pid_t pid, int *status, int options, struct rusage *use),
            (pid, status, options, use), CHILD(pid > 0), -1, 0,
            tm__endpoint_at_begin(ring, TM__USE_CHILD, -1), NOTHING)
TM__CALL_IF(!(options & WNOHANG), int, waitid,
            (idtype_t type, id_t id, siginfo_t *facts, int options),
            (type, id, facts, options), CHILD(type != P_ALL && type != P_PGID), -1, 0,
            tm__endpoint_at_begin(ring, TM__USE_CHILD, -1), NOTHING)
TM__CALL_IF(command, int, system, (const char *command), (command), TM__USE_CHILD, -1,
            0, tm__endpoint_at_begin(ring, TM__USE_CHILD, -1), NOTHING)
TM__CALL_IF((tm__descriptor_changed(fileno(stream)), 1), int, pclose, (FILE * stream),
            (stream), TM__USE_CHILD, -1, 0,
            tm__endpoint_at_begin(ring, TM__USE_CHILD, -1), NOTHING)

/* ---- open, which waits for a pipe's other end or a slow file system ---- */

#define MODE(flags)                                                                    \
    mode_t mode = 0;                                                                   \
    va_list arguments;                                                                 \
                                                                                       \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {                                           \
        va_start(arguments, flags);                                                    \
        mode = va_arg(arguments, mode_t);                                              \
        va_end(arguments);                                                             \
    }

#ifndef __O_TMPFILE
#define __O_TMPFILE 0
#endif

#define OPEN_BY(name, call)                                                            \
    tm__ring *ring = tm__ring_here();                                                  \
    tm__kernel_wait wait;                                                              \
    int rc;                                                                            \
                                                                                       \
    if (!tm__kernel_wait_may_begin(ring))                                              \
        return opened(TM__REAL(name) call);                                            \
    tm__kernel_wait_begin(&wait, ring, WAITS | TM__USE_OPENS, -1, 0, 0, TM__SITE);     \
    pthread_cleanup_push(tm__kernel_wait_end, &wait);                                  \
    rc = opened(TM__FOUND(name) call);                                                 \
    wait.fd = rc;                                                                      \
    pthread_cleanup_pop(1);                                                            \
    return rc

static int opened(int fd)
{
    tm__descriptor_changed(fd);
    return fd;
}

#define OPEN(name)                                                                     \
    TM__EXPORT int name(const char *path, int flags, ...)                              \
    {                                                                                  \
        MODE(flags)                                                                    \
        OPEN_BY(name, (path, flags, mode));                                            \
    }
#define OPEN_AT(name)                                                                  \
    TM__EXPORT int name(int folder, const char *path, int flags, ...)                  \
    {                                                                                  \
        MODE(flags)                                                                    \
        OPEN_BY(name, (folder, path, flags, mode));                                    \
    }
#define CREATE(name)                                                                   \
    TM__EXPORT int name(const char *path, mode_t mode)                                 \
    {                                                                                  \
        OPEN_BY(name, (path, mode));                                                   \
    }

OPEN(open)
OPEN_AT(openat)
CREATE(creat)

#ifdef __GLIBC__
/* For programs that are compiled with checks, glibc has other names. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);
ssize_t __read_chk(int fd, void *to, size_t bytes, size_t room);
ssize_t __pread_chk(int fd, void *to, size_t bytes, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void *to, size_t bytes, off64_t at, size_t room);
ssize_t __recv_chk(int fd, void *to, size_t bytes, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *restrict to, size_t bytes, size_t room, int flags,
                       struct sockaddr *restrict peer, socklen_t *restrict length);

#define OPEN_CHECKED(name)                                                             \
    TM__EXPORT int name(const char *path, int flags)                                   \
    {                                                                                  \
        OPEN_BY(name, (path, flags));                                                  \
    }
#define OPEN_AT_CHECKED(name)                                                          \
    TM__EXPORT int name(int folder, const char *path, int flags)                       \
    {                                                                                  \
        OPEN_BY(name, (folder, path, flags));                                          \
    }

OPEN(open64)
OPEN_AT(openat64)
CREATE(creat64)
OPEN_CHECKED(__open_2)
OPEN_CHECKED(__open64_2)
OPEN_AT_CHECKED(__openat_2)
OPEN_AT_CHECKED(__openat64_2)

TM__CALL(ssize_t, pread64, (int fd, void *to, size_t bytes, off64_t at),
         (fd, to, bytes, at), READ, fd, bytes, NOTHING)
TM__CALL(ssize_t, preadv64, (int fd, const struct iovec *to, int count, off64_t at),
         (fd, to, count, at), READ, fd, MANY, NOTHING)
TM__CALL(ssize_t, pwrite64, (int fd, const void *from, size_t bytes, off64_t at),
         (fd, from, bytes, at), WRITE, fd, bytes, NOTHING)
TM__CALL(ssize_t, pwritev64, (int fd, const struct iovec *from, int count, off64_t at),
         (fd, from, count, at), WRITE, fd, MANY, NOTHING)
TM__CALL(ssize_t, sendfile64, (int fd, int from, off64_t *at, size_t bytes),
         (fd, from, at, bytes), WRITE, fd, bytes, NOTHING)
TM__CALL(ssize_t, __read_chk, (int fd, void *to, size_t bytes, size_t room),
         (fd, to, bytes, room), READ, fd, bytes, NOTHING)
TM__CALL(ssize_t, __pread_chk, (int fd, void *to, size_t bytes, off_t at, size_t room),
         (fd, to, bytes, at, room), READ, fd, bytes, NOTHING)
TM__CALL(ssize_t, __pread64_chk,
         (int fd, void *to, size_t bytes, off64_t at, size_t room),
         (fd, to, bytes, at, room), READ, fd, bytes, NOTHING)
TM__CALL(ssize_t, __recv_chk, (int fd, void *to, size_t bytes, size_t room, int flags),
         (fd, to, bytes, room, flags), READ, fd, bytes, NOTHING)
TM__CALL(ssize_t, __recvfrom_chk,
         (int fd, void *restrict to, size_t bytes, size_t room, int flags,
          struct sockaddr *restrict peer, socklen_t *restrict length),
         (fd, to, bytes, room, flags, peer, length), READ, fd, bytes, NOTHING)
#endif
