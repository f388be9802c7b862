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
#include <stdio.h>
#include <string.h>

#include "analysis/findings/finding.h"
#include "analysis/findings/finding_text.h"
#include "analysis/findings/findings_dumps.h"
#include "analysis/findings/tally.h"
#include "analysis/findings/where.h"
#include "base/search.h"
#include "model/entities/caller_frame.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/cpu.h"
#include "model/intervals/interval.h"

enum { NAMED = 4, BUSY_PERCENT = 80, LEAST_CARRIERS = 1 };

/* What a thread does in the last dump; NULL: nothing is known, or it has ended. */
static const tm__interval *last_of(const tm_model *model, uint32_t thread)
{
    const tm__interval *it = tm__now(&model->entities.threads[thread]);

    return it && it->state != TM_STATE_DEAD ? it : NULL;
}

/* In how many dumps, up to the last, it did that. */
static uint32_t dumps_of(const tm_model *model, const tm__interval *it)
{
    return model->replay.dumps_count - tm__search(model->replay.dumps, sizeof(int64_t),
                                                  0, 0, model->replay.dumps_count,
                                                  it->start_ns, 0);
}

static int is_queueing(const tm__interval *it)
{
    return it && it->peer != TM__NONE &&
           (it->state == TM_STATE_BLOCKED || it->state == TM_STATE_REENTERING ||
            it->state == TM_STATE_PARKED);
}

/* What a thread that is in I/O waits for. */
static const char *io_name(const tm__findings *f, const tm__interval *it)
{
    const char *name =
        it->object == TM__NONE
            ? NULL
            : tm__strings_get(&f->model->entities.strings,
                              f->model->entities.details[it->object].name);

    return name ? name : tm__card_text_of(TM__TEXT_ANY_IO);
}

void tm__finding_add_doing(tm__finding *finding, const tm__findings *f, uint32_t thread)
{
    static const tm__card_text doing[TM_STATE_END] = {
        [TM_STATE_RUNNING] = TM__TEXT_DID_RUN,
        [TM_STATE_BLOCKED] = TM__TEXT_DID_BLOCK,
        [TM_STATE_WAITING] = TM__TEXT_DID_WAIT,
        [TM_STATE_REENTERING] = TM__TEXT_DID_BLOCK,
        [TM_STATE_JOINING] = TM__TEXT_DID_JOIN,
        [TM_STATE_SLEEPING] = TM__TEXT_DID_SLEEP,
        [TM_STATE_PARKED] = TM__TEXT_DID_PARK,
        [TM_STATE_DEADLOCKED] = TM__TEXT_DID_DEADLOCK,
        [TM_STATE_RUNNABLE] = TM__TEXT_DID_WANT_CPU,
        [TM_STATE_IO] = TM__TEXT_DID_IO,
        [TM_STATE_NATIVE] = TM__TEXT_DID_NATIVE};
    const tm__interval *it = last_of(f->model, thread);
    tm__facts facts = TM__NO_FACTS;

    facts.thread = thread;
    if (it && doing[it->state]) {
        facts.state = tm__card_text_of(doing[it->state]);
        facts.name = it->state == TM_STATE_IO ? io_name(f, it) : NULL;
        if (it->stack != TM__NONE)
            facts.place = tm__caller_of(&f->places, it->stack);
    }
    tm__finding_add(finding, f, facts.state ? TM__TEXT_DOING : TM__TEXT_DOING_UNKNOWN,
                    &facts);
}

/* ---- one dump: who blocks whom ---- */

/* The thread at the end of a chain of owners. @return the thread itself: of none */
static uint32_t root_of(const tm_model *model, uint32_t thread)
{
    uint32_t at = thread;

    for (uint32_t steps = 0; steps < model->entities.threads_count; steps++) {
        const tm__interval *it = last_of(model, at);

        if (!is_queueing(it))
            return at;
        at = it->peer;
    }
    return thread;
}

