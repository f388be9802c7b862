/* SPDX-License-Identifier: Apache-2.0 */
/* The words of verdicts. They state what was recorded, and what was not. */
#include <inttypes.h>

#include "analysis/verdict/bound_unended.h"
#include "analysis/verdict/bound_units_text.h"
#include "analysis/verdict/judge_state.h"
#include "analysis/verdict/verdict_left.h"
#include "analysis/verdict/verdict_text.h"
#include "analysis/waits/wait_members.h"
#include "analysis/waits/wait_wants.h"
#include "base/duration.h"
#include "model/entities/reports.h"

/* So many members are described; the table has all of them. */
enum { MEMBERS_DESCRIBED = 6 };
/* A smaller share, in percent, is left out. */
#define SHARE_NAMED 0.5

/* ---- the verdict ---- */

static void write_since(tm__words *words, const tm__judgement *it)
{
    if (it->since_ns != INT64_MIN) {
        tm__write_words(words, tm__model_is_of_dumps(it->model) ? ", as seen since "
                                                                : " since ");
        tm__write_instant(words, &it->members, it->since_ns);
    }
}

enum { SHARES = 8 };

/* The parts of the threads' lives, the largest first; negligible parts are left out. */
static void write_shares(tm__words *words, const tm__judgement *it)
{
    const tm__time_spent *spent = &it->spent;
    double whole = spent->lived_ns ? (double)spent->lived_ns : 1;
    struct {
        const char *what;
        int64_t ns;
    } shares[SHARES] = {{tm__model_reports(it->model, TM_EVENT_ON_CPU)
                             ? "were on a processor"
                             : "ran or were not recorded",
                         spent->ran_ns},
                        {"could run and had no processor", spent->wanted_ns},
                        {"queued for locks", spent->queued_ns},
                        {"waited for I/O", spent->io_ns},
                        {"waited", spent->waited_ns},
                        {"were off the processor in native code", spent->native_ns},
                        {"slept", spent->slept_ns},
                        {"waited for work", spent->idle_ns}};
    double percent;

    tm__write_words(words, "threads");
    for (int n = 0; n < SHARES; n++) {
        int largest = -1;

        for (int i = 0; i < SHARES; i++)
            if (shares[i].ns >= 0 && (largest < 0 || shares[i].ns > shares[largest].ns))
                largest = i;
        percent = 100 * (double)shares[largest].ns / whole;
        if (percent < SHARE_NAMED && n)
            break;
        tm__write_words(words, "%s %s for %.*f %%%s", n ? "," : "",
                        shares[largest].what, percent < 2, percent,
                        n ? "" : " of their lives");
        shares[largest].ns = -1;
    }
}

static void write_bound(tm__words *words, tm__judgement *it)
{
    const tm__bound *bound = &it->bound;

    tm__write_words(words, "Bound by ");
    if (bound->object == TM__NONE) {
        tm__write_words(words, "processors: ");
        tm__write_count(words, bound->users);
        tm__write_words(words,
                        " could run and had none for %.0f %% of the time in which they "
                        "were not idle.",
                        100 * (double)bound->queued_ns / (double)bound->users_ns);
        return;
    }
    tm__write_object(words, &it->members, bound->object);
    if (bound->stack != TM__NONE) {
        tm__write_words(words, " in ");
        tm__write_place(words, &it->members, bound->stack);
    }
    tm__write_words(words, ": ");
    if (bound->reads.count) {
        tm__write_words(words, "readers that overlap kept ");
        tm__write_count(words, bound->users);
        tm__write_words(words,
                        " out for %s; they had it %" PRIu64 " times, for %s at most.",
                        tm__duration_of(bound->queued_ns).text, bound->reads.count,
                        tm__duration_of(bound->reads.longest_ns).text);
        return;
    }
    tm__write_count(words, bound->users);
    tm__write_words(words,
                    " queued for it for %.0f %% of the time in which they were not "
                    "idle.",
                    100 * (double)bound->queued_ns / (double)bound->users_ns);
}

/* Each is in a circle of its own. */
static int all_wait_alone(const tm__judgement *it)
{
    for (uint32_t i = 0; i < it->count; i++)
        if (it->graph.nodes[it->order[i]].edge != TM_WAIT_EDGE_SELF)
            return 0;
    return 1;
}

static int wait_for_own_answers(const tm__judgement *it)
{
    for (uint32_t i = 0; i < it->count; i++)
        if (!it->graph.nodes[it->order[i]].is_own_request)
            return 0;
    return 1;
}

/** The owners of what the threads named by a title wait for. */
typedef struct owners {
    uint32_t known; ///< threads whose owner is known
    uint32_t one;   ///< threads[] of the only one, or TM__NONE
} owners;

static void note_owner(owners *of, const tm__wait_node *node)
{
    if (node->edge != TM_WAIT_EDGE_OWNER)
        return;
    if (!of->known++)
        of->one = node->on;
    else if (of->one != node->on)
        of->one = TM__NONE;
}

