/* SPDX-License-Identifier: Apache-2.0 */
#include "recorder/image_ending.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
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

void tm__recorder_describe_ended(const tm__recorder *it, const tm__image *image,
                                 tm__ended *ended)
{
    *ended =
        (tm__ended){.events = image->events,
                    .lived_ns = image->begun_ns ? image->over_ns - image->begun_ns : 0,
                    .is_replaced = tm__image_was_replaced(it, image)};
    snprintf(ended->path, sizeof(ended->path), "%s", image->path);
    snprintf(ended->name, sizeof(ended->name), "%s", image->name);
}

static void add_other(tm__recorder *it, const tm__ended *ended)
{
    char line[sizeof(ended->path) + 32];
    size_t bytes = (size_t)snprintf(line, sizeof(line), "%" PRIu64 " %s", ended->events,
                                    ended->path) +
                   1;
    char *more = realloc(it->others, it->others_bytes + bytes);

    if (!more)
        return;
    it->others = more;
    memcpy(it->others + it->others_bytes, line, bytes);
    it->others_bytes += bytes;
}

static void count_silent(tm__recorder *it, const tm__ended *ended)
{
    size_t i = 0;

    while (i < it->silent_count && strcmp(it->silent[i].name, ended->name) != 0)
        i++;
    if (i == TM__SILENT_MOST)
        return;
    if (i == it->silent_count)
        snprintf(it->silent[it->silent_count++].name, sizeof(it->silent[i].name), "%s",
                 ended->name);
    it->silent[i].count++;
}

static void drop(tm__recorder *it, const tm__ended *ended)
{
    if (it->keeps_all) {
        add_other(it, ended);
        return;
    }
    unlink(ended->path);
    if (!ended->is_replaced)
        count_silent(it, ended);
}

void tm__recorder_drop_spare(tm__recorder *it)
{
    if (*it->spare.path)
        drop(it, &it->spare);
    *it->spare.path = 0;
}

void tm__recorder_settle(tm__recorder *it, const tm__ended *ended, int is_wanted)
{
    if (is_wanted && strcmp(ended->path, it->trace) == 0) {
        it->trace_events = ended->events;
    } else if (is_wanted) {
        add_other(it, ended);
    } else if (!it->is_named &&
               (!*it->spare.path || ended->lived_ns > it->spare.lived_ns)) {
        /* If there is no better one, it is that of the program itself: what that
         * started ended before. */
        tm__recorder_drop_spare(it);
        it->spare = *ended;
    } else {
        drop(it, ended);
    }
}

void tm__recorder_print_traces(const tm__recorder *it)
{
    if (*it->trace)
        printf("trace %" PRIu64 " %s%c", it->trace_events, it->trace, 0);
    for (size_t at = 0; at < it->others_bytes; at += strlen(it->others + at) + 1)
        printf("also %s%c", it->others + at, 0);
    for (size_t i = 0; (!it->is_named || it->others) && i < it->silent_count; i++)
        printf("silent %u %s%c", it->silent[i].count, it->silent[i].name, 0);
    for (size_t i = 0; !it->is_named && i < it->unseen_count; i++)
        printf("unseen %s%c", it->unseen[i], 0);
}
