/* SPDX-License-Identifier: Apache-2.0 */
/* Why a thread cannot go on, in words. */
#include "analysis/waits/wait_why.h"

#include "analysis/waits/wait_meeting.h"
#include "analysis/waits/wait_owners.h"
#include "analysis/waits/wait_wants.h"
#include "model/entities/reports.h"
#include "model/intervals/interaction.h"
#include "model/ownership/tenure_record.h"

static void write_server_state(tm__words *words, const tm__wait_case *it,
                               uint32_t thread)
{
    const tm__wait_node *node = &it->graph->nodes[thread];

    if (node->kind == TM__NODE_ABSENT)
        tm__write_words(words, ", which has ended");
    else if (node->kind == TM__NODE_IDLE) {
        tm__write_words(words, ", which has waited for work since ");
        tm__write_instant(words, it, node->since_ns);
    } else if (node->is_member)
        tm__write_words(words, ", which cannot go on either");
}

/* The party that will not come to where a thread waits; TM__NONE: none is known. */
static uint32_t missing_party(tm__wait_case *it, uint32_t thread)
{
    const tm__wait_node *node = &it->graph->nodes[thread];

    if (!node->is_meeting || node->likeness != TM__LIKE_OBJECT)
        return TM__NONE;
    if (!it->has_meeting || it->meeting != node->object) {
        it->has_meeting = 1;
        it->meeting = node->object;
        it->party = tm__wait_party_that_ended(it->graph, thread);
    }
    return it->party;
}

static void write_served(tm__words *words, tm__wait_case *it, uint32_t thread)
{
    const tm__wait_node *node = &it->graph->nodes[thread];
    uint32_t count, last = tm__wait_last_server(it->graph, thread, &count);
    uint32_t party = missing_party(it, thread);
    const tm__wait_server *latest;

    if (party != TM__NONE) {
        tm__write_words(words, "; ");
        tm__write_thread(words, it->model, party);
        tm__write_words(words, ", which came there before, ended at ");
        tm__write_instant(words, it, it->model->entities.threads[party].end_ns);
        return;
    }
    if (last == TM__NONE)
        return;
    latest = &it->graph->servers[last];
    if (node->is_signal_lost)
        tm__write_words(words, ", which was signalled at ");
    else if (node->likeness == TM__LIKE_PLACE)
        tm__write_words(words, "; the last such wait was ended at ");
    else
        tm__write_words(words, "; the last wait for it was ended at ");
    tm__write_instant(words, it, latest->last_ns);
    tm__write_words(words, " by ");
    tm__write_thread(words, it->model, latest->thread);
    write_server_state(words, it, latest->thread);
    if (node->is_signal_lost)
        tm__write_words(words, ", when no thread waited");
    else if (count > 1)
        tm__write_words(words, "; %u threads did that in all", count);
}

static void write_unknown(tm__words *words, const tm__wait_case *it, uint32_t thread)
{
    const tm__wait_node *node = &it->graph->nodes[thread];

    if (tm__wait_was_locked_before(it->graph, thread)) {
        tm__write_words(words,
                        "; no thread of the recording acquired it: it was locked "
                        "before, perhaps by a thread that a fork did not copy");
        return;
    }
    switch (node->want) {
    case TM__WANT_LOCK: tm__write_words(words, "; no event shows who owns it"); break;
    case TM__WANT_RECEIVER:
        tm__write_words(words, "; nobody was seen to receive what is sent there");
        break;
    case TM__WANT_NOTHING: tm__write_words(words, "; nothing can end that"); break;
    case TM__WANT_ANYTHING:
    case TM__WANT_ANYTHING_OR_TIME:
        tm__write_words(words, "; no thread was seen to end such a wait%s",
                        tm__wait_may_be_timer(it->model, node->object)
                            ? ", and timers are not recorded"
                            : "");
        break;
    default:
        tm__write_words(words, "; no event shows which thread could end that");
        break;
    }
}

/* A wait that a look at the thread found had begun before. */
static int is_found_waiting(const tm__wait_case *it, uint32_t thread)
{
    uint32_t interval = it->graph->nodes[thread].interval;

    return interval != TM__NONE && !tm__model_is_of_dumps(it->model) &&
           it->model->entities.threads[thread].intervals[interval].flags &
               TM__INTERVAL_SNAPSHOT;
}

static void write_wake_up(tm__words *words, const tm__wait_case *it, uint32_t thread)
{
    uint32_t permit = it->model->entities.threads[thread].permit;

    if (permit != TM__NONE) {
        tm__write_words(words, "; ");
        tm__write_thread(words, it->model, tm__row(it->model, permit)->from_thread);
        tm__write_words(words, " woke it at ");
        tm__write_instant(words, it, tm__row(it->model, permit)->from_ns);
        tm__write_words(words, ", and no carrier is free to run it");
    } else {
        tm__write_words(words, "; it was woken, and no carrier is free to run it");
    }
}

