/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of causes as a table: a row, then its children, the longest first. */
#include "analysis/causes/cause_nodes.h"
#include "analysis/causes/cause_pieces.h"
#include "analysis/causes/cause_roots.h"
#include "analysis/causes/cause_state.h"
#include "analysis/causes/cause_sweep.h"
#include "analysis/causes/cause_text.h"

#include "analysis/locks/blocks.h"
#include "base/error.h"
#include "base/sized.h"
#include "model/entities/object.h"
#include "model/wakeups/worker_loops.h"

enum { DEPTH_DEFAULT = 32, DEPTH_MAX = 64 };
enum {
    FLAGS =
        TM_CAUSES_SLOWEST | TM_CAUSES_MAIN | TM_CAUSES_STATED_ONLY | TM_CAUSES_THREADS
};

/* How the nodes hang together, for a walk without recursion. */
typedef struct place {
    uint32_t first; ///< child: nodes[] or TM__NONE
    uint32_t next;  ///< sibling
    int32_t id;
} place;

static int64_t longest_first(const void *payload, uint32_t number)
{
    return -((const tm__cause_node *)payload)[number].total_ns;
}

static void put_string_of(tm__listing *list, const tm__causes *c, uint32_t string)
{
    tm__put_string(&list->builder,
                   tm__strings_get(&c->model->entities.strings, string));
}

static void put_node(tm__listing *list, const tm__causes *c, const place *places,
                     uint32_t number)
{
    const tm__cause_node *it = &c->nodes[number];
    uint32_t cause = it->label.cause;
    int is_io = cause == TM__CAUSE_IO;
    tm__builder *builder = &list->builder;
    int64_t whole_ns = c->nodes[0].total_ns;
    char text[TM__CAUSE_TEXT_BYTES];
    const char *label = is_io && it->object != TM__NONE && it->label.what != TM__NONE
                            ? tm__label(&list->labels, c->model, it->object)
                            : NULL;

    tm__put_int32(builder, places[number].id);
    if (it->parent == TM__NONE)
        tm__put_null(builder);
    else
        tm__put_int32(builder, places[it->parent].id);
    tm__put_int32(builder, (int32_t)it->depth);
    tm__put_string(builder, tm__cause_name(cause));
    tm__cause_text(c, it, label, text, sizeof(text));
    tm__put_text(builder, text);
    put_string_of(list, c,
                  cause == TM__CAUSE_KIND || is_io ? it->label.what : TM__NONE);
    put_string_of(list, c,
                  cause == TM__CAUSE_KIND || is_io ? TM__NONE : it->label.what);
    put_string_of(list, c, it->label.where);
    tm__put_thread(builder, c->model, it->parent == TM__NONE ? TM__NONE : it->thread);
    tm__put_int64(builder, it->total_ns);
    tm__put_double(builder, whole_ns ? (double)it->total_ns / (double)whole_ns : 0);
    tm__put_int64(builder, it->count);
    tm__put_string(builder, it->provenance == TM_PROVENANCE_END
                                ? NULL
                                : tm_provenance_name(it->provenance));
}

static int put_all(tm__listing *list, const tm__causes *c)
{
    uint32_t count = c->nodes_count, at = 0;
    size_t bytes = ((size_t)count + 1) * sizeof(place);
    place *places = tm__resize(c->memory, NULL, 0, bytes);
    tm__sortable *order =
        tm__sorted_new(c->memory, count, longest_first, NULL, c->nodes);
    int32_t id = 0;
    int rc = places && order ? TM_OK : TM_ENOMEM;

    for (uint32_t i = 0; rc == TM_OK && i < count; i++)
        places[i] = (place){.first = TM__NONE, .next = TM__NONE};
    /* From the shortest to the longest, each before those that are there. */
    for (uint32_t i = count; rc == TM_OK && i-- > 0;) {
        uint32_t number = order[i].number, parent = c->nodes[number].parent;

        if (parent == TM__NONE)
            continue;
        places[number].next = places[parent].first;
        places[parent].first = number;
    }
    while (rc == TM_OK && at != TM__NONE) {
        places[at].id = ++id;
        put_node(list, c, places, at);
        if (places[at].first != TM__NONE) {
            at = places[at].first;
            continue;
        }
        while (at != TM__NONE && places[at].next == TM__NONE)
            at = c->nodes[at].parent;
        if (at != TM__NONE)
            at = places[at].next;
    }
    tm__sorted_free(c->memory, order, count);
    tm__free(c->memory, places, bytes);
    return rc;
}

static int read_options(tm_cause_options *chosen, const tm_cause_options *options)
{
    int rc = TM__READ(chosen, options, tm_cause_options, kind);

    if (rc == TM_OK && chosen->flags & ~(uint32_t)FLAGS)
        rc = tm__fail(TM_EINVAL, "unknown flags %#x of causes", chosen->flags);
    if (rc == TM_OK && chosen->depth > DEPTH_MAX)
        rc = tm__fail(TM_EINVAL, "depth %u is more than %d", chosen->depth, DEPTH_MAX);
    if (rc == TM_OK && (chosen->kind || chosen->unit) &&
        chosen->flags & TM_CAUSES_THREADS)
        rc = tm__fail(TM_EINVAL, "a kind or a unit is asked for, and threads as well");
    if (rc == TM_OK && chosen->unit && chosen->kind)
        rc = tm__fail(TM_EINVAL, "unit %u is asked for, and a kind as well",
                      chosen->unit);
    return rc;
}

int tm_cause_list(tm_table **out, const tm_model *model, const tm_selection *selection,
                  const tm_cause_options *options)
{
    static const tm__scope whole = TM__WHOLE_SCOPE;
    tm_cause_options chosen;
    tm__listing list;
    tm__causes causes;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    rc = read_options(&chosen, options);
    if (rc == TM_OK)
        rc = tm__worker_loops_find(model);
    if (rc == TM_OK)
        rc = tm__listing_open(&list, model, &tm__causes_table, selection);
    if (rc < 0)
        return rc;
    tm__causes_init(&causes, model, &list.scope, &list.memory, list.callers);
    causes.depth = chosen.depth ? chosen.depth : DEPTH_DEFAULT;
    rc = tm__causes_root(&causes, &chosen);
    if (rc == TM_OK && causes.nodes_count && causes.nodes[0].total_ns) {
        rc = tm__shares_need(model, &whole);
        if (rc == TM_OK)
            rc = tm__causes_gather(&causes);
        if (rc == TM_OK)
            rc = tm__causes_sweep(&causes);
        if (rc == TM_OK)
            rc = put_all(&list, &causes);
    }
    tm__causes_free(&causes);
    return tm__listing_close(&list, model, out, rc);
}