static void write_who_has(tm__words *words, const tm__judgement *it, const owners *of)
{
    if (of->known != it->owed) {
        tm__write_words(words, ", and no event shows who has %s.",
                        of->known       ? "all of them"
                        : it->owed == 1 ? "it"
                                        : "them");
        return;
    }
    tm__write_words(words,
                    of->one == TM__NONE ? ", and their owners wait, too." : ", and ");
    if (of->one == TM__NONE)
        return;
    tm__write_thread(words, it->model, of->one);
    tm__write_words(words, ", which has %s, waits, too.",
                    it->owed == 1 ? "it" : "them");
}

/* The threads that wait for a lock or permit, where no event shows who has it, or the
 * owner waits as well. */
static void write_owed(tm__words *words, const tm__judgement *it)
{
    enum { NAMED = 3 };
    int64_t since_ns = INT64_MIN;
    owners of = {.one = TM__NONE};
    uint32_t named = 0;

    tm__write_words(words, "No thread is known to be stuck, but ");
    for (uint32_t i = 0; i < it->model->entities.threads_count; i++) {
        if (!tm__wait_is_owed(&it->graph, i))
            continue;
        note_owner(&of, &it->graph.nodes[i]);
        if (it->graph.nodes[i].since_ns > since_ns)
            since_ns = it->graph.nodes[i].since_ns;
        if (named == NAMED)
            continue;
        if (named++)
            tm__write_words(words, named == it->owed ? " and " : ", ");
        tm__write_thread(words, it->model, i);
    }
    if (it->owed > NAMED)
        tm__write_words(words, " and %u more", it->owed - NAMED);
    tm__write_words(words, it->owed == 1
                               ? " has waited for a lock or permit since "
                               : " have waited for locks or permits, the last since ");
    tm__write_instant(words, &it->members, since_ns);
    write_who_has(words, it, &of);
}

static void write_unknown(tm__words *words, const tm__judgement *it)
{
    if (!it->model->event_count)
        tm__write_words(words, "Cannot tell: the data has no event.");
    else if (tm__model_is_of_dumps(it->model))
        tm__write_last_dump(words, it);
    else if (it->is_part)
        tm__write_words(words, "Cannot tell: no thread lived in this part of the run.");
    else
        tm__write_words(words, "Cannot tell: the data has samples or single events, "
                               "and no lifetime of a thread.");
}

void tm__write_title(tm__words *words, tm__judgement *it)
{
    if (it->suspected)
        tm__write_words(words, "Suspected: ");
    switch (it->verdict) {
    case TM_VERDICT_DEADLOCKED:
        tm__write_words(words, "Deadlocked");
        write_since(words, it);
        tm__write_words(words, ": ");
        tm__write_count(words, it->count);
        if (it->count > 1 && all_wait_alone(it))
            tm__write_words(words, " wait for locks that they own.");
        else if (it->circles > 1)
            tm__write_words(words, " wait for one another in %u circles.", it->circles);
        else
            tm__write_words(words, it->count == 1
                                       ? " waits for itself."
                                       : " wait for one another in a circle.");
        break;
    case TM_VERDICT_STUCK:
        tm__write_words(words, "Stuck");
        write_since(words, it);
        tm__write_words(words, ": no thread of the program can go on; ");
        tm__write_count(words, it->count);
        tm__write_words(words, it->count == 1 ? " waits." : " wait.");
        break;
    case TM_VERDICT_PARTLY_STUCK:
        tm__write_words(words, "Partly stuck");
        write_since(words, it);
        tm__write_words(words, ": %u of ", it->count);
        tm__write_count(words, tm__live_threads(it));
        tm__write_words(words, " cannot go on.");
        break;
    case TM_VERDICT_STARVED:
        tm__write_words(words, "Starved");
        write_since(words, it);
        tm__write_words(words, ": ");
        tm__write_count(words, it->count);
        tm__write_words(words, it->count == 1 ? " waits" : " wait");
        tm__write_words(words, wait_for_own_answers(it)
                                   ? " for answers of this program, and no thread is "
                                     "free to give them."
                                   : " for what is queued behind them.");
        break;
    case TM_VERDICT_BOUND:
        if (it->most_unended)
            tm__write_bound_of_unended(words, it);
        else if (it->unit_parts)
            tm__write_bound_of_units(words, it);
        else
            write_bound(words, it);
        break;
    case TM_VERDICT_IDLE:
        tm__write_words(words, it->graph.counts[TM__NODE_MOVES] +
                                       it->graph.counts[TM__NODE_WAITS]
                                   ? "Idle: "
                                   : "Idle: all that is left waits for work; ");
        write_shares(words, it);
        tm__write_words(words, ".");
        break;
    case TM_VERDICT_HEALTHY:
        if (it->owed) {
            write_owed(words, it);
            break;
        }
        tm__write_words(words, !tm__live_threads(it)  ? "All threads have ended: "
                               : tm__left_unclear(it) ? "No thread is known to be "
                                                        "stuck: "
                                                      : "No thread is stuck: ");
        write_shares(words, it);
        tm__write_words(words, ".");
        break;
    default: write_unknown(words, it); break;
    }
}

