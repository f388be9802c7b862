/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/whatif/replay_facts.h"

#include <string.h>

#include "analysis/path/path.h"
#include "analysis/whatif/script_signals.h"

static int find(tm__replay_facts *facts, const tm_model *model, const tm__path *path,
                tm__memory *memory)
{
    int rc;

    *facts = (tm__replay_facts){
        .memory = memory,
        .processors = {.memory = memory},
        .unchanged = tm__zalloc(memory, TM__HOLDS_BOUND_END * sizeof(tm__unchanged)),
        .threads_bytes = ((size_t)model->entities.threads_count + 1) * sizeof(int64_t),
        .is_alone = 1};
    if (!facts->unchanged)
        return TM_ENOMEM;
    rc = tm__processors_find(&facts->processors, model, path->begin_ns);
    return rc == TM_OK ? tm__signals_find(&facts->signals, model, memory, path->end_ns)
                       : rc;
}

static void drop(void *item)
{
    tm__replay_facts *kept = item;
    tm__memory *memory = kept->memory;

    tm__replay_facts_close(kept);
    tm__free(memory, kept, sizeof(*kept));
}

static int keep(const tm_model *model, const tm__path *path)
{
    tm__memory *memory = &model->kept->memory;
    tm__replay_facts *kept = tm__zalloc(memory, sizeof(*kept));
    int rc;

    if (!kept)
        return TM_ENOMEM;
    rc = find(kept, model, path, memory);
    if (rc < 0)
        drop(kept);
    else
        tm__keep(model->kept, TM__KEPT_REPLAY, kept, drop);
    return rc;
}

int tm__replay_facts_open(tm__replay_facts *facts, const tm_model *model,
                          const tm__path *path, tm__memory *memory, int is_alone)
{
    int rc;

    if (!is_alone && !model->kept->items[TM__KEPT_REPLAY])
        return find(facts, model, path, memory);
    rc = model->kept->items[TM__KEPT_REPLAY] ? TM_OK : keep(model, path);
    if (rc < 0)
        return rc;
    *facts = *(const tm__replay_facts *)model->kept->items[TM__KEPT_REPLAY];
    facts->is_lent = 1;
    facts->is_alone = is_alone;
    return TM_OK;
}

int tm__replay_facts_prepare(const tm_model *model)
{
    const tm_path_options whole = {.size = sizeof(whole)};
    tm__path path;
    int rc = tm__path_walk(&path, model, &whole);

    if (rc == TM_OK && !model->kept->items[TM__KEPT_REPLAY])
        rc = keep(model, &path);
    tm__path_free(&path);
    return rc;
}

void tm__replay_facts_note(tm__replay_facts *facts, int bound,
                           const tm__replay_outcome *outcome,
                           const int64_t *finished_ns)
{
    tm__unchanged *it = &facts->unchanged[bound];

    if (!facts->is_alone || it->finished_ns)
        return;
    it->finished_ns = tm__resize(facts->memory, NULL, 0, facts->threads_bytes);
    if (!it->finished_ns)
        return;
    memcpy(it->finished_ns, finished_ns, facts->threads_bytes);
    it->outcome = *outcome;
}

void tm__replay_facts_close(tm__replay_facts *facts)
{
    if (facts->is_lent || !facts->memory)
        return;
    for (int i = 0; facts->unchanged && i < TM__HOLDS_BOUND_END; i++)
        tm__free(facts->memory, facts->unchanged[i].finished_ns, facts->threads_bytes);
    tm__free(facts->memory, facts->unchanged,
             TM__HOLDS_BOUND_END * sizeof(*facts->unchanged));
    tm__processors_free(&facts->processors);
    tm__signals_free(&facts->signals, facts->memory);
}
