/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The translation of a goroutine's events:
 *
 *     block ───────── unblock ───────── start ─────
 *     await           post, runnable    on_cpu, awaited
 */
#include "formats/go/go_goroutines.h"
#include "formats/go/go_step.h"
#include "formats/go/go_syscalls.h"

#include <threadmodel/model.h>

#include <string.h>

static void run(const tm__go_step *at, tm__go_goroutine *it)
{
    tm__go_emit(at, TM_EVENT_ON_CPU, it->thread)->value =
        (int64_t)((tm__go_present_p(at)->id & INT32_MAX) + 1);
    if (it->is_new)
        tm__go_emit(at, TM_EVENT_THREAD_START, it->thread)->peer = it->by;
    it->is_new = 0;
    tm__go_end_wait(at, it);
    it->status = TM__GO_RUNNING;
}

/* A goroutine that was there before the trace. */
static int first_seen(const tm__go_step *at, tm__go_goroutine *it, uint64_t status,
                      uint64_t stack_number)
{
    static const int32_t states[TM__GO_STATUS_END] = {
        [TM__GO_RUNNABLE] = TM_STATE_RUNNABLE,
        [TM__GO_RUNNING] = TM_STATE_RUNNING,
        [TM__GO_IN_SYSCALL] = TM_STATE_WAITING,
        [TM__GO_WAITING] = TM_STATE_WAITING};
    int waits = states[status] == TM_STATE_WAITING, sleeps = 0, rc;
    const char *reason = "syscall";
    tm__go_goroutine life;
    uint64_t object = 0;
    uint32_t stack;
    tm_event *event;

    if (status == TM__GO_WAITING)
        reason = tm__go_reason_of(at->generation,
                                  tm__go_stack_of(at->generation, stack_number));
    sleeps = strcmp(reason, "sleep") == 0;
    rc = tm__go_define_life(at, it, stack_number, 0, &life);
    if (rc >= 0)
        rc = tm__go_stack_at(at, stack_number, &stack);
    if (rc >= 0 && waits && !sleeps)
        rc = tm__go_object_at(at, stack_number, 0, reason, &object);
    if (rc < 0)
        return rc;
    life.status = (uint8_t)status;
    life.object = object;
    if (object)
        tm__go_note_io(at, &life, stack_number);
    life.wait = sleeps ? TM__GO_SLEEPS : waits ? TM__GO_AWAITS : TM__GO_NO_WAIT;
    tm__go_begin_life(at, it, &life);
    event = tm__go_emit(at, TM_EVENT_SNAPSHOT, it->thread);
    event->value = sleeps       ? TM_STATE_SLEEPING
                   : life.is_io ? TM_STATE_IO
                                : states[status];
    event->flags = life.is_idle ? TM_EVENT_IDLE : 0;
    event->object = object;
    event->stack = stack;
    return TM_OK;
}

int tm__go_on_status(const tm__go_step *at)
{
    const uint64_t *arguments = at->stream->arguments;
    uint64_t status = arguments[2];
    int has_stack = at->stream->type == TM__GO_STATUS_STACK, rc;
    uint32_t index, m = TM__NONE;
    tm__go_goroutine *it;

    if (status == TM__GO_ABSENT || status >= TM__GO_STATUS_END)
        return TM_EDAMAGED;
    rc = tm__go_find_goroutine(at->self, arguments[0], &index);
    if (rc < 0)
        return rc;
    it = &at->self->goroutines[index];
    if (it->status == TM__GO_ABSENT)
        rc = first_seen(at, it, status, has_stack ? arguments[3] : 0);
    else if (it->status != status)
        return TM_EDAMAGED;
    if (rc < 0)
        return rc;
    it->generation = at->generation->number;
    it->counter = 0;
    if (status == TM__GO_RUNNING ||
        (status == TM__GO_IN_SYSCALL && arguments[1] == at->stream->thread)) {
        at->m->goroutine = index;
    } else if (status == TM__GO_IN_SYSCALL && arguments[1] != TM__GO_NO_THREAD) {
        /* Adding a row may move that of this M, which is not needed any more. */
        rc = tm__go_find_m(at->self, arguments[1], &m);
        if (rc == TM_OK)
            at->self->ms[m].goroutine = index;
    }
    return rc < 0 ? rc : TM_OK;
}

int tm__go_on_create(const tm__go_step *at)
{
    const uint64_t *arguments = at->stream->arguments;
    tm__go_goroutine *by = tm__go_running(at), *it;
    uint64_t creator = by ? by->thread : 0;
    int serves = by && by->accepts;
    int is_blocked = at->stream->type == TM__GO_CREATE_BLOCKED, rc;
    tm__go_goroutine life;
    uint32_t index, stack;

    if (!tm__go_present_p(at) || (by && by->status != TM__GO_RUNNING))
        return TM_EDAMAGED;
    rc = tm__go_find_goroutine(at->self, arguments[0], &index);
    if (rc < 0)
        return rc;
    it = &at->self->goroutines[index];
    if (it->status != TM__GO_ABSENT)
        return TM_EDAMAGED;
    rc = tm__go_define_life(at, it, arguments[1], 1, &life);
    if (rc >= 0)
        rc = tm__go_stack_at(at, arguments[2], &stack);
    if (rc < 0)
        return rc;
    life.by = creator;
    life.serves = (uint8_t)serves;
    life.status = is_blocked ? TM__GO_WAITING : TM__GO_RUNNABLE;
    life.is_new = 1;
    tm__go_begin_life(at, it, &life);
    if (creator) {
        tm_event *event = tm__go_emit(at, TM_EVENT_THREAD_START_CALLED, creator);

        event->peer = it->thread;
        event->stack = stack;
    }
    if (!is_blocked)
        tm__go_emit(at, TM_EVENT_RUNNABLE, it->thread)->peer = creator;
    return TM_OK;
}

