/* SPDX-License-Identifier: Apache-2.0 */
/* How many events of each kind a thread has in a file: "notify=17" a line, and what
 * was lost. For runs of more events than a test wants to look at one by one. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <threadmodel/error.h>
#include <threadmodel/event.h>
#include <threadmodel/sink.h>
#include <threadmodel/source.h>

typedef struct tally {
    const char *name;
    uint64_t thread; ///< of that name; 0: not defined yet
    uint64_t counts[TM_EVENT_KIND_END];
    int64_t lost;
} tally;

#define IGNORE(name, type)                                                             \
    static int name(void *payload, const type *fact)                                   \
    {                                                                                  \
        (void)payload;                                                                 \
        (void)fact;                                                                    \
        return TM_OK;                                                                  \
    }
IGNORE(run, tm_run)
IGNORE(caveat, char)
IGNORE(define_class, tm_class)
IGNORE(define_method, tm_method)
IGNORE(define_stack, tm_stack)
IGNORE(define_object, tm_object)

static int define_thread(void *payload, const tm_thread *definition)
{
    tally *self = payload;

    if (definition->name && strcmp(definition->name, self->name) == 0)
        self->thread = definition->id;
    return TM_OK;
}

static int count_events(void *payload, const tm_event *events, size_t count)
{
    tally *self = payload;

    for (size_t i = 0; i < count; i++) {
        if (events[i].kind == TM_EVENT_LOST)
            self->lost += events[i].value;
        else if (events[i].thread == self->thread && events[i].kind < TM_EVENT_KIND_END)
            self->counts[events[i].kind]++;
    }
    return TM_OK;
}

int main(int count, char **arguments)
{
    tally self = {0};
    tm_sink sink = {
        .size = sizeof(sink),
        .payload = &self,
        .run = run,
        .caveat = caveat,
        .define_class = define_class,
        .define_method = define_method,
        .define_stack = define_stack,
        .define_thread = define_thread,
        .define_object = define_object,
        .events = count_events,
    };
    tm_source *source;
    int rc;

    if (count != 3) {
        fputs("usage: tally FILE THREAD\n", stderr);
        return 2;
    }
    self.name = arguments[2];
    rc = tm_source_open(&source, arguments[1], NULL);
    do
        rc = rc < 0 ? rc : tm_source_read(source, &sink);
    while (rc == TM_MORE);
    for (int kind = 1; kind < TM_EVENT_KIND_END; kind++)
        if (self.counts[kind])
            printf("%s=%" PRIu64 "\n", tm_event_kind_name(kind), self.counts[kind]);
    printf("lost=%" PRId64 "\n", self.lost);
    if (rc < 0)
        fprintf(stderr, "%s\n", tm_error_text());
    tm_source_close(source);
    return rc == TM_OK ? 0 : 1;
}
