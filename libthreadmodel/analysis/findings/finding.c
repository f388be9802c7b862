/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/findings/finding.h"

#include "model/entities/object.h"

/* Several threads together may lose more than the length of the run, and one of them
 * cannot. The length of a dump is not known. */
static int64_t most_of_one_thread(const tm__findings *findings, int64_t impact_ns)
{
    return findings->run_ns > 0 && impact_ns > findings->run_ns ? findings->run_ns
                                                                : impact_ns;
}

tm__finding *tm__finding_new(tm__findings *findings, const char *kind,
                             const char *evidence, int64_t impact_ns)
{
    tm__finding *item;

    if (tm__reserve(&findings->memory, &findings->items, &findings->items_capacity,
                    (size_t)findings->items_count + 1, sizeof(*item)) < 0)
        return NULL;
    item = &findings->items[findings->items_count++];
    *item = (tm__finding){.kind = kind,
                          .evidence = evidence,
                          .impact_ns = impact_ns,
                          .bound_ns = most_of_one_thread(findings, impact_ns),
                          .class_name = TM__NONE,
                          .place = TM__NONE,
                          .blocked_place = TM__NONE,
                          .thread = TM__NONE,
                          .inner_method = TM__NONE,
                          .batch_method = TM__NONE,
                          .lock_group = TM__NONE,
                          .change = TM_WHATIF_END,
                          .change_method = TM__NONE,
                          .change_object = TM__NONE};
    return item;
}

int tm__is_covered(const tm__findings *findings, uint32_t method)
{
    for (uint32_t i = 0; method != TM__NONE && i < findings->items_count; i++)
        if (findings->items[i].inner_method == method)
            return 1;
    return 0;
}

int tm__is_minor(const tm__findings *findings, int64_t impact_ns, int64_t bound_ns)
{
    int64_t little_ns = findings->run_ns / 20;

    return impact_ns < little_ns ||
           (bound_ns < little_ns && impact_ns < findings->run_ns / 2);
}

int tm__percent(int64_t part, int64_t whole)
{
    return whole > 0 ? (int)((double)part * 100 / (double)whole + 0.5) : 0;
}

uint32_t tm__class_name_of_object(const tm_model *model, uint32_t object)
{
    uint32_t class_index =
        object == TM__NONE ? TM__NONE : model->entities.objects[object].class_index;

    return class_index == TM__NONE ? TM__NONE
                                   : model->entities.classes[class_index].name;
}

void tm__top_add(tm__top *top, int64_t key, uint32_t number)
{
    uint32_t at = top->count;

    while (at > 0 && top->keys[at - 1] < key)
        at--;
    if (at == TM__FINDINGS_A_KIND)
        return;
    if (top->count < TM__FINDINGS_A_KIND)
        top->count++;
    for (uint32_t i = top->count - 1; i > at; i--) {
        top->keys[i] = top->keys[i - 1];
        top->numbers[i] = top->numbers[i - 1];
    }
    top->keys[at] = key;
    top->numbers[at] = number;
}
