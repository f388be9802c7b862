/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/dump_text.h"

#include <string.h>

#include "inspect/dump_definitions.h"
#include "inspect/frames.h"
#include "inspect/system_call.h"

/* A name may hold anything: bytes that move a cursor are shown as they are written. */
static void put_clean(FILE *out, const char *text)
{
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;

        if (byte < 32 || byte == 127 || byte >= 128)
            fprintf(out, "\\x%02x", byte);
        else
            fputc(byte, out);
    }
}

static void put_thread(FILE *out, const tm__target *target, uint32_t inner)
{
    const tm__task *task = tm__target_inner(target, inner);

    if (!task) {
        fprintf(out, "thread %u, which has ended", inner);
        return;
    }
    fputc('"', out);
    put_clean(out, task->name);
    fprintf(out, "\" %u", task->tid);
}

static const char *verb_of(const tm__thread_wait *wait)
{
    switch (wait->kind) {
    case TM__WAIT_MUTEX:
    case TM__WAIT_LOCK_OF_LIBC:
    case TM__WAIT_GIL: return "blocked by";
    case TM__WAIT_RWLOCK_READ: return "blocked, to read, by";
    case TM__WAIT_RWLOCK_WRITE: return "blocked, to write, by";
    default: return "waits for";
    }
}

static void put_wait(FILE *out, tm__target *target, const tm__task *task)
{
    const tm__thread_wait *wait = &task->wait;
    char object[700];

    if (wait->kind == TM__WAIT_JOIN) {
        fprintf(out, "joins ");
        if (wait->owner)
            put_thread(out, target, wait->owner);
        else
            fprintf(out, "a thread that is not known");
    } else {
        tm__object_describe(target, wait, object, sizeof(object));
        fprintf(out, "%s ", verb_of(wait));
        put_clean(out, object);
        if (*wait->type)
            fprintf(out, " (%s)", wait->type);
        if (wait->kind == TM__WAIT_ONCE && wait->owner) {
            fprintf(out, ", which is run by ");
            put_thread(out, target, wait->owner);
        } else if (wait->owner == task->inner) {
            fprintf(out, ", which it owns itself");
        } else if (wait->owner) {
            fprintf(out, ", owned by ");
            put_thread(out, target, wait->owner);
        }
        if (*wait->detail)
            fprintf(out, ", %s", wait->detail);
    }
    if (wait->is_timed)
        fprintf(out, ", with a limit");
}

static void put_state(FILE *out, tm__target *target, const tm__task *task)
{
    char text[512];

    if (task->wait.kind != TM__WAIT_NONE) {
        put_wait(out, target, task);
        return;
    }
    if (task->state == 'Z') {
        fprintf(out, "has ended, and nobody has waited for the process");
        return;
    }
    if (task->state == 'R' || task->call == TM__CALL_RUNNING) {
        fprintf(out, "runs");
        return;
    }
    tm__call_describe(target, task, text, sizeof(text));
    if (task->state == 'T' || task->state == 't')
        fprintf(out, "is stopped%s", *text ? " in " : "");
    else if (*text)
        fprintf(out, "in ");
    else if (*task->in_kernel)
        fprintf(out, "waits in the kernel's %s", task->in_kernel);
    else
        fprintf(out, "waits in the kernel");
    put_clean(out, text);
}

static void put_frame(FILE *out, const tm__symbol *frame)
{
    fprintf(out, "\tat ");
    put_clean(out, *frame->module ? frame->module : "?");
    fputc('.', out);
    if (*frame->function)
        put_clean(out, frame->function);
    else
        fprintf(out, "0x%llx", (unsigned long long)frame->offset);
    if (*frame->source && frame->line) {
        fprintf(out, " (");
        put_clean(out, frame->source);
        fprintf(out, ":%d)", frame->line);
    }
    fputc('\n', out);
}

static void put_task(FILE *out, tm__target *target, const tm__task *task)
{
    fputc('"', out);
    put_clean(out, task->name);
    fprintf(out, "\" %u ", task->tid);
    put_state(out, target, task);
    fputc('\n', out);
    for (size_t i = 0; i < task->frame_count; i++) {
        const tm__symbol *chain;
        size_t count = tm__frame_names(target, task->frames[i], i == 0, &chain);

        for (size_t k = 0; k < count; k++)
            if (!tm__is_of_recorder(&chain[k]))
                put_frame(out, &chain[k]);
    }
    if (task->is_cut && task->frame_count)
        fprintf(out, "\t...\n");
}

static void put_head(FILE *out, const tm__target *target)
{
    fprintf(out, "Process %u: ", target->pid);
    put_clean(out, *target->command ? target->command : target->program);
    fprintf(out, "\n%zu thread%s", target->task_count,
            target->task_count == 1 ? "" : "s");
    if (target->libc == TM__LIBC_MUSL)
        fprintf(out, ", musl");
    else if (target->libc_minor)
        fprintf(out, ", glibc 2.%d", target->libc_minor);
    if (*target->runtime)
        fprintf(out, ", %s", target->runtime);
    if (target->stopped)
        fprintf(out, ". %u of them %s stopped, for %.2f ms in all, for %s",
                target->stopped, target->stopped == 1 ? "was" : "were",
                (double)target->stopped_ns / 1e6,
                target->stopped == 1 ? "its stack" : "their stacks");
    else
        fprintf(out, ". None was stopped");
    if (target->gone)
        fprintf(out, "; %u ended meanwhile", target->gone);
    fprintf(out, ".\n");
    if (*target->refusal)
        fprintf(out, "Not all is shown: %s.\n", target->refusal);
}

void tm__dump_text_put(FILE *out, tm__target *target)
{
    put_head(out, target);
    for (size_t i = 0; i < target->task_count; i++) {
        fputc('\n', out);
        put_task(out, target, &target->tasks[i]);
    }
}
