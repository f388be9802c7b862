/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of a trace: which name it gets, and that it is nobody else's. Who writes it
 * holds a lock on it, which ends with the process; so a JVM that was started by the one
 * that is recorded, with the same options in its environment, cannot write into the
 * trace of its parent.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vm/message.h"
#include "writer/destination_file.h"
#include "writer/destination_target.h"

enum { MOST_TRIES = 100 };

static int open_file(const char *path, int flags)
{
    int opened;

    do
        opened = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags, 0600);
    while (opened < 0 && errno == EINTR);
    return opened;
}

/* run.tmt becomes run-17.tmt, run run-17. */
static int name_after_process(tm__target *target, const char *wanted, uint64_t pid)
{
    const char *slash = strrchr(wanted, '/');
    const char *name = slash ? slash + 1 : wanted;
    const char *dot = strrchr(name, '.');
    size_t stem = dot && dot != name ? (size_t)(dot - wanted) : strlen(wanted);
    int used = snprintf(target->name, sizeof(target->name), "%.*s-%llu%s", (int)stem,
                        wanted, (unsigned long long)pid, wanted + stem);

    return used < 0 || (size_t)used >= sizeof(target->name) ? -1 : 0;
}

/* "/dev/stdout" is a link to what is open already; other links are not followed, or
 * whoever may write to the folder chooses what is emptied. */
static int is_device(const char *path)
{
    return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
}

static int is_still_called(const tm__target *target)
{
    struct stat status, named;

    return fstat(target->file, &status) == 0 && lstat(target->name, &named) == 0 &&
           status.st_ino == named.st_ino && status.st_dev == named.st_dev;
}

/* Take a file for this process alone. @return 0; 1: another has it */
static int lock(tm__target *target)
{
    /* Where there are no locks there is no telling, and it goes as without them. */
    if (flock(target->file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return 0;
    tm__target_close(target);
    return 1;
}

static int refused(tm__target *target, int error)
{
    return tm__target_fail(target, error == ENXIO    ? "nobody reads from this pipe"
                                   : error == EEXIST ? "is there, and force=n"
                                   : error == ELOOP  ? "is a symbolic link"
                                                     : strerror(error));
}

/* Create the file under its present name, in place of one that no process writes: a
 * process that has that open keeps its content. A file that is not regular is written
 * to as it is. @return 0; 1: another process is writing it; -1; 2: it no longer existed
 */
static int open_once(tm__target *target, int force)
{
    struct stat status;

    target->is_regular = 1;
    target->file = open_file(target->name, O_CREAT | O_EXCL | O_NOFOLLOW);
    if (target->file >= 0) {
        if (lock(target))
            return 1;
        if (is_still_called(target))
            return 0;
        tm__target_close(target);
        return 2;
    }
    if (errno != EEXIST || !force)
        return refused(target, errno);
    target->file = open_file(target->name, is_device(target->name) ? 0 : O_NOFOLLOW);
    if (target->file < 0)
        return errno == ENOENT ? 2 : refused(target, errno);
    target->is_regular = fstat(target->file, &status) == 0 && S_ISREG(status.st_mode);
    if (!target->is_regular)
        return 0;
    if (lock(target))
        return 1;
    if (is_device(target->name))
        return ftruncate(target->file, 0) < 0 ? refused(target, errno) : 0;
    if (is_still_called(target) && unlink(target->name) < 0)
        return refused(target, errno);
    tm__target_close(target);
    return 2;
}

/* @return 0; 1: another process is writing it; -1 */
static int open_unlocked(tm__target *target, int force)
{
    int rc = 2;

    for (int tries = 0; tries < MOST_TRIES && rc == 2; tries++)
        rc = open_once(target, force);
    return rc == 2 ? tm__target_fail(target, "other processes create and remove it")
                   : rc;
}

int tm__target_open_file(tm__target *target, const char *path, int force, uint64_t pid)
{
    int rc;

    snprintf(target->name, sizeof(target->name), "%s", path);
    rc = open_unlocked(target, force);
    if (rc == 1) {
        rc = name_after_process(target, path, pid) < 0
                 ? tm__target_fail(target, "the path is too long")
                 : open_unlocked(target, 1);
        if (rc == 1)
            rc = tm__target_fail(target, "another process is writing it");
        if (rc == 0)
            tm__message("%s is being written by another process: this one goes to %s",
                        path, target->name);
    }
    if (rc < 0)
        tm__target_close(target);
    return rc;
}
