/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that make a descriptor refer to another thing. None of them waits. */
#include "interpose/lock.h"

#include <sys/socket.h>

#include "record/endpoints.h"

#define MADE(name, parameters, call)                                                   \
    TM__EXPORT int name parameters                                                     \
    {                                                                                  \
        int fd = TM__REAL(name) call;                                                  \
                                                                                       \
        tm__descriptor_changed(fd);                                                    \
        return fd;                                                                     \
    }

MADE(dup, (int old), (old))
MADE(dup2, (int old, int new), (old, new))
MADE(dup3, (int old, int new, int flags), (old, new, flags))
MADE(socket, (int domain, int type, int protocol), (domain, type, protocol))

#define MADE_TWO(name, parameters, call)                                               \
    TM__EXPORT int name parameters                                                     \
    {                                                                                  \
        int rc = TM__REAL(name) call;                                                  \
                                                                                       \
        if (rc == 0) {                                                                 \
            tm__descriptor_changed(made[0]);                                           \
            tm__descriptor_changed(made[1]);                                           \
        }                                                                              \
        return rc;                                                                     \
    }

MADE_TWO(pipe, (int made[2]), (made))
MADE_TWO(pipe2, (int made[2], int flags), (made, flags))
MADE_TWO(socketpair, (int domain, int type, int protocol, int made[2]),
         (domain, type, protocol, made))

TM__EXPORT int close(int fd)
{
    tm__descriptor_changed(fd);
    return TM__REAL(close)(fd);
}

TM__EXPORT int fclose(FILE *stream)
{
    tm__descriptor_changed(fileno(stream));
    return TM__REAL(fclose)(stream);
}

TM__EXPORT int listen(int fd, int backlog)
{
    int rc = TM__REAL(listen)(fd, backlog);
    int error = errno;

    if (rc == 0 && tm__ring_here() && !atomic_load(&tm__is_sandboxed)) {
        tm__endpoint_listens(fd);
        tm__descriptor_changed(fd);
    }
    errno = error;
    return rc;
}

#ifdef __GLIBC__
TM__EXPORT int close_range(unsigned first, unsigned last, int flags)
{
    tm__descriptors_changed(first, last);
    if (!TM__REAL(close_range)) {
        errno = ENOSYS;
        return -1;
    }
    return TM__FOUND(close_range)(first, last, flags);
}

TM__EXPORT void closefrom(int first)
{
    tm__descriptors_changed(first < 0 ? 0 : (unsigned)first, TM__DESCRIPTORS - 1);
    if (TM__REAL(closefrom))
        TM__FOUND(closefrom)(first);
}
#endif
