/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From timelines, holds and interactions to steps, one thread after the other. Work is
 * written into the step after it where no time passes in that.
 *
 *     intervals   ═════════════╗ blocked ╔═════════════╗ waits ╔═════
 *     marks            SIGNAL            TAKE     GIVE
 *     steps       SIGNAL       WORK      TAKE      GIVE WORK  AWAIT  WORK
 */
#include "analysis/whatif/script.h"

#include "analysis/timeline/wakeup_edge.h"
#include "analysis/whatif/script_marks.h"
#include "analysis/whatif/script_steps.h"
#include "base/saturate.h"
#include "model/intervals/interaction.h"

static void work_up_to(tm__script_writer *w, int64_t time_ns)
{
    int64_t work_ns;

    if (time_ns <= w->now_ns)
        return;
    work_ns = w->processors
                  ? tm__processors_work_ns(w->processors, w->now_ns, time_ns, &w->pace)
                  : time_ns - w->now_ns;
    w->work_ns += work_ns;
    w->method_ns += (double)work_ns * w->part / TM__WHOLE;
    w->now_ns = time_ns;
}

/* Work up to an instant, and what the thread does meanwhile. */
static void work_until(tm__script_writer *w, int64_t time_ns)
{
    for (const tm__mark *it; (it = tm__next_mark(w)) && it->time_ns < time_ns;
         w->at++) {
        work_up_to(w, it->time_ns);
        tm__put_mark(w, it);
    }
    work_up_to(w, time_ns);
}

/* The same, where it matters how much of the work is in the method, and in the part of
 * the run that is asked about. */
static void work_in_method(tm__script_writer *w, uint32_t thread, int64_t time_ns)
{
    const tm__script *script = w->script;
    const tm__scope *part = script->holds->part;
    int64_t edges_ns[] = {part->from_ns, part->to_ns, time_ns};

    for (int i = 0; script->samples && i < 3; i++) {
        if (edges_ns[i] > time_ns || edges_ns[i] <= w->now_ns)
            continue;
        w->part = tm__scope_has(part, w->now_ns)
                      ? tm__method_part(script->samples, thread, w->now_ns, edges_ns[i],
                                        script->holds->bound)
                      : 0;
        work_until(w, edges_ns[i]);
    }
    work_until(w, time_ns);
}

static int is_idle(const tm__script_writer *w, const tm__interval *it)
{
    return tm__interval_is_idle(it) ||
           (it->stack != TM__NONE && w->script->idle[it->stack]);
}

static int is_with_endpoint(const tm__script_writer *w, const tm__interval *it)
{
    const uint32_t *endpoint = w->script->endpoint;

    return endpoint && it->state == TM_STATE_IO && it->object != TM__NONE &&
           endpoint[it->object] != TM__NONE && !is_idle(w, it);
}

/* Whether a delay is in the method, or with the endpoint, that is asked about. */
static int is_asked(const tm__script_writer *w, const tm__interval *it)
{
    const uint8_t *stacks = w->script->stacks;

    return ((stacks && it->stack != TM__NONE && stacks[it->stack]) ||
            is_with_endpoint(w, it)) &&
           tm__scope_has(w->script->holds->part, it->start_ns);
}

static uint8_t method_flag(tm__script_writer *w, const tm__pause *p, int64_t length_ns)
{
    if (!is_asked(w, p->it))
        return 0;
    w->script->scaled++;
    w->script->scaled_ns = tm__sum(w->script->scaled_ns, length_ns);
    return TM__STEP_METHOD;
}

static void put_rest(tm__script_writer *w, const tm__pause *p, int64_t length_ns)
{
    tm__put_step(w, (tm__step){.length_ns = length_ns,
                               .kind = TM__STEP_REST,
                               .flags = method_flag(w, p, length_ns)});
}

/* Asleep, or in I/O that the thread itself began: as long in any replay. The next
 * request or connection comes when others will it, at its time. */
static int is_own_delay(const tm__script_writer *w, const tm__interval *it)
{
    return tm__is_delay(it->state) && !is_idle(w, it);
}

static void put_until(tm__script_writer *w, const tm__pause *p, int64_t length_ns)
{
    tm__put_step(
        w, (tm__step){.length_ns = length_ns,
                      .until_ns = p->end_ns - w->script->begin_ns,
                      .kind = TM__STEP_UNTIL,
                      .flags = (uint8_t)(method_flag(w, p, length_ns) |
                                         (is_idle(w, p->it) ? TM__STEP_IDLE : 0))});
}

static uint32_t latency_of(int64_t from_ns, int64_t to_ns)
{
    if (to_ns <= from_ns)
        return 0;
    return to_ns - from_ns < UINT32_MAX ? (uint32_t)(to_ns - from_ns) : UINT32_MAX;
}

