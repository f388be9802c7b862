/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A caller of a sink calls it for every definition and batch of events, without asking
 * each time whether that is wanted.
 */
#include "base/sink.h"

#include <threadmodel/error.h>

#include "base/sized.h"

#define IGNORE(name, type)                                                             \
    static int name(void *payload, const type *given)                                  \
    {                                                                                  \
        (void)payload, (void)given;                                                    \
        return TM_OK;                                                                  \
    }

IGNORE(ignore_run, tm_run)
IGNORE(ignore_caveat, char)
IGNORE(ignore_class, tm_class)
IGNORE(ignore_method, tm_method)
IGNORE(ignore_stack, tm_stack)
IGNORE(ignore_thread, tm_thread)
IGNORE(ignore_object, tm_object)

static int ignore_events(void *payload, const tm_event *events, size_t count)
{
    (void)payload, (void)events, (void)count;
    return TM_OK;
}

#define FILL(sink, callback, ignore)                                                   \
    (sink)->callback = (sink)->callback ? (sink)->callback : (ignore)

void tm__sink_fill(tm_sink *sink)
{
    sink->size = sizeof(*sink);
    FILL(sink, run, ignore_run);
    FILL(sink, caveat, ignore_caveat);
    FILL(sink, define_class, ignore_class);
    FILL(sink, define_method, ignore_method);
    FILL(sink, define_stack, ignore_stack);
    FILL(sink, define_thread, ignore_thread);
    FILL(sink, define_object, ignore_object);
    FILL(sink, events, ignore_events);
}

int tm__sink_read(tm_sink *out, const tm_sink *given)
{
    int rc = TM__READ(out, given, tm_sink, payload);

    tm__sink_fill(out);
    return rc;
}
