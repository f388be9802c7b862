/* SPDX-License-Identifier: Apache-2.0 */
#include "writer/limits.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include <threadmodel/error.h>

#include "rings/clock.h"
#include "ring/recording_state.h"
#include "vm/message.h"
#include "vm/options.h"
#include "writer/hurry.h"

enum { NONE, SECONDS, STOP_FILE, WRITER_MISSED, ASKED };
enum { SENTENCE_BYTES = TM__PATH_BYTES + 128, WATCH_MS = 25 };

static atomic_int reached;
static atomic_int is_asked;
static pthread_t watcher;
static int has_watcher;
static atomic_int is_watched;

void tm__limits_begin(void)
{
    atomic_store(&reached, NONE);
    atomic_store(&is_asked, 0);
}

static void compose(char sentence[SENTENCE_BYTES])
{
    int used =
        snprintf(sentence, SENTENCE_BYTES, "Recording ended at %.3f s, ",
                 (double)(tm__limits_end_ns() - tm__the_recording.start_ns) / 1e9);

    if (used < 0)
        return;
    if (atomic_load(&reached) == STOP_FILE)
        snprintf(sentence + used, SENTENCE_BYTES - (size_t)used,
                 "since there was a file %s.", tm__the_options.stop_file);
    else
        snprintf(sentence + used, SENTENCE_BYTES - (size_t)used,
                 "since the agent's writer had not come by for 2 s.");
}

/* @return 1; 0: a thread has ended it just before, for want of the writer */
static int end_now(int why)
{
    int64_t none = 0;

    atomic_store(&tm__the_recording.is_on, 0);
    if (!atomic_compare_exchange_strong(&tm__the_recording.ended_ns, &none,
                                        tm__now_ns()))
        return 0;
    atomic_store(&reached, why);
    return 1;
}

void tm__limits_ask(void)
{
    atomic_store(&is_asked, 1);
}

void tm__limits_stuck(void)
{
    if (atomic_load(&is_asked))
        end_now(ASKED);
}

/* The line is out at once: what is in the rings may find no way out. */
static void end_by_file(void)
{
    char sentence[SENTENCE_BYTES];

    tm__hurry();
    if (!end_now(STOP_FILE))
        return;
    compose(sentence);
    tm__message("%s", sentence);
}

int tm__limits_look_for_file(void)
{
    int by_now = atomic_load(&reached);

    if (!tm__the_options.stop_file[0] || by_now == WRITER_MISSED)
        return 0;
    if (by_now != STOP_FILE && access(tm__the_options.stop_file, F_OK) == 0)
        end_by_file();
    return atomic_load(&reached) == STOP_FILE;
}

static void *watch(void *unused)
{
    (void)unused;
    while (atomic_load(&is_watched) && !tm__limits_look_for_file())
        poll(NULL, 0, WATCH_MS);
    return NULL;
}

/* None of the program's signals is for it. */
void tm__limits_watch(void)
{
    sigset_t all, own;

    if (!tm__the_options.stop_file[0])
        return;
    atomic_store(&is_watched, 1);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &own);
    has_watcher = pthread_create(&watcher, NULL, watch, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &own, NULL);
}

void tm__limits_watch_no_more(void)
{
    atomic_store(&is_watched, 0);
    if (has_watcher)
        pthread_join(watcher, NULL);
    has_watcher = 0;
}

int tm__limits_are_reached(void)
{
    const tm__options *options = &tm__the_options;
    int64_t passed_ns = tm__now_ns() - tm__the_recording.start_ns;

    if (atomic_load(&reached) != NONE)
        return 1;
    if (atomic_load(&tm__the_recording.ended_ns))
        atomic_store(&reached, WRITER_MISSED);
    else if (!tm__limits_look_for_file() && options->seconds &&
             passed_ns >= (int64_t)options->seconds * INT64_C(1000000000))
        atomic_store(&reached, SECONDS);
    return atomic_load(&reached) != NONE;
}

int tm__limits_are_urgent(void)
{
    int by_now = atomic_load(&reached);

    return by_now != NONE && by_now != SECONDS;
}

int64_t tm__limits_end_ns(void)
{
    int64_t ended_ns = atomic_load(&tm__the_recording.ended_ns);

    return ended_ns ? ended_ns : tm__now_ns();
}

int tm__limits_report(void)
{
    const tm_sink *sink = tm__the_recording.sink;
    char sentence[SENTENCE_BYTES];

    if (!tm__limits_are_urgent() || atomic_load(&reached) == ASKED)
        return TM_OK;
    compose(sentence);
    if (atomic_load(&reached) != STOP_FILE)
        tm__message("%s", sentence);
    return sink->caveat(sink->payload, sentence);
}