void tm__write_text(tm__words *words, tm__judgement *it)
{
    if (it->verdict == TM_VERDICT_STUCK) {
        if (it->since_ns != INT64_MIN && !tm__model_is_of_dumps(it->model)) {
            tm__write_words(words, "From ");
            tm__write_instant(words, &it->members, it->since_ns);
            tm__write_words(words, " to ");
            tm__write_instant(words, &it->members, it->graph.at_ns);
            tm__write_words(words,
                            " no thread of the program ran, slept or waited with a "
                            "timeout. ");
        } else {
            tm__write_words(words,
                            "No thread of the program runs, sleeps or waits with a "
                            "timeout. ");
        }
    }
    tm__write_members(words, &it->members, MEMBERS_DESCRIBED);
    if (it->verdict == TM_VERDICT_STUCK && !tm__model_is_of_dumps(it->model))
        tm__write_ended(words, it);
    if (it->count && it->graph.counts[TM__NODE_IDLE])
        tm__write_words(words, "%u more %s for work. ", it->graph.counts[TM__NODE_IDLE],
                        it->graph.counts[TM__NODE_IDLE] == 1 ? "waits" : "wait");
    if (it->verdict == TM_VERDICT_BOUND && it->most_unended)
        tm__write_unended(words, it);
    if (!it->count && it->verdict != TM_VERDICT_CANNOT_TELL)
        tm__write_left(words, it);
    if (words->length && words->bytes[words->length - 1] == ' ')
        words->bytes[--words->length] = '\0';
}

/* ---- what it rests on ---- */

static void write_examined_threads(tm__words *words, const tm__judgement *it)
{
    uint32_t left = tm__live_threads(it), ended = left ? 0 : tm__ended_threads(it);

    tm__write_count(words, ended ? ended : left);
    if (ended)
        tm__write_words(words, " that had ended");
}

void tm__write_examined(tm__words *words, const tm__judgement *it)
{
    static const struct {
        const char *what;
        int kinds[3];
    } kinds[] = {
        {"locks", {TM_EVENT_CONTENDED_ENTER, TM_EVENT_HELD}},
        {"waits", {TM_EVENT_WAIT, TM_EVENT_AWAIT}},
        {"parks", {TM_EVENT_PARK}},
        {"joins", {TM_EVENT_JOIN, TM_EVENT_WAIT}},
        {"sleeps", {TM_EVENT_SLEEP}},
        {"wake-ups", {TM_EVENT_NOTIFY, TM_EVENT_UNPARK_CALLED, TM_EVENT_POST}},
        {"ends of threads", {TM_EVENT_THREAD_END}},
    };
    const char *missing[sizeof(kinds) / sizeof(*kinds)];
    size_t missing_count = 0, count = 0;

    if (it->graph.at_ns == INT64_MIN) {
        tm__write_words(words, "no event of a thread");
        return;
    }
    write_examined_threads(words, it);
    if (tm__model_is_of_dumps(it->model)) {
        tm__write_words(words, " in %u thread dump%s, with the locks that they name%s",
                        it->model->replay.dumps_count,
                        it->model->replay.dumps_count == 1 ? "" : "s",
                        tm__model_reports(it->model, TM_EVENT_THREAD_END)
                            ? ""
                            : "; threads may be missing");
        return;
    }
    tm__write_words(words, tm__live_threads(it) ? " at " : " by ");
    tm__write_instant(words, &it->members, it->graph.at_ns);
    tm__write_words(words, ": ");
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        int any = 0;

        for (size_t k = 0; k < 3 && kinds[i].kinds[k]; k++)
            any |= tm__model_reports(it->model, kinds[i].kinds[k]);
        if (any)
            tm__write_words(words, "%s%s", count++ ? ", " : "", kinds[i].what);
        else
            missing[missing_count++] = kinds[i].what;
    }
    if (!count)
        tm__write_words(words, "nothing");
    for (size_t i = 0; i < missing_count; i++)
        tm__write_words(words, "%s%s", i ? ", " : "; not recorded: ", missing[i]);
    if (it->model->run.stopped_ns > 0)
        tm__write_words(words,
                        "; the process was stopped, or the machine suspended, for %s",
                        tm__duration_of(it->model->run.stopped_ns).text);
}

void tm__write_remedy(tm__words *words, const tm__judgement *it)
{
    if (tm__model_is_of_dumps(it->model)) {
        /* A circle of owners is as certain in one dump as in ten. */
        if (it->model->replay.dumps_count < 2 && it->verdict != TM_VERDICT_DEADLOCKED)
            tm__write_words(words, "Take several thread dumps, some seconds apart.");
        return;
    }
    if (!it->model->event_count)
        tm__write_words(words,
                        "Record the program with this package's agent or recorder.");
    else if (it->suspected && it->count &&
             it->graph.nodes[it->order[0]].want != TM__WANT_UNKNOWN)
        tm__write_words(words, "Record for longer.");
    else if (it->verdict == TM_VERDICT_HEALTHY && tm__left_silent(it))
        tm__write_words(words, "Take thread dumps of threads without an event.");
    else if (it->suspected)
        tm__write_words(words, "Record for longer, or take thread dumps meanwhile.");
}
