/* SPDX-License-Identifier: Apache-2.0 */
/* Advice where threads cannot go on: by the kinds of their waits. */
#include "analysis/waits/wait_advice.h"

#include <string.h>

#include <threadmodel/definition.h>

#include "analysis/waits/wait_owners.h"
#include "model/entities/entity_names.h"
#include "model/entities/object.h"

/* So many members are compared with one another. */
enum { MEMBERS_COMPARED = 6 };

static uint32_t edges_of(const tm__wait_case *it, int edge)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < it->count; i++)
        count += it->graph->nodes[it->order[i]].edge == edge;
    return count;
}

static int is_served_or_unknown(const tm__wait_node *node)
{
    return node->edge == TM_WAIT_EDGE_SERVED || node->edge == TM_WAIT_EDGE_UNKNOWN;
}

/* Members that wait for one object at more than one place. */
static int shares_a_monitor(const tm__wait_case *it)
{
    for (uint32_t i = 0; i < it->count; i++)
        for (uint32_t k = 0; k < i && k < MEMBERS_COMPARED; k++) {
            const tm__wait_node *left = &it->graph->nodes[it->order[i]];
            const tm__wait_node *right = &it->graph->nodes[it->order[k]];

            if (left->object != TM__NONE && left->object == right->object &&
                is_served_or_unknown(left) && is_served_or_unknown(right) &&
                it->model->entities.threads[it->order[i]]
                        .intervals[left->interval]
                        .state == TM_STATE_WAITING &&
                tm__wait_place(it->graph, left->stack) !=
                    tm__wait_place(it->graph, right->stack))
                return 1;
        }
    return 0;
}

/* Whether the first member waits for an object whose class has this in its name. */
static int is_of_class(const tm__wait_case *it, const char *part)
{
    const char *name = NULL;

    if (it->count && it->graph->nodes[it->order[0]].object != TM__NONE)
        name = tm__class_name(
            &it->model->entities,
            it->model->entities.objects[it->graph->nodes[it->order[0]].object]
                .class_index);
    return name && strstr(name, part) != NULL;
}

/* Members that all wait for one object, which only they ever gave back. */
static int shares_permits(const tm__wait_case *it)
{
    uint32_t object = it->count ? it->graph->nodes[it->order[0]].object : TM__NONE;

    for (uint32_t i = 0; i < it->count; i++) {
        const tm__wait_node *node = &it->graph->nodes[it->order[i]];
        uint32_t s = node->server;

        if (node->object != object || !is_served_or_unknown(node) ||
            (node->edge == TM_WAIT_EDGE_UNKNOWN && !is_of_class(it, "Semaphore") &&
             !is_of_class(it, "$ConditionObject")))
            return 0;
        for (; s != TM__NONE; s = it->graph->servers[s].next)
            if (!it->graph->nodes[it->graph->servers[s].thread].is_member)
                return 0;
    }
    return it->count > 1 && object != TM__NONE;
}

static int all_want(const tm__wait_case *it, int want)
{
    for (uint32_t i = 0; i < it->count; i++)
        if (it->graph->nodes[it->order[i]].want != want)
            return 0;
    return it->count != 0;
}

static int are_giving(const tm__wait_case *it)
{
    for (uint32_t i = 0; i < it->count; i++)
        if (!it->graph->nodes[it->order[i]].is_giving)
            return 0;
    return it->count != 0;
}

static int are_at_barriers(const tm__wait_case *it)
{
    for (uint32_t i = 0; i < it->count; i++)
        if (!it->graph->nodes[it->order[i]].is_meeting)
            return 0;
    return it->count != 0;
}

static int waits_for_own_end(const tm__wait_case *it)
{
    for (uint32_t i = 0; i < it->count; i++)
        if (tm__wait_is_own_end(it->graph, it->order[i]))
            return 1;
    return 0;
}

static int has_own_request(const tm__wait_case *it)
{
    for (uint32_t i = 0; i < it->count; i++)
        if (it->graph->nodes[it->order[i]].is_own_request)
            return 1;
    return 0;
}

static int has_lost_signal(const tm__wait_case *it)
{
    for (uint32_t i = 0; i < it->count; i++)
        if (it->graph->nodes[it->order[i]].is_signal_lost)
            return 1;
    return 0;
}

