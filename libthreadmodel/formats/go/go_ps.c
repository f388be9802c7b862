/* SPDX-License-Identifier: Apache-2.0 */
/* The P of each M. */
#include "formats/go/go_ps.h"
#include "formats/go/go_step.h"

int tm__go_on_p_status(const tm__go_step *at)
{
    uint64_t status = at->stream->arguments[1];
    uint32_t index;
    tm__go_p *p;
    int rc;

    if (status == TM__GO_P_ABSENT || status >= TM__GO_P_STATUS_END)
        return TM_EDAMAGED;
    rc = tm__go_find_p(at->self, at->stream->arguments[0], &index);
    if (rc < 0)
        return rc;
    p = &at->self->ps[index];
    if (p->status == TM__GO_P_ABSENT)
        p->status = (uint8_t)status;
    else if (p->status != status &&
             !(status == TM__GO_P_ABANDONED && p->status == TM__GO_P_SYSCALL))
        return TM_EDAMAGED;
    p->generation = at->generation->number;
    p->counter = 0;
    if (status == TM__GO_P_RUNNING || status == TM__GO_P_SYSCALL)
        at->m->p = index;
    return TM_OK;
}

int tm__go_on_p_start(const tm__go_step *at)
{
    tm__go_p *p = tm__go_p_of(at, at->stream->arguments[0]);

    if (!p || p->status != TM__GO_P_IDLE || tm__go_present_p(at) ||
        !tm__go_is_next(at, p->generation, p->counter, at->stream->arguments[1]))
        return TM_MORE;
    p->status = TM__GO_P_RUNNING;
    p->counter++;
    at->m->p = (uint32_t)(p - at->self->ps);
    return TM_OK;
}

int tm__go_on_p_stop(const tm__go_step *at)
{
    tm__go_p *p = tm__go_present_p(at);

    if (!p || (p->status != TM__GO_P_RUNNING && p->status != TM__GO_P_SYSCALL))
        return TM_EDAMAGED;
    p->status = TM__GO_P_IDLE;
    at->m->p = TM__NONE;
    return TM_OK;
}

int tm__go_on_p_steal(const tm__go_step *at)
{
    const uint64_t *arguments = at->stream->arguments;
    tm__go_p *p = tm__go_p_of(at, arguments[0]);
    uint32_t m;

    if (!p || (p->status != TM__GO_P_SYSCALL && p->status != TM__GO_P_ABANDONED) ||
        !tm__go_is_next(at, p->generation, p->counter, arguments[1]))
        return TM_MORE;
    if (p->status == TM__GO_P_SYSCALL) {
        m = tm__map_find(&at->self->m_map, arguments[2]);
        if (m == TM__NONE || at->self->ms[m].p != (uint32_t)(p - at->self->ps))
            return TM_EDAMAGED;
        at->self->ms[m].p = TM__NONE;
    }
    p->status = TM__GO_P_IDLE;
    p->counter++;
    return TM_OK;
}
