/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings of thread dumps beside those of locks: what all dumps show alike. A dump has
 * some hundred threads, so threads are compared with one another.
 *
 *     exec-11 .. 16   parked in ConcurrentBag.borrow     in 2 of 2 dumps
 *     exec-1 .. 3     a socket, in OrderDao.query        in 2 of 2 dumps
 *
 * One dump shows less: who blocks whom, a pool whose workers all wait for tasks,
 * and carriers that are all taken.
 */
#include <string.h>

#include "analysis/findings/finding.h"
#include "analysis/findings/finding_text.h"
#include "analysis/findings/findings_dumps.h"
#include "analysis/findings/findings_dump_chains.h"
#include "analysis/findings/findings_dump_pools.h"
#include "analysis/findings/findings_dump_last.h"
#include "analysis/findings/tally.h"
#include "analysis/findings/where.h"
#include "analysis/waits/wait_wants.h"
#include "base/error.h"
#include "base/search.h"
#include "model/entities/caller_frame.h"
#include "model/entities/methods.h"
#include "model/entities/reports.h"
#include "model/intervals/cpu.h"
#include "model/intervals/interval.h"
#include "roles/method_roles.h"

/* A thread that was on a processor for so much of the time. */
enum { BUSY_PERCENT = 80 };

/* ---- several dumps: the same wait, the same read ---- */

/* Whether a method is a queue's that waits for an element. */
static int takes(const char *name)
{
    static const char package[] = "java.util.concurrent.";

    return strncmp(name, package, sizeof(package) - 1) == 0 &&
           (strstr(name, "Queue.take") || strstr(name, "Deque.take"));
}

/* Whether a method belongs to what gives tasks or requests to threads. */
static int is_of_executor(const char *name)
{
    static const char pool[] = "java.util.concurrent.ThreadPoolExecutor";
    static const char fork_join[] = "java.util.concurrent.ForkJoin";

    return strncmp(name, pool, sizeof(pool) - 1) == 0 ||
           strncmp(name, fork_join, sizeof(fork_join) - 1) == 0 ||
           tm__is_of_server(name);
}

/* Whether a frame only leads to what a thread or task does: a lambda, or `run`. */
static int is_entry(const tm_model *model, uint32_t frame, const char *name)
{
    const char *dot = strrchr(name, '.');

    return tm__frame_is_library(model, frame) || (dot && strcmp(dot, ".run") == 0) ||
           model->entities.methods[model->entities.frames[frame].method].role &
               TM__ROLE_LAMBDA;
}

/* A thread that takes from a queue is a worker, if it was not given a task, or does
 * nothing else in that. A task that calls for it from deeper within may want an item of
 * a pool. */
static int is_own_queue(const tm_model *model, const tm__interval *it)
{
    const tm__stack *stack = &model->entities.stacks[it->stack];
    uint32_t caller = tm__stack_caller(model, it->stack);
    uint32_t end = stack->frame_first + stack->frame_count;
    int is_taking = 0, is_task = 0, is_deep = 0;

    if (it->traits & TM__TRAIT_TIMED || stack->flags & TM_STACK_TRUNCATED)
        return 0;
    for (uint32_t i = stack->frame_first; i < end; i++) {
        uint32_t method = model->entities.frames[i].method;
        const char *name =
            method == TM__NONE ? NULL : tm__method_name(&model->entities, method);

        if (!name)
            continue;
        is_taking |= i < caller && takes(name);
        is_task |= i > caller && is_of_executor(name);
        is_deep |= i > caller && !is_entry(model, i, name);
    }
    return is_taking && !(is_task && is_deep);
}

/* Waits for work, for a connection or for any of several descriptors are what servers
 * do when they have nothing to do. */
static int is_idle(const tm_model *model, const tm__interval *it)
{
    int kind = it->object == TM__NONE ? 0 : model->entities.objects[it->object].kind;

    return kind == TM_OBJECT_KIND_ACCEPT || kind == TM_OBJECT_KIND_POLL ||
           kind == TM_OBJECT_KIND_PROCESS ||
           tm__frame_is_idle(model, tm__stack_caller(model, it->stack)) ||
           is_own_queue(model, it);
}

/* A wait that no owner explains, whose caller is the program's. */
static int is_sampled_wait(const tm_model *model, const tm__interval *it)
{
    return it && it->stack != TM__NONE &&
           (it->state == TM_STATE_WAITING || it->state == TM_STATE_PARKED ||
            it->state == TM_STATE_IO) &&
           it->peer == TM__NONE && !is_idle(model, it) &&
           !tm__frame_is_library(model, tm__stack_caller(model, it->stack));
}

static int tally_waits(tm__findings *f, tm__tally *tally)
{
    const tm_model *model = f->model;

    for (uint32_t t = 0; t < model->entities.threads_count; t++) {
        const tm__interval *it = tm__dump_last(model, t);

        /* Seen there by each dump but one at most, and twice. */
        if (!is_sampled_wait(model, it) || tm__dumps_of(model, it) < 2 ||
            tm__dumps_of(model, it) + 1 < model->replay.dumps_count)
            continue;
        if (!tm__tally_add(tally, &f->memory, tm__caller_of(&f->places, it->stack),
                           tm__class_name_of_object(model, it->object), it->state,
                           model->last_ns - it->start_ns, t))
            return tm__failure();
    }
    return TM_OK;
}

static const tm__interval *first_of(const tm__findings *f, const tm__tally_item *item)
{
    return tm__dump_last(f->model, item->worst_thread);
}

/* Threads that wait for a socket or file meanwhile: of a pool that is empty these may
 * be the users. */
