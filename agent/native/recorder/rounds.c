/* SPDX-License-Identifier: Apache-2.0 */
#include "recorder/rounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "recorder/claimed_calls.h"
#include "recorder/definitions.h"
#include "recorder/facts.h"
#include "recorder/fresh_names.h"
#include "recorder/gather_records.h"
#include "recorder/image.h"
#include "recorder/image_ending.h"
#include "recorder/kernel_switches.h"
#include "recorder/live_deadlock.h"
#include "recorder/live_stuck.h"
#include "recorder/lock_holds.h"
#include "recorder/lookup.h"
#include "recorder/unseen_programs.h"
#include "recorder/thread_names.h"

enum { SLACK_NS = 1000000, FLUSH_ROUNDS = 100 };
enum { STUCK_NS = 2000000000, NESTED_LOOKS = 8, IMAGES_MOST = 2048 };

/* The number of a process here, where it is not the one that it has itself. All
 * processes are looked through for that, so not always: those that end at once are
 * many.
 */
static uint32_t find_nested(tm__recorder *it, uint32_t own_pid)
{
    if (it->nested_round != it->rounds && it->nested_looks < NESTED_LOOKS) {
        it->nested_looks++;
        tm__nested_find(&it->nested, it->memory.inode);
        it->nested_round = it->rounds;
    }
    return it->nested_round == it->rounds ? tm__nested_pid(&it->nested, own_pid) : 0;
}

static void find_process(tm__recorder *it, tm__image *image)
{
    uint32_t pid = find_nested(it, image->pid);

    if (!pid)
        return;
    image->pid = pid;
    image->is_found = 1;
    image->descriptor = tm__process_open(pid);
}

static const char NO_IO[] =
    "Waits for sockets, files and processes were not recorded (io=n).";

static tm__image *image_of(tm__recorder *it, const tm__ring *ring)
{
    uint32_t pid = atomic_load(&ring->pid), nested;
    tm__image *image, *parent, **last;
    uint64_t id = *(const volatile uint64_t *)&ring->image;
    size_t count = 0;
    int is_found;

    for (image = it->images; image; image = image->next, count++)
        if (image->id == id)
            return image;
    if (count >= IMAGES_MOST)
        return NULL;
    is_found = tm__process_shares(pid, it->memory.inode) == 1;
    if (!is_found && (nested = find_nested(it, pid))) {
        pid = nested;
        is_found = 1;
    }
    image = tm__image_new(id, pid, it->output, tm__tick_clock_ns(&it->clock, it->begin),
                          !it->memory.control->leaves_io_out,
                          is_found && pid == atomic_load(&ring->pid),
                          it->memory.live_bytes);
    if (!image)
        return NULL;
    image->shows_paths = it->shows_paths;
    if (it->memory.control->leaves_io_out)
        TM__IMAGE_DEFINE(image, caveat, NO_IO);
    image->is_found = is_found;
    image->parent_pid = tm__process_parent(pid);
    image->descriptor = is_found ? tm__process_open(pid) : -1;
    /* At the end: what a process did is emitted before what its children did. */
    for (last = &it->images; *last; last = &(*last)->next)
        ;
    *last = image;
    if ((parent = tm__recorder_image_of(it, image->parent_pid)))
        tm__image_drop_child(parent, pid);
    return image;
}

static void find_rings(tm__recorder *it)
{
    tm__control *control = it->memory.control;
    uint32_t end = atomic_load(&control->used_end);

    it->readers.end = end < it->memory.rings_most ? end : it->memory.rings_most;
    for (uint32_t i = 0; i < it->readers.end; i++) {
        tm__ring_reader *reader = &it->readers.all[i];
        uint32_t state =
            atomic_load_explicit(&control->states[i], memory_order_acquire);

        if (reader->image)
            tm__thread_read_name(reader);
        if (reader->image || (state != TM__RING_USED && state != TM__RING_LEFT))
            continue;
        memset(reader, 0, sizeof(*reader));
        reader->ring = tm__memory_ring(&it->memory, i);
        reader->ring_bytes = it->memory.ring_bytes;
        reader->thread = reader->ring->thread;
        reader->image = image_of(it, reader->ring);
        if (reader->image)
            tm__thread_read_name(reader);
    }
}