/* Whether a member waits for a lock of before the fork that made this process. */
static int was_locked_at_a_fork(const tm__wait_case *it)
{
    for (uint32_t i = 0; i < it->count; i++) {
        uint32_t on = it->graph->nodes[it->order[i]].on;

        if (on != TM__NONE &&
            it->model->entities.threads[on].flags & TM_THREAD_NOT_FORKED)
            return 1;
    }
    return tm__wait_was_locked_before(it->graph, it->order[0]);
}

void tm__write_wait_advice(tm__words *words, const tm__wait_case *it)
{
    uint32_t owners = edges_of(it, TM_WAIT_EDGE_OWNER);

    if (!it->count)
        return;
    if (was_locked_at_a_fork(it))
        tm__write_words(words,
                        "Hold no lock while another thread forks: acquire it in a "
                        "handler of pthread_atfork, or call exec at once.");
    else if (edges_of(it, TM_WAIT_EDGE_DEAD_OWNER))
        tm__write_words(words,
                        "Release the lock in a finally block or a guard: its owner "
                        "ended without doing so.");
    else if (edges_of(it, TM_WAIT_EDGE_SELF) && waits_for_own_end(it))
        tm__write_words(words, "Let no thread join itself.");
    else if (edges_of(it, TM_WAIT_EDGE_SELF))
        tm__write_words(words,
                        "Do not acquire a lock again that the thread has: do not call "
                        "out with it held, release a read lock before the write lock, "
                        "or use a recursive lock.");
    else if (has_own_request(it))
        tm__write_words(words,
                        "Do not call the own service in a request, which needs another "
                        "worker then: call the method, or let another pool answer.");
    else if (edges_of(it, TM_WAIT_EDGE_TASK) && !owners &&
             !edges_of(it, TM_WAIT_EDGE_CLASS))
        tm__write_words(words,
                        "Do not wait in a task for a task of the same pool: run it in "
                        "the caller, or give it a pool of its own.");
    else if (edges_of(it, TM_WAIT_EDGE_CARRIER))
        tm__write_words(words,
                        "Let no virtual thread block while it is pinned: by native "
                        "code, in a static initialiser or, before JDK 24, in a "
                        "synchronized block.");
    else if (edges_of(it, TM_WAIT_EDGE_CLASS) == it->count && it->count > 1)
        tm__write_words(words,
                        "Let static initialisers not depend on one another in a "
                        "circle, or initialise the classes in one thread first.");
    else if (edges_of(it, TM_WAIT_EDGE_CLASS))
        tm__write_words(words, "Do not wait for other threads in an initialiser.");
    else if (has_lost_signal(it))
        tm__write_words(words,
                        "Set a flag under the lock before the signal, and test it "
                        "under the same lock before each wait.");
    else if (all_want(it, TM__WANT_RECEIVER))
        tm__write_words(words,
                        "Receive in every case, or give the channel room for what is "
                        "sent after its receiver has given up.");
    else if (all_want(it, TM__WANT_LOCK))
        tm__write_words(words, "Unlock on every way out, acquire locks in one order "
                               "everywhere, and do not acquire a lock again that the "
                               "goroutine has, not even for reading.");
    else if (are_giving(it))
        tm__write_words(words,
                        "Keep the threads that take from the queue alive: catch the "
                        "exceptions of their work, or offer with a timeout.");
    else if (are_at_barriers(it))
        tm__write_words(words,
                        "Each party of a barrier has to come: let one that fails or "
                        "ends leave it or break it, or wait with a timeout.");
    else if (shares_a_monitor(it))
        tm__write_words(words,
                        "Waiters of different places share one condition: wake all of "
                        "them, or use a condition for each.");
    else if (shares_permits(it) && is_of_class(it, "Semaphore"))
        tm__write_words(words,
                        "Release each permit in a finally block, acquire all that a "
                        "thread needs at once, or wait with a timeout.");
    else if (shares_permits(it))
        tm__write_words(words,
                        "Each may have what another waits for: acquire all that is "
                        "needed at once, or wait with a timeout.");
    else if (owners == it->count && owners > 1)
        tm__write_words(words,
                        "Acquire these locks in one order everywhere, or use one lock "
                        "for both.");
    else if (owners && edges_of(it, TM_WAIT_EDGE_JOIN))
        tm__write_words(words,
                        "Do not wait for a thread's end with a lock held that it "
                        "needs.");
    else if (owners)
        tm__write_words(words,
                        "Do not wait for others with a lock held that they need.");
    else
        tm__write_words(words,
                        "Find out what should have ended the waits, or wait with a "
                        "timeout.");
}
