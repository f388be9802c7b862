/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work in parts, done by the threads that a caller lends. A part has memory of its own
 * and writes what no other one reads, so it takes no lock.
 */
#ifndef TM_BASE_PARALLEL_H
#define TM_BASE_PARALLEL_H

#include <threadmodel/executor.h>

/** More parts than this are never made. */
enum { TM__PARTS_MAX = 64 };

/** @return TM_OK or a negative code, whose text it has set */
typedef int (*tm__part_fn)(void *context, size_t part);

/** @return into how many parts work is worth being cut: 1 to TM__PARTS_MAX */
size_t tm__parts_of(const tm_executor *executor);

/**
 * Do `count` parts, 1 to tm__parts_of().
 * @return TM_OK; where parts failed, the code of one of them, with its text
 */
int tm__do_parts(const tm_executor *executor, size_t count, tm__part_fn part,
                 void *context);

#endif