/* Since when a thread has a record in work. One that does not come to its end, as its
 * thread has left it by a jump, holds up the others for a while only. */
static uint64_t since_of(const tm__recorder *it, tm__ring_reader *reader, uint64_t now)
{
    uint64_t since = atomic_load_explicit(&reader->ring->since, memory_order_acquire);

    if (since == TM__IDLE || since != reader->seen_since) {
        reader->seen_since = since;
        reader->seen_first = now;
    }
    if (since == TM__IDLE ||
        now - reader->seen_first > tm__tick_clock_ticks(&it->clock, STUCK_NS))
        return TM__IDLE;
    return since == TM__BEGINS ? reader->image->horizon : since;
}

/* How far each image may be emitted: up to the oldest record that is in work. */
static void set_horizons(tm__recorder *it, uint64_t now)
{
    uint64_t slack = tm__tick_clock_ticks(&it->clock, SLACK_NS);

    for (tm__image *image = it->images; image; image = image->next)
        image->next_horizon = now - slack;
    for (uint32_t i = 0; i < it->readers.end; i++) {
        const tm__ring_reader *reader = &it->readers.all[i];
        uint64_t since, call;

        if (!reader->image)
            continue;
        /* In this order: a call that ends begins a record before. */
        call = tm__kernel_wait_bound(&it->readers.all[i], &it->clock, now);
        since = since_of(it, &it->readers.all[i], now);
        if (since != TM__IDLE && since < reader->image->next_horizon)
            reader->image->next_horizon = since;
        if (call < reader->image->next_horizon)
            reader->image->next_horizon = call;
    }
}

/* The rings of threads that ended are free once all of them was emitted. */
static void free_rings(tm__recorder *it, const tm__image *image)
{
    for (uint32_t i = 0; i < it->readers.end; i++) {
        tm__ring_reader *reader = &it->readers.all[i];
        _Atomic uint32_t *state = &it->memory.control->states[i];

        if (reader->image != image)
            continue;
        if (!image->has_ended &&
            (atomic_load(state) != TM__RING_LEFT ||
             atomic_load(&reader->ring->head) != atomic_load(&reader->ring->tail) ||
             reader->last_time >= image->horizon || image->ordered_count))
            continue;
        reader->image = NULL;
        atomic_store_explicit(state, TM__RING_FREE, memory_order_release);
    }
}

/* One that left no word of its end may be in another namespace; or nobody may look for
 * it, and then it goes on as long as there is something of it. */
static int has_died(tm__recorder *it, tm__image *image)
{
    uint64_t before = image->seen_order;

    if (!tm__process_has_died(image->pid))
        return 0;
    if (image->is_found || image->has_left)
        return 1;
    image->seen_order = image->item_order;
    find_process(it, image);
    return !image->is_found && it->nested_round == it->rounds &&
           before == image->item_order;
}

static void end_image(tm__recorder *it, tm__image *image)
{
    int is_wanted = image->is_wanted;
    tm__ended ended;

    tm__image_note_ending(it, image);
    if (!is_wanted && !it->keeps_all)
        tm__recorder_note_eventless(it, image);
    image->has_ended = 1;
    free_rings(it, image);
    tm__recorder_describe_ended(it, image, &ended);
    if (tm__image_close(image) != 0)
        it->rc = 1;
    tm__recorder_settle(it, &ended, is_wanted);
}

/* Other processes than those with a descriptor are looked for now and then. */
static int is_over(tm__recorder *it, tm__image *image)
{
    if (image->over_ns)
        return 1;
    return it->rounds % 10 == 0 &&
           (has_died(it, image) || tm__image_was_replaced(it, image));
}

/* Events of a process that was there before may still wait for names. */
static int is_preceded(const tm__recorder *it, const tm__image *image)
{
    for (const tm__image *other = it->images; other; other = other->next)
        if (other->id < image->id && other->ordered_count)
            return 1;
    return 0;
}

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The clock that counts while the machine is suspended gets ahead of the other by that:
 * no process ran. @return in ns, since the round before */
