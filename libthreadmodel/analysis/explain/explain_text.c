/* SPDX-License-Identifier: Apache-2.0 */
/* The sentence on each step of a chain. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/explain/explain_state.h"
#include "analysis/explain/explain_text.h"
#include "analysis/timeline/wakeup_edge.h"
#include "base/duration.h"
#include "base/printf.h"
#include "model/entities/caller_frame.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/state/model.h"

static void add(tm__explanation *it, const char *format, ...) TM__PRINTF(2, 3);

static void add(tm__explanation *it, const char *format, ...)
{
    size_t room = sizeof(it->text) - it->length;
    va_list arguments;
    int wanted;

    va_start(arguments, format);
    wanted = vsnprintf(it->text + it->length, room, format, arguments);
    va_end(arguments);
    if (wanted > 0)
        it->length += (size_t)wanted < room ? (size_t)wanted : room - 1;
}

static void add_thread(tm__explanation *it, uint32_t thread)
{
    const char *name = tm__thread_name(&it->model->entities, thread);

    if (name && *name)
        add(it, "%.100s", name);
    else
        add(it, "thread %llu",
            (unsigned long long)it->model->entities.threads[thread].id);
}

const tm__interval *tm__explain_beginning(const tm__explanation *it,
                                          const tm__step_of_chain *step)
{
    const tm__thread *thread = &it->model->entities.threads[step->thread];

    return step->interval == TM__NONE
               ? NULL
               : &thread
                      ->intervals[tm__interval_first_blocking(thread, step->interval)];
}

/* " in Account.transfer:42", and whether the stack is its own. */
static void add_place(tm__explanation *it, const tm__interval *from)
{
    uint32_t caller = tm__stack_caller(it->model, from->stack);
    const tm__frame *frame =
        caller == TM__NONE ? NULL : &it->model->entities.frames[caller];
    const char *name =
        frame ? tm__method_name(&it->model->entities, frame->method) : NULL;
    int32_t line = frame ? tm__frame_line(&it->model->entities, frame) : 0;

    if (name)
        add(it, " in %.200s", tm__short_name(name));
    if (name && line)
        add(it, ":%d", line);
    if (name && from->flags & TM__INTERVAL_SAMPLED)
        add(it, " (sampled stack)");
}

/* " for 12.3 ms", " since 1.20 s" */
static void add_length(tm__explanation *it, const tm__step_of_chain *step,
                       const tm__interval *from)
{
    int64_t origin_ns = tm__model_origin_ns(it->model);

    /* One thread dump is one instant. */
    if (it->model->last_ns == origin_ns)
        return;
    if (step->end_ns != INT64_MIN)
        add(it, " for %s", tm__duration_of(step->end_ns - from->start_ns).text);
    else
        add(it, " from %s to the end of the recording",
            tm__duration_of(from->start_ns - origin_ns).text);
}

static const char *doubt(const tm__step_of_chain *step)
{
    return step->provenance == TM_PROVENANCE_INFERRED ? ", inferred" : "";
}

/* "Account#7" of demo.Account#7, "class Account" of "class demo.Account" */
static void add_object(tm__explanation *it, const char *object)
{
    const char *last = object ? strrchr(object, ' ') : NULL;
    const char *dot = object ? strrchr(last ? last : object, '.') : NULL;

    if (!object || !*object)
        add(it, "something unknown");
    else
        add(it, "%.*s%.200s", last ? (int)(last + 1 - object) : 0, object,
            dot    ? dot + 1
            : last ? last + 1
                   : object);
}

/* "waited for the socket 10.0.0.7:5432", "waited for a file" */
static void add_io(tm__explanation *it, const tm__interval *from)
{
    const tm__object *object;
    const char *kind;
    uint32_t name;

    if (from->object == TM__NONE) {
        add(it, " waited for input or output");
        return;
    }
    object = &it->model->entities.objects[from->object];
    name = it->model->entities.details[from->object].name;
    kind = tm_object_kind_name(object->kind);
    switch (object->kind) {
    case TM_OBJECT_KIND_POLL: add(it, " polled"); break;
    case TM_OBJECT_KIND_ACCEPT: add(it, " waited for a connection to"); break;
    case TM_OBJECT_KIND_NAME: add(it, " looked up"); break;
    default:
        add(it, name == TM__NONE ? " waited for a %s" : " waited for the %s", kind);
    }
    if (name != TM__NONE)
        add(it, " %.200s", tm__strings_get(&it->model->entities.strings, name));
    else if (object->kind == TM_OBJECT_KIND_ACCEPT)
        add(it, " a socket");
    else if (object->kind == TM_OBJECT_KIND_NAME)
        add(it, " a name");
}

