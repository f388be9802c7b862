/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two producers of one process in one model: the JVM agent, which knows monitors, and
 * the native recorder, which knows mutexes. A thread that holds a mutex in native code
 * and wants a monitor, beside one that holds the monitor and wants the mutex, is a
 * deadlock that neither of them sees.
 *
 *     threadmodel record --native -o native.tmt -- \
 *         java -agentpath:libthreadmodel-agent.so=file=java.tmt Program
 *     cc merge_two.c $(pkg-config --cflags --libs threadmodel)
 *     ./a.out java.tmt native.tmt
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <threadmodel/threadmodel.h>

enum { MOST_THREADS = 4096, MOST_FRAMES = 256 };

/* The numbers of the native recorder differ from those of the VM in the top bit. */
#define NATIVE (UINT64_C(1) << 63)
#define NATIVE_STACK (UINT32_C(1) << 31)

#define BIT(kind) (UINT64_C(1) << TM_EVENT_##kind)

/* Kinds that only mutexes have, in a recording of native code. */
static const uint64_t mutex_kinds =
    BIT(CONTENDED_ENTER) | BIT(CONTENDED_ENTERED) | BIT(ACQUIRED) | BIT(RELEASED);
static const uint64_t begins =
    BIT(CONTENDED_ENTER) | BIT(WAIT) | BIT(PARK) | BIT(SLEEP) | BIT(JOIN);
static const uint64_t ends =
    BIT(CONTENDED_ENTERED) | BIT(WAITED) | BIT(UNPARKED) | BIT(SLEPT) | BIT(JOINED);

typedef struct thread {
    uint64_t os_id, java, native;
    int is_blocked; ///< the VM says so: what native code waits for is its own affair
} thread;

typedef struct merger {
    const tm_sink *model;
    int is_native;                   ///< which of the two is being read
    tm_run run;                      ///< of the one that is being read
    int64_t start_ns, start_wall_ns; ///< of the VM's
    thread threads[MOST_THREADS];
    size_t thread_count;
    tm_event *events;
    size_t count, capacity;
} merger;

static void check(int rc)
{
    if (rc >= 0)
        return;
    fprintf(stderr, "merge_two: %s\n", tm_error_text());
    exit(1);
}

/* ---- one thread of the process is one thread, by the operating system's number ----
 */

static thread *of_system(merger *to, uint64_t os_id)
{
    for (size_t i = 0; i < to->thread_count; i++)
        if (to->threads[i].os_id == os_id)
            return &to->threads[i];
    if (to->thread_count == MOST_THREADS)
        return NULL;
    to->threads[to->thread_count] = (thread){.os_id = os_id};
    return &to->threads[to->thread_count++];
}

static thread *of_number(merger *from, uint64_t number, int is_native)
{
    for (size_t i = 0; i < from->thread_count; i++) {
        thread *it = &from->threads[i];

        if ((is_native ? it->native : it->java) == number)
            return it;
    }
    return NULL;
}

/* ---- definitions go on to the model, with numbers that do not meet ---- */

static int on_run(void *payload, const tm_run *run)
{
    merger *to = payload;

    to->run = *run;
    if (to->is_native)
        return TM_OK;
    to->start_ns = run->start_ns;
    to->start_wall_ns = run->start_wall_ns;
    return to->model->run(to->model->payload, run);
}

static int on_caveat(void *payload, const char *sentence)
{
    merger *to = payload;

    return to->model->caveat(to->model->payload, sentence);
}

static int on_class(void *payload, const tm_class *definition)
{
    merger *to = payload;
    tm_class its = *definition;

    its.id |= to->is_native ? NATIVE : 0;
    return to->model->define_class(to->model->payload, &its);
}

static int on_method(void *payload, const tm_method *definition)
{
    merger *to = payload;
    tm_method its = *definition;

    its.id |= to->is_native ? NATIVE : 0;
    its.class_id |= to->is_native && its.class_id ? NATIVE : 0;
    return to->model->define_method(to->model->payload, &its);
}

static int on_stack(void *payload, const tm_stack *definition)
{
    merger *to = payload;
    tm_frame frames[MOST_FRAMES];
    tm_stack its = *definition;

    if (!to->is_native)
        return to->model->define_stack(to->model->payload, &its);
    if (its.frame_count > MOST_FRAMES)
        its.frame_count = MOST_FRAMES;
    for (size_t i = 0; i < its.frame_count; i++) {
        frames[i] = its.frames[i];
        frames[i].method |= frames[i].method ? NATIVE : 0;
    }
    its.frames = frames;
    its.id |= NATIVE_STACK;
    return to->model->define_stack(to->model->payload, &its);
}

