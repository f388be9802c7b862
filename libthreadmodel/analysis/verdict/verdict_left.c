/* SPDX-License-Identifier: Apache-2.0 */
/* The threads that are left where the data ends, and those that had ended before. */
#include "analysis/verdict/verdict_left.h"

#include "analysis/timeline/wakeup_edge.h"
#include "analysis/waits/runtime_threads.h"
#include "analysis/waits/wait_members.h"
#include "analysis/waits/wait_owners.h"
#include "model/entities/reports.h"

/* So many are described; the table has all of them. */
enum {
    OTHERS_DESCRIBED = 3,
    OTHERS_LISTED = 64,
    FIRST_WAITS_NAMED = 6,
    LONG_NS = 1000000000
};

uint32_t tm__live_threads(const tm__judgement *it)
{
    return it->graph.counts[TM__NODE_MOVES] + it->graph.counts[TM__NODE_IDLE] +
           it->graph.counts[TM__NODE_WAITS];
}

uint32_t tm__ended_threads(const tm__judgement *it)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < it->model->entities.threads_count; i++) {
        int64_t end_ns = it->model->entities.threads[i].end_ns;

        count += end_ns != INT64_MIN && end_ns <= it->graph.at_ns &&
                 !tm__is_runtime_thread(it->model, i);
    }
    return count;
}

/* A thread that has run since long before the end may be blocked by what was not
 * recorded: another thread's initialisation of a class, for instance. */
static uint32_t list_ran_on(const tm__judgement *it, uint32_t *listed)
{
    uint32_t count = 0;

    if (tm__model_reports(it->model, TM_EVENT_ON_CPU))
        return 0;
    for (uint32_t i = 0; i < it->model->entities.threads_count; i++) {
        const tm__wait_node *node = &it->graph.nodes[i];

        if (node->kind != TM__NODE_MOVES || node->move != TM__MOVE_RUNS ||
            node->since_ns == INT64_MIN || it->graph.at_ns - node->since_ns < LONG_NS)
            continue;
        if (listed && count < OTHERS_DESCRIBED)
            listed[count] = i;
        count++;
    }
    return count;
}

/* Threads that wait, and the threads that ended such waits before have ended. */
static int is_deserted(const tm__judgement *it, uint32_t thread)
{
    const tm__wait_node *node = &it->graph.nodes[thread];

    return node->kind == TM__NODE_WAITS &&
           tm__wait_servers_have_ended(&it->graph, thread) &&
           it->graph.at_ns - node->since_ns >= LONG_NS;
}

/* Threads that wait, and no event shows which thread could end that. */
static int is_unknown(const tm__judgement *it, uint32_t thread)
{
    const tm__wait_node *node = &it->graph.nodes[thread];

    return node->kind == TM__NODE_WAITS && node->edge == TM_WAIT_EDGE_UNKNOWN;
}

/* Those of them that another thread started, and that have waited once, for what no
 * thread owns: service threads without work begin so. */
static int is_first_wait(const tm__judgement *it, uint32_t thread)
{
    const tm__wait_node *node = &it->graph.nodes[thread];
    const tm__thread *at = &it->model->entities.threads[thread];

    if (!is_unknown(it, thread) || node->want != TM__WANT_UNKNOWN || node->is_lost ||
        node->interval == TM__NONE || tm__wait_was_locked_before(&it->graph, thread) ||
        tm__thread_starter(it->model, thread) == TM__NONE || at->interval_first)
        return 0;
    for (uint32_t i = 0; i < node->interval; i++)
        if (tm__is_stopped(at->intervals[i].state))
            return 0;
    return (at->intervals[node->interval].state == TM_STATE_WAITING ||
            at->intervals[node->interval].state == TM_STATE_PARKED) &&
           !(at->intervals[node->interval].flags & TM__INTERVAL_SNAPSHOT);
}