typedef struct chains {
    tm__findings *findings;
    uint32_t *roots;  ///< by thread
    uint32_t *counts; ///< of threads that a root blocks
} chains;

static void say_blocked(tm__finding *finding, tm__findings *f, uint32_t thread,
                        const tm__interval *it, int is_direct)
{
    tm__object_name name = tm__object_name_of(f, it->object);
    tm__facts facts = TM__NO_FACTS;

    facts.thread = thread;
    facts.name = name.text;
    facts.place = tm__caller_of(&f->places, it->stack);
    facts.other_thread = is_direct ? TM__NONE : it->peer;
    tm__finding_add(finding, f, TM__TEXT_BLOCKER_WAITS, &facts);
}

static int say_blocker(chains *c, uint32_t root)
{
    tm__findings *f = c->findings;
    const tm_model *model = f->model;
    tm__finding *finding = tm__finding_new(f, "blocking_thread", "timeline", 0);
    tm__facts facts = TM__NO_FACTS;
    uint32_t named = 0;

    if (!finding)
        return TM_ENOMEM;
    finding->thread = root;
    tm__where_thread(finding, "peer_id", model, root);
    facts.thread = root;
    facts.threads = c->counts[root];
    tm__finding_add(finding, f, TM__TEXT_BLOCKER_TITLE, &facts);
    /* Those that it blocks itself come first. */
    for (int is_direct = 1; is_direct >= 0; is_direct--)
        for (uint32_t t = 0; t < model->entities.threads_count; t++) {
            const tm__interval *it = last_of(model, t);

            if (c->roots[t] != root || t == root || !is_queueing(it) ||
                (it->peer == root) != is_direct || named == NAMED)
                continue;
            if (named++)
                tm__finding_add_plain(finding, f, TM__TEXT_ALSO);
            say_blocked(finding, f, t, it, is_direct);
        }
    facts.others = c->counts[root] - named;
    if (facts.others) {
        tm__finding_add_plain(finding, f, TM__TEXT_ALSO);
        tm__finding_add(finding, f, TM__TEXT_BLOCKER_MORE, &facts);
    }
    tm__finding_add_plain(finding, f, TM__TEXT_STOP);
    tm__part(finding, TM__HOLDS);
    tm__finding_add_doing(finding, f, root);
    tm__finding_add_plain(finding, f, TM__TEXT_STOP);
    tm__finding_add_plain(finding, f, TM__TEXT_ONE_DUMP);
    return TM_OK;
}

static int find_blockers(chains *c)
{
    const tm_model *model = c->findings->model;
    tm__top top = {.count = 0};
    int rc = TM_OK;

    for (uint32_t t = 0; t < model->entities.threads_count; t++) {
        c->roots[t] = root_of(model, t);
        if (c->roots[t] != t)
            c->counts[c->roots[t]]++;
    }
    for (uint32_t t = 0; t < model->entities.threads_count; t++)
        if (c->counts[t])
            tm__top_add(&top, c->counts[t], t);
    for (uint32_t i = 0; i < top.count && rc == TM_OK; i++)
        rc = say_blocker(c, top.numbers[i]);
    return rc;
}

static int find_chains(tm__findings *findings)
{
    size_t bytes =
        ((size_t)findings->model->entities.threads_count + 1) * sizeof(uint32_t);
    chains c = {.findings = findings};
    int rc = TM_ENOMEM;

    c.roots = tm__zalloc(&findings->memory, bytes);
    c.counts = tm__zalloc(&findings->memory, bytes);
    if (c.roots && c.counts)
        rc = find_blockers(&c);
    tm__free(&findings->memory, c.roots, bytes);
    tm__free(&findings->memory, c.counts, bytes);
    return rc;
}

/* ---- several dumps: the same wait, the same read ---- */

/* Waits for work, for a connection or for any of several descriptors are what servers
 * do when they have nothing to do. */
