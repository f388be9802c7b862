/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two graphs for Graphviz, in one drawing: who waits for whom when the run ends, and
 * which locks were wanted while which were held. Edges of cycles are red.
 */
#include <inttypes.h>
#include <string.h>

#include <threadmodel/deadlock.h>
#include <threadmodel/lockorder.h>
#include <threadmodel/table.h>
#include <threadmodel/timeline.h>

#include "base/error.h"
#include "base/map.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "export/dot.h"
#include "export/export_state.h"

/* Graphviz reads no quoted text of 16 KiB, and nobody a label of that. */
enum { LABEL_BYTES = 1000 };

typedef struct graph {
    tm__output *output;
    tm_table *timeline;
    tm_table *deadlocks;
    tm_table *edges;
    tm_table *cycles;
    tm__map deadlocked; ///< ids of threads that stand in a deadlock
    tm__strings locks;  ///< labels of locks, whose numbers name the nodes
    int failure;        ///< TM_OK, or that there was no memory for one
} graph;

/* A node's name, apart from those of the other graph: "t17", "l3". */
static void put_thread_node(graph *self, uint64_t id)
{
    tm__output_format(self->output, "\"t%" PRIu64 "\"", id);
}

static void put_lock_node(graph *self, const char *label)
{
    uint32_t number;

    if (tm__strings_intern(&self->locks, &number, label) < 0)
        self->failure = tm__failure();
    tm__output_format(self->output, "\"l%" PRIu32 "\"", number);
}

/* A label: what it shows is the text itself, in one line. Graphviz makes escapes of
 * backslashes; quotes end the text. */
static void put_label(graph *self, const char *text, const char *unknown)
{
    size_t bytes;

    if (!text || !*text)
        text = unknown;
    bytes = tm__utf8_cut(text, LABEL_BYTES);
    tm__output_text(self->output, "label=\"");
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '"' || text[i] == '\\')
            tm__output_put(self->output, "\\", 1);
        tm__output_put(self->output, (unsigned char)text[i] < 0x20 ? " " : text + i, 1);
    }
    tm__output_text(self->output, text[bytes] ? "...\"" : "\"");
}

static int note_deadlocked(graph *self)
{
    const uint64_t *ids = tm_table_uint64(self->deadlocks, "thread_id");
    int rc = TM_OK;

    for (size_t i = 0; i < tm_table_row_count(self->deadlocks) && rc == TM_OK; i++)
        if (tm_table_is_null(self->deadlocks, "resolved_ns", i) &&
            tm__map_find(&self->deadlocked, ids[i]) == TM__NONE)
            rc = tm__map_put(&self->deadlocked, ids[i], (uint32_t)i);
    return rc;
}

static int is_open(const tm_table *timeline, size_t row)
{
    return tm_table_bool(timeline, "open")[row / 8] >> row % 8 & 1;
}

static void put_waits(graph *self)
{
    const tm_table *table = self->timeline;
    const uint64_t *threads = tm_table_uint64(table, "thread_id");
    const uint64_t *peers = tm_table_uint64(table, "peer_id");

    for (size_t row = 0; row < tm_table_row_count(table); row++) {
        if (!is_open(table, row) || tm_table_is_null(table, "peer_id", row))
            continue;
        tm__output_text(self->output, "    ");
        put_thread_node(self, threads[row]);
        tm__output_text(self->output, " [");
        put_label(self, tm_table_string(table, "thread", row), "?");
        tm__output_text(self->output, "];\n    ");
        put_thread_node(self, peers[row]);
        tm__output_text(self->output, " [");
        put_label(self, tm_table_string(table, "peer", row), "?");
        tm__output_text(self->output, "];\n    ");
        put_thread_node(self, threads[row]);
        tm__output_text(self->output, " -> ");
        put_thread_node(self, peers[row]);
        tm__output_text(self->output, " [");
        put_label(self, tm_table_string(table, "object", row), "?");
        if (tm__map_find(&self->deadlocked, threads[row]) != TM__NONE)
            tm__output_text(self->output, ", color=red");
        tm__output_text(self->output, "];\n");
    }
}

static int same(const tm_table *a, size_t i, const tm_table *b, size_t j,
                const char *column)
{
    const char *left = tm_table_string(a, column, i);
    const char *right = tm_table_string(b, column, j);

    return left && right && strcmp(left, right) == 0;
}

/* Cycles are few; their edges are recognized by their classes. */
static int is_in_cycle(const graph *self, size_t row)
{
    for (size_t i = 0; i < tm_table_row_count(self->cycles); i++)
        if (same(self->edges, row, self->cycles, i, "held_class") &&
            same(self->edges, row, self->cycles, i, "wanted_class"))
            return 1;
    return 0;
}

/* A lock of an edge, by its object where that is known. */
static const char *lock_of(const graph *self, size_t row, const char *object,
                           const char *class_name)
{
    const char *label = tm_table_string(self->edges, object, row);

    if (!label)
        label = tm_table_string(self->edges, class_name, row);
    return label ? label : "?";
}

static void put_order(graph *self)
{
    const int64_t *counts = tm_table_int64(self->edges, "count");

    for (size_t row = 0; row < tm_table_row_count(self->edges); row++) {
        const char *held = lock_of(self, row, "held_object", "held_class");
        const char *wanted = lock_of(self, row, "wanted_object", "wanted_class");
        const char *locks[] = {held, wanted};

        for (int i = 0; i < 2; i++) {
            tm__output_text(self->output, "    ");
            put_lock_node(self, locks[i]);
            tm__output_text(self->output, " [");
            put_label(self, locks[i], "?");
            tm__output_text(self->output, ", shape=ellipse];\n");
        }
        tm__output_text(self->output, "    ");
        put_lock_node(self, held);
        tm__output_text(self->output, " -> ");
        put_lock_node(self, wanted);
        tm__output_format(self->output, " [label=\"%" PRId64 "\"%s];\n", counts[row],
                          is_in_cycle(self, row) ? ", color=red" : "");
    }
}

static int ask(graph *self, const tm__export *to)
{
    int rc = tm_timeline_list(&self->timeline, to->model, NULL);

    if (rc == TM_OK)
        rc = tm_deadlock_list(&self->deadlocks, to->model);
    if (rc == TM_OK)
        rc = tm_lock_edge_list(&self->edges, to->model);
    if (rc == TM_OK)
        rc = tm_lock_order_list(&self->cycles, to->model);
    return rc == TM_OK ? note_deadlocked(self) : rc;
}

int tm__export_dot(const tm__export *to)
{
    graph self = {.output = to->output};
    int rc;

    tm__map_init(&self.deadlocked, to->memory);
    tm__strings_init(&self.locks, to->memory);
    rc = ask(&self, to);
    if (rc == TM_OK) {
        tm__output_text(to->output, "digraph threadmodel {\n  node [shape=box];\n"
                                    "  subgraph cluster_waits {\n"
                                    "    label=\"who waits for whom at the end\";\n");
        put_waits(&self);
        tm__output_text(to->output, "  }\n  subgraph cluster_order {\n"
                                    "    label=\"wanted while held\";\n");
        put_order(&self);
        tm__output_text(to->output, "  }\n}\n");
        if (self.failure < 0)
            rc = tm__fail(self.failure, "out of memory: names of locks");
    }
    tm_table_free(self.timeline);
    tm_table_free(self.deadlocks);
    tm_table_free(self.edges);
    tm_table_free(self.cycles);
    tm__map_clear(&self.deadlocked);
    tm__strings_clear(&self.locks);
    return rc;
}
