/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes through any reader, into a sink that touches all that it is lent. As a
 * replay program, --seed DIR writes some small traces there to begin from.
 */
#include <stdio.h>
#include <string.h>

#include <threadmodel/error.h>
#include <threadmodel/trace.h>

#include "../unit/recorder.h"
#include "formats/source.h"
#include "replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    recorder recorder;
    tm_source *source;
    int rc = tm__source_open_memory(&source, "fuzz", data, size, NULL);

    if (rc < 0)
        return 0;
    recorder_init(&recorder);
    while ((rc = tm_source_read(source, &recorder.sink)) == TM_MORE)
        if (recorder.length > 1 << 20)
            recorder.length = 0; /* formatting has read it: that is all it was for */
    if (rc < 0 && tm_error_text()[0] == '\0')
        abort();
    tm_source_close(source);
    recorder_free(&recorder);
    return 0;
}

#ifdef TM_REPLAY
static int write_seeds(const char *folder)
{
    for (unsigned seed = 1; seed <= 8; seed++) {
        tm_trace_writer_options options = {.size = sizeof(options),
                                           .block_events = seed % 2 ? 8 : 40,
                                           .level = seed % 3 ? 1 : 3};
        tm_trace_writer *writer;
        char path[4096];

        snprintf(path, sizeof(path), "%s/seed-%u.tmt", folder, seed);
        if (tm_trace_writer_open(&writer, path, &options) < 0 ||
            pour_random(tm_trace_writer_sink(writer), seed, 12 * seed) < 0 ||
            tm_trace_writer_close(writer) < 0) {
            fprintf(stderr, "%s\n", tm_error_text());
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    int failed = 0;

    if (argc == 3 && strcmp(argv[1], "--seed") == 0)
        return write_seeds(argv[2]);
    for (int i = 1; i < argc; i++)
        failed |= replay(argv[i]);
    return failed;
}
#endif