static int is_idle(const tm_model *model, const tm__interval *it)
{
    int kind = it->object == TM__NONE ? 0 : model->entities.objects[it->object].kind;

    return kind == TM_OBJECT_KIND_ACCEPT || kind == TM_OBJECT_KIND_POLL ||
           kind == TM_OBJECT_KIND_PROCESS ||
           tm__frame_is_idle(model, tm__stack_caller(model, it->stack));
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
        const tm__interval *it = last_of(model, t);

        /* Seen there by each dump but one at most, and twice. */
        if (!is_sampled_wait(model, it) || dumps_of(model, it) < 2 ||
            dumps_of(model, it) + 1 < model->replay.dumps_count)
            continue;
        if (!tm__tally_add(tally, &f->memory, tm__caller_of(&f->places, it->stack),
                           tm__class_name_of_object(model, it->object), it->state,
                           model->last_ns - it->start_ns, t))
            return TM_ENOMEM;
    }
    return TM_OK;
}

static const tm__interval *first_of(const tm__findings *f, const tm__tally_item *item)
{
    return last_of(f->model, item->worst_thread);
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

static int say_wait(tm__findings *f, const tm__tally_item *item,
                    const tm__tally_item *io)
{
    const tm_model *model = f->model;
    int is_io = item->c == TM_STATE_IO;
    tm__finding *finding = tm__finding_new(f, is_io ? "sampled_io" : "sampled_wait",
                                           "timeline", item->total_ns);
    tm__facts facts = TM__NO_FACTS;

    if (!finding)
        return TM_ENOMEM;
    finding->bound_ns = item->worst_ns;
    finding->class_name = item->b;
    finding->place = finding->blocked_place = item->a;
    finding->thread = item->worst_thread;
    finding->suspected = 1;
    tm__where_text(finding, "state", tm_state_name((int)item->c));
    tm__where_caller(finding, f, "method", item->a, 1);
    facts.threads = (uint64_t)item->count;
    facts.name = is_io ? io_name(f, first_of(f, item)) : NULL;
    facts.place = item->a;
    facts.thread = item->worst_thread;
    facts.count = dumps_of(model, first_of(f, item));
    facts.of = model->replay.dumps_count;
    facts.class_name = item->b;
    facts.others = (uint64_t)item->count - 1;
    tm__finding_add(finding, f,
                    is_io ? TM__TEXT_SAMPLED_IO_TITLE : TM__TEXT_SAMPLED_WAIT_TITLE,
                    &facts);
    tm__finding_add(finding, f, TM__TEXT_SAMPLED_WAIT_WAITS, &facts);
    if (!is_io && io) {
        facts.threads = (uint64_t)io->count;
        facts.name = io_name(f, first_of(f, io));
        facts.place = io->a;
        tm__finding_add(finding, f, TM__TEXT_SAMPLED_WAIT_HOLDS, &facts);
    }
    tm__finding_add(finding, f, TM__TEXT_SAMPLED_WAIT_CAVEAT, &facts);
    tm__finding_add(finding, f, TM__TEXT_SOME_DUMPS, &facts);
    return TM_OK;
}

static int find_waits(tm__findings *f)
{
    tm__tally tally = {0};
    tm__top tops[2] = {{.count = 0}, {.count = 0}};
    int rc = tally_waits(f, &tally);

    /* One thread that waits is no sign of anything; one that reads may be. */
    for (uint32_t i = 0; rc == TM_OK && i < tally.items_count; i++)
        if (tally.items[i].count > 1 || tally.items[i].c == TM_STATE_IO)
            tm__top_add(&tops[tally.items[i].c == TM_STATE_IO], tally.items[i].total_ns,
                        i);
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t i = 0; rc == TM_OK && i < tops[k].count; i++)
            rc = say_wait(f, &tally.items[tops[k].numbers[i]], busiest_io(&tally));
    tm__tally_free(&tally, &f->memory);
    return rc;
}

/* ---- several dumps: processors ---- */

