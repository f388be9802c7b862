/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sink before the trace's that fills a model as well, on the writer thread: for
 * answers that are wanted while the program runs, or where it ran. Costs about 0.1 us
 * an event there. An event that the model cannot take must not cost the trace anything:
 * the model's failures are counted, and end nothing.
 */
#include "writer/model_tee.h"

#include <threadmodel/error.h>

static void note(tm__model_tee *live, int rc)
{
    if (rc < 0)
        live->lost++;
}

/* A callback of the sink: the next one first, then the model. */
#define BOTH(name, type)                                                               \
    static int name(void *payload, const type *fact)                                   \
    {                                                                                  \
        tm__model_tee *live = payload;                                                 \
        const tm_sink *model = tm_model_sink(live->model);                             \
        int rc = live->next->name(live->next->payload, fact);                          \
                                                                                       \
        note(live, model->name(model->payload, fact));                                 \
        return rc;                                                                     \
    }

BOTH(run, tm_run)
BOTH(caveat, char)
BOTH(define_class, tm_class)
BOTH(define_method, tm_method)
BOTH(define_stack, tm_stack)
BOTH(define_thread, tm_thread)
BOTH(define_object, tm_object)

static int events(void *payload, const tm_event *event_list, size_t count)
{
    tm__model_tee *live = payload;
    int rc = live->next->events(live->next->payload, event_list, count);

    note(live, tm_model_ingest(live->model, event_list, count));
    return rc;
}

int tm__model_tee_open(tm__model_tee *live, const tm_sink *next, size_t limit_bytes)
{
    tm_model_options options = {
        .size = sizeof(options),
        .memory_limit_bytes = limit_bytes,
    };

    *live = (tm__model_tee){
        .sink = {.size = sizeof(tm_sink),
                 .payload = live,
                 .run = run,
                 .caveat = caveat,
                 .define_class = define_class,
                 .define_method = define_method,
                 .define_stack = define_stack,
                 .define_thread = define_thread,
                 .define_object = define_object,
                 .events = events},
        .next = next,
    };
    return tm_model_new(&live->model, &options);
}

void tm__model_tee_close(tm__model_tee *live)
{
    tm_model_free(live->model);
    live->model = NULL;
}
