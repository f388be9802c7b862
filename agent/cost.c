/* SPDX-License-Identifier: Apache-2.0 */
/* What recording cost and what it left out, in sentences, when all has been written. */
#include <stdio.h>
#include <time.h>

#include <threadmodel/error.h>

#include "agent.h"
#include "base/grouped.h"
#include "outlet.h"
#include "virtual.h"

static int say(const char *format, uint64_t count)
{
    const tm_sink *sink = tm__the_agent.sink;
    char sentence[200];

    if (count == 0)
        return TM_OK;
    snprintf(sentence, sizeof(sentence), format, tm__group_digits(count).text);
    return sink->limit(sink->payload, sentence);
}

static int say_virtual(void)
{
    const tm_sink *sink = tm__the_agent.sink;

    return !tm__virtual_has_failed()
               ? TM_OK
               : sink->limit(sink->payload, "Of virtual threads no park, sleep, join, "
                                            "start or interrupt was recorded.");
}

static double seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

/* The program's threads, and the writer, which is the calling thread. */
static int say_cost(void)
{
    const tm_sink *sink = tm__the_agent.sink;
    uint64_t events = 0, dropped = 0, spent_ns = 0, walks_ns = 0;
    struct timespec writer = {0};
    char sentence[320];

    for (tm__buffer *b = tm__buffer_first(); b; b = b->next) {
        events += atomic_load(&b->costs.events);
        dropped += atomic_load(&b->costs.dropped);
        spent_ns += atomic_load(&b->costs.measured_ns) * TM__MEASURED;
        walks_ns += atomic_load(&b->stacks.walks_ns);
    }
    spent_ns += walks_ns;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &writer);
    snprintf(sentence, sizeof(sentence),
             "Recording %s events, of which %s were dropped, took %.3f s of the "
             "program's threads (%.0f %% of it for stacks; estimated from one event in "
             "%d) and %.3f s of a writer's, for %s bytes.",
             tm__group_digits(events).text, tm__group_digits(dropped).text,
             seconds(spent_ns),
             spent_ns ? 100 * (double)walks_ns / (double)spent_ns : 0.0, TM__MEASURED,
             (double)writer.tv_sec + (double)writer.tv_nsec / 1e9,
             tm__group_digits(tm__outlet_bytes()).text);
    return sink->limit(sink->payload, sentence);
}

int tm__cost_report(void)
{
    uint64_t left_out = 0;
    int rc;

    for (tm__buffer *b = tm__buffer_first(); b; b = b->next)
        left_out += atomic_load(&b->left_out);
    rc = say("%s calls of notify on objects that nobody had ever waited on were "
             "left out.",
             left_out);
    if (rc >= 0)
        rc = say("The stacks of %s short hold-ups and calls were not taken: each has "
                 "that of another of the same thread and object, drawn at random.",
                 tm__samples_shown());
    if (rc >= 0)
        rc = say("%s short hold-ups have no stack: it was not taken, nor that of "
                 "another of the same thread and object.",
                 tm__samples_bare());
    if (rc >= 0)
        rc = say_virtual();
    if (rc >= 0)
        rc = tm__selfcheck_report();
    return rc >= 0 ? say_cost() : rc;
}
