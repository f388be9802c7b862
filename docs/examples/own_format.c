/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A format of one's own: a sink that writes a line for each event, of a file in any
 * format that the library reads.
 *
 *     cc own_format.c $(pkg-config --cflags --libs threadmodel)
 *     ./a.out run.tmt
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <threadmodel/threadmodel.h>

enum { THREADS = 64, NAME_BYTES = 32 };

/* A callback's arguments are lent for the call: fields that are to last are copied. */
typedef struct lines {
    char names[THREADS][NAME_BYTES];
    int64_t start_ns;
    unsigned count;
} lines;

static int on_run(void *payload, const tm_run *run)
{
    lines *to = payload;

    if (run->start_ns)
        to->start_ns = run->start_ns;
    return TM_OK;
}

static int on_thread(void *payload, const tm_thread *thread)
{
    lines *to = payload;

    if (thread->id < THREADS && thread->name)
        snprintf(to->names[thread->id], NAME_BYTES, "%s", thread->name);
    return TM_OK;
}

static int on_events(void *payload, const tm_event *events, size_t count)
{
    lines *to = payload;

    for (size_t i = 0; i < count; i++) {
        const tm_event *it = &events[i];
        const char *name = it->thread < THREADS ? to->names[it->thread] : "";

        to->count++;
        printf("%8.3f ms  %-8s %s", (double)(it->time_ns - to->start_ns) / 1e6, name,
               tm_event_kind_name(it->kind));
        if (it->object)
            printf(" of object %" PRIu64, it->object);
        printf("\n");
    }
    return TM_OK;
}

int main(int count, char **arguments)
{
    static lines to;
    tm_sink sink = {.size = sizeof(sink),
                    .payload = &to,
                    .run = on_run,
                    .define_thread = on_thread,
                    .events = on_events};
    tm_source *source;
    int rc;

    if (count != 2)
        return 2;
    rc = tm_source_open(&source, arguments[1], NULL);
    if (rc == TM_OK)
        while ((rc = tm_source_read(source, &sink)) == TM_MORE)
            ;
    if (rc < 0)
        fprintf(stderr, "own_format: %s\n", tm_error_text());
    tm_source_close(source);
    printf("%u events\n", to.count);
    return rc < 0;
}
