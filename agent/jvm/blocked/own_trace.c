/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events before a wait show which threads could end it. They are in the trace and
 * nowhere else: to follow it while it is written would cost a busy program far more
 * than a question now and then. The writer thread goes on meanwhile.
 */
#include "blocked/own_trace.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/input.h"
#include "trace/trace_reader.h"

/* A model beyond it keeps sums in place of what is oldest. */
enum { MODEL_BYTES = 32 << 20 };

enum { NONE, READS, ANSWERED };

/* Lent to the thread that reads until it has answered. */
static struct {
    pthread_t thread;
    atomic_int stage;
    atomic_int is_stopped;
    char *path;
    int64_t now_ns;
    tm_model *model;
    tm__live_verdict verdict;
    int64_t cost_ns;
} question;

static int read_all(tm__memory *memory, tm__input *input, void *reader)
{
    static const tm_source_options options = TM_SOURCE_OPTIONS_INIT;
    const tm_sink *sink = tm_model_sink(question.model);
    int rc = tm__format_tmt.open(reader, memory, input, &options);

    /* The file may end within a block that is still being written. */
    if (rc >= 0)
        tm__trace_follow(reader, 1);
    while (rc >= 0 && !atomic_load(&question.is_stopped)) {
        rc = tm__format_tmt.read(reader, sink);
        if (rc != TM_MORE)
            break;
    }
    tm__format_tmt.close(reader);
    return rc;
}

static int read_trace(void)
{
    tm_model_options options = TM_MODEL_OPTIONS_INIT;
    size_t reader_bytes = tm__format_tmt.reader_bytes;
    tm__memory memory;
    tm__input input;
    void *reader;
    int rc;

    options.memory_limit_bytes = MODEL_BYTES;
    rc = tm_model_new(&question.model, &options);
    if (rc < 0)
        return rc;
    tm__memory_init(&memory, NULL);
    rc = tm__input_open(&input, &memory, question.path);
    if (rc < 0)
        return rc;
    reader = tm__zalloc(&memory, reader_bytes);
    rc = reader ? read_all(&memory, &input, reader) : TM_ENOMEM;
    tm__free(&memory, reader, reader_bytes);
    tm__input_close(&input);
    return rc;
}

static void *answer(void *unused)
{
    struct timespec used;

    (void)unused;
    if (read_trace() == TM_OK && !atomic_load(&question.is_stopped))
        tm__live_verdict_open(&question.verdict, question.model, question.now_ns);
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) == 0)
        question.cost_ns = (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
    atomic_store(&question.stage, ANSWERED);
    return NULL;
}

int tm__own_trace_ask(const char *path, int64_t now_ns)
{
    sigset_t all, own;
    int rc;

    if (atomic_load(&question.stage) != NONE)
        return -1;
    question.path = strdup(path);
    if (!question.path)
        return -1;
    question.now_ns = now_ns;
    question.model = NULL;
    question.verdict = (tm__live_verdict){.count = 0};
    question.cost_ns = 0;
    atomic_store(&question.is_stopped, 0);
    atomic_store(&question.stage, READS);
    /* None of the program's signals is for it. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &own);
    rc = pthread_create(&question.thread, NULL, answer, NULL);
    pthread_sigmask(SIG_SETMASK, &own, NULL);
    if (rc == 0)
        return 0;
    free(question.path);
    atomic_store(&question.stage, NONE);
    return -1;
}

int tm__own_trace_answer(const tm__live_verdict **it, int64_t *cost_ns)
{
    if (atomic_load(&question.stage) != ANSWERED)
        return 0;
    *it = question.verdict.count ? &question.verdict : NULL;
    *cost_ns = question.cost_ns;
    return 1;
}

void tm__own_trace_done(void)
{
    if (atomic_load(&question.stage) == NONE)
        return;
    atomic_store(&question.is_stopped, 1);
    pthread_join(question.thread, NULL);
    tm__live_verdict_close(&question.verdict);
    tm_model_free(question.model);
    free(question.path);
    atomic_store(&question.stage, NONE);
}
