/* SPDX-License-Identifier: Apache-2.0 */
/* The threads that block others, as one dump shows them. */
#include "analysis/findings/findings_dump_chains.h"

#include "analysis/findings/card_names.h"
#include "analysis/findings/finding.h"
#include "analysis/findings/finding_text.h"
#include "analysis/findings/findings_dump_last.h"
#include "analysis/findings/where.h"
#include "base/error.h"
#include "base/search.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

/* So many of the threads that are blocked have a name in the text. */
enum { NAMED = 4 };

static int is_queueing(const tm__interval *it)
{
    return it && it->peer != TM__NONE &&
           (it->state == TM_STATE_BLOCKED || it->state == TM_STATE_REENTERING ||
            it->state == TM_STATE_PARKED);
}

/* The thread at the end of a chain of owners. @return the thread itself: of none */
static uint32_t root_of(const tm_model *model, uint32_t thread)
{
    uint32_t at = thread;

    for (uint32_t steps = 0; steps < model->entities.threads_count; steps++) {
        const tm__interval *it = tm__dump_last(model, at);

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

static void write_blocked(tm__finding *finding, tm__findings *f, uint32_t thread,
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

static int write_blocker(chains *c, uint32_t root)
{
    tm__findings *f = c->findings;
    const tm_model *model = f->model;
    tm__finding *finding = tm__finding_new(f, "blocking_thread", "timeline", 0);
    tm__facts facts = TM__NO_FACTS;
    uint32_t named = 0;

    if (!finding)
        return tm__failure();
    finding->thread = root;
    tm__where_thread(finding, "peer_id", model, root);
    facts.thread = root;
    facts.threads = c->counts[root];
    tm__finding_add(finding, f, TM__TEXT_BLOCKER_TITLE, &facts);
    /* Those that it blocks itself come first. */
    for (int is_direct = 1; is_direct >= 0; is_direct--)
        for (uint32_t t = 0; t < model->entities.threads_count; t++) {
            const tm__interval *it = tm__dump_last(model, t);

            if (c->roots[t] != root || t == root || !is_queueing(it) ||
                (it->peer == root) != is_direct || named == NAMED)
                continue;
            if (named++)
                tm__finding_add_plain(finding, f, TM__TEXT_ALSO);
            write_blocked(finding, f, t, it, is_direct);
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
        rc = write_blocker(c, top.numbers[i]);
    return rc;
}

int tm__find_dump_chains(tm__findings *findings)
{
    size_t bytes =
        ((size_t)findings->model->entities.threads_count + 1) * sizeof(uint32_t);
    chains c = {.findings = findings};
    int rc = tm__failure();

    c.roots = tm__zalloc(&findings->memory, bytes);
    c.counts = tm__zalloc(&findings->memory, bytes);
    if (c.roots && c.counts)
        rc = find_blockers(&c);
    tm__free(&findings->memory, c.roots, bytes);
    tm__free(&findings->memory, c.counts, bytes);
    return rc;
}
