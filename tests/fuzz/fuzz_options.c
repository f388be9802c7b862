/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any text as the agent's options, which anybody who starts a JVM may write: it is
 * read, or refused in one line, and what is read is within the bounds that the table
 * of options states.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "vm/options.h"

/* Text that is whole within its array. */
static int is_text(const char *text, size_t bytes)
{
    return memchr(text, 0, bytes) != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static tm__options options;
    char error[256];
    char *text = malloc(count + 1);
    int rc;

    if (!text)
        return 0;
    memcpy(text, bytes, count);
    text[count] = 0;
    memset(error, 'x', sizeof(error));
    error[0] = 0;
    rc = tm__options_parse(&options, text, UINT64_MAX, error, sizeof(error));
    FUZZ_CHECK(is_text(error, sizeof(error)));
    FUZZ_CHECK(rc == 0 || (rc == -1 && error[0]));
    if (rc == 0) {
        FUZZ_CHECK(is_text(options.file, sizeof(options.file)));
        FUZZ_CHECK(is_text(options.net, sizeof(options.net)));
        FUZZ_CHECK(is_text(options.token, sizeof(options.token)));
        FUZZ_CHECK(is_text(options.rings, sizeof(options.rings)));
        FUZZ_CHECK(is_text(options.reply, sizeof(options.reply)));
        FUZZ_CHECK(is_text(options.stop_file, sizeof(options.stop_file)));
        FUZZ_CHECK(options.file[0] || options.net[0]);
        FUZZ_CHECK(options.depth <= TM__DEPTH_MAX);
        FUZZ_CHECK((options.buffer_bytes & (options.buffer_bytes - 1)) == 0);
        FUZZ_CHECK(options.buffer_bytes >= 64 << 10 && options.buffer_bytes <= 1 << 30);
        FUZZ_CHECK(options.cutoff >= 0 && options.cutoff <= 1);
        FUZZ_CHECK(options.budget >= 0 && options.budget <= 1);
        FUZZ_CHECK(!options.memory_bytes || options.memory_bytes >= 16 << 20);
        FUZZ_CHECK(options.interval_ms >= 1 && options.interval_ms <= 10000);
    }
    free(text);
    return 0;
}
