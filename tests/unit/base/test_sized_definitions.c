/* SPDX-License-Identifier: Apache-2.0 */
/* Structs that sinks read, a run and definitions, as older and newer releases lay them
 * out. */
#define _XOPEN_SOURCE 700
#include "support/paper.h"
#include "support/sized.h"

#include <unistd.h>

enum { CLASS = 7, METHOD = 8, STACK = 1, THREAD = 2, OBJECT = 9 };

static const tm_line lines[] = {{0, 10, 0}, {9, 20, 0}};
static const tm_monitor_range monitors[] = {{.enter = 3, .end = 8}};
static const tm_frame frames[] = {{.method = METHOD, .location = 5}};

static const tm_run run = {.size = sizeof(run),
                           .source = "a.file",
                           .format = "tmt",
                           .producer = "producer 1",
                           .vm = "vm 2",
                           .command = "Main",
                           .pid = 3,
                           .start_wall_ns = 4,
                           .start_ns = 5,
                           .end_ns = 600,
                           .threshold_ns = 7,
                           .kinds = 8,
                           .policy = TM_POLICY_TPTP,
                           .identity = TM_IDENTITY_HASH,
                           .id = 10,
                           .cost_events = 11,
                           .cost_dropped = 12,
                           .cost_bytes = 13,
                           .cost_threads_ns = 14,
                           .cost_stacks_ns = 15,
                           .cost_recorder_ns = 16,
                           .processors = 17,
                           .ending = TM_ENDING_EXITED,
                           .ending_status = 18,
                           .object_kinds = 19,
                           .stopped_ns = 20};
static const tm_class class_ = {.size = sizeof(class_),
                                .id = CLASS,
                                .name = "app.Lock",
                                .source = "Lock.java",
                                .flags = TM_CLASS_LIBRARY,
                                .build_id = "5f0e"};
static const tm_method method = {.size = sizeof(method),
                                 .id = METHOD,
                                 .class_id = CLASS,
                                 .name = "take",
                                 .signature = "()V",
                                 .lines = lines,
                                 .line_count = 2,
                                 .flags = TM_METHOD_IDLES,
                                 .monitors = monitors,
                                 .monitor_count = 1};
static const tm_stack stack = {sizeof(stack), STACK, TM_STACK_TRUNCATED, frames, 1};
static const tm_thread thread = {.size = sizeof(thread),
                                 .id = THREAD,
                                 .object = 90,
                                 .os_id = 91,
                                 .name = "worker",
                                 .group = "pool",
                                 .priority = 5,
                                 .flags = TM_THREAD_DAEMON,
                                 .pid = 92};
static const tm_object object = {.size = sizeof(object),
                                 .id = OBJECT,
                                 .class_id = CLASS,
                                 .thread = 4,
                                 .hash = 0xcafe,
                                 .flags = TM_OBJECT_HAS_HASH,
                                 .name = "stock",
                                 .kind = TM_OBJECT_KIND_MUTEX};

/* A call of one callback of a sink. */
typedef int (*definer)(const tm_sink *sink, const void *given);

#define DEFINER(name, callback)                                                        \
    static int name(const tm_sink *sink, const void *given)                            \
    {                                                                                  \
        return sink->callback(sink->payload, given);                                   \
    }

DEFINER(define_run, run)
DEFINER(define_class, define_class)
DEFINER(define_method, define_method)
DEFINER(define_stack, define_stack)
DEFINER(define_thread, define_thread)
DEFINER(define_object, define_object)

static definer define;

/* All definitions, the one in question among them, and a block and a wait. */
static int fill(const tm_sink *sink, const void *given)
{
    static const tm_event events[] = {
        {.time_ns = 10, .thread = THREAD, .kind = TM_EVENT_THREAD_START},
        {.time_ns = 20,
         .thread = THREAD,
         .kind = TM_EVENT_CONTENDED_ENTER,
         .object = OBJECT,
         .stack = STACK},
        {.time_ns = 30,
         .thread = THREAD,
         .kind = TM_EVENT_CONTENDED_ENTERED,
         .object = OBJECT},
        {.time_ns = 40, .thread = THREAD, .kind = TM_EVENT_THREAD_END}};
    int rc = define(sink, given);

    if (rc < 0)
        return rc;
    if (define != define_class)
        assert_int_equal(define_class(sink, &class_), TM_OK);
    if (define != define_method)
        assert_int_equal(define_method(sink, &method), TM_OK);
    if (define != define_stack)
        assert_int_equal(define_stack(sink, &stack), TM_OK);
    if (define != define_thread)
        assert_int_equal(define_thread(sink, &thread), TM_OK);
    if (define != define_object)
        assert_int_equal(define_object(sink, &object), TM_OK);
    assert_int_equal(sink->events(sink->payload, events, 4), TM_OK);
    return TM_OK;
}

