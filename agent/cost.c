/* SPDX-License-Identifier: Apache-2.0 */
/* What was left out, in sentences for people, when all has been written. */
#include <stdio.h>

#include <threadmodel/error.h>

#include "agent.h"
#include "base/grouped.h"
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

/* On a VM that has virtual threads. */
static int say_virtual(void)
{
    const tm_sink *sink = tm__the_agent.sink;

    return !tm__the_agent.virtual_class || tm__virtual_is_told()
               ? TM_OK
               : sink->limit(sink->payload, "Of virtual threads no park, sleep, join, "
                                            "start or interrupt was recorded.");
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
    return rc >= 0 ? say_virtual() : rc;
}
