/* SPDX-License-Identifier: Apache-2.0 */
/* Executors: one that has no threads and turns the order round, and one that has. */
#ifndef TEST_EXECUTORS_H
#define TEST_EXECUTORS_H

#include <pthread.h>

#include <threadmodel/executor.h>

static inline void last_first(void *payload, size_t count, tm_parallel_task task,
                              void *context)
{
    size_t *calls = payload;

    if (calls)
        ++*calls;
    while (count--)
        task(context, count);
}

struct task_thread {
    pthread_t thread;
    tm_parallel_task task;
    void *context;
    size_t number;
    int has_begun;
};

static inline void *run_task(void *argument)
{
    const struct task_thread *it = argument;

    it->task(it->context, it->number);
    return NULL;
}

/* A thread for each task but the first. */
static inline void at_once(void *payload, size_t count, tm_parallel_task task,
                           void *context)
{
    struct task_thread threads[64];
    size_t *calls = payload;

    if (calls)
        ++*calls;
    for (size_t i = 1; i < count; i++) {
        threads[i] =
            (struct task_thread){.task = task, .context = context, .number = i};
        threads[i].has_begun =
            pthread_create(&threads[i].thread, NULL, run_task, &threads[i]) == 0;
    }
    task(context, 0);
    for (size_t i = 1; i < count; i++)
        if (threads[i].has_begun)
            pthread_join(threads[i].thread, NULL);
        else
            run_task(&threads[i]);
}

#endif
