/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whoever calls a sink calls it for every definition and batch of events, and is not
 * to ask each time whether that is wanted.
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
IGNORE(ignore_limit, char)
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

int tm__sink_read(tm_sink *out, const tm_sink *given)
{
    int rc = TM__READ(out, given, tm_sink, payload);

    if (rc < 0)
        return rc;
    FILL(out, run, ignore_run);
    FILL(out, limit, ignore_limit);
    FILL(out, define_class, ignore_class);
    FILL(out, define_method, ignore_method);
    FILL(out, define_stack, ignore_stack);
    FILL(out, define_thread, ignore_thread);
    FILL(out, define_object, ignore_object);
    FILL(out, events, ignore_events);
    return TM_OK;
}
