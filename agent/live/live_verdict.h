/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verdict on a program that runs, for a message: what a model of what was recorded
 * so far says, as `report` would of a trace that ends here. The agent of the JVM and
 * the recorder of native programs ask in the same way.
 */
#ifndef TM_LIVE_LIVE_VERDICT_H
#define TM_LIVE_LIVE_VERDICT_H

#include <stddef.h>
#include <stdint.h>

#include <threadmodel/model.h>

/** Threads that cannot go on. */
typedef struct tm__live_verdict {
    tm_table *verdict, *members; ///< of no member: NULL
    const uint64_t *threads;     ///< ids of members
    size_t count;
    int is_whole;    ///< no thread of the program can go on
    int is_deadlock; ///< they wait in a circle of owners
} tm__live_verdict;

/**
 * Ask a model. The threads went on with what they did last until then.
 * @param now_ns  by the model's clock
 * @return how many threads cannot go on; to be closed in either case
 */
size_t tm__live_verdict_open(tm__live_verdict *it, tm_model *model, int64_t now_ns);
void tm__live_verdict_close(tm__live_verdict *it);

/**
 * Write the message, with the reason of each of the first members.
 * @param for_ns  how long the last of them has waited
 * @param pid     of the process that is meant; 0: there is but one
 * @return to be freed; NULL: no memory
 */
char *tm__live_verdict_text(const tm__live_verdict *it, int64_t for_ns, uint32_t pid);

#endif