/* No thread runs for longer than there is time, whatever damaged dumps state. */
static int64_t ran_ns(const tm__findings *f, uint32_t thread)
{
    int64_t ns = tm__cpu_time_ns(f->model, thread);

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
            return TM_ENOMEM;
        finding->thread = thread;
        if (last_of(model, thread))
            finding->place = tm__caller_of(&f->places, last_of(model, thread)->stack);
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

/* ---- a pool that waits for itself ---- */

static int has_method(const tm_model *model, uint32_t stack, const char *name)
{
    const tm__stack *it = &model->entities.stacks[stack];

    for (uint32_t i = 0; i < it->frame_count; i++) {
        const char *method =
            tm__method_name(model, model->entities.frames[it->frame_first + i].method);

        if (method && strcmp(method, name) == 0)
            return 1;
    }
    return 0;
}

static int is_worker(const tm_model *model, const tm__interval *it)
{
    return it && it->stack != TM__NONE &&
           (has_method(model, it->stack,
                       "java.util.concurrent.ThreadPoolExecutor.runWorker") ||
            has_method(model, it->stack,
                       "java.util.concurrent.ForkJoinPool.runWorker"));
}

/* "pool-1-thread-" of pool-1-thread-3 */
static size_t pool_bytes(const char *name)
{
    size_t bytes = name ? strlen(name) : 0;

    while (bytes > 0 && name[bytes - 1] >= '0' && name[bytes - 1] <= '9')
        bytes--;
    return bytes;
}

/* The same without what only stands before the number: "pool-1" */
static int shown_bytes(const char *name)
{
    size_t bytes = pool_bytes(name);

    while (bytes > 1 && strchr("-_#. ", name[bytes - 1]))
        bytes--;
    if (bytes > 7 && strncmp(name + bytes - 7, "-thread", 7) == 0)
        bytes -= 7;
    return bytes < 60 ? (int)bytes : 60;
}

static int is_of_pool(const tm_model *model, uint32_t thread, const char *name)
{
    const char *other = tm__thread_name(model, thread);

    return other && pool_bytes(other) == pool_bytes(name) &&
           strncmp(other, name, pool_bytes(name)) == 0;
}

/* Whether the thread waits for the result of a task. */
static int awaits_task(const tm_model *model, const tm__interval *it)
{
    return it->state == TM_STATE_PARKED &&
           (has_method(model, it->stack, "java.util.concurrent.FutureTask.get") ||
            has_method(model, it->stack,
                       "java.util.concurrent.CompletableFuture.get") ||
            has_method(model, it->stack,
                       "java.util.concurrent.CompletableFuture.join"));
}

static int say_starved(tm__findings *f, uint32_t first, uint32_t count)
{
    const tm_model *model = f->model;
    const tm__interval *it = last_of(model, first);
    const char *name = tm__thread_name(model, first);
    tm__finding *finding = tm__finding_new(f, "pool_starved", "timeline", 0);
    tm__facts facts = TM__NO_FACTS;
    char pool[64];

    if (!finding)
        return TM_ENOMEM;
    finding->thread = first;
    finding->suspected = 1;
    finding->place = tm__caller_of(&f->places, it->stack);
    finding->class_name = tm__class_name_of_object(model, it->object);
    tm__where_caller(finding, f, "method", finding->place, 1);
    snprintf(pool, sizeof(pool), "%.*s", shown_bytes(name), name);
    facts.count = count;
    facts.threads = count - 1;
    facts.name = pool;
    facts.thread = first;
    facts.place = finding->place;
    tm__finding_add(finding, f, TM__TEXT_POOL_STARVED_TITLE, &facts);
    tm__finding_add(finding, f, TM__TEXT_POOL_STARVED_WAITS, &facts);
    tm__finding_add(finding, f, TM__TEXT_POOL_STARVED_ADVICE, &facts);
    tm__finding_add(finding, f, TM__TEXT_POOL_STARVED_CAVEAT, &facts);
    return TM_OK;
}

/* Whether the verdict tells already that threads cannot go on. */
static int is_at_standstill(const tm__findings *f)
{
    for (uint32_t i = 0; i < f->items_count; i++)
        if (strcmp(f->items[i].kind, "stuck") == 0 ||
            strcmp(f->items[i].kind, "partly_stuck") == 0 ||
            strcmp(f->items[i].kind, "starved") == 0)
            return 1;
    return 0;
}

static int find_starved(tm__findings *f)
{
    const tm_model *model = f->model;
    uint32_t found = 0;

    if (is_at_standstill(f))
        return TM_OK;
    for (uint32_t t = 0;
         t < model->entities.threads_count && found < TM__FINDINGS_A_KIND; t++) {
        const char *name = tm__thread_name(model, t);
        uint32_t count = 0;
        int is_first = 1, all = 1;

        if (!is_worker(model, last_of(model, t)) || !pool_bytes(name) ||
            !awaits_task(model, last_of(model, t)))
            continue;
        for (uint32_t o = 0; o < model->entities.threads_count && is_first && all;
             o++) {
            const tm__interval *other = last_of(model, o);

            if (!is_of_pool(model, o, name) || !other)
                continue;
            is_first = o >= t || !is_worker(model, other);
            all = is_worker(model, other) && awaits_task(model, other);
            count++;
        }
        if (is_first && all && count > 1) {
            found++;
            if (say_starved(f, t, count) < 0)
                return TM_ENOMEM;
        }
    }
    return TM_OK;
}

/* ---- carriers ---- */

/* A worker of the scheduler of virtual threads, and whether it carries one. */
static int is_carrier(const tm_model *model, uint32_t thread)
{
    static const char pool[] = "ForkJoinPool-1-worker-";
    const char *name = tm__thread_name(model, thread);

    return model->entities.threads[thread].flags & TM_THREAD_CARRIER ||
           (name && strncmp(name, pool, sizeof(pool) - 1) == 0);
}

static int find_carriers(tm__findings *f)
{
    const tm_model *model = f->model;
    uint32_t carriers = 0, taken = 0, stopped = 0, first = TM__NONE;
    tm__facts facts = TM__NO_FACTS;
    tm__finding *finding;

    for (uint32_t t = 0; t < model->entities.threads_count; t++) {
        uint32_t carried = model->entities.threads[t].carrier;

        if (model->entities.threads[t].flags & TM_THREAD_VIRTUAL ||
            !last_of(model, t) || !is_carrier(model, t))
            continue;
        carriers++;
        taken += model->entities.threads[t].flags & TM_THREAD_CARRIER ? 1 : 0;
        if (carried != TM__NONE && last_of(model, carried) &&
            tm__is_stopped(last_of(model, carried)->state)) {
            stopped++;
            first = first == TM__NONE ? carried : first;
        }
    }
    if (taken <= LEAST_CARRIERS || taken < carriers)
        return TM_OK;
    finding = tm__finding_new(f, "carriers_taken", "timeline", 0);
    if (!finding)
        return TM_ENOMEM;
    finding->suspected = stopped < taken;
    finding->thread = first;
    facts.count = taken;
    facts.of = carriers;
    tm__finding_add(finding, f, TM__TEXT_CARRIERS_TITLE, &facts);
    tm__finding_add(finding, f, TM__TEXT_CARRIERS_WAITS, &facts);
    if (stopped) {
        facts.count = stopped;
        tm__finding_add(finding, f, TM__TEXT_CARRIERS_PINNED, &facts);
        tm__finding_add_doing(finding, f, first);
        tm__finding_add_plain(finding, f, TM__TEXT_STOP);
    }
    tm__finding_add(finding, f, TM__TEXT_CARRIERS_ADVICE, &facts);
    if (finding->suspected)
        tm__finding_add(finding, f, TM__TEXT_CARRIERS_CAVEAT, &facts);
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
        rc = find_chains(findings);
    else
        rc = find_waits(findings);
    if (rc == TM_OK && model->replay.dumps_count > 1)
        rc = find_busy(findings);
    if (rc == TM_OK)
        rc = find_starved(findings);
    return rc == TM_OK ? find_carriers(findings) : rc;
}
