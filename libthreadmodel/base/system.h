/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that systems call by other names, or do not have: POSIX, and Windows by
 * MinGW. */
#ifndef TM_BASE_SYSTEM_H
#define TM_BASE_SYSTEM_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifdef _WIN32

#include <errno.h>
#include <limits.h>

/* Files hold bytes; the system's own text mode would change them. */
#define O_CLOEXEC (_O_NOINHERIT | _O_BINARY)
#define O_NOFOLLOW 0
#define lstat stat
#define S_ISLNK(mode) ((void)(mode), 0)

static inline unsigned tm__at_once(size_t bytes)
{
    return bytes < INT_MAX ? (unsigned)bytes : INT_MAX;
}

static inline ssize_t tm__read_some(int descriptor, void *to, size_t bytes)
{
    return read(descriptor, to, tm__at_once(bytes));
}

static inline ssize_t tm__read_at(int descriptor, void *to, size_t bytes, uint64_t at)
{
    return _lseeki64(descriptor, (int64_t)at, SEEK_SET) < 0
               ? -1
               : tm__read_some(descriptor, to, bytes);
}

static inline ssize_t tm__write_some(int descriptor, const void *from, size_t bytes)
{
    return write(descriptor, from, tm__at_once(bytes));
}

static inline int tm__describe_error(int number, char *text, size_t bytes)
{
    return strerror_s(text, bytes, number);
}

static inline int tm__calendar(const time_t *seconds, struct tm *parts)
{
    return gmtime_s(parts, seconds) == 0;
}

/* No producer runs there whose file would be locked. */
static inline int tm__is_locked(int descriptor)
{
    (void)descriptor;
    return 0;
}

#else

#include <errno.h>
#include <sys/file.h>

static inline ssize_t tm__read_some(int descriptor, void *to, size_t bytes)
{
    return read(descriptor, to, bytes);
}

static inline ssize_t tm__read_at(int descriptor, void *to, size_t bytes, uint64_t at)
{
    return pread(descriptor, to, bytes, (off_t)at);
}

static inline ssize_t tm__write_some(int descriptor, const void *from, size_t bytes)
{
    return write(descriptor, from, bytes);
}

/** @return 0, or not: there is no text */
static inline int tm__describe_error(int number, char *text, size_t bytes)
{
    return strerror_r(number, text, bytes);
}

/** UTC. @return 1, or 0: no calendar has that time */
static inline int tm__calendar(const time_t *seconds, struct tm *parts)
{
    return gmtime_r(seconds, parts) != NULL;
}

/** Whether whoever writes a file still has it locked. */
static inline int tm__is_locked(int descriptor)
{
    return flock(descriptor, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

#endif

#endif
