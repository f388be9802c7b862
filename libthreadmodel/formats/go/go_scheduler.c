/* SPDX-License-Identifier: Apache-2.0 */
/* Events by their types. No two events have the same time, so every state lasts. */
#include "formats/go/go_scheduler.h"

#include "formats/go/go_goroutines.h"
#include "formats/go/go_ps.h"
#include "formats/go/go_step.h"
#include "formats/go/go_syscalls.h"
#include "formats/go/go_units.h"

int tm__go_scheduler_init(tm__go_scheduler *self, tm__memory *memory)
{
    *self = (tm__go_scheduler){.memory = memory};
    tm__go_names_init(&self->names, memory);
    tm__map_init(&self->goroutine_map, memory);
    tm__map_init(&self->p_map, memory);
    tm__map_init(&self->m_map, memory);
    self->out =
        tm__zalloc(memory, (TM__GO_OUT_EVENTS + TM__GO_OUT_SPARE) * sizeof(*self->out));
    return self->out ? TM_OK : TM_ENOMEM;
}

static int on_stopped_world(const tm__go_step *at)
{
    tm__go_goroutine *it = tm__go_running(at);

    if (!it)
        return TM_EDAMAGED;
    if (at->stream->type == TM__GO_STW_BEGIN) {
        it->stopped_ns = at->time_ns;
    } else if (it->stopped_ns) {
        tm__go_emit(at, TM_EVENT_GC_PAUSE, 0)->value = at->time_ns - it->stopped_ns;
        it->stopped_ns = 0;
    }
    return TM_OK;
}

static int read_event(const tm__go_step *at)
{
    switch (at->stream->type) {
    case TM__GO_PROCS_CHANGE:
        if (at->stream->arguments[0] > at->self->processors)
            at->self->processors = at->stream->arguments[0];
        return TM_OK;
    case TM__GO_PROC_START: return tm__go_on_p_start(at);
    case TM__GO_PROC_STOP: return tm__go_on_p_stop(at);
    case TM__GO_PROC_STEAL: return tm__go_on_p_steal(at);
    case TM__GO_PROC_STATUS: return tm__go_on_p_status(at);
    case TM__GO_CREATE:
    case TM__GO_CREATE_BLOCKED: return tm__go_on_create(at);
    case TM__GO_CREATE_SYSCALL: return tm__go_on_create_syscall(at);
    case TM__GO_START: return tm__go_on_start(at);
    case TM__GO_DESTROY:
    case TM__GO_STOP:
    case TM__GO_BLOCK: return tm__go_on_leave(at);
    case TM__GO_DESTROY_SYSCALL: return tm__go_on_destroy_syscall(at);
    case TM__GO_UNBLOCK: return tm__go_on_unblock(at);
    case TM__GO_SWITCH:
    case TM__GO_SWITCH_DESTROY: return tm__go_on_switch(at);
    case TM__GO_SYSCALL_BEGIN: return tm__go_on_syscall_begin(at);
    case TM__GO_SYSCALL_END: return tm__go_on_syscall_end(at);
    case TM__GO_SYSCALL_END_BLOCKED: return tm__go_on_syscall_end_blocked(at);
    case TM__GO_STATUS:
    case TM__GO_STATUS_STACK: return tm__go_on_status(at);
    case TM__GO_STW_BEGIN:
    case TM__GO_STW_END: return on_stopped_world(at);
    case TM__GO_TASK_BEGIN:
    case TM__GO_TASK_END:
    case TM__GO_REGION_BEGIN:
    case TM__GO_REGION_END: return tm__go_on_unit(at);
    default: return TM_OK;
    }
}

int tm__go_scheduler_read(tm__go_scheduler *self, const tm__go_generation *generation,
                          const tm__go_stream *stream, const tm_sink *sink)
{
    tm__go_m nobody = {TM__NONE, TM__NONE};
    tm__go_step at = {self, generation, stream, sink, &nobody, stream->time_ns};
    uint32_t m;
    int rc;

    if (at.time_ns <= self->last_ns)
        at.time_ns = self->last_ns + 1;
    if (stream->thread != TM__GO_NO_THREAD) {
        rc = tm__go_find_m(self, stream->thread, &m);
        if (rc < 0)
            return rc;
        at.m = &self->ms[m];
    }
    rc = read_event(&at);
    if (rc == TM_OK)
        self->last_ns = at.time_ns;
    return rc;
}

int tm__go_scheduler_sample(tm__go_scheduler *self, const tm__go_generation *generation,
                            const tm__go_sample *sample, const tm_sink *sink)
{
    tm__go_step at = {self, generation, NULL, sink, NULL, sample->time_ns};
    const tm__go_goroutine *it = tm__go_goroutine_of(&at, sample->goroutine);
    tm_event *event;
    uint32_t stack;
    int rc;

    if (!it || it->status != TM__GO_RUNNING)
        return TM_OK;
    rc = tm__go_stack_at(&at, sample->stack, &stack);
    if (rc < 0)
        return rc;
    if (at.time_ns <= self->last_ns)
        at.time_ns = self->last_ns + 1;
    event = tm__go_emit(&at, TM_EVENT_CPU_SAMPLE, it->thread);
    event->stack = stack;
    self->last_ns = at.time_ns;
    return TM_OK;
}

void tm__go_scheduler_free(tm__go_scheduler *self)
{
    tm__memory *memory = self->memory;

    if (!memory)
        return;
    tm__go_names_free(&self->names);
    tm__map_clear(&self->goroutine_map);
    tm__map_clear(&self->p_map);
    tm__map_clear(&self->m_map);
    tm__free(memory, self->goroutines,
             self->goroutine_capacity * sizeof(*self->goroutines));
    tm__free(memory, self->ps, self->p_capacity * sizeof(*self->ps));
    tm__free(memory, self->ms, self->m_capacity * sizeof(*self->ms));
    if (self->out)
        tm__free(memory, self->out,
                 (TM__GO_OUT_EVENTS + TM__GO_OUT_SPARE) * sizeof(*self->out));
}
