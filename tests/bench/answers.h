/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that the parts of bench_answers share: a clock, memory that is counted,
 * and a line a question. */
#ifndef BENCH_ANSWERS_H
#define BENCH_ANSWERS_H

#include <stdint.h>

#include <threadmodel/threadmodel.h>

/** End the program, with a word on what failed, where a call did. */
void bench_check(int rc, const char *what);

/** @return a model whose memory, and that of its answers, is counted */
tm_model *bench_model(void);

/** A question with its choices in `payload`. */
typedef int (*bench_question)(tm_table **out, const tm_model *model,
                              const void *payload);

/**
 * Ask several times, and print a line: the least of the processor time, so that other
 * programs on the machine count as little as can be, the most memory beyond the model,
 * and how much of that is the answer itself.
 * @param goal_s  0: there is none
 */
void bench_ask(const char *name, const tm_model *model, bench_question ask,
               const void *payload, double goal_s);

/* The parts. */
void bench_path_answers(uint64_t intervals);
void bench_whatif_answers(uint64_t intervals);
void bench_statistics_answers(uint64_t intervals);
void bench_blame_answers(uint64_t intervals, int with_many_threads);

#endif