static void keep_run(const tm_model *model, answer *to)
{
    const tm_run *is = tm_model_run(model);
    char text[1000];

    assert_int_equal(is->size, sizeof(*is));
    snprintf(text, sizeof(text),
             "%s %s %s %s %s %llu %lld %lld %lld %lld %llu %d %d %llu %llu %llu %llu "
             "%lld %lld %lld %llu %d %d %llu\n",
             recorder_text(is->source), recorder_text(is->format),
             recorder_text(is->producer), recorder_text(is->vm),
             recorder_text(is->command), (unsigned long long)is->pid,
             (long long)is->start_wall_ns, (long long)is->start_ns,
             (long long)is->end_ns, (long long)is->threshold_ns,
             (unsigned long long)is->kinds, is->policy, is->identity,
             (unsigned long long)is->id, (unsigned long long)is->cost_events,
             (unsigned long long)is->cost_dropped, (unsigned long long)is->cost_bytes,
             (long long)is->cost_threads_ns, (long long)is->cost_stacks_ns,
             (long long)is->cost_recorder_ns, (unsigned long long)is->processors,
             is->ending, is->ending_status, (unsigned long long)is->object_kinds);
    answer_write(to, text, strlen(text));
}

static int into_model(const void *given, answer *to)
{
    tm_statistics_options by_object = {.size = sizeof(by_object),
                                       .keys = TM_STATISTICS_BY_OBJECT |
                                               TM_STATISTICS_BY_CALLER};
    tm_model *model;
    tm_table *table;
    int rc;

    assert_int_equal(tm_model_new(&model, NULL), TM_OK);
    rc = fill(tm_model_sink(model), given);
    if (rc == TM_OK) {
        keep_run(model, to);
        assert_int_equal(tm_thread_list(&table, model, NULL), TM_OK);
        answer_table(to, table);
        assert_int_equal(tm_stack_list(&table, model), TM_OK);
        answer_table(to, table);
        assert_int_equal(tm_statistics_list(&table, model, &by_object), TM_OK);
        answer_table(to, table);
    }
    tm_model_free(model);
    return rc;
}

static int into_summary(const void *given, answer *to)
{
    tm_class_sums *summary;
    tm_table *table;
    int rc;

    assert_int_equal(tm_class_sums_new(&summary, NULL), TM_OK);
    rc = fill(tm_class_sums_sink(summary), given);
    if (rc == TM_OK) {
        assert_int_equal(tm_class_sums_list(&table, summary), TM_OK);
        answer_table(to, table);
    }
    tm_class_sums_free(summary);
    return rc;
}

static int into_trace(const void *given, answer *to)
{
    struct paper paper = {0};
    tm_writer *writer = new_writer(&paper, 0);
    int rc = fill(tm_writer_sink(writer), given);

    assert_int_equal(tm_writer_close(writer), TM_OK);
    if (rc == TM_OK)
        answer_write(to, (const char *)paper.bytes, paper.length);
    free(paper.bytes);
    return rc;
}

static int into_tptp(const void *given, answer *to)
{
    struct paper paper = {0};
    tm_writer_options options = {.size = sizeof(options),
                                 .write = paper_write,
                                 .payload = &paper,
                                 .format = TM_WRITER_TPTP};
    tm_writer *writer;
    int rc;

    assert_int_equal(tm_writer_open(&writer, NULL, &options), TM_OK);
    rc = fill(tm_writer_sink(writer), given);
    assert_int_equal(tm_writer_close(writer), TM_OK);
    if (rc == TM_OK)
        answer_write(to, (const char *)paper.bytes, paper.length);
    free(paper.bytes);
    return rc;
}

static int into_contention_log(const void *given, answer *to)
{
    static const char *const endings[] = {"orca", "classtable", "method"};
    tm_writer_options options = {.size = sizeof(options),
                                 .format = TM_WRITER_CONTENTION};
    char folder[] = "/tmp/sized.XXXXXX", path[40], bytes[4096];
    tm_writer *writer;
    int rc;

    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/log.orca", folder);
    assert_int_equal(tm_writer_open(&writer, path, &options), TM_OK);
    rc = fill(tm_writer_sink(writer), given);
    assert_int_equal(tm_writer_close(writer), TM_OK);
    for (size_t i = 0; i < 3; i++) {
        FILE *file;

        snprintf(path, sizeof(path), "%s/log.%s", folder, endings[i]);
        file = fopen(path, "rb");
        assert_non_null(file);
        if (rc == TM_OK)
            answer_write(to, bytes, fread(bytes, 1, sizeof(bytes), file));
        fclose(file);
        unlink(path);
    }
    rmdir(folder);
    return rc;
}

static tm_hprof_writer_options hprof_options = {.size = sizeof(hprof_options),
                                                .start_wall_ns = 1};