static const tm__tally_item *busiest_io(const tm__tally *tally)
{
    const tm__tally_item *best = NULL;

    for (uint32_t i = 0; i < tally->items_count; i++)
        if (tally->items[i].c == TM_STATE_IO &&
            (!best || tally->items[i].count > best->count))
            best = &tally->items[i];
    return best;
}

static int write_wait(tm__findings *f, const tm__tally_item *item,
                      const tm__tally_item *io)
{
    const tm_model *model = f->model;
    int is_io = item->c == TM_STATE_IO;
    tm__finding *finding = tm__finding_new(f, is_io ? "sampled_io" : "sampled_wait",
                                           "timeline", item->total_ns);
    tm__facts facts = TM__NO_FACTS;

    if (!finding)
        return tm__failure();
    finding->bound_ns = item->worst_ns;
    finding->class_name = item->b;
    finding->place = finding->blocked_place = item->a;
    finding->thread = item->worst_thread;
    finding->suspected = 1;
    tm__where_text(finding, "state", tm_state_name((int)item->c));
    tm__where_caller(finding, f, "method", item->a, 1);
    facts.threads = (uint64_t)item->count;
    facts.name = is_io ? tm__io_name(f, first_of(f, item)) : NULL;
    facts.place = item->a;
    facts.thread = item->worst_thread;
    facts.count = tm__dumps_of(model, first_of(f, item));
    facts.of = model->replay.dumps_count;
    facts.class_name = item->b;
    facts.others = (uint64_t)item->count - 1;
    tm__finding_add(finding, f,
                    is_io ? TM__TEXT_SAMPLED_IO_TITLE : TM__TEXT_SAMPLED_WAIT_TITLE,
                    &facts);
    tm__finding_add(finding, f, TM__TEXT_SAMPLED_WAIT_WAITS, &facts);
    if (!is_io && io) {
        facts.threads = (uint64_t)io->count;
        facts.name = tm__io_name(f, first_of(f, io));
        facts.place = io->a;
        tm__finding_add(finding, f, TM__TEXT_SAMPLED_WAIT_HOLDS, &facts);
    }
    tm__finding_add(finding, f, TM__TEXT_SAMPLED_WAIT_CAVEAT, &facts);
    tm__finding_add(finding, f, TM__TEXT_SOME_DUMPS, &facts);
    return TM_OK;
}

/* One thread that waits may be idle; one that reads, or that wants a lock, a permit or
 * room in a queue, is not. */
static int is_sign(const tm__findings *f, const tm__tally_item *item)
{
    const tm__interval *it = first_of(f, item);

    return item->count > 1 || item->c == TM_STATE_IO ||
           tm__wait_is_no_idleness(f->model, it->object, it->stack);
}

static int find_waits(tm__findings *f)
{
    tm__tally tally = {0};
    tm__top tops[2] = {{.count = 0}, {.count = 0}};
    int rc = tally_waits(f, &tally);

    for (uint32_t i = 0; rc == TM_OK && i < tally.items_count; i++)
        if (is_sign(f, &tally.items[i]))
            tm__top_add(&tops[tally.items[i].c == TM_STATE_IO], tally.items[i].total_ns,
                        i);
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t i = 0; rc == TM_OK && i < tops[k].count; i++)
            rc = write_wait(f, &tally.items[tops[k].numbers[i]], busiest_io(&tally));
    tm__tally_free(&tally, &f->memory);
    return rc;
}

/* ---- several dumps: processors ---- */

/* No thread runs for longer than there is time, whatever damaged dumps state. */
static int64_t ran_ns(const tm__findings *f, uint32_t thread)
{
    int64_t ns = tm__cpu_time_ns(&f->model->intervals, thread);

    return ns < f->run_ns ? ns : f->run_ns;
}

static int find_busy(tm__findings *f)
{
    const tm_model *model = f->model;
    tm__top top = {.count = 0};

    for (uint32_t t = 0; t < model->entities.threads_count; t++)
        if (tm__percent(ran_ns(f, t), f->run_ns) >= BUSY_PERCENT)
            tm__top_add(&top, ran_ns(f, t), t);
    for (uint32_t i = 0; i < top.count; i++) {
        uint32_t thread = top.numbers[i];
        tm__finding *finding =
            tm__finding_new(f, "sampled_processor", "timeline", top.keys[i]);
        tm__facts facts = TM__NO_FACTS;

        if (!finding)
            return tm__failure();
        finding->thread = thread;
        if (tm__dump_last(model, thread))
            finding->place =
                tm__caller_of(&f->places, tm__dump_last(model, thread)->stack);
        tm__where_thread(finding, "thread_id", model, thread);
        facts.thread = thread;
        facts.share = tm__percent(top.keys[i], f->run_ns);
        facts.total_ns = top.keys[i];
        tm__finding_add(finding, f, TM__TEXT_SAMPLED_CPU_TITLE, &facts);
        tm__finding_add(finding, f, TM__TEXT_SAMPLED_CPU_WAITS, &facts);
        tm__finding_add_doing(finding, f, thread);
        tm__finding_add_plain(finding, f, TM__TEXT_STOP);
    }
    return TM_OK;
}

/* ---- all of them ---- */

int tm__find_in_dumps(tm__findings *findings)
{
    const tm_model *model = findings->model;
    int rc = TM_OK;

    if (!model->replay.dumps_count || !tm__model_is_of_dumps(model))
        return TM_OK;
    if (model->replay.dumps_count == 1)
        rc = tm__find_dump_chains(findings);
    else
        rc = find_waits(findings);
    if (rc == TM_OK && model->replay.dumps_count > 1)
        rc = find_busy(findings);
    if (rc == TM_OK)
        rc = tm__find_dump_starved(findings);
    return rc == TM_OK ? tm__find_dump_carriers(findings) : rc;
}
