/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the options to a trace that is open, and to its end. The trace says who it is
 * in its first bytes, so that the rings beside it are known to be its own.
 */
#include "agent.h"

#include <sys/random.h>
#include <unistd.h>

#include <threadmodel/error.h>

#include "outlet.h"
#include "rings.h"
#include "trace/writer.h"

enum { ERROR_BYTES = TM__PATH_BYTES + 512 };

static int not_recorded(const char *why)
{
    tm__complain("%s; the program runs on and is not recorded", why);
    return -1;
}

int tm__recording_open(void)
{
    tm__agent *agent = &tm__the_agent;
    char error[ERROR_BYTES];
    int rc;

    if (getrandom(&agent->run_id, sizeof(agent->run_id), GRND_NONBLOCK) < 0)
        agent->run_id = (uint64_t)tm__now_ns() << 16 ^ (uint64_t)getpid();
    if (tm__outlet_open(&agent->options, (uint64_t)getpid(), error, sizeof(error)) != 0)
        return not_recorded(error);
    rc = tm_trace_writer_new(&agent->trace, tm__outlet_write, NULL, NULL);
    if (rc >= 0) {
        agent->sink = tm_trace_writer_sink(agent->trace);
        rc = tm__run_announce();
    }
    if (rc >= 0)
        rc = tm_trace_writer_flush(agent->trace);
    if (rc >= 0)
        return 0;
    tm_trace_writer_close(agent->trace);
    agent->trace = NULL;
    tm__outlet_close();
    return not_recorded(rc == TM_ENOMEM ? "no memory" : tm__outlet_error());
}

void tm__recording_begin(void)
{
    const tm__options *options = &tm__the_agent.options;
    char error[ERROR_BYTES];

    if (tm__rings_open(options->buffer_bytes, tm__outlet_path(), options->rings,
                       tm__the_agent.run_id, error, sizeof(error)) != 0)
        tm__complain("%s", error);
}

int tm__recording_connect(void)
{
    return tm__outlet_begin() < 0 ? TM_EIO : TM_OK;
}

int tm__recording_flush(void)
{
    int rc = tm_trace_writer_flush(tm__the_agent.trace);

    if (rc < 0)
        return rc;
    tm__rings_begin_advance();
    tm__buffers_give_back();
    tm__rings_end_advance(tm__writer_events(tm__the_agent.trace));
    tm__rings_prepare();
    return TM_OK;
}

void tm__recording_close(int rc)
{
    int closed, written;

    if (!tm__the_agent.trace)
        return;
    closed = tm_trace_writer_close(tm__the_agent.trace);
    tm__the_agent.trace = NULL;
    written = tm__outlet_close();
    if (rc < 0)
        tm__complain("%s; what the program does from here on is not recorded",
                     rc == TM_ENOMEM ? "no memory" : tm__outlet_error());
    else if (closed < 0 || written < 0)
        tm__complain("%s; the end of the recording is missing",
                     closed == TM_ENOMEM ? "no memory" : tm__outlet_error());
    /* What could not be written is still in the rings. */
    tm__rings_close(rc < 0 || closed < 0);
}
