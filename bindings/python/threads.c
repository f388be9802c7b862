/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads begin with a task and end with it. A pool would have to outlive a fork and
 * the interpreter, and a task takes a hundred times as long as beginning a thread.
 */
#include "threads.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

enum {
    THREADS_MAX = 63,      ///< tasks beyond are taken by who is free
    STACK_BYTES = 1 << 20, ///< musl gives 128 KiB, glibc 8 MiB
};

typedef struct work {
    tm_parallel_task task;
    void *context;
    size_t count;
    atomic_size_t next;
} work;

static void *run_tasks(void *argument)
{
    work *it = argument;

    for (size_t i; (i = atomic_fetch_add(&it->next, 1)) < it->count;)
        it->task(it->context, i);
    return NULL;
}

static void parallel_for(void *payload, size_t count, tm_parallel_task task,
                         void *context)
{
    work it = {.task = task, .context = context, .count = count};
    pthread_t threads[THREADS_MAX];
    size_t begun = 0;
    sigset_t all, before;
    pthread_attr_t attributes;

    (void)payload;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (begun + 1 < count && begun < THREADS_MAX &&
           pthread_create(&threads[begun], &attributes, run_tasks, &it) == 0)
        begun++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    run_tasks(&it);
    while (begun--)
        pthread_join(threads[begun], NULL);
}

void threadmodel_threads_executor(tm_executor *executor, uint32_t workers)
{
    *executor = (tm_executor)TM_EXECUTOR_INIT;
    executor->parallel_for = parallel_for;
    executor->workers = workers;
}