/* HPROF's binary format, whose head has the time at which the run began. */
static int into_hprof(const void *given, answer *to)
{
    struct paper paper = {0};
    tm_hprof_writer *writer;
    int rc;

    assert_int_equal(tm_hprof_writer_new(&writer, paper_write, &paper, &hprof_options),
                     TM_OK);
    rc = fill(tm_hprof_writer_sink(writer), given);
    assert_int_equal(tm_hprof_writer_close(writer), TM_OK);
    if (rc == TM_OK)
        answer_write(to, (const char *)paper.bytes, paper.length);
    free(paper.bytes);
    return rc;
}

static const sized runs = {"tm_run",
                           &run,
                           sizeof(run),
                           {END(tm_run, source),         END(tm_run, format),
                            END(tm_run, producer),       END(tm_run, vm),
                            END(tm_run, command),        END(tm_run, pid),
                            END(tm_run, start_wall_ns),  END(tm_run, start_ns),
                            END(tm_run, end_ns),         END(tm_run, threshold_ns),
                            END(tm_run, kinds),          END(tm_run, policy),
                            END(tm_run, identity),       END(tm_run, id),
                            END(tm_run, cost_events),    END(tm_run, cost_dropped),
                            END(tm_run, cost_bytes),     END(tm_run, cost_threads_ns),
                            END(tm_run, cost_stacks_ns), END(tm_run, cost_recorder_ns),
                            END(tm_run, processors),     END(tm_run, ending),
                            END(tm_run, ending_status),  END(tm_run, object_kinds),
                            END(tm_run, stopped_ns)},
                           NULL};
static const sized classes = {"tm_class",
                              &class_,
                              sizeof(class_),
                              {END(tm_class, id), END(tm_class, name),
                               END(tm_class, source), END(tm_class, flags),
                               END(tm_class, build_id)},
                              NULL};
static const sized methods = {
    "tm_method",
    &method,
    sizeof(method),
    {END(tm_method, id), END(tm_method, class_id), END(tm_method, name),
     END(tm_method, signature), END(tm_method, lines), END(tm_method, line_count),
     END(tm_method, flags), END(tm_method, monitors), END(tm_method, monitor_count)},
    NULL};
static const sized stacks = {"tm_stack",
                             &stack,
                             sizeof(stack),
                             {END(tm_stack, id), END(tm_stack, flags),
                              END(tm_stack, frames), END(tm_stack, frame_count)},
                             NULL};
static const sized threads = {"tm_thread",
                              &thread,
                              sizeof(thread),
                              {END(tm_thread, id), END(tm_thread, object),
                               END(tm_thread, os_id), END(tm_thread, name),
                               END(tm_thread, group), END(tm_thread, priority),
                               END(tm_thread, flags), END(tm_thread, pid)},
                              NULL};
static const sized objects = {"tm_object",
                              &object,
                              sizeof(object),
                              {END(tm_object, id), END(tm_object, class_id),
                               END(tm_object, thread), END(tm_object, hash),
                               END(tm_object, flags), END(tm_object, name),
                               END(tm_object, kind)},
                              NULL};

static void check(const sized *what, definer how,
                  int (*into)(const void *given, answer *to))
{
    sized it = *what;

    define = how;
    it.call = into;
    check_sized(&it);
}

/* The definitions of threads, and of the code that they call. */
static void check_code(int (*into)(const void *given, answer *to))
{
    check(&classes, define_class, into);
    check(&methods, define_method, into);
    check(&stacks, define_stack, into);
    check(&threads, define_thread, into);
}

static void a_model_reads_them(void **state)
{
    (void)state;
    check(&runs, define_run, into_model);
    check_code(into_model);
    check(&objects, define_object, into_model);
}

static void a_summary_reads_them(void **state)
{
    (void)state;
    check(&classes, define_class, into_summary);
    check(&objects, define_object, into_summary);
}

static void a_trace_reads_them(void **state)
{
    (void)state;
    check(&runs, define_run, into_trace);
    check_code(into_trace);
    check(&objects, define_object, into_trace);
}

static void logs_read_them(void **state)
{
    (void)state;
    check(&classes, define_class, into_tptp);
    check(&threads, define_thread, into_tptp);
    check(&objects, define_object, into_tptp);
    check_code(into_contention_log);
    check(&objects, define_object, into_contention_log);
}

static void an_hprof_file_reads_them(void **state)
{
    (void)state;
    check_code(into_hprof);
    hprof_options.start_wall_ns = 0;
    check(&runs, define_run, into_hprof);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_reads_them),
        cmocka_unit_test(a_summary_reads_them),
        cmocka_unit_test(a_trace_reads_them),
        cmocka_unit_test(logs_read_them),
        cmocka_unit_test(an_hprof_file_reads_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