static void put_await(tm__script_writer *w, const tm__ender *ender, int64_t start_ns,
                      int64_t end_ns, int is_permit)
{
    int64_t from_ns = ender->from_ns;
    tm__step step = {.length_ns = end_ns - start_ns,
                     .until_ns = end_ns - w->script->begin_ns,
                     .what = ender->signal,
                     .latency_ns =
                         latency_of(from_ns > start_ns ? from_ns : start_ns, end_ns),
                     .kind = TM__STEP_AWAIT,
                     .flags = from_ns > start_ns ? TM__STEP_QUEUED : 0};

    if (is_permit) {
        step.kind = TM__STEP_ACQUIRE;
        step.what = w->model->entities.objects_count;
        step.place = TM__NONE;
    }
    tm__put_step(w, step);
}

/* A place in the queue for a server, and what that does. */
static void put_served(tm__script_writer *w, int64_t service_ns, const tm__ender *ender,
                       int64_t end_ns)
{
    tm__step step = {.until_ns = end_ns - w->script->begin_ns,
                     .what = w->model->entities.objects_count,
                     .place = TM__NONE,
                     .kind = TM__STEP_ACQUIRE,
                     .flags = TM__STEP_QUEUED};

    tm__put_step(w, step);
    tm__put_step(w, (tm__step){.length_ns = service_ns,
                               .kind = TM__STEP_REST,
                               .flags = TM__STEP_SERVICE});
    step.kind = TM__STEP_RELEASE;
    tm__put_step(w, step);
    w->work_ns += latency_of(ender->from_ns, end_ns);
}

/* The wait of the asked resource with which a pause begins; TM__NONE. */
static uint32_t asked_wait(tm__script_writer *w, uint32_t thread, const tm__pause *p)
{
    const tm__served *served = w->script->served;
    uint32_t count = served ? served->resources->waits_count : 0;

    while (w->wait < count) {
        const tm__resource_wait *it = &served->resources->waits[w->wait];

        if (it->thread > thread || (it->thread == thread && it->interval >= p->first))
            break;
        w->wait++;
    }
    if (w->wait >= count || served->resources->waits[w->wait].thread != thread ||
        served->resources->waits[w->wait].interval != p->first ||
        served->roles[w->wait] == TM__WAIT_OTHER)
        return TM__NONE;
    return w->wait;
}

static void put_wait(tm__script_writer *w, uint32_t thread, const tm__pause *p,
                     int64_t start_ns, const tm__ender *ender)
{
    const tm__served *served = w->script->served;
    uint32_t asked = asked_wait(w, thread, p);
    int role = asked == TM__NONE ? TM__WAIT_OTHER : served->roles[asked];

    if (role == TM__WAIT_LOST)
        return;
    if (role == TM__WAIT_SERVED && ender->signal != TM__NONE)
        put_served(w, served->service_ns[asked], ender, p->end_ns);
    else if (role == TM__WAIT_PERMIT && ender->signal != TM__NONE)
        put_await(w, ender, start_ns, p->end_ns, 1);
    else if (tm__is_signal(w->script, ender->signal))
        put_await(w, ender, start_ns, p->end_ns, 0);
    else if ((p->it->flags | p->it[p->end - p->first - 1].flags) &
             TM__INTERVAL_TIMED_OUT)
        put_rest(w, p, p->end_ns - start_ns);
    else
        put_until(w, p, p->end_ns - start_ns);
}

static void put_pause(tm__script_writer *w, uint32_t thread, const tm__pause *p)
{
    int64_t start_ns = p->it->start_ns > w->now_ns ? p->it->start_ns : w->now_ns;
    const tm__ender *ender = &w->script->signals->enders[w->ender++];

    if (tm__is_lock_block(p->it)) {
        if (!tm__ends_in_hold(w, p) &&
            !tm__parks_again(&w->model->entities.threads[thread], p))
            tm__put_step(w, (tm__step){.length_ns = p->end_ns - start_ns,
                                       .kind = TM__STEP_REST});
    } else if (is_own_delay(w, p->it)) {
        put_rest(w, p, p->end_ns - start_ns);
    } else {
        put_wait(w, thread, p, start_ns, ender);
    }
}

/* Off its processor for what is not known: no work, and no wait that another ends. */
static void put_delay(tm__script_writer *w, const tm__interval *it, int64_t end_ns)
{
    tm__pause p = {.it = it, .end_ns = end_ns};
    int64_t start_ns = it->start_ns > w->now_ns ? it->start_ns : w->now_ns;

    tm__put_marks_before(w, end_ns);
    if (end_ns > start_ns)
        put_rest(w, &p, end_ns - start_ns);
    if (end_ns > w->now_ns)
        w->now_ns = end_ns;
}

