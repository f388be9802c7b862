/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long answers take over runs of ten million intervals, and how much memory they
 * need beside the model.
 *
 *     bench_answers [INTERVALS | --full] [PART]
 *
 *     INTERVALS of each run in place of ten million
 *     --full    also about 10^5 virtual threads
 *     PART      statistics, blame, path or whatif alone
 */
#include "answers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A run of few intervals is asked once: somebody counts and does not time. */
enum { ROUNDS = 3, FEW_BYTES = 10 << 20 };

/* Memory in use and the most that was, of all that the library has. */
static size_t used_bytes, peak_bytes;

void bench_check(int rc, const char *what)
{
    if (rc >= 0)
        return;
    fprintf(stderr, "bench_answers: %s: %s\n", what, tm_error_text());
    exit(2);
}

/* Keeps the size of each block in front of it. */
static void *counted(void *payload, void *block, size_t bytes)
{
    size_t *old = block ? (size_t *)block - 2 : NULL, *resized;

    (void)payload;
    used_bytes -= old ? *old : 0;
    if (!bytes) {
        free(old);
        return NULL;
    }
    resized = realloc(old, bytes + 2 * sizeof(*resized));
    if (!resized) {
        fprintf(stderr, "bench_answers: no memory\n");
        exit(2);
    }
    *resized = bytes;
    used_bytes += bytes;
    if (used_bytes > peak_bytes)
        peak_bytes = used_bytes;
    return resized + 2;
}

tm_model *bench_model(void)
{
    tm_allocator hook = {.resize = counted};
    tm_model_options options = {.size = sizeof(options), .allocator = &hook};
    tm_model *model;

    bench_check(tm_model_new(&model, &options), "model");
    return model;
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void bench_ask(const char *name, const tm_model *model, bench_question ask,
               const void *payload, double goal_s)
{
    size_t before_bytes = peak_bytes = used_bytes, answer_bytes = 0, rows = 0;
    double least_s = 0;
    char goal[32] = "";

    for (int i = 0; i < (before_bytes < FEW_BYTES ? 1 : ROUNDS); i++) {
        double begin_s = seconds(), spent_s;
        tm_table *table;

        bench_check(ask(&table, model, payload), name);
        spent_s = seconds() - begin_s;
        least_s = i == 0 || spent_s < least_s ? spent_s : least_s;
        rows = tm_table_row_count(table);
        answer_bytes = used_bytes - before_bytes;
        tm_table_free(table);
    }
    if (goal_s > 0)
        snprintf(goal, sizeof(goal), "(goal %.1f)", goal_s);
    printf("  %-32s %9zu rows  %7.3f s %-11s  %5.1f %% more memory, %5.1f %% answer\n",
           name, rows, least_s, goal,
           100.0 * (double)(peak_bytes - before_bytes) / (double)before_bytes,
           100.0 * (double)answer_bytes / (double)before_bytes);
    fflush(stdout);
}

static int is_asked(const char *part, const char *name)
{
    return !part || !strcmp(part, name);
}

int main(int argc, char **argv)
{
    static const char *const parts[] = {"statistics", "blame", "path", "whatif"};
    uint64_t intervals = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    int is_full = argc > 1 && !strcmp(argv[1], "--full");
    int options = intervals || is_full, is_known = 0;
    const char *part = argc > 1 + options ? argv[1 + options] : NULL;

    if (!intervals)
        intervals = 10000000;
    for (int i = 0; i < 4; i++)
        is_known |= is_asked(part, parts[i]);
    if (argc > 2 + options || !is_known) {
        fprintf(stderr,
                "usage: %s [INTERVALS | --full] [statistics | blame | path | whatif]\n",
                argv[0]);
        return 2;
    }
    if (is_asked(part, "statistics"))
        bench_statistics_answers(intervals);
    if (is_asked(part, "blame"))
        bench_blame_answers(intervals, is_full);
    if (is_asked(part, "path"))
        bench_path_answers(intervals);
    if (is_asked(part, "whatif"))
        bench_whatif_answers(intervals);
    return 0;
}
