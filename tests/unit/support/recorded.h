/* SPDX-License-Identifier: Apache-2.0 */
/* A text emitted into a recorder, and the events and definitions that it received. */
#ifndef TM_TESTS_RECORDED_H
#define TM_TESTS_RECORDED_H

#include <threadmodel/source.h>

#include "formats/source.h"
#include "support/recorder.h"

static inline int emit_memory(recorder *to, const char *name, const char *text,
                              size_t length, const tm_source_options *options)
{
    tm_source *source;
    int rc = tm__source_open_memory(&source, name, text, length, options);

    recorder_init(to);
    if (rc < 0)
        return rc;
    do
        rc = tm_source_read(source, &to->sink);
    while (rc == TM_MORE);
    tm_source_close(source);
    return rc;
}

/* Without the run and the caveats. */
static inline void assert_recorded(const recorder *recorded, const char *expected)
{
    char actual[4096] = "", copy[8192];
    char *rest = NULL;

    snprintf(copy, sizeof(copy), "%s", recorded->text);
    for (char *line = strtok_r(copy, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        size_t length = strlen(actual);

        if (strncmp(line, "run ", 4) != 0 && strncmp(line, "caveat ", 6) != 0)
            snprintf(actual + length, sizeof(actual) - length, "%s\n", line);
    }
    assert_string_equal(actual, expected);
}

#endif