static void put_start(tm__script_writer *w, uint32_t thread, int64_t start_ns)
{
    const tm__signals *signals = w->script->signals;
    const tm__ender *ender = &signals->enders[signals->first[thread]];

    if (tm__is_signal(w->script, ender->signal))
        put_await(w, ender, w->script->begin_ns, start_ns, 0);
    else if (start_ns > w->script->begin_ns)
        tm__put_step(w, (tm__step){.until_ns = start_ns - w->script->begin_ns,
                                   .kind = TM__STEP_UNTIL,
                                   .flags = TM__STEP_IDLE});
    w->now_ns = start_ns > w->script->begin_ns ? start_ns : w->script->begin_ns;
}

static void write_thread(tm__script_writer *w, uint32_t thread)
{
    const tm__thread *it = &w->model->entities.threads[thread];
    int64_t end_ns = w->script->end_ns;
    uint32_t i = tm__begin_of(it);

    w->ender = w->script->signals->first[thread] + 1;
    if (i >= it->interval_count || it->intervals[i].start_ns > end_ns)
        return;
    tm__marks_sort(w, thread);
    put_start(w, thread, it->intervals[i].start_ns);
    while (i < it->interval_count && it->intervals[i].start_ns <= end_ns) {
        int state = it->intervals[i].state;
        int64_t next_ns = tm__interval_end_ns(w->model, it, i);

        /* Its actions at the instant at which the interval begins come before it. */
        tm__put_marks_before(w, it->intervals[i].start_ns + 1);
        if (state == TM_STATE_DEAD)
            break;
        if (tm__is_inert(state)) {
            tm__pause p = tm__pause_at(w->model, it, i);

            if (!p.is_over || p.end_ns > end_ns)
                break;
            tm__put_marks_before(w, p.end_ns);
            put_pause(w, thread, &p);
            if (p.end_ns > w->now_ns)
                w->now_ns = p.end_ns;
            i = p.end;
        } else if (tm__is_delay(state)) {
            put_delay(w, &it->intervals[i], next_ns < end_ns ? next_ns : end_ns);
            i++;
        } else {
            next_ns = next_ns < end_ns ? next_ns : end_ns;
            work_in_method(w, thread, next_ns);
            i++;
        }
    }
    tm__put_work(w);
}

static void write_all(tm__script_writer *w)
{
    for (uint32_t i = 0; i < w->model->entities.threads_count; i++) {
        w->script->first[i] = w->script->steps_count;
        w->work_ns = 0;
        w->method_ns = 0;
        w->now_ns = w->script->begin_ns;
        w->pace = TM__NONE;
        w->processors = w->script->processors->most > 0 &&
                                tm__takes_processor(&w->model->entities.threads[i])
                            ? w->script->processors
                            : NULL;
        if (!w->script->slice || w->script->slice->threads[i])
            write_thread(w, i);
        w->script->ended_ns[i] = w->now_ns - w->script->begin_ns;
    }
    w->script->first[w->model->entities.threads_count] = w->script->steps_count;
}

int tm__script_write(tm__script *script)
{
    const tm_model *model = script->model;
    tm__memory *memory = script->memory;
    size_t threads = ((size_t)model->entities.threads_count + 1) * sizeof(uint32_t);
    tm__script_writer w = {.script = script, .model = model, .rc = TM_ENOMEM};

    for (int i = 0; i < TM__WAKEUP_END; i++)
        script->wakeups_ns[i] = tm__wakeup_ns(&model->ownership, i);
    script->steps_count = script->scaled = 0;
    script->scaled_ns = 0;
    if (!script->first)
        script->first = tm__zalloc(memory, threads);
    if (!script->ended_ns)
        script->ended_ns = tm__zalloc(memory, 2 * threads);
    if (script->first && script->ended_ns)
        w.rc = tm__marks_gather(&w);
    if (w.rc == TM_OK)
        write_all(&w);
    return w.rc;
}

void tm__script_free(tm__script *script)
{
    const tm_model *model = script->model;

    tm__marks_free(script);
    tm__free(script->memory, script->steps,
             script->steps_capacity * sizeof(*script->steps));
    tm__free(script->memory, script->first,
             ((size_t)model->entities.threads_count + 1) * sizeof(uint32_t));
    tm__free(script->memory, script->ended_ns,
             2 * ((size_t)model->entities.threads_count + 1) * sizeof(uint32_t));
    script->steps = NULL;
    script->ended_ns = NULL;
    script->first = NULL;
}