int tm__go_on_start(const tm__go_step *at)
{
    tm__go_goroutine *it = tm__go_goroutine_of(at, at->stream->arguments[0]);

    if (!it || it->status != TM__GO_RUNNABLE ||
        !tm__go_is_next(at, it->generation, it->counter, at->stream->arguments[1]))
        return TM_MORE;
    if (!tm__go_present_p(at) || tm__go_running(at))
        return TM_EDAMAGED;
    it->counter++;
    at->m->goroutine = (uint32_t)(it - at->self->goroutines);
    run(at, it);
    return TM_OK;
}

static int on_block(const tm__go_step *at, tm__go_goroutine *it)
{
    const uint64_t *arguments = at->stream->arguments;
    tm__go_text reason = tm__go_text_of(at->generation, arguments[0]);
    int sleeps = reason.length == 5 && memcmp(reason.bytes, "sleep", 5) == 0;
    int is_named = it->is_named, rc;
    uint64_t object = 0;
    uint32_t stack;

    rc = tm__go_stack_at(at, arguments[1], &stack);
    if (rc >= 0 && !sleeps)
        rc = tm__go_object_at(at, arguments[1], arguments[0], "unknown", &object);
    if (rc >= 0 && !is_named && stack)
        rc = tm__go_name_at(at, it, arguments[1], 0, &is_named);
    if (rc < 0)
        return rc;
    it->is_named = (uint8_t)is_named;
    it->is_io = it->is_idle = 0;
    if (!sleeps)
        tm__go_note_io(at, it, arguments[1]);
    tm__go_begin_wait(at, it, sleeps ? TM_EVENT_SLEEP : TM_EVENT_AWAIT, object, stack);
    it->status = TM__GO_WAITING;
    return TM_OK;
}

/* Leaves its M: it ends, yields or blocks. */
int tm__go_on_leave(const tm__go_step *at)
{
    tm__go_goroutine *it = tm__go_on_p(at, TM__GO_RUNNING);
    int rc = TM_OK;

    if (!it)
        return TM_EDAMAGED;
    if (at->stream->type == TM__GO_DESTROY) {
        tm__go_emit(at, TM_EVENT_THREAD_END, it->thread);
        it->status = TM__GO_ABSENT;
    } else if (at->stream->type == TM__GO_STOP) {
        tm__go_emit(at, TM_EVENT_OFF_CPU, it->thread);
        it->status = TM__GO_RUNNABLE;
    } else {
        rc = on_block(at, it);
    }
    if (rc >= 0)
        at->m->goroutine = TM__NONE;
    return rc;
}

int tm__go_on_unblock(const tm__go_step *at)
{
    const uint64_t *arguments = at->stream->arguments;
    tm__go_goroutine *it = tm__go_goroutine_of(at, arguments[0]),
                     *by = tm__go_running(at);
    uint32_t stack;
    int rc;

    if (!it || it->status != TM__GO_WAITING ||
        !tm__go_is_next(at, it->generation, it->counter, arguments[1]))
        return TM_MORE;
    rc = tm__go_stack_at(at, arguments[2], &stack);
    if (rc < 0)
        return rc;
    it->counter++;
    it->status = TM__GO_RUNNABLE;
    tm__go_wake(at, it, by ? by->thread : 0, stack);
    return TM_OK;
}

/* One coroutine hands its M to another, which waits. */
int tm__go_on_switch(const tm__go_step *at)
{
    tm__go_goroutine *it = tm__go_goroutine_of(at, at->stream->arguments[0]);
    tm__go_goroutine *by = tm__go_on_p(at, TM__GO_RUNNING);
    uint64_t object;
    int rc;

    if (!by)
        return TM_EDAMAGED;
    if (!it || it->status != TM__GO_WAITING ||
        !tm__go_is_next(at, it->generation, it->counter, at->stream->arguments[1]))
        return TM_MORE;
    rc = tm__go_object_at(at, 0, 0, "coroutine", &object);
    if (rc < 0)
        return rc;
    it->counter++;
    tm__go_wake(at, it, by->thread, 0);
    if (at->stream->type == TM__GO_SWITCH) {
        by->is_io = by->is_idle = 0;
        tm__go_begin_wait(at, by, TM_EVENT_AWAIT, object, 0);
        by->status = TM__GO_WAITING;
    } else {
        tm__go_emit(at, TM_EVENT_THREAD_END, by->thread);
        by->status = TM__GO_ABSENT;
    }
    at->m->goroutine = (uint32_t)(it - at->self->goroutines);
    run(at, it);
    return TM_OK;
}
