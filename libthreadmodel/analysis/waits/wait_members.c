/* SPDX-License-Identifier: Apache-2.0 */
/* Why several threads cannot go on, in words: those that wait alike are one sentence.
 */
#include "analysis/waits/wait_members.h"

#include "analysis/waits/wait_why.h"
#include "model/entities/object.h"

/* So many members are compared with one another. */
enum { MEMBERS_ALIKE = 64 };

/* One object, or one of a class for each member: a future, a node of a queue. */
static int are_alike(const tm__wait_case *it, const tm__wait_node *a,
                     const tm__wait_node *b)
{
    const tm__object *objects = it->model->entities.objects;

    if (a->object == b->object)
        return 1;
    return a->object != TM__NONE && b->object != TM__NONE &&
           (a->edge == TM_WAIT_EDGE_SERVED || a->edge == TM_WAIT_EDGE_TASK ||
            a->edge == TM_WAIT_EDGE_UNKNOWN) &&
           objects[a->object].class_index == objects[b->object].class_index;
}

/* Members that wait at one place for the same reason are one sentence. */
static int is_alike(const tm__wait_case *it, uint32_t left, uint32_t right)
{
    const tm__wait_node *a = &it->graph->nodes[left], *b = &it->graph->nodes[right];

    return a->edge == b->edge && a->on == b->on && a->server == b->server &&
           are_alike(it, a, b) && a->stack != TM__NONE && b->stack != TM__NONE &&
           it->graph->callers[a->stack] == it->graph->callers[b->stack];
}

static int is_first_of_its_kind(const tm__wait_case *it, uint32_t index)
{
    for (uint32_t k = 0; k < index && k < MEMBERS_ALIKE; k++)
        if (is_alike(it, it->order[k], it->order[index]))
            return 0;
    return 1;
}

static uint32_t write_others(tm__words *words, const tm__wait_case *it, uint32_t index)
{
    int64_t last_ns = INT64_MIN;
    uint32_t count = 0;

    for (uint32_t k = index + 1; index < MEMBERS_ALIKE && k < it->count; k++)
        if (is_alike(it, it->order[index], it->order[k])) {
            int64_t since_ns = it->graph->nodes[it->order[k]].since_ns;

            count++;
            last_ns = since_ns > last_ns ? since_ns : last_ns;
        }
    if (!count)
        return 0;
    if (!tm__wait_is_dated(it, last_ns)) {
        tm__write_words(words, ". %u more wait%s there", count, count == 1 ? "s" : "");
        return count;
    }
    tm__write_words(words,
                    count == 1 ? ". %u more has waited there since "
                               : ". %u more have waited there, the last since ",
                    count);
    tm__write_instant(words, it, last_ns);
    return count;
}

void tm__write_members(tm__words *words, tm__wait_case *it, uint32_t at_most)
{
    uint32_t described = 0, covered = 0;

    for (uint32_t i = 0; i < it->count && described < at_most; i++) {
        if (!is_first_of_its_kind(it, i))
            continue;
        described++;
        covered++;
        tm__write_why(words, it, it->order[i]);
        covered += write_others(words, it, i);
        tm__write_words(words, ". ");
    }
    covered = it->count - covered + it->unlisted;
    if (covered)
        tm__write_words(words, "%u more wait%s. ", covered, covered == 1 ? "s" : "");
}
