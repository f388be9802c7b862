/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Goroutines in system calls, which they await, and waits as such. A short call keeps
 * its P; of a long one the P is taken, and the goroutine is runnable when it returns.
 */
#include "formats/go/go_step.h"
#include "formats/go/go_syscalls.h"

void tm__go_begin_wait(const tm__go_step *at, tm__go_goroutine *it, int kind,
                       uint64_t object, uint32_t stack)
{
    tm_event *event = tm__go_emit(at, kind, it->thread);

    it->wait = kind == TM_EVENT_SLEEP ? TM__GO_SLEEPS : TM__GO_AWAITS;
    it->object = kind == TM_EVENT_SLEEP ? 0 : object;
    it->by = 0;
    event->object = it->object;
    event->stack = stack;
    if (it->wait == TM__GO_AWAITS && it->is_idle)
        event->flags = TM_EVENT_IDLE;
}

void tm__go_end_wait(const tm__go_step *at, tm__go_goroutine *it)
{
    tm_event *event;

    if (it->wait == TM__GO_SLEEPS) {
        tm__go_emit(at, TM_EVENT_SLEPT, it->thread)->flags = TM_EVENT_TIMED_OUT;
    } else if (it->wait == TM__GO_AWAITS) {
        event = tm__go_emit(at, TM_EVENT_AWAITED, it->thread);
        event->object = it->object;
        event->peer = it->by;
        if (it->by)
            event->flags = TM_EVENT_PEER_REPORTED;
        if (it->is_idle)
            event->flags |= TM_EVENT_IDLE;
    }
    it->wait = TM__GO_NO_WAIT;
}

void tm__go_wake(const tm__go_step *at, tm__go_goroutine *it, uint64_t waker,
                 uint32_t stack)
{
    tm_event *event;

    /* An event from outside was only passed on by another goroutine. */
    if (waker && it->wait == TM__GO_AWAITS && !it->is_io) {
        event = tm__go_emit(at, TM_EVENT_POST, waker);
        event->object = it->object;
        event->peer = it->thread;
        event->stack = stack;
        it->by = waker;
    }
    tm__go_emit(at, TM_EVENT_RUNNABLE, it->thread)->peer = waker;
}

int tm__go_on_syscall_begin(const tm__go_step *at)
{
    const uint64_t *arguments = at->stream->arguments;
    tm__go_goroutine *it = tm__go_on_p(at, TM__GO_RUNNING);
    tm__go_p *p = tm__go_present_p(at);
    uint64_t object;
    uint32_t stack;
    int rc;

    if (!it || !tm__go_is_next(at, p->generation, p->counter, arguments[0]))
        return TM_EDAMAGED;
    rc = tm__go_stack_at(at, arguments[1], &stack);
    if (rc >= 0)
        rc = tm__go_object_at(at, arguments[1], 0, "syscall", &object);
    if (rc < 0)
        return rc;
    p->counter++;
    p->status = TM__GO_P_SYSCALL;
    tm__go_note_io(at, it, arguments[1]);
    tm__go_begin_wait(at, it, TM_EVENT_AWAIT, object, stack);
    it->status = TM__GO_IN_SYSCALL;
    return TM_OK;
}

int tm__go_on_syscall_end(const tm__go_step *at)
{
    tm__go_goroutine *it = tm__go_on_p(at, TM__GO_IN_SYSCALL);

    if (!it || tm__go_present_p(at)->status != TM__GO_P_SYSCALL)
        return TM_EDAMAGED;
    tm__go_present_p(at)->status = TM__GO_P_RUNNING;
    tm__go_end_wait(at, it);
    it->status = TM__GO_RUNNING;
    return TM_OK;
}

int tm__go_on_syscall_end_blocked(const tm__go_step *at)
{
    tm__go_goroutine *it = tm__go_running(at);

    if (tm__go_present_p(at) && tm__go_present_p(at)->status == TM__GO_P_SYSCALL)
        return TM_MORE;
    if (!it || it->status != TM__GO_IN_SYSCALL)
        return TM_EDAMAGED;
    tm__go_wake(at, it, 0, 0);
    it->status = TM__GO_RUNNABLE;
    at->m->goroutine = TM__NONE;
    return TM_OK;
}

/* A thread of C calls Go, and is in C until it gets a P. */
int tm__go_on_create_syscall(const tm__go_step *at)
{
    uint64_t id = at->stream->arguments[0], object;
    tm__go_goroutine *it, life;
    uint32_t index;
    int rc;

    if (tm__go_running(at))
        return TM_EDAMAGED;
    rc = tm__go_find_goroutine(at->self, id, &index);
    if (rc < 0)
        return rc;
    it = &at->self->goroutines[index];
    if (it->status != TM__GO_ABSENT)
        return TM_EDAMAGED;
    rc = tm__go_define_life(at, it, 0, 0, &life);
    if (rc >= 0)
        rc = tm__go_object_at(at, 0, 0, "syscall", &object);
    if (rc < 0)
        return rc;
    life.status = TM__GO_IN_SYSCALL;
    tm__go_begin_life(at, it, &life);
    tm__go_emit(at, TM_EVENT_THREAD_START, it->thread);
    tm__go_begin_wait(at, it, TM_EVENT_AWAIT, object, 0);
    at->m->goroutine = index;
    return TM_OK;
}

int tm__go_on_destroy_syscall(const tm__go_step *at)
{
    tm__go_goroutine *it = tm__go_running(at);
    tm__go_p *p = tm__go_present_p(at);

    if (!it || it->status != TM__GO_IN_SYSCALL || (p && p->status != TM__GO_P_SYSCALL))
        return TM_EDAMAGED;
    if (p)
        p->status = TM__GO_P_ABANDONED;
    tm__go_end_wait(at, it);
    tm__go_emit(at, TM_EVENT_THREAD_END, it->thread);
    it->status = TM__GO_ABSENT;
    *at->m = (tm__go_m){TM__NONE, TM__NONE};
    return TM_OK;
}