/* The activity of an owner that can go on by itself. */
static void write_owner_state(tm__words *words, tm__wait_case *it, uint32_t owner)
{
    const tm__wait_node *node = &it->graph->nodes[owner];

    if (node->kind == TM__NODE_IDLE) {
        tm__write_words(words, ", and waits for work");
        return;
    }
    if (node->kind != TM__NODE_MOVES)
        return;
    switch (node->move) {
    case TM__MOVE_RUNS: tm__write_words(words, ", and runs"); break;
    case TM__MOVE_SLEEPS: tm__write_words(words, ", and sleeps"); break;
    case TM__MOVE_TIMED: tm__write_words(words, ", and waits with a time limit"); break;
    case TM__MOVE_INPUT:
        tm__write_words(words, ", and waits for I/O");
        if (tm__is_endpoint(it->model, node->object)) {
            tm__write_words(words, " with ");
            tm__write_object(words, it, node->object);
        }
        break;
    default: return;
    }
    if (node->stack != TM__NONE && node->move != TM__MOVE_RUNS) {
        tm__write_words(words, " in ");
        tm__write_place(words, it, node->stack);
    }
}

/* Whether the thread waited for is one of several that may own the lock at once. */
static int is_read_by(const tm_model *model, const tm__wait_node *node)
{
    return node->object != TM__NONE && tm__is_shared(model, node->object) &&
           tm__reader_of(model, node->object, node->on) != NULL;
}

void tm__write_why(tm__words *words, tm__wait_case *it, uint32_t thread)
{
    const tm_model *model = it->model;
    const tm__wait_node *node = &it->graph->nodes[thread];
    int is_dated = tm__wait_is_dated(it, node->since_ns);

    tm__write_thread(words, model, thread);
    if (node->is_polling)
        tm__write_words(words, is_dated ? " has tried again and again for "
                                        : " tries again and again for ");
    else
        tm__write_words(words, is_dated ? " has waited" : " waits");
    if (node->edge == TM_WAIT_EDGE_JOIN) {
        tm__write_words(words, " for the end of ");
        tm__write_thread(words, model, node->on);
    } else if (node->want != TM__WANT_UNKNOWN) {
        tm__write_words(
            words, node->want == TM__WANT_LOCK ? " for a %s" : " (%s)",
            tm__class_name(&model->entities,
                           model->entities.objects[node->object].class_index));
    } else {
        tm__write_words(words, node->is_polling ? "" : " for ");
        tm__write_object(words, it, node->object);
    }
    tm__write_words(words, " in ");
    tm__write_place(words, it, node->stack);
    if (is_dated) {
        tm__write_words(words,
                        is_found_waiting(it, thread) ? " since before " : " since ");
        tm__write_instant(words, it, node->since_ns);
    }
    /* Something outside of the program ends it. */
    if (node->kind == TM__NODE_MOVES)
        return;
    switch (node->edge) {
    case TM_WAIT_EDGE_OWNER:
        tm__write_words(words, "; ");
        tm__write_thread(words, model, node->on);
        tm__write_words(words, is_read_by(model, node) ? " reads it" : " owns it");
        write_owner_state(words, it, node->on);
        break;
    case TM_WAIT_EDGE_DEAD_OWNER:
        if (node->on == TM__NONE) {
            tm__write_words(words, "; none of the threads that are left owns it: its "
                                   "owner has ended");
            break;
        }
        tm__write_words(words, "; ");
        tm__write_thread(words, model, node->on);
        tm__write_words(words,
                        model->entities.threads[node->on].flags & TM_THREAD_NOT_FORKED
                            ? " owned it at the fork, in the process that forked this "
                              "one, and is not in this one"
                            : " owned it when it ended");
        break;
    case TM_WAIT_EDGE_CLASS:
        tm__write_words(words, "; ");
        tm__write_thread(words, model, node->on);
        tm__write_words(words, " runs it");
        write_owner_state(words, it, node->on);
        break;
    case TM_WAIT_EDGE_CARRIER: write_wake_up(words, it, thread); break;
    case TM_WAIT_EDGE_SELF:
        tm__write_words(words, tm__wait_is_own_end(it->graph, thread)
                                   ? ": for its own end"
                                   : ", which it owns itself");
        break;
    case TM_WAIT_EDGE_SERVED: write_served(words, it, thread); break;
    case TM_WAIT_EDGE_TASK:
        tm__write_words(words, node->is_own_request
                                   ? ", where this program answers, and no thread "
                                     "is free to do so"
                                   : "; no worker that can go on runs that task");
        break;
    case TM_WAIT_EDGE_UNKNOWN: write_unknown(words, it, thread); break;
    default: break;
    }
}
