/* SPDX-License-Identifier: Apache-2.0 */
/* A small recording of JFR, which is read and compared. */
#ifndef TEST_JFR_RECORDING_H
#define TEST_JFR_RECORDING_H

#include "support/chunk_paper.h"
#include "support/hardship.h"

static chunk_paper paper;

/* All that a recording emits, as text; the code that ended it in `rc`. */
static inline recorder read_recording(const uint8_t *bytes, size_t length, int *rc)
{
    recorder all;

    recorder_init(&all);
    *rc = read_all(&all, bytes, length);
    return all;
}

static inline void assert_reads(int code, const char *text)
{
    int rc;
    recorder all = read_recording(paper.bytes, paper.length, &rc);

    assert_int_equal(rc, code);
    if (!strstr(all.text ? all.text : "", text))
        fail_msg("no \"%s\" in:\n%s", text, all.text ? all.text : "");
    recorder_free(&all);
}

#endif