static int on_thread(void *payload, const tm_thread *definition)
{
    merger *to = payload;
    thread *it = definition->os_id ? of_system(to, definition->os_id) : NULL;

    if (it && to->is_native)
        it->native = definition->id;
    if (to->is_native)
        return TM_OK; /* the VM has its own name for it, or it is one of the VM's own */
    if (it && !it->java)
        it->java = definition->id;
    return to->model->define_thread(to->model->payload, definition);
}

static int on_object(void *payload, const tm_object *definition)
{
    merger *to = payload;
    tm_object its = *definition;

    its.id |= to->is_native ? NATIVE : 0;
    its.class_id |= to->is_native && its.class_id ? NATIVE : 0;
    if (to->is_native)
        its.thread = 0;
    return to->model->define_object(to->model->payload, &its);
}

/* ---- events are kept until both files are read, since they go by time ---- */

static int on_events(void *payload, const tm_event *events, size_t count)
{
    merger *to = payload;

    if (to->count + count > to->capacity) {
        size_t capacity = 2 * (to->count + count);
        tm_event *more = realloc(to->events, capacity * sizeof(*more));

        if (!more)
            return TM_ENOMEM;
        to->events = more;
        to->capacity = capacity;
    }
    for (size_t i = 0; i < count; i++) {
        tm_event its = events[i];

        if (to->is_native) {
            if (its.kind >= 64 || !(mutex_kinds >> its.kind & 1))
                continue;
            /* Each counts from a start of its own; the wall's clock is one. */
            its.time_ns += to->start_ns - to->run.start_ns + to->run.start_wall_ns -
                           to->start_wall_ns;
            its.object |= NATIVE;
            its.stack |= its.stack ? NATIVE_STACK : 0;
            its.peer |= its.peer ? NATIVE : 0;
            its.thread |= NATIVE;
        }
        to->events[to->count++] = its;
    }
    return TM_OK;
}

static int by_time(const void *left, const void *right)
{
    const tm_event *a = left, *b = right;

    return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

/* The VM blocks by mutexes of its own: those say nothing that its events do not say. */
static int is_wanted(merger *from, tm_event *event)
{
    int is_native = (event->thread & NATIVE) != 0;
    thread *it;

    if (!is_native) {
        it = of_number(from, event->thread, 0);
        if (it && event->kind < 64)
            it->is_blocked = (it->is_blocked || begins >> event->kind & 1) &&
                             !(ends >> event->kind & 1);
        /* "That was all it holds" is true of monitors, and not of mutexes. */
        return event->kind != TM_EVENT_HELD || event->object != 0;
    }
    it = of_number(from, event->thread & ~NATIVE, 1);
    if (!it || !it->java || it->is_blocked)
        return 0;
    event->thread = it->java;
    it = event->peer ? of_number(from, event->peer & ~NATIVE, 1) : NULL;
    event->peer = it ? it->java : 0;
    return 1;
}

static void read_into(merger *to, const char *path, int is_native)
{
    tm_sink sink = {.size = sizeof(sink),
                    .payload = to,
                    .run = on_run,
                    .caveat = on_caveat,
                    .define_class = on_class,
                    .define_method = on_method,
                    .define_stack = on_stack,
                    .define_thread = on_thread,
                    .define_object = on_object,
                    .events = on_events};
    tm_source *source;
    int rc;

    to->is_native = is_native;
    check(tm_source_open(&source, path, NULL));
    do
        rc = tm_source_read(source, &sink);
    while (rc == TM_MORE);
    check(rc);
    tm_source_close(source);
}

static void print(const tm_table *deadlocks)
{
    int owner = tm_table_column(deadlocks, "owner");
    int thread = tm_table_column(deadlocks, "thread");
    int object = tm_table_column(deadlocks, "class");

    for (size_t row = 0; row < tm_table_row_count(deadlocks); row++)
        printf("%s waits for a %s, which %s holds\n",
               tm_table_cell_string(deadlocks, thread, row),
               tm_table_cell_string(deadlocks, object, row),
               tm_table_cell_string(deadlocks, owner, row));
    if (tm_table_row_count(deadlocks) == 0)
        printf("no deadlock\n");
}

int main(int count, char **arguments)
{
    static merger both;
    tm_model *model;
    tm_table *deadlocks;

    if (count != 3) {
        fprintf(stderr,
                "merge_two: which trace of the VM, and which of native code?\n");
        return 2;
    }
    check(tm_model_new(&model, NULL));
    both.model = tm_model_sink(model);
    read_into(&both, arguments[1], 0);
    read_into(&both, arguments[2], 1);
    qsort(both.events, both.count, sizeof(*both.events), by_time);
    for (size_t i = 0; i < both.count; i++)
        if (is_wanted(&both, &both.events[i]))
            check(tm_model_ingest(model, &both.events[i], 1));
    check(tm_deadlock_list(&deadlocks, model));
    print(deadlocks);
    tm_table_free(deadlocks);
    tm_model_free(model);
    free(both.events);
    return 0;
}
