/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A forked child shares the file of rings with its parent, and must leave it alone. So
 * the recorders of the process are in a list, and in a child all of them are off.
 */
#include "rings/recorder_forks.h"

#include <stdio.h>
#include <unistd.h>

#include "rings/membarrier.h"

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static tm_recorder *list;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void before_fork(void)
{
    pthread_mutex_lock(&list_lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&list_lock);
}

static void forget_file(int *file)
{
    if (*file >= 0)
        close(*file);
    *file = -1;
}

/* Locks on the files end with the parent, and not with this process. Those in memory
 * may be some thread's that is not here. */
static void disown(tm_recorder *r)
{
    r->is_disowned = 1;
    atomic_store(&r->presence->is_own, 0);
    atomic_store(&r->presence->is_on, 0);
    forget_file(&r->rings.file);
    if (r->writer)
        forget_file(&r->writer->file.descriptor);
    r->rings.is_guarded = 0;
    r->has_helper = 0;
    pthread_mutex_init(&r->rings.lock, NULL);
    pthread_mutex_init(&r->thread_lock, NULL);
    pthread_mutex_init(&r->drain_lock, NULL);
    r->failure = TM_ESTOPPED;
    snprintf(r->failure_text, sizeof(r->failure_text),
             "a forked child has no recorder");
}

/* Where no handler ran when this process was forked. */
void tm__recorder_notice_fork(tm_recorder *recorder)
{
    if (!atomic_load(&recorder->presence->is_own) && !recorder->is_disowned)
        disown(recorder);
}

static void in_child(void)
{
    for (tm_recorder *r = list; r; r = r->next)
        disown(r);
    list = NULL;
    pthread_mutex_unlock(&list_lock);
}

static void begin_process(void)
{
    pthread_atfork(before_fork, in_parent, in_child);
    tm__membarrier_open();
}

void tm__recorder_enlist(tm_recorder *recorder)
{
    pthread_once(&once, begin_process);
    pthread_mutex_lock(&list_lock);
    recorder->next = list;
    list = recorder;
    pthread_mutex_unlock(&list_lock);
}

void tm__recorder_delist(tm_recorder *recorder)
{
    pthread_mutex_lock(&list_lock);
    for (tm_recorder **at = &list; *at; at = &(*at)->next)
        if (*at == recorder) {
            *at = recorder->next;
            break;
        }
    pthread_mutex_unlock(&list_lock);
}
