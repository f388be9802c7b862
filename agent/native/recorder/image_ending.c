/* SPDX-License-Identifier: Apache-2.0 */
#include "recorder/image_ending.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder/process.h"

/* Whether another producer, as the JVM agent, writes what has the name now. */
static int is_written(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    int is_locked =
        file >= 0 && flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;

    if (file >= 0)
        close(file);
    return is_locked;
}

void tm__recorder_name_trace(tm__recorder *it, char path[4096])
{
    if (is_written(it->output))
        fprintf(stderr,
                "threadmodel: %s is being written by another process: this recording "
                "is in %s\n",
                it->output, path);
    else if (rename(path, it->output) == 0)
        snprintf(path, 4096, "%s", it->output);
    snprintf(it->trace, sizeof(it->trace), "%s", path);
}

static void note_status(tm__image *image, int status)
{
    image->ending = WIFSIGNALED(status) ? TM_ENDING_SIGNALLED : TM_ENDING_EXITED;
    image->ending_status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

void tm__image_watch_end(tm__recorder *it, tm__image *image, uint64_t now)
{
    int status;

    if (image->over_ns || image->descriptor < 0 ||
        !tm__process_is_over(image->descriptor))
        return;
    image->over_ns = tm__tick_clock_ns(&it->clock, now);
    if (tm__process_status(image->pid, image->descriptor, &status))
        note_status(image, status);
}

int tm__image_was_replaced(const tm__recorder *it, const tm__image *image)
{
    for (const tm__image *other = it->images; other; other = other->next)
        if (other->pid == image->pid && other->id > image->id)
            return 1;
    return 0;
}

void tm__image_note_ending(tm__recorder *it, tm__image *image)
{
    int status;

    if (!image->over_ns) {
        image->over_ns = tm__tick_clock_ns(&it->clock, tm__tick_clock_read(&it->clock));
        if (!tm__image_was_replaced(it, image) && !tm__process_has_died(image->pid))
            image->ending = TM_ENDING_WENT_ON;
        return;
    }
    if (image->ending == TM_ENDING_UNKNOWN && it->reported_pid == image->pid)
        note_status(image, it->reported_status);
    else if (image->ending == TM_ENDING_UNKNOWN &&
             tm__process_status(image->pid, image->descriptor, &status))
        note_status(image, status);
}

void tm__recorder_add_other(tm__recorder *it, const char *path)
{
    size_t bytes = strlen(path) + 1;
    char *more = realloc(it->others, it->others_bytes + bytes);

    if (!more)
        return;
    it->others = more;
    memcpy(it->others + it->others_bytes, path, bytes);
    it->others_bytes += bytes;
}
