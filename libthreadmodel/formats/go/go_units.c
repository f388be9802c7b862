/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks and regions of runtime/trace as units of work. A task has an id and may end on
 * another goroutine than it began on. A region is of one goroutine, nested in its other
 * regions, and a part of its task, wherever that began:
 *
 *     A  --( task 7 ----( region )-------------------- ends task 7 )
 *     B                      ---( region of task 7 )--
 */
#include "formats/go/go_step.h"
#include "formats/go/go_units.h"

/* The task of regions outside of all tasks. */
enum { BACKGROUND = 0 };

static int begin(const tm__go_step *at, const tm__go_goroutine *it, uint64_t id,
                 uint64_t parent, uint64_t name)
{
    uint64_t object;
    tm_event *event;
    int rc =
        tm__go_define_unit(&at->self->names, at->generation, name, at->sink, &object);

    if (rc < 0)
        return rc;
    event = tm__go_emit(at, TM_EVENT_UNIT_BEGIN, it->thread);
    event->object = object;
    event->value = (int64_t)id;
    event->peer = parent;
    return TM_OK;
}

int tm__go_on_unit(const tm__go_step *at)
{
    const uint64_t *arguments = at->stream->arguments;
    tm__go_goroutine *it = tm__go_running(at);
    int rc;

    if (!it)
        return TM_EDAMAGED;
    switch (at->stream->type) {
    case TM__GO_TASK_BEGIN:
        return begin(at, it, arguments[0], arguments[1], arguments[2]);
    case TM__GO_TASK_END:
        tm__go_emit(at, TM_EVENT_UNIT_END, it->thread)->value = (int64_t)arguments[0];
        return TM_OK;
    case TM__GO_REGION_BEGIN:
        rc = begin(at, it, 0, arguments[0] == BACKGROUND ? 0 : arguments[0],
                   arguments[1]);
        if (rc == TM_OK)
            it->regions++;
        return rc;
    default:
        /* One that was open when the trace began is not known. */
        if (it->regions) {
            it->regions--;
            tm__go_emit(at, TM_EVENT_UNIT_END, it->thread);
        }
        return TM_OK;
    }
}