static int is_unclear(const tm__judgement *it, uint32_t thread)
{
    return is_unknown(it, thread) && !is_first_wait(it, thread);
}

/* Those that have waited for long for what another has that can go on. */
static int is_kept(const tm__judgement *it, uint32_t thread)
{
    const tm__wait_node *node = &it->graph.nodes[thread];

    return node->kind == TM__NODE_WAITS &&
           (node->edge == TM_WAIT_EDGE_OWNER || node->edge == TM_WAIT_EDGE_CLASS) &&
           it->graph.at_ns - node->since_ns >= LONG_NS;
}

/* Those that have waited for long for I/O or a process, and not for work. */
static int is_outside(const tm__judgement *it, uint32_t thread)
{
    const tm__wait_node *node = &it->graph.nodes[thread];
    const tm__interval *at =
        node->interval == TM__NONE
            ? NULL
            : &it->model->entities.threads[thread].intervals[node->interval];

    return node->kind == TM__NODE_MOVES && node->move == TM__MOVE_INPUT && at &&
           node->object != TM__NONE && !tm__interval_is_idle(at) &&
           it->graph.at_ns - node->since_ns >= LONG_NS &&
           (at->state == TM_STATE_IO ||
            tm__stack_has(it->model, node->stack, "java.lang.ProcessImpl.waitFor"));
}

/* @param[out] listed  OTHERS_LISTED of them; may be NULL */
static uint32_t list(const tm__judgement *it,
                     int (*is_one)(const tm__judgement *it, uint32_t thread),
                     uint32_t first, uint32_t *listed)
{
    uint32_t count = first;

    for (uint32_t i = 0; i < it->model->entities.threads_count; i++)
        if (is_one(it, i)) {
            if (listed && count < OTHERS_LISTED)
                listed[count] = i;
            count++;
        }
    return count;
}

uint32_t tm__left_silent(const tm__judgement *it)
{
    return list_ran_on(it, NULL);
}

uint32_t tm__left_unclear(const tm__judgement *it)
{
    return list(it, is_unknown, 0, NULL) + list_ran_on(it, NULL);
}

static void write_kind(tm__words *words, uint32_t count, const char *what, int *written)
{
    if (count)
        tm__write_words(words, "%s%u %s", (*written)++ ? ", " : "", count, what);
}

static void write_ran_on(tm__words *words, tm__judgement *it)
{
    uint32_t listed[OTHERS_DESCRIBED], count = list_ran_on(it, listed);

    for (uint32_t i = 0; i < count && i < OTHERS_DESCRIBED; i++) {
        tm__write_thread(words, it->model, listed[i]);
        tm__write_words(words, i + 2 == count ? " and " : i + 1 < count ? ", " : "");
    }
    if (count > OTHERS_DESCRIBED)
        tm__write_words(words, "%u more", count - OTHERS_DESCRIBED);
    if (count)
        tm__write_words(words,
                        ": a thread that computes, and one whose wait is not recorded, "
                        "look alike. ");
}

static int does(const tm__wait_node *node, int kind, int move)
{
    return node->kind == kind && (kind != TM__NODE_MOVES || node->move == move);
}

/* "2 run, 3 wait for I/O" */
static void write_states(tm__words *words, const tm__judgement *it)
{
    static const struct {
        int kind, move;
        const char *one, *many;
    } states[] = {{TM__NODE_MOVES, TM__MOVE_RUNS, "runs", "run"},
                  {TM__NODE_MOVES, TM__MOVE_SLEEPS, "sleeps", "sleep"},
                  {TM__NODE_MOVES, TM__MOVE_INPUT, "waits for I/O", "wait for I/O"},
                  {TM__NODE_MOVES, TM__MOVE_TIMED, "waits with a time limit",
                   "wait with a time limit"},
                  {TM__NODE_WAITS, 0, "waits for another", "wait for others"},
                  {TM__NODE_IDLE, 0, "waits for work", "wait for work"}};
    uint32_t unknown = tm__live_threads(it);
    int written = 0;

    for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
        uint32_t count = 0;

        for (uint32_t t = 0; t < it->model->entities.threads_count; t++)
            count += does(&it->graph.nodes[t], states[i].kind, states[i].move) != 0;
        write_kind(words, count, count == 1 ? states[i].one : states[i].many, &written);
        unknown -= count;
    }
    write_kind(words, unknown,
               unknown == 1 ? "is in an unknown state" : "are in an unknown state",
               &written);
}

