/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each stored file is read where memory runs out at one call, and by a sink that fails
 * at one call, for the first calls and for many of those after them. Reading goes on
 * where it was when there is memory again, and nothing is left behind.
 *
 *     scarcity FOLDER...
 */
#include <dirent.h>
#include <sys/stat.h>

#include "formats/source.h"
#include "fuzz.h"
#include "support/recorder.h"
#include "support/scarce.h"

enum { INPUT_BYTES = 1 << 20, EACH = 200 };

static char input[INPUT_BYTES];
static size_t spread = 300;
static size_t faults;

typedef struct trial {
    uint64_t events;
    uint64_t calls; ///< of the sink
    int rc;         ///< what ended it
} trial;

static trial read_input(const char *name, size_t length, struct scarce *scarce,
                        size_t allocations, uint64_t sink_calls)
{
    tm_allocator hook = scarce_hook(scarce, allocations);
    tm_source_options options = {.size = sizeof(options), .allocator = &hook};
    tm_source *source;
    recorder all;
    trial done = {0};

    scarce->fails_once = 1;
    recorder_init(&all);
    all.counts_only = 1;
    all.fail_after = sink_calls;
    done.rc = tm__source_open_memory(&source, name, input, length, &options);
    if (done.rc == TM_OK) {
        do
            done.rc = tm_source_read(source, &all.sink);
        while (done.rc == TM_MORE || done.rc == TM_ENOMEM);
        tm_source_close(source);
    }
    FUZZ_CHECK(scarce->live_blocks == 0);
    done.events = all.events;
    done.calls = all.calls;
    recorder_free(&all);
    return done;
}

/* All of the first, then as many more as are to be tried, evenly. */
static size_t next(size_t at, size_t all)
{
    return at < EACH ? at + 1 : at + 1 + (all - EACH) / spread;
}

static void try(const char *name, size_t length)
{
    struct scarce scarce;
    trial whole = read_input(name, length, &scarce, SIZE_MAX, UINT64_MAX);
    size_t allocations = SIZE_MAX - scarce.calls_left;
    /* A line of a log, or an element, at which memory ran out is not read again; it may
     * have been the damaged one. */
    int leaves_out = strstr(name, "/contention/") || strstr(name, "/tptp/");

    if (whole.rc != TM_OK && whole.rc != TM_EDAMAGED)
        return;
    for (size_t n = 0; n < allocations; n = next(n, allocations)) {
        trial done = read_input(name, length, &scarce, n, UINT64_MAX);

        FUZZ_CHECK(scarce.has_failed);
        faults++;
        FUZZ_CHECK(done.events <= whole.events);
        if (leaves_out)
            FUZZ_CHECK(done.rc == TM_ENOMEM || /* it could not be opened */
                       (done.rc <= TM_OK && done.events + 1 >= whole.events));
        else if (done.rc == whole.rc)
            FUZZ_CHECK(done.events == whole.events);
        else
            FUZZ_CHECK(done.rc < 0);
    }
    for (size_t n = 1; n < whole.calls; n = next(n, (size_t)whole.calls), faults++)
        FUZZ_CHECK(read_input(name, length, &scarce, SIZE_MAX, n).rc == TM_ESTOPPED);
}

static int try_all(const char *folder)
{
    DIR *files = opendir(folder);
    struct dirent *entry;

    if (files == NULL) {
        perror(folder);
        return 1;
    }
    while ((entry = readdir(files)) != NULL) {
        char path[4096];
        FILE *file;

        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        file = fopen(path, "rb");
        FUZZ_CHECK(file != NULL);
        size_t length = fread(input, 1, sizeof(input), file);
        fclose(file);
        try(path, length);
    }
    closedir(files);
    return 0;
}

int main(int count, char **arguments)
{
    int failed = 0;

    if (getenv("TM_TEST_FULL"))
        spread = 3000;
    if (getenv("TM_TEST_SLOW_MACHINE"))
        spread = 5;
    for (int i = 1; i < count; i++)
        failed |= try_all(arguments[i]);
    printf("%zu faults\n", faults);
    return failed;
}
