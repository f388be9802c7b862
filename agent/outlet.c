/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes that never wait for ever. A pipe that nobody empties and a disk that is full
 * hold the writer's thread up, while the rings fill and count what they lose; when
 * there is room again the trace goes on where it was, with the losses marked. Only
 * the end of the program does not wait for that.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "outlet.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <threadmodel/error.h>

#include "complain.h"

enum { RETRY_MS = 100 };

/* The program's end waits so long for a reader, or a disk, that takes nothing. */
static const int64_t PATIENCE_NS = INT64_C(3000000000);

static char path[TM__PATH_BYTES + 32];
static char failure[TM__PATH_BYTES + 256];
static int file = -1;
static int is_regular;
static uint64_t whole_bytes; /* of blocks that are in the file */
static int may_wait;
static int said_full;
static _Atomic int64_t deadline_ns = INT64_MAX;

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int fail(const char *what)
{
    snprintf(failure, sizeof(failure), "%s: %s", path, what);
    return -1;
}

static int open_file(int flags)
{
    int opened;

    do
        opened = open(
            path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags, 0666);
    while (opened < 0 && errno == EINTR);
    return opened;
}

/* run.tmt becomes run-17.tmt, run run-17. */
static int name_after_process(const char *wanted, uint64_t pid)
{
    const char *slash = strrchr(wanted, '/');
    const char *name = slash ? slash + 1 : wanted;
    const char *dot = strrchr(name, '.');
    size_t stem = dot && dot != name ? (size_t)(dot - wanted) : strlen(wanted);
    int used = snprintf(path, sizeof(path), "%.*s-%llu%s", (int)stem, wanted,
                        (unsigned long long)pid, wanted + stem);

    return used < 0 || (size_t)used >= sizeof(path) ? -1 : 0;
}

/* Open what `path` names now. @return 0; 1: another process is writing it; -1 */
static int open_unlocked(int force)
{
    struct stat status;

    file = open_file(force ? 0 : O_EXCL);
    if (file < 0)
        return fail(errno == ENXIO    ? "nobody reads from this pipe"
                    : errno == EEXIST ? "is there, and force=n"
                                      : strerror(errno));
    is_regular = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    if (!is_regular)
        return 0;
    /* Where there are no locks there is no telling, and it goes as without them. */
    if (flock(file, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
        close(file);
        file = -1;
        return 1;
    }
    return ftruncate(file, 0) < 0 ? fail(strerror(errno)) : 0;
}

int tm__outlet_open(const tm__options *options, uint64_t pid, char *error,
                    size_t error_bytes)
{
    int rc;

    snprintf(path, sizeof(path), "%s", options->file);
    failure[0] = 0;
    whole_bytes = 0;
    may_wait = 0;
    said_full = 0;
    atomic_store(&deadline_ns, INT64_MAX);
    rc = open_unlocked(options->force != 0);
    if (rc == 1) {
        rc = name_after_process(options->file, pid) < 0 ? fail("the path is too long")
                                                        : open_unlocked(1);
        if (rc == 1)
            rc = fail("another process is writing it");
        if (rc == 0)
            tm__complain("%s is being written by another process: this one goes to %s",
                         options->file, path);
    }
    if (rc == 0)
        return 0;
    snprintf(error, error_bytes, "%s", failure);
    if (file >= 0)
        close(file);
    file = -1;
    return -1;
}

const char *tm__outlet_path(void)
{
    return is_regular ? path : NULL;
}

void tm__outlet_begin(void)
{
    may_wait = 1;
}

void tm__outlet_hurry(void)
{
    int64_t never = INT64_MAX;

    atomic_compare_exchange_strong(&deadline_ns, &never, now_ns() + PATIENCE_NS);
}

/* Wait until the file may take more. @return 0; -1: it is given up */
static int wait_for_room(int error)
{
    struct pollfd room = {.fd = file, .events = POLLOUT};

    if (!may_wait || now_ns() > atomic_load(&deadline_ns))
        return -1;
    if (error == EAGAIN) {
        poll(&room, 1, RETRY_MS);
        return 0;
    }
    if (!said_full++)
        tm__complain("%s: %s; what finds no room meanwhile is dropped, and counted",
                     path, strerror(error));
    poll(NULL, 0, RETRY_MS);
    return 0;
}

int tm__outlet_write(void *payload, const char *bytes, size_t count)
{
    size_t done = 0;

    (void)payload;
    while (done < count) {
        ssize_t written = write(file, bytes + done, count - done);
        int error = written < 0 ? errno : ENOSPC;

        if (written > 0) {
            done += (size_t)written;
            continue;
        }
        if (error == EINTR)
            continue;
        if ((error == EAGAIN || error == ENOSPC || error == EDQUOT) &&
            wait_for_room(error) == 0)
            continue;
        fail(error == EAGAIN ? "nobody reads" : strerror(error));
        /* A reader is better off with an end than with a piece of a block. */
        if (is_regular && done > 0 && ftruncate(file, (off_t)whole_bytes) < 0)
            return TM_EIO;
        return TM_EIO;
    }
    whole_bytes += count;
    said_full = 0;
    return TM_OK;
}

const char *tm__outlet_error(void)
{
    return failure;
}

int tm__outlet_close(void)
{
    int rc = file >= 0 ? close(file) : 0;

    file = -1;
    return rc < 0 && errno != EINTR ? fail(strerror(errno)) : 0;
}