/* "was blocked by Account#7 in Account.transfer:42 for 12 ms" */
static void add_block(tm__explanation *it, const tm__step_of_chain *step)
{
    const tm_model *model = it->model;
    const tm__interval *from = tm__explain_beginning(it, step);
    const char *object =
        tm__label(&it->labels, model, tm__interval_object(model, from));
    int is_wait = from->state == TM_STATE_WAITING || from->state == TM_STATE_JOINING ||
                  step->reason == TM__REASON_WAKER ||
                  step->reason == TM__REASON_NO_WAKER ||
                  step->reason == TM__REASON_TIMEOUT;

    add(it, is_wait ? " waited for " : " was blocked by ");
    if (from->state == TM_STATE_JOINING && step->next != TM__NONE) {
        add(it, "the end of ");
        add_thread(it, step->next);
    } else {
        add_object(it, object);
    }
    add_place(it, from);
    add_length(it, step, from);
}

static void write_stopped(tm__explanation *it, const tm__step_of_chain *step)
{
    add_block(it, step);
    switch (step->reason) {
    case TM__REASON_OWNER:
    case TM__REASON_DEADLOCK:
        add(it, "; ");
        add_thread(it, step->next);
        add(it, " %s%s",
            tm__explain_beginning(it, step)->state == TM_STATE_JOINING ? "had not ended"
                                                                       : "owned it",
            doubt(step));
        if (step->reason == TM__REASON_DEADLOCK)
            add(it, ". That closes the circle: a %sdeadlock, the root cause",
                step->provenance == TM_PROVENANCE_INFERRED ? "suspected " : "");
        break;
    case TM__REASON_JOINED: break;
    case TM__REASON_WAKER:
        add(it, ", until ");
        add_thread(it, step->next);
        add(it, " woke it%s", doubt(step));
        break;
    case TM__REASON_TIMEOUT: add(it, ", until its time was up: nobody woke it"); break;
    case TM__REASON_WAKEUP:
        add(it, "; at this instant nobody owned it, for the next owner was being "
                "woken");
        break;
    case TM__REASON_NO_OWNER: add(it, "; no event shows the owner"); break;
    default:
        if (step->end_ns == INT64_MIN)
            add(it, "; that wait has not ended");
        else
            add(it, "; no event shows what ended that wait%s%s", step->why ? ": " : "",
                step->why ? step->why : "");
    }
}

void tm__explain_write(tm__explanation *it, const tm__step_of_chain *step, int is_first)
{
    const tm__interval *at = tm__explain_beginning(it, step);
    int is_virtual =
        it->model->entities.threads[step->thread].flags & TM_THREAD_VIRTUAL;

    it->length = 0;
    add_thread(it, step->thread);
    switch (step->reason) {
    case TM__REASON_RUNNING:
        if (tm__model_reports(it->model, TM_EVENT_OFF_CPU))
            add(it, is_first ? " was running"
                             : " was running, on a processor as far as was recorded: "
                               "the root cause");
        else
            add(it, is_first ? " was running"
                             : " was running, or waited in native code or for a "
                               "processor, which no event shows: the chain ends here");
        break;
    case TM__REASON_NO_PROCESSOR:
        add(it, " could run, and had no processor: the root cause");
        break;
    case TM__REASON_ASLEEP:
        add(it, " was asleep");
        add_place(it, at);
        add_length(it, step, at);
        add(it, ": the root cause");
        break;
    case TM__REASON_IO:
        add_io(it, at);
        add_place(it, at);
        add_length(it, step, at);
        add(it, ": the root cause");
        break;
    case TM__REASON_NATIVE:
        add(it, " had left its processor to wait in native code, for what is not "
                "recorded: the chain ends here");
        break;
    case TM__REASON_IDLE:
        if (at->state == TM_STATE_IO)
            add_io(it, at);
        else
            add(it, " waited for work");
        add_place(it, tm__explain_beginning(it, step));
        add_length(it, step, tm__explain_beginning(it, step));
        add(it, ": it was idle");
        break;
    case TM__REASON_STARTER:
        add(it, " was not there yet: ");
        add_thread(it, step->next);
        add(it, " started it later");
        break;
    case TM__REASON_NOT_STARTED:
        add(it, is_virtual ? " was started, and waited for a carrier"
                           : " had not begun to run");
        break;
    case TM__REASON_ENDED: add(it, " had ended"); break;
    case TM__REASON_NOT_RECORDED:
        add(it, ": what it did at this instant is not recorded");
        break;
    default: write_stopped(it, step);
    }
    add(it, ".");
}