static int64_t suspended_ns(tm__recorder *it)
{
    enum { LEAST_NS = 50000000 };
    struct timespec all;
    int64_t ahead_ns, ns = 0;

    if (clock_gettime(CLOCK_BOOTTIME, &all) != 0)
        return 0;
    ahead_ns = (int64_t)all.tv_sec * 1000000000 + all.tv_nsec - now_ns();
    if (it->rounds)
        ns = ahead_ns - it->ahead_ns;
    it->ahead_ns = ahead_ns;
    return ns >= LEAST_NS ? ns : 0;
}

/* A signal or a debugger stops a process: its threads wait for nothing then. */
static void look_for_stop(tm__image *image, int64_t time_ns)
{
    char state = tm__process_state(image->pid);

    if (state == 'T' || state == 't') {
        if (!image->stop_ns)
            image->stop_ns = time_ns;
        return;
    }
    if (image->stop_ns)
        image->stopped_ns += time_ns - image->stop_ns;
    image->stop_ns = 0;
}

void tm__recorder_round(tm__recorder *it, int is_last)
{
    uint64_t now = tm__tick_clock_read(&it->clock);
    int64_t suspended = suspended_ns(it);

    tm__kernel_switches_begin_round();
    find_rings(it);
    tm__readers_list(&it->readers);
    set_horizons(it, now);
    for (uint32_t i = 0; i < it->readers.end; i++)
        if (it->readers.all[i].image)
            tm__gather_begin(&it->readers.all[i]);
    tm__fresh_read();
    for (uint32_t i = 0; i < it->readers.end; i++) {
        tm__ring_reader *reader = &it->readers.all[i];

        if (!reader->image)
            continue;
        tm__gather_holds(reader, reader->image->next_horizon);
        tm__gather_records(reader, &it->clock);
    }
    tm__fresh_end();
    tm__kernel_switches_gather(&it->readers, &it->clock);
    if (is_last)
        tm__lookups_wait();
    for (tm__image *image = it->images; image; image = image->next) {
        tm__image_watch_end(it, image, now);
        image->stopped_ns += suspended;
    }
    for (tm__image **at = &it->images, *image; (image = *at);) {
        uint64_t horizon = is_last ? UINT64_MAX : image->next_horizon;

        tm__gather_sort(image);
        tm__facts_emit(image, &it->readers, &it->clock, horizon);
        if (horizon > image->horizon)
            image->horizon = horizon;
        if (image->is_wanted && !it->is_named && !is_preceded(it, image)) {
            it->is_named = 1;
            tm__recorder_drop_spare(it);
            tm__recorder_name_trace(it, image->path);
        }
        if (image->model) {
            int64_t emitted_ns =
                tm__tick_clock_ns(&it->clock, tm__facts_emitted(image));

            tm__deadlocks_confirm(image, &it->readers, emitted_ns);
            if (!is_last)
                tm__stuck_watch(image, &it->readers, emitted_ns, it->stuck_ns);
        }
        if (is_last || (image->item_count == 0 && is_over(it, image) &&
                        tm__definitions_complete(image))) {
            *at = image->next;
            end_image(it, image);
            continue;
        }
        for (uint32_t i = 0; i < it->readers.end; i++)
            if (it->readers.all[i].image == image)
                tm__holds_close(&it->readers.all[i], &it->readers,
                                tm__tick_clock_ns(&it->clock, image->horizon));
        free_rings(it, image);
        if (it->rounds % 10 == 0 && image->is_found)
            look_for_stop(image, now_ns());
        /* Programs that end at once are seen in the first rounds, those that go on also
         * later. */
        if (it->rounds % 10 == 0 && image->is_found)
            tm__recorder_look_for_children(it, image);
        if (!it->is_named && (it->rounds < 100 || it->rounds % 10 == 0))
            tm__recorder_look_for_unseen(it, image);
        if (it->rounds % FLUSH_ROUNDS == 0 && image->writer)
            tm_writer_flush(image->writer);
        at = &image->next;
    }
    it->rounds++;
    if (it->rounds % 10 == 0 && it->nested_looks > 0)
        it->nested_looks--;
}