void tm__write_last_dump(tm__words *words, const tm__judgement *it)
{
    if (!tm__live_threads(it)) {
        tm__write_words(words, "Cannot tell: the last dump has no thread of the "
                               "program.");
        return;
    }
    tm__write_words(words, "No thread is known to be stuck in %s dump: ",
                    it->model->replay.dumps_count > 1 ? "the last" : "this");
    write_states(words, it);
    tm__write_words(words, ".");
}

/* Threads that could go on, or had no work, when the program ended say nothing. */
static int write_ending(tm__words *words, const tm__judgement *it)
{
    const tm_run *run = &it->model->run;

    if (it->graph.at_ns < it->graph.last_ns ||
        (run->ending != TM_ENDING_EXITED && run->ending != TM_ENDING_SIGNALLED))
        return 0;
    tm__write_words(words, "The process ended with %s %d. ",
                    run->ending == TM_ENDING_EXITED ? "exit status" : "signal",
                    (int)run->ending_status);
    return 1;
}

static void write_counts(tm__words *words, tm__judgement *it)
{
    const uint32_t *counts = it->graph.counts;
    uint32_t silent = list_ran_on(it, NULL), outside = list(it, is_outside, 0, NULL);
    int written = 0;

    if (!tm__live_threads(it) ||
        (!counts[TM__NODE_WAITS] && !silent && !outside && write_ending(words, it)))
        return;
    if (tm__live_threads(it) == 1) {
        tm__write_words(words, "1 thread is left: it %s. ",
                        silent    ? "has had no event for more than 1 s"
                        : outside ? "waits for something outside of the program"
                        : counts[TM__NODE_MOVES] ? "can go on without another"
                        : counts[TM__NODE_IDLE]  ? "waits for work"
                                                 : "waits for another");
        return;
    }
    tm__write_count(words, tm__live_threads(it));
    tm__write_words(words, " are left: ");
    write_kind(words, counts[TM__NODE_MOVES] - silent - outside,
               "can go on without another", &written);
    write_kind(words, outside,
               outside == 1 ? "waits for something outside of the program"
                            : "wait for something outside of the program",
               &written);
    write_kind(words, silent,
               silent == 1 ? "has had no event for more than 1 s"
                           : "have had no event for more than 1 s",
               &written);
    write_kind(words, counts[TM__NODE_IDLE],
               counts[TM__NODE_IDLE] == 1 ? "waits for work" : "wait for work",
               &written);
    write_kind(words, counts[TM__NODE_WAITS],
               counts[TM__NODE_WAITS] == 1 ? "waits for another" : "wait for others",
               &written);
    tm__write_words(words, ". ");
}

/* For a wait whose waker is not known: the thread that could end it may be among those
 * that the waiting one started, and that have ended since. */
static void write_children(tm__words *words, const tm__judgement *it, uint32_t thread)
{
    const tm_model *model = it->model;
    int64_t since_ns = it->graph.nodes[thread].since_ns;
    uint32_t count = 0;

    for (uint32_t i = 0; i < model->entities.threads_count; i++) {
        int64_t end_ns = model->entities.threads[i].end_ns;

        count += end_ns != INT64_MIN && end_ns >= since_ns &&
                 end_ns <= it->graph.at_ns && tm__thread_starter(model, i) == thread;
    }
    if (!count)
        return;
    tm__write_words(words, "%u thread%s that ", count, count == 1 ? "" : "s");
    tm__write_thread(words, model, thread);
    tm__write_words(words, " started %s ended since it began to wait. ",
                    count == 1 ? "has" : "have");
}

