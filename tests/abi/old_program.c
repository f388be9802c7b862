/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program of an earlier release: it fills a model through the sink, writes the same
 * into a trace, reads that back, and asks questions with options of every kind. Prints
 * how many rows each answer has. It knows only what that release had.
 */
#include <stdio.h>

#include <threadmodel/threadmodel.h>

enum { MAIN = 1, WORKER = 2, QUEUE_CLASS = 3, QUEUE = 4, TAKE = 5, TAKE_STACK = 6 };

static int define(const tm_sink *sink)
{
    const tm_frame frame = {.method = TAKE, .location = -1, .line = 42};
    const tm_thread threads[] = {
        {.size = sizeof(tm_thread), .id = MAIN, .name = "main"},
        {.size = sizeof(tm_thread), .id = WORKER, .name = "worker"}};
    const tm_class class_ = {
        .size = sizeof(class_), .id = QUEUE_CLASS, .name = "app.Queue"};
    const tm_method method = {
        .size = sizeof(method), .id = TAKE, .class_id = QUEUE_CLASS, .name = "take"};
    const tm_stack stack = {
        .size = sizeof(stack), .id = TAKE_STACK, .frames = &frame, .frame_count = 1};
    const tm_object object = {
        .size = sizeof(object), .id = QUEUE, .class_id = QUEUE_CLASS};
    const tm_run run = {.size = sizeof(run), .pid = 17, .end_ns = 50};
    int rc = sink->run(sink->payload, &run);

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
    return rc == TM_OK ? sink->caveat(sink->payload, "a caveat") : rc;
}

static int feed(const tm_sink *sink)
{
    const tm_event events[] = {
        {.time_ns = 0, .kind = TM_EVENT_THREAD_START, .thread = MAIN},
        {.time_ns = 1, .kind = TM_EVENT_THREAD_START, .thread = WORKER, .peer = MAIN},
        {.time_ns = 10,
         .kind = TM_EVENT_CONTENDED_ENTER,
         .flags = TM_EVENT_PEER_REPORTED,
         .thread = WORKER,
         .object = QUEUE,
         .peer = MAIN,
         .stack = TAKE_STACK},
        {.time_ns = 25,
         .kind = TM_EVENT_CONTENDED_ENTERED,
         .thread = WORKER,
         .object = QUEUE},
        {.time_ns = 40, .kind = TM_EVENT_THREAD_END, .thread = WORKER},
    };

    return sink->events(sink->payload, events, sizeof(events) / sizeof(events[0]));
}

static void print(const char *what, int rc, tm_table *table)
{
    if (rc == TM_OK)
        printf("%s: %zu rows\n", what, tm_table_row_count(table));
    else
        printf("%s: %s, %s\n", what, tm_error_name(rc), tm_error_text());
    if (rc == TM_OK)
        tm_table_free(table);
}

/* The table is there when the call is over. */
#define ASK(what, call)                                                                \
    do {                                                                               \
        tm_table *table = NULL;                                                        \
        int rc = call;                                                                 \
                                                                                       \
        print(what, rc, table);                                                        \
    } while (0)

static void ask(const tm_model *model)
{
    const uint64_t threads[] = {WORKER};
    const tm_selection selection = {.size = sizeof(selection),
                                    .threads = threads,
                                    .thread_count = 1,
                                    .from_ns = 5,
                                    .to_ns = 45};
    const tm_blame_options blame = {.size = sizeof(blame), .selection = &selection};
    const tm_statistics_options statistics = {.size = sizeof(statistics),
                                              .selection = &selection};
    const tm_hold_options holds = {.size = sizeof(holds)};
    const tm_path_options path = {.size = sizeof(path), .thread = WORKER};
    ASK("timeline", tm_timeline_list(&table, model, &selection));
    ASK("blame", tm_blame_list(&table, model, &blame));
    ASK("statistics", tm_statistics_list(&table, model, &statistics));
    ASK("holds", tm_hold_group(&table, model, &holds));
    ASK("path", tm_path_list(&table, model, &path));
    ASK("caveats", tm_caveat_list(&table, model));
}

static int write_trace(const char *path)
{
    const tm_writer_options options = {.size = sizeof(options), .block_events = 2};
    tm_writer *writer;
    int rc = tm_writer_open(&writer, path, &options);

    if (rc != TM_OK)
        return rc;
    rc = define(tm_writer_sink(writer));
    if (rc == TM_OK)
        rc = feed(tm_writer_sink(writer));
    return tm_writer_close(writer) < 0 ? TM_EIO : rc;
}

static int read_trace(const char *path, const tm_sink *sink)
{
    const tm_source_options options = {.size = sizeof(options)};
    tm_source *source;
    int rc = tm_source_open(&source, path, &options);

    if (rc != TM_OK)
        return rc;
    do
        rc = tm_source_read(source, sink);
    while (rc == TM_MORE);
    tm_source_close(source);
    return rc;
}

int main(int count, char **arguments)
{
    const tm_model_options options = {.size = sizeof(options),
                                      .memory_limit_bytes = 1 << 20};

    if (count < 2 || write_trace(arguments[1]) < 0)
        return 2;
    for (int is_read = 0; is_read < 2; is_read++) {
        tm_model *model;
        int rc = tm_model_new(&model, &options);

        if (rc == TM_OK && is_read)
            rc = read_trace(arguments[1], tm_model_sink(model));
        else if (rc == TM_OK && (rc = define(tm_model_sink(model))) == TM_OK)
            rc = feed(tm_model_sink(model));
        if (rc < 0) {
            fprintf(stderr, "%s\n", tm_error_text());
            return 1;
        }
        printf("process %d\n", (int)tm_model_run(model)->pid);
        ask(model);
        tm_model_free(model);
    }
    return 0;
}
