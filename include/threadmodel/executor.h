/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/executor.h: a caller's threads, among which a question shares its work.
 *
 * The library starts no thread. A caller that has some lends them to a model:
 *
 *     tm_executor executor = TM_EXECUTOR_INIT;
 *     tm_model_options options = TM_MODEL_OPTIONS_INIT;
 *
 *     executor.parallel_for = my_parallel_for;
 *     executor.workers = 4;
 *     options.executor = &executor;
 *     tm_model_new(&model, &options);
 *
 * An answer is the same, to the last bit, for any number of workers and any order of
 * their tasks. Shared out are statistics with many intervals, what-if questions, and
 * the gains of findings. Events are ingested by the calling thread alone.
 */
#ifndef THREADMODEL_EXECUTOR_H
#define THREADMODEL_EXECUTOR_H

#include <threadmodel/common.h>

TM_BEGIN_DECLS

/** One of the tasks of a tm_parallel_for. */
typedef void (*tm_parallel_task)(void *context, size_t number);

/**
 * Do tasks, at the same time as far as there are threads.
 *
 * It calls task(context, i) once for each i below `count`, on any threads and in any
 * order, the calling thread among them, and returns when all calls have returned. It
 * cannot fail: the calling thread does the tasks that no other thread takes. A model
 * makes one such call at a time, and a task makes none.
 *
 * @param payload  tm_executor.payload
 * @param count    1 to tm_executor.workers
 * @param task     may be called by several threads at once
 * @param context  lent for the call
 */
typedef void (*tm_parallel_for)(void *payload, size_t count, tm_parallel_task task,
                                void *context);

/** Threads that a caller lends; zero is the default of each. */
typedef struct tm_executor {
    size_t size;                  ///< sizeof(tm_executor)
    tm_parallel_for parallel_for; ///< NULL: the calling thread does all
    void *payload;                ///< handed to it; lives as long as the model
    uint32_t workers;             ///< tasks to be made at most; 0 and 1: none
    uint32_t reserved;            ///< 0
} tm_executor;

/** A tm_executor with nothing in it but its size. */
#define TM_EXECUTOR_INIT                                                               \
    {                                                                                  \
        sizeof(tm_executor), NULL, NULL, 0, 0                                          \
    }

TM_END_DECLS

#endif