/* Why those that wait do, if that is worth a sentence: no event shows who could end it,
 * or it has lasted long. */
static void write_waiting(tm__words *words, const tm__judgement *it)
{
    uint32_t listed[OTHERS_LISTED];
    tm__wait_case waiting = it->members;
    uint32_t first = list(it, is_kept, 0, listed);
    uint32_t end = list(it, is_unclear, first, listed);
    uint32_t count = list(it, is_deserted, end, listed);

    count = list(it, is_outside, count, listed);
    waiting.order = listed;
    waiting.count = count < OTHERS_LISTED ? count : OTHERS_LISTED;
    waiting.unlisted = count - waiting.count;
    tm__write_members(words, &waiting, OTHERS_DESCRIBED);
    for (uint32_t i = first; i < end && i < OTHERS_DESCRIBED; i++)
        write_children(words, it, listed[i]);
}

static void write_first_waits(tm__words *words, const tm__judgement *it)
{
    uint32_t listed[OTHERS_LISTED];
    uint32_t count = list(it, is_first_wait, 0, listed), named;

    if (!count)
        return;
    named = count > FIRST_WAITS_NAMED ? FIRST_WAITS_NAMED : count;
    tm__write_words(words,
                    count == 1 ? "1 is still in its first wait, as a worker "
                                 "without work is: "
                               : "%u are still in their first wait, as workers "
                                 "without work are: ",
                    count);
    for (uint32_t i = 0; i < named; i++) {
        tm__write_words(words, !i                               ? ""
                               : i + 1 < named || named < count ? ", "
                                                                : " and ");
        tm__write_thread(words, it->model, listed[i]);
    }
    if (named < count)
        tm__write_words(words, " and %u more", count - named);
    tm__write_words(words, ". ");
}

void tm__write_left(tm__words *words, tm__judgement *it)
{
    write_counts(words, it);
    write_first_waits(words, it);
    write_waiting(words, it);
    write_ran_on(words, it);
}

/* A thread of the program that had ended when the others came to a standstill, and
 * after which others did before; TM__NONE: no more.
 * @param[out] count  such threads, this one among them */
static uint32_t ended_before(const tm__judgement *it, int64_t before_ns,
                             uint32_t before, uint32_t *count)
{
    const tm__thread *threads = it->model->entities.threads;
    uint32_t latest = TM__NONE;

    *count = 0;
    for (uint32_t i = 0; i < it->model->entities.threads_count; i++) {
        int64_t end_ns = threads[i].end_ns;

        if (end_ns == INT64_MIN || end_ns > before_ns ||
            (end_ns == before_ns && before != TM__NONE && i <= before) ||
            tm__is_runtime_thread(it->model, i))
            continue;
        ++*count;
        if (latest == TM__NONE || end_ns > threads[latest].end_ns)
            latest = i;
    }
    return latest;
}

void tm__write_ended(tm__words *words, const tm__judgement *it)
{
    uint32_t count, thread = ended_before(it, it->since_ns, TM__NONE, &count);

    if (thread == TM__NONE || !list(it, is_unknown, 0, NULL))
        return;
    tm__write_count(words, count);
    tm__write_words(words, " had ended: ");
    for (uint32_t i = 0; i < OTHERS_DESCRIBED && thread != TM__NONE; i++) {
        int64_t end_ns = it->model->entities.threads[thread].end_ns;

        tm__write_words(words, "%s", i ? ", " : "");
        tm__write_thread(words, it->model, thread);
        tm__write_words(words, " at ");
        tm__write_instant(words, &it->members, end_ns);
        thread = ended_before(it, end_ns, thread, &count);
    }
    if (thread != TM__NONE)
        tm__write_words(words, ", and %u before", count);
    tm__write_words(words, ". ");
}
