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
#include "writer/destination_target.h"

static int open_file(const char *path, int flags)
{
    int opened;

    do
        opened = open(
            path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags, 0666);
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

/* Open what it is called now. @return 0; 1: another process is writing it; -1 */
static int open_unlocked(tm__target *target, int force)
{
    struct stat status;

    target->file = open_file(target->name, force ? 0 : O_EXCL);
    if (target->file < 0)
        return tm__target_fail(target, errno == ENXIO    ? "nobody reads from this pipe"
                                       : errno == EEXIST ? "is there, and force=n"
                                                         : strerror(errno));
    target->is_regular = fstat(target->file, &status) == 0 && S_ISREG(status.st_mode);
    if (!target->is_regular)
        return 0;
    /* Where there are no locks there is no telling, and it goes as without them. */
    if (flock(target->file, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
        close(target->file);
        target->file = -1;
        return 1;
    }
    return ftruncate(target->file, 0) < 0 ? tm__target_fail(target, strerror(errno))
                                          : 0;
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
