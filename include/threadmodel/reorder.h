/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/reorder.h: events by their time, for a producer that cannot deliver them
 * so.
 *
 *     tm_reorder *window;
 *     tm_reorder_options options = TM_REORDER_OPTIONS_INIT;
 *     options.window_ns = 5000000; // no event is later than 5 ms
 *     tm_reorder_new(&window, tm_model_sink(model), &options);
 *     ... tm_reorder_sink(window)->events(...) ...
 *     tm_reorder_flush(window, INT64_MAX);
 *     tm_reorder_free(window);
 *
 * A window is a sink in front of a sink. It holds events back until no earlier one can
 * come, and hands them on by rising time; of equal times in the order of arrival.
 * Definitions pass at once, and so are there before the events that use them.
 */
#ifndef THREADMODEL_REORDER_H
#define THREADMODEL_REORDER_H

#include <threadmodel/allocator.h>
#include <threadmodel/common.h>
#include <threadmodel/sink.h>

TM_BEGIN_DECLS

typedef struct tm_reorder tm_reorder;

/** Choices for a new window; zero is the default of each. */
typedef struct tm_reorder_options {
    size_t size;                   ///< sizeof(tm_reorder_options)
    const tm_allocator *allocator; ///< NULL: malloc; copied
    int64_t window_ns;  ///< an event may come so much later than one after it; 0: 10 ms
    size_t event_limit; ///< events that are held back at most, of 48 bytes; 0: 65536.
                        ///< Beyond it the earlier half is handed on
} tm_reorder_options;

/** A tm_reorder_options with nothing in it but its size. */
#define TM_REORDER_OPTIONS_INIT                                                        \
    {                                                                                  \
        sizeof(tm_reorder_options), NULL, 0, 0                                         \
    }

/**
 * Make a window in front of a sink.
 *
 * @param[out] out  yours: tm_reorder_free() it; NULL on failure
 * @param to        gets the events by time; its struct is copied, what it points to
 *                  must outlive the window
 * @param options   NULL: all defaults
 * @return TM_OK, TM_ENOMEM, TM_EINVAL
 * @since 0.1
 */
TM_API int tm_reorder_new(tm_reorder **out, const tm_sink *to,
                          const tm_reorder_options *options);

/** @return the sink that fills the window, lent until it is freed. @since 0.1 */
TM_API const tm_sink *tm_reorder_sink(tm_reorder *window);

/**
 * Hand on the events that are earlier than an instant, though others may come before
 * them still: at the end of the run, or before a question to a model.
 *
 * @param window    changed
 * @param until_ns  on the producer's clock; INT64_MAX: all
 * @return TM_OK, TM_ENOMEM, or what the sink returned: the events of that batch count
 *         as handed on
 * @since 0.1
 */
TM_API int tm_reorder_flush(tm_reorder *window, int64_t until_ns);

/**
 * How many events came when a later one had been handed on already. They were handed on
 * at once, out of order: the window was too short for them.
 *
 * @return 0: all events were handed on by time
 * @since 0.1
 */
TM_API uint64_t tm_reorder_late_count(const tm_reorder *window);

/** Free a window; events that it holds back are gone. NULL is fine. @since 0.1 */
TM_API void tm_reorder_free(tm_reorder *window);

TM_END_DECLS

#endif
