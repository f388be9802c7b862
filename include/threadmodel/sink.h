/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/sink.h: where events and definitions go.
 *
 * The one interface between parts of the library: a reader of a file or an observer of
 * a program emits into a sink. A model is a sink, a trace writer is another, a filter
 * is a sink that calls the next. All pointers that a callback receives are lent for the
 * call.
 */
#ifndef THREADMODEL_SINK_H
#define THREADMODEL_SINK_H

#include <threadmodel/common.h>
#include <threadmodel/definition.h>
#include <threadmodel/event.h>
#include <threadmodel/run.h>

TM_BEGIN_DECLS

/**
 * A set of callbacks. NULL: not interested; in a sink that the library lends every one
 * is set. Each returns TM_OK, or a negative code that ends the reading and is handed to
 * whoever started it.
 */
typedef struct tm_sink {
    size_t size;   ///< sizeof(tm_sink), so that callbacks may be added
    void *payload; ///< handed to every callback as it is

    int (*run)(void *payload, const tm_run *run);
    /** One sentence on what the data cannot show, for people. */
    int (*caveat)(void *payload, const char *sentence);
    int (*define_class)(void *payload, const tm_class *definition);
    int (*define_method)(void *payload, const tm_method *definition);
    int (*define_stack)(void *payload, const tm_stack *definition);
    int (*define_thread)(void *payload, const tm_thread *definition);
    int (*define_object)(void *payload, const tm_object *definition);
    /** Events by rising time, as far as the producer can; any order is legal. */
    int (*events)(void *payload, const tm_event *events, size_t count);
} tm_sink;

/** A tm_sink with nothing in it but its size. */
#define TM_SINK_INIT                                                                   \
    {                                                                                  \
        sizeof(tm_sink), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL          \
    }

TM_END_DECLS

#endif
