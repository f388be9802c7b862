/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model of a running program gives its verdict as that of a trace does. It is asked
 * only while a thread has waited for long, when that is another thread or wait than the
 * last time, and so seldom that this takes a thousandth of a processor.
 */
#include "recorder/live_stuck.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "live/live_verdict.h"
#include "recorder/process.h"

static const int64_t LOOK_NS = INT64_C(250000000);
static const int64_t AGAIN_NS = INT64_C(10000000000);
enum { COST_PARTS = 1000 };

/* @return a number that stands for all threads that have waited for long; 0: no such */
static uint64_t print_of_waits(const tm__image *image, const tm__readers *readers,
                               int64_t before_ns)
{
    uint64_t print = 0;

    for (uint32_t i = 0; i < readers->end; i++) {
        const tm__ring_reader *it = &readers->all[i];

        if (it->image == image && it->waits_since_ns && it->waits_since_ns <= before_ns)
            print = (print + it->thread) * UINT64_C(0x9E3779B97F4A7C15) +
                    (uint64_t)it->waits_since_ns;
    }
    return print;
}

/* ---- what the kernel says ---- */

static int is_recorded(const tm__image *image, const tm__readers *readers,
                       uint32_t task)
{
    for (uint32_t i = 0; i < readers->end; i++)
        if (readers->all[i].image == image && readers->all[i].os_id == task)
            return 1;
    return 0;
}

/* Whether a thread sleeps in the kernel, and is recorded: what others do is not known.
 * A first thread that has ended is listed as long as others live. */
static int sleeps(const tm__image *image, const tm__readers *readers, uint32_t task)
{
    char state = tm__process_task_state(image->pid, task);

    return state == 'Z' || (state == 'S' && is_recorded(image, readers, task));
}

/* Whether each thread of the process does. */
static int all_sleep(const tm__image *image, const tm__readers *readers)
{
    char path[64];
    const struct dirent *entry;
    int all = 1;
    DIR *tasks;

    snprintf(path, sizeof(path), "/proc/%u/task", image->pid);
    tasks = opendir(path);
    if (!tasks)
        return 0;
    while (all && (entry = readdir(tasks))) {
        uint32_t task = (uint32_t)strtoul(entry->d_name, NULL, 10);

        all = !isdigit((unsigned char)*entry->d_name) || sleeps(image, readers, task);
    }
    closedir(tasks);
    return all;
}

/* ---- the report ---- */

/* Whether the recorder itself sees each member wait.
 * @param[out] since_ns  when the last of them began */
static int members_wait(const tm__live_verdict *it, const tm__image *image,
                        const tm__readers *readers, int64_t *since_ns)
{
    *since_ns = INT64_MIN;
    for (size_t i = 0; i < it->count; i++) {
        const tm__ring_reader *reader =
            tm__ring_reader_of(readers, image, it->threads[i]);

        if (!reader || !reader->waits_since_ns ||
            atomic_load(&reader->ring->lost) != reader->lost_emitted ||
            tm__process_task_state(image->pid, reader->os_id) != 'S')
            return 0;
        if (reader->waits_since_ns > *since_ns)
            *since_ns = reader->waits_since_ns;
    }
    return it->count > 0;
}

static void print(const tm__live_verdict *it, const tm__image *image, int64_t for_ns)
{
    char *text = tm__live_verdict_text(it, for_ns, image->pid);

    if (text) {
        fwrite(text, 1, strlen(text), stderr);
        fflush(stderr);
    }
    free(text);
}

static void keep_members(tm__stuck *stuck, const tm__live_verdict *it,
                         const tm__image *image, const tm__readers *readers)
{
    stuck->count = 0;
    for (size_t i = 0; i < it->count && i < TM__STUCK_MOST; i++) {
        stuck->members[stuck->count].thread = it->threads[i];
        stuck->members[stuck->count++].since_ns =
            tm__ring_reader_of(readers, image, it->threads[i])->waits_since_ns;
    }
}

static void ask(tm__image *image, const tm__readers *readers, int64_t now_ns,
                int64_t stuck_ns)
{
    tm__live_verdict it;
    int64_t since_ns;

    if (tm__live_verdict_open(&it, image->model, now_ns) && !it.is_deadlock &&
        members_wait(&it, image, readers, &since_ns) && now_ns - since_ns >= stuck_ns &&
        (!it.is_whole || all_sleep(image, readers))) {
        print(&it, image, now_ns - since_ns);
        keep_members(&image->stuck, &it, image, readers);
        image->stuck.since_ns = since_ns;
    }
    tm__live_verdict_close(&it);
}

/* ---- its end ---- */

static void look_for_end(tm__image *image, const tm__readers *readers, int64_t now_ns)
{
    tm__stuck *stuck = &image->stuck;

    if (image->over_ns || image->has_left)
        return;
    for (size_t i = 0; i < stuck->count; i++) {
        const tm__ring_reader *reader =
            tm__ring_reader_of(readers, image, stuck->members[i].thread);

        if (!reader || reader->waits_since_ns == stuck->members[i].since_ns)
            continue;
        fprintf(
            stderr,
            "threadmodel: no longer stuck in process %u: it goes on, after %lld s\n",
            image->pid, (long long)((now_ns - stuck->since_ns) / 1000000000));
        fflush(stderr);
        stuck->count = 0;
        return;
    }
}

static int64_t clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void tm__stuck_watch(tm__image *image, const tm__readers *readers, int64_t now_ns,
                     int64_t stuck_ns)
{
    tm__stuck *stuck = &image->stuck;
    int64_t begin_ns, cost_ns;
    uint64_t print;
    char state;

    if (!stuck_ns || !image->is_found || now_ns < stuck->look_ns)
        return;
    stuck->look_ns = now_ns + LOOK_NS;
    if (stuck->count) {
        look_for_end(image, readers, now_ns);
        return;
    }
    /* A process that a signal or a debugger has stopped does not wait for itself. */
    state = tm__process_state(image->pid);
    if (state == 'T' || state == 't') {
        stuck->stopped_ns = now_ns;
        return;
    }
    if (now_ns - stuck->stopped_ns < stuck_ns)
        return;
    print = print_of_waits(image, readers, now_ns - stuck_ns);
    if (!print || now_ns < stuck->ask_ns ||
        (print == stuck->print && now_ns < stuck->again_ns))
        return;
    stuck->print = print;
    begin_ns = clock_ns();
    ask(image, readers, now_ns, stuck_ns);
    cost_ns = clock_ns() - begin_ns;
    stuck->ask_ns = now_ns + cost_ns * COST_PARTS;
    stuck->again_ns = now_ns + AGAIN_NS;
}
