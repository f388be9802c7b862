/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks of a recording of JFR, one after the other. */
#ifndef TEST_JFR_CHUNK_H
#define TEST_JFR_CHUNK_H

#define _POSIX_C_SOURCE 200809L
#include "support/chunk_paper.h"
#include "support/hardship.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROOM = 1 << 20 };

static chunk_paper paper;
static uint8_t bytes[ROOM];
static size_t length;

/* A chunk in which a thread ends, 400 ns behind its start. */
static inline void make_chunk(uint64_t start_ns)
{
    begin_chunk(&paper, start_ns, 1000000000);
    begin_event(&paper, TYPE_END);
    PUT(&paper, 1400, 2);
    end_event(&paper);
    put_constants(&paper);
    put_metadata(&paper, chunk_classes, CHUNK_CLASSES);
    end_chunk(&paper);
}

static inline void append(void)
{
    assert_true(length + paper.length <= ROOM);
    memcpy(bytes + length, paper.bytes, paper.length);
    length += paper.length;
}

static inline recorder read_path(const char *path, int *rc)
{
    tm_source *source;
    recorder all;

    recorder_init(&all);
    *rc = tm_source_open(&source, path, NULL);
    while (*rc == TM_OK || *rc == TM_MORE) {
        *rc = tm_source_read(source, &all.sink);
        if (*rc == TM_OK)
            break;
    }
    tm_source_close(source);
    return all;
}

/* By a pipe that another process writes into. */
static inline recorder read_pipe(const uint8_t *from, size_t count, int *rc)
{
    char path[32];
    int ends[2], status;
    recorder all;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[0]);
        for (size_t at = 0; at < count;) {
            ssize_t written = write(ends[1], from + at, count - at);

            if (written < 0)
                _exit(1);
            at += (size_t)written;
        }
        _exit(0);
    }
    close(ends[1]);
    snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
    all = read_path(path, rc);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return all;
}

static inline void assert_reports(const recorder *all, int rc, int code,
                                  const char *damage, const char *event,
                                  uint64_t events)
{
    if (rc != code || (code != TM_OK && !strstr(tm_error_text(), damage)))
        fail_msg("%d, and no \"%s\" in \"%s\"", rc, damage, tm_error_text());
    if (all->events != events || !strstr(all->text, event))
        fail_msg("%d events, and no \"%s\" in:\n%s", (int)all->events, event,
                 all->text);
}

/* From memory as from a pipe. */
static inline void assert_reads(int code, const char *damage, const char *event,
                                uint64_t events)
{
    int rc;
    recorder all = emit_all((const char *)bytes, length, &rc);

    assert_reports(&all, rc, code, damage, event, events);
    recorder_free(&all);
    all = read_pipe(bytes, length, &rc);
    assert_reports(&all, rc, code, damage, event, events);
    recorder_free(&all);
}

#endif
