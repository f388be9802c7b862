/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way to a listener, taken once, on the writer's thread: a name that is not found
 * for ten seconds, or a machine that does not answer, keep nobody else waiting.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "vm/options.h"
#include "writer/destination_socket.h"
#include "writer/destination_target.h"

enum { CONNECT_MS = 2000, TOKEN_BYTES = 258 };

/* @return errno, 0: the target is connected */
static int try_address(tm__target *target, int family, const struct sockaddr *address,
                       socklen_t bytes)
{
    struct pollfd ready = {.events = POLLOUT};
    int error = 0, one = 1;
    socklen_t error_bytes = sizeof(error);
    int made = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (made < 0)
        return errno;
    if (connect(made, address, bytes) < 0)
        error = errno;
    if (error == EINPROGRESS) {
        ready.fd = made;
        if (poll(&ready, 1, CONNECT_MS) <= 0)
            error = ETIMEDOUT;
        else if (getsockopt(made, SOL_SOCKET, SO_ERROR, &error, &error_bytes) < 0)
            error = errno;
    }
    if (error) {
        close(made);
        return error;
    }
    if (family != AF_UNIX)
        setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    target->file = made;
    target->is_socket = 1;
    return 0;
}

static int connect_path(tm__target *target, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int error;

    if (strlen(path) >= sizeof(address.sun_path))
        return tm__target_fail(target, "the path of a socket has 107 bytes at most");
    memcpy(address.sun_path, path, strlen(path));
    error = try_address(target, AF_UNIX, (const struct sockaddr *)&address,
                        sizeof(address));
    return error ? tm__target_fail(target, strerror(error)) : 0;
}

static int connect_host(tm__target *target, const char *host, const char *port)
{
    struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    int error = getaddrinfo(host, port, &wanted, &found);

    if (error)
        return tm__target_fail(target, gai_strerror(error));
    error = ENOENT;
    for (struct addrinfo *one = found; one && error; one = one->ai_next)
        error = try_address(target, one->ai_family, one->ai_addr, one->ai_addrlen);
    freeaddrinfo(found);
    return error ? tm__target_fail(target, strerror(error)) : 0;
}

static int connect_to(tm__target *target, const char *address)
{
    char host[TM__ADDRESS_BYTES];
    const char *colon = strrchr(address, ':');
    size_t length = (size_t)(colon - address);

    snprintf(target->name, sizeof(target->name), "net=%s", address);
    if (strncmp(address, "unix:", 5) == 0)
        return connect_path(target, address + 5);
    /* An address of version 6 stands in brackets. */
    if (length > 2 && address[0] == '[' && address[length - 1] == ']') {
        address++;
        length -= 2;
    }
    snprintf(host, sizeof(host), "%.*s", (int)length, address);
    return connect_host(target, host, colon + 1);
}

/* Read the token that a listener asks for: a word in a file that nobody else can read.
 * @return its bytes in `word`; -1 */
static int read_token(tm__target *target, const char *path, char word[TOKEN_BYTES])
{
    int opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    ssize_t length = -1;

    if (opened < 0)
        return tm__target_fail(target, "its token cannot be read");
    if (fstat(opened, &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_uid == geteuid() && !(status.st_mode & 077))
        length = read(opened, word, TOKEN_BYTES - 1);
    close(opened);
    while (length > 0 && strchr(" \t\r\n", word[length - 1]))
        length--;
    return length > 0
               ? (int)length
               : tm__target_fail(target, "its token must be in a file of yours that "
                                         "nobody else can read: chmod 600");
}

static int send_token(tm__target *target, const char *path)
{
    char word[TOKEN_BYTES], line[TOKEN_BYTES + 16];
    int length = read_token(target, path, word);

    if (length < 0)
        return -1;
    length = snprintf(line, sizeof(line), "threadmodel %.*s\n", length, word);
    /* A new connection has room for that. */
    return send(target->file, line, (size_t)length, MSG_NOSIGNAL) == length
               ? 0
               : tm__target_fail(target, strerror(errno));
}

int tm__target_connect(tm__target *target, const char *address, const char *token)
{
    int rc = connect_to(target, address);

    if (rc == 0 && token[0] && send_token(target, token) < 0) {
        close(target->file);
        target->file = -1;
        rc = -1;
    }
    return rc;
}
