/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The least that a program which embeds the library must do: make a model, tell
 * it what happened, ask, read the answer. Here two threads meet at one lock.
 *
 *     cc embed.c $(pkg-config --cflags --libs threadmodel)
 */
#include <inttypes.h>
#include <stdio.h>

#include <threadmodel/threadmodel.h>

enum { MAIN = 1, WORKER = 2, QUEUE_CLASS = 3, QUEUE = 4, TAKE = 5, TAKE_STACK = 6 };

static const int64_t ms = 1000000; /* times are nanoseconds */

/* Names: what the numbers in the events stand for. They may come later, or never. */
static int define(const tm_sink *sink)
{
    const tm_frame frame = {.method = TAKE, .location = -1, .line = 42};
    const tm_thread threads[] = {
        {.size = sizeof(tm_thread), .id = MAIN, .name = "main"},
        {.size = sizeof(tm_thread), .id = WORKER, .name = "worker"}};
    const tm_class class_ = {.size = sizeof(class_),
                             .id = QUEUE_CLASS,
                             .name = "app.Queue",
                             .source = "Queue.java"};
    const tm_method method = {
        .size = sizeof(method), .id = TAKE, .class_id = QUEUE_CLASS, .name = "take"};
    const tm_stack stack = {
        .size = sizeof(stack), .id = TAKE_STACK, .frames = &frame, .frame_count = 1};
    const tm_object object = {
        .size = sizeof(object), .id = QUEUE, .class_id = QUEUE_CLASS};
    int rc = TM_OK;

    for (size_t i = 0; rc == TM_OK && i < 2; i++)
        rc = sink->define_thread(sink->payload, &threads[i]);
    if (rc == TM_OK)
        rc = sink->define_class(sink->payload, &class_);
    if (rc == TM_OK)
        rc = sink->define_method(sink->payload, &method);
    if (rc == TM_OK)
        rc = sink->define_stack(sink->payload, &stack);
    if (rc == TM_OK)
        rc = sink->define_object(sink->payload, &object);
    return rc;
}

/* Facts: main holds the queue's lock; the worker wants it at 10 ms, has it at 25. */
static int feed(const tm_sink *sink)
{
    const tm_event events[] = {
        {.time_ns = 0, .kind = TM_EVENT_THREAD_START, .thread = MAIN},
        {.time_ns = 1 * ms,
         .kind = TM_EVENT_THREAD_START,
         .thread = WORKER,
         .peer = MAIN},
        {.time_ns = 10 * ms,
         .kind = TM_EVENT_CONTENDED_ENTER,
         .flags = TM_EVENT_PEER_REPORTED,
         .thread = WORKER,
         .object = QUEUE,
         .peer = MAIN,
         .stack = TAKE_STACK},
        {.time_ns = 25 * ms,
         .kind = TM_EVENT_CONTENDED_ENTERED,
         .thread = WORKER,
         .object = QUEUE},
        {.time_ns = 40 * ms, .kind = TM_EVENT_THREAD_END, .thread = WORKER},
    };

    return sink->events(sink->payload, events, sizeof(events) / sizeof(events[0]));
}

/* An answer is a table; a column is found by name once, and read row by row. */
static int print_timeline(const tm_model *model)
{
    tm_table *table;
    int rc = tm_timeline_list(&table, model, NULL);

    if (rc != TM_OK)
        return rc;
    int start = tm_table_column(table, "start_ns");
    int end = tm_table_column(table, "end_ns");
    int thread = tm_table_column(table, "thread");
    int state = tm_table_column(table, "state");
    int class_ = tm_table_column(table, "class");
    int method = tm_table_column(table, "method");

    for (size_t row = 0; row < tm_table_row_count(table); row++) {
        const char *where = tm_table_cell_string(table, method, row);

        printf("%2" PRId64 " to %2" PRId64 " ms  %-6s  %s",
               tm_table_cell_int64(table, start, row) / ms,
               tm_table_cell_int64(table, end, row) / ms,
               tm_table_cell_string(table, thread, row),
               tm_table_cell_string(table, state, row));
        if (!tm_table_cell_is_null(table, class_, row))
            printf(" on %s in %s", tm_table_cell_string(table, class_, row),
                   where ? where : "?");
        printf("\n");
    }
    tm_table_free(table);
    return TM_OK;
}

int main(void)
{
    tm_model *model;
    int rc = tm_model_new(&model, NULL);

    if (rc == TM_OK)
        rc = define(tm_model_sink(model));
    if (rc == TM_OK)
        rc = feed(tm_model_sink(model));
    if (rc == TM_OK)
        rc = print_timeline(model);
    if (rc < 0)
        fprintf(stderr, "embed: %s\n", tm_error_text());
    tm_model_free(model);
    return rc < 0;
}
