/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the options to a trace that is open, and to its end. The trace says who it is
 * in its first bytes, so that the rings beside it are known to be its own.
 */

#include "writer/recording.h"

#include <stdio.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <threadmodel/error.h>

#include "ring/buffer.h"
#include "rings/clock.h"
#include "ring/recording_state.h"
#include "ring/slow_clock.h"
#include "rings/ring_file.h"
#include "vm/message.h"
#include "vm/options.h"
#include "writer/destination.h"
#include "writer/recording_format.h"
#include "writer/run_facts.h"

enum { ERROR_BYTES = TM__PATH_BYTES + 512 };
/* Rings and their copies have half of the memory that the agent may take, stacks a
 * quarter (stack_table.c); the rest does not grow. */
enum { RINGS_PART = 2 };

static int is_open;

static int not_recorded(const char *why)
{
    tm__message("%s; the program runs on and is not recorded", why);
    return -1;
}

int tm__recording_open(void)
{
    char error[ERROR_BYTES];
    int rc;

    if (getrandom(&tm__the_recording.run_id, sizeof(tm__the_recording.run_id),
                  GRND_NONBLOCK) < 0)
        tm__the_recording.run_id = (uint64_t)tm__now_ns() << 16 ^ (uint64_t)getpid();
    if (tm__destination_open(&tm__the_options, (uint64_t)getpid(), error,
                             sizeof(error)) != 0)
        return not_recorded(error);
    rc = tm__recording_format_open(tm__destination_write, NULL, &tm__the_options,
                                   tm__clock_ns(CLOCK_REALTIME), tm__now_ns());
    tm__the_recording.sink = tm__recording_format_sink();
    if (rc >= 0)
        rc = tm__run_facts_announce();
    if (rc >= 0)
        rc = tm__recording_format_flush();
    is_open = rc >= 0;
    if (is_open)
        return 0;
    tm__recording_format_close();
    tm__destination_close();
    return not_recorded(rc == TM_ENOMEM ? "no memory" : tm__destination_error());
}

void tm__recording_begin(void)
{
    const tm__options *options = &tm__the_options;
    /* Rings are of use beside a trace alone. */
    const char *path =
        options->format == TM__FORMAT_TRACE ? tm__destination_path() : NULL;
    char error[ERROR_BYTES], counter[64];

    if (tm__clock_is_slow(TM__CLOCK_SOURCE, counter, sizeof(counter)))
        tm__message("the kernel's clock is %s, since the processor's counter is not "
                    "reliable: times are right, and each event costs more",
                    counter);
    if (options->verbose)
        tm__message("recording to %s%s%s", options->file,
                    options->file[0] && options->net[0] ? " and " : "", options->net);
    if (tm__rings_open(&tm__the_rings, options->buffer_bytes, path, options->rings,
                       tm__the_recording.run_id, options->memory_bytes / RINGS_PART,
                       error, sizeof(error)) != 0)
        tm__message("%s", error);
}

int tm__recording_connect(void)
{
    return tm__destination_begin() < 0 ? TM_EIO : TM_OK;
}

/* Others may do to our files what they like: it is said, and the program runs on. */
static void look_after_files(void)
{
    const char *changed = tm__rings_changed(&tm__the_rings);

    if (changed)
        tm__message(
            "%s was %s by another program; if the process is killed, the events in the "
            "threads' buffers are lost",
            tm__the_rings.file_path, changed);
}

int tm__recording_flush(void)
{
    int rc = tm__recording_format_flush();

    if (rc < 0)
        return rc;
    tm__rings_begin_advance(&tm__the_rings);
    tm__buffers_release();
    tm__rings_end_advance(&tm__the_rings, tm__recording_format_events());
    look_after_files();
    tm__rings_prepare(&tm__the_rings);
    return TM_OK;
}

void tm__recording_close(int rc)
{
    int closed, written;

    char count[40] = "";

    if (!is_open)
        return;
    is_open = 0;
    if (rc >= 0)
        rc = tm__recording_format_flush();
    if (tm__recording_format_events() > 0)
        snprintf(count, sizeof(count), ", %llu events",
                 (unsigned long long)tm__recording_format_events());
    closed = tm__recording_format_close();
    written = tm__destination_close();
    if (rc < 0)
        tm__message("%s; from here on the program is not recorded",
                    rc == TM_ENOMEM ? "no memory" : tm__destination_error());
    else if (closed < 0 || written < 0)
        tm__message("%s; the end of the recording is missing",
                    closed == TM_ENOMEM ? "no memory" : tm__destination_error());
    else if (tm__the_options.verbose)
        tm__message("%llu bytes are written%s",
                    (unsigned long long)tm__destination_bytes(), count);
    /* Events that could not be written are still in the rings, for a reader of the
     * trace. */
    tm__rings_close(&tm__the_rings,
                    (rc < 0 || closed < 0) && !tm__destination_is_removed());
}
