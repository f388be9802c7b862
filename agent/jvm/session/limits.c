/* SPDX-License-Identifier: Apache-2.0 */
#include "session/limits.h"

#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include <threadmodel/error.h>

#include "rings/clock.h"
#include "ring/recording_state.h"
#include "vm/message.h"
#include "vm/options.h"

static enum { NONE, SECONDS, STOP_FILE, WRITER_MISSED } reached;

void tm__limits_begin(void)
{
    reached = NONE;
}

int tm__limits_are_reached(void)
{
    const tm__options *options = &tm__the_options;
    int64_t passed_ns = tm__now_ns() - tm__the_recording.start_ns;

    if (reached != NONE)
        return 1;
    if (atomic_load(&tm__the_recording.ended_ns))
        reached = WRITER_MISSED;
    else if (options->stop_file[0] && access(options->stop_file, F_OK) == 0)
        reached = STOP_FILE;
    else if (options->seconds &&
             passed_ns >= (int64_t)options->seconds * INT64_C(1000000000))
        reached = SECONDS;
    return reached != NONE;
}

int tm__limits_are_urgent(void)
{
    return reached == STOP_FILE || reached == WRITER_MISSED;
}

int64_t tm__limits_end_ns(void)
{
    int64_t ended_ns = atomic_load(&tm__the_recording.ended_ns);

    return ended_ns ? ended_ns : tm__now_ns();
}

int tm__limits_report(void)
{
    const tm_sink *sink = tm__the_recording.sink;
    char sentence[TM__PATH_BYTES + 128];
    int used;

    if (!tm__limits_are_urgent())
        return TM_OK;
    used = snprintf(sentence, sizeof(sentence), "Recording ended at %.3f s, ",
                    (double)(tm__limits_end_ns() - tm__the_recording.start_ns) / 1e9);
    if (used < 0)
        return TM_OK;
    if (reached == STOP_FILE)
        snprintf(sentence + used, sizeof(sentence) - (size_t)used,
                 "since there was a file %s.", tm__the_options.stop_file);
    else
        snprintf(sentence + used, sizeof(sentence) - (size_t)used,
                 "since the agent's writer had not come by for 2 s.");
    tm__message("%s", sentence);
    return sink->caveat(sink->payload, sentence);
}
