/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any content of the memory that a native program shares with its recorder, which
 * changes between the rounds. The input is steps of a byte, what to do, and what that
 * needs: to write a record, bytes of a ring or its header, or to have a round.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

#include "recorder/rounds.h"

enum { RINGS = 3, ROUNDS_MOST = 8, RECORDS_MOST = 64 };

/** The last one ends where the memory does. */
static const uint32_t places[RINGS] = {0, 1, TM__RINGS_MOST - 1};

static char folder[] = "/tmp/threadmodel-fuzz-XXXXXX";
static char output[64];
static tm__recorder recorder;

typedef struct input {
    const uint8_t *bytes;
    size_t count;
} input;

static void remove_traces(void)
{
    DIR *all = opendir(folder);
    const struct dirent *entry;
    char path[512];

    while (all && (entry = readdir(all))) {
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        unlink(path);
    }
    if (all)
        closedir(all);
}

static void remove_folder(void)
{
    remove_traces();
    rmdir(folder);
}

static void begin(void)
{
    FUZZ_CHECK(mkdtemp(folder) != NULL);
    snprintf(output, sizeof(output), "%s/run.tmt", folder);
    atexit(remove_folder);
    recorder.output = output;
    recorder.readers.all = calloc(TM__RINGS_MOST, sizeof(*recorder.readers.all));
    FUZZ_CHECK(recorder.readers.all &&
               tm__memory_open(&recorder.memory, TM__RING_BYTES, 0) == 0);
    recorder.memory.control->uses_counter = 0;
    tm__tick_clock_open(&recorder.clock, 0);
    recorder.begin = tm__tick_clock_read(&recorder.clock);
}

static void take(input *it, void *to, size_t bytes)
{
    size_t count = it->count < bytes ? it->count : bytes;

    memset(to, 0, bytes);
    memcpy(to, it->bytes, count);
    it->bytes += count;
    it->count -= count;
}

static tm__ring *ring_of(uint8_t which)
{
    return tm__memory_ring(&recorder.memory, places[which % RINGS]);
}

static void claim(uint8_t which)
{
    tm__control *control = recorder.memory.control;
    uint32_t place = places[which % RINGS];
    tm__ring *ring = ring_of(which);

    if (control->states[place] == TM__RING_USED)
        return;
    memset((void *)ring, 0, sizeof(*ring));
    ring->image = 1 + which % 2;
    ring->thread = 1 + which % RINGS;
    ring->pid = 0;
    if (control->used_end <= place)
        control->used_end = place + 1;
    control->states[place] = TM__RING_USED;
}

/* A record as a program writes it, with any bytes in it. */
static void put_record(input *it, uint8_t which)
{
    tm__ring *ring = ring_of(which);
    unsigned char *base = (unsigned char *)ring + TM__RING_HEADER_BYTES;
    uint8_t kind_and_size[2];
    tm__record record;
    uint64_t at = ring->head % TM__RING_BYTES;
    size_t bytes;

    take(it, kind_and_size, sizeof(kind_and_size));
    take(it, &record, sizeof(record));
    record.kind = kind_and_size[0] % (TM__NOTED_EVENTS + TM_EVENT_KIND_END);
    bytes = sizeof(record) + kind_and_size[1] % 40 * 8;
    if (at + bytes > TM__RING_BYTES)
        return;
    if (kind_and_size[1] < 250)
        record.bytes = (uint32_t)bytes;
    memcpy(base + at, &record, sizeof(record));
    take(it, base + at + sizeof(record), bytes - sizeof(record));
    ring->head += bytes;
}

static void put_bytes(input *it, uint8_t which)
{
    unsigned char *base = (unsigned char *)ring_of(which) + TM__RING_HEADER_BYTES;
    uint16_t at;
    uint8_t count;

    take(it, &at, sizeof(at));
    take(it, &count, sizeof(count));
    take(it, base + at, count);
}

/* Its head, tail, holds and all else. */
static void put_header(input *it, uint8_t which)
{
    unsigned char *header = (unsigned char *)ring_of(which);
    uint16_t at;
    uint8_t count;

    take(it, &at, sizeof(at));
    take(it, &count, sizeof(count));
    take(it, header + at % (sizeof(tm__ring) - 256), count);
    /* No process of this machine is looked at. */
    ring_of(which)->pid = 0;
    ring_of(which)->os_id = 0;
}

static void set_state(input *it, uint8_t which)
{
    uint8_t state;

    take(it, &state, sizeof(state));
    recorder.memory.control->states[places[which % RINGS]] = state % 5;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    input it = {bytes, count};
    tm__control *control;
    int rounds = 0;

    if (!recorder.output)
        begin();
    control = recorder.memory.control;
    for (uint8_t i = 0; i < RINGS; i++) {
        control->states[places[i]] = TM__RING_FREE;
        memset((void *)ring_of(i), 0, sizeof(tm__ring));
        claim(i);
    }
    while (it.count && rounds < ROUNDS_MOST) {
        uint8_t step[2];

        take(&it, step, sizeof(step));
        switch (step[0] % 8) {
        case 0:
            tm__recorder_round(&recorder, 0);
            rounds++;
            break;
        case 1: put_bytes(&it, step[1]); break;
        case 2: put_header(&it, step[1]); break;
        case 3: set_state(&it, step[1]); break;
        case 4: claim(step[1]); break;
        default: put_record(&it, step[1]); break;
        }
    }
    tm__recorder_round(&recorder, 0);
    tm__recorder_round(&recorder, 1);
    FUZZ_CHECK(!recorder.images);
    recorder.is_named = recorder.rc = 0;
    recorder.spare.path[0] = recorder.trace[0] = 0;
    recorder.silent_count = 0;
    free(recorder.others);
    recorder.others = NULL;
    recorder.others_bytes = recorder.unseen_count = 0;
    remove_traces();
    return 0;
}
