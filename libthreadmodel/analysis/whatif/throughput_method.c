/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sleep is I/O with an endpoint as well. Requests are slow for sleeps of their own,
 * and for those of others: of the owner of a lock, of workers that have other requests
 * before theirs, of a sender that lets a batch grow. The tree of causes divides each
 * wait among what others did meanwhile, so the sleeps in it are all that a request
 * loses by the method.
 *
 *     sleeps for each request       the method is a station that requests queue for, of
 *                                   as many servers as were seen asleep at once
 *     a sleep for many requests     each sleep is a stall for them all
 */
#include "analysis/whatif/throughput_method.h"

#include "analysis/causes/cause_nodes.h"
#include "analysis/causes/cause_pieces.h"
#include "analysis/causes/cause_sweep.h"
#include "analysis/whatif/asked_delays.h"
#include "base/error.h"
#include "base/sort.h"

enum { DEPTH = 32 };

/* If there are fewer sleeps for a request than this, one is for many. */
#define OWN_SLEEPS 0.75
/* By less a request is not delayed. */
#define DELAY_SHARE 0.01
/* No more of the sleeps is of threads that serve no unit meanwhile: their ends. */
#define OTHERS_SHARE 0.05
/* So many are asleep at once if they are for this part of the time. */
#define AT_ONCE_SHARE 0.05

/* ---- what requests wait for ---- */

static double share_of(const void *context, uint32_t thread, uint32_t interval)
{
    const tm__candidates *all = context;

    return tm__asked_delay_share(&all->delays, all->model, thread, interval);
}

static int add_unit(tm__causes *causes, uint32_t root, const tm__load *load,
                    const tm__unit *unit)
{
    int rc = TM_OK;

    for (uint32_t i = 0; rc == TM_OK && i < unit->span_count; i++) {
        const tm__unit_span *span = &load->units.spans[unit->span_first + i];
        tm__cause_window window = {span->start_ns, span->end_ns, span->thread, 1, 1};

        if (window.from_ns < window.to_ns)
            rc = tm__cause_window_add(causes, root, &window);
    }
    return rc;
}

/* The time of steady units, as the tree of causes divides it. */
static int watch_units(tm__cause_watch *watch, const tm__load *load,
                       tm__candidates *all)
{
    tm__cause_label units = {TM__CAUSE_UNITS, TM__NONE, TM__NONE};
    tm__causes causes;
    uint32_t root;
    int rc;

    tm__causes_init(&causes, all->model, &load->scope, &all->memory, all->callers);
    causes.depth = DEPTH;
    causes.watch = watch;
    root = tm__cause_node_of(&causes, TM__NONE, units);
    rc = root == TM__NONE ? tm__failure() : TM_OK;
    for (uint32_t i = 0; rc == TM_OK && i < load->units.items_count; i++)
        if (tm__load_is_steady(load, &load->units.items[i]))
            rc = add_unit(&causes, root, load, &load->units.items[i]);
    if (rc == TM_OK)
        rc = tm__causes_gather(&causes);
    if (rc == TM_OK)
        rc = tm__causes_sweep(&causes);
    tm__causes_free(&causes);
    return rc;
}

/* ---- the sleeps themselves ---- */

enum { ENDS, BEGINS };

typedef struct sleeps {
    TM__ARRAY(tm__sortable, edges);
    double total_ns, squares, count;
    double of_threads; ///< the squares of each thread's total
} sleeps;

static int add_sleep(sleeps *all, tm__memory *memory, int64_t start_ns, int64_t end_ns)
{
    double ns = (double)(end_ns - start_ns);

    if (tm__reserve(memory, &all->edges, &all->edges_capacity,
                    (size_t)all->edges_count + 2, sizeof(*all->edges)) < 0)
        return tm__failure();
    all->edges[all->edges_count++] = (tm__sortable){start_ns, BEGINS};
    all->edges[all->edges_count++] = (tm__sortable){end_ns, ENDS};
    all->total_ns += ns;
    all->squares += ns * ns;
    all->count++;
    return TM_OK;
}

static int gather_sleeps(sleeps *found, const tm__load *load, tm__candidates *all)
{
    const tm_model *model = all->model;

    for (uint32_t i = 0; i < model->entities.threads_count; i++) {
        const tm__thread *thread = &model->entities.threads[i];
        double before_ns = found->total_ns;

        for (uint32_t k = 0; k < thread->interval_count; k++) {
            const tm__interval *it = &thread->intervals[k];

            if (tm__is_delay(it->state) && it->start_ns >= load->kind->steady_from_ns &&
                it->start_ns < load->kind->steady_to_ns &&
                tm__asked_delay_share(&all->delays, model, i, k) >= 0.5 &&
                add_sleep(found, &all->memory, it->start_ns,
                          tm__interval_end_ns(model, thread, k)) < 0)
                return tm__failure();
        }
        before_ns = found->total_ns - before_ns;
        found->of_threads += before_ns * before_ns;
    }
    return TM_OK;
}

/* Ends go before begins of the same instant. */
static int by_kind(const void *payload, uint32_t left, uint32_t right)
{
    (void)payload;
    return (int)left - (int)right;
}

/* @return how many sleep at once when most do; 0: no memory */
static uint32_t most_at_once(const sleeps *found, tm__memory *memory)
{
    size_t bytes = (size_t)found->edges_count * sizeof(tm__sortable);
    size_t levels = ((size_t)found->edges_count / 2 + 1) * sizeof(double);
    tm__sortable *spare = tm__resize(memory, NULL, 0, bytes);
    double *at_level_ns = tm__zalloc(memory, levels), busy_ns = 0, ns = 0;
    uint32_t now = 0, most = spare && at_level_ns ? found->edges_count / 2 : 0;

    if (most)
        tm__sort(found->edges, spare, found->edges_count, by_kind, NULL);
    for (uint32_t i = 0; most && i < found->edges_count; i++) {
        if (now) {
            double since = (double)(found->edges[i].key - found->edges[i - 1].key);

            at_level_ns[now] += since;
            busy_ns += since;
        }
        if (found->edges[i].number == BEGINS)
            now++;
        else if (now)
            now--;
    }
    while (most > 1 && (ns += at_level_ns[most]) < AT_ONCE_SHARE * busy_ns)
        most--;
    tm__free(memory, at_level_ns, levels);
    tm__free(memory, spare, bytes);
    return most;
}

static int be_station(tm__unit_demand *demand, const sleeps *found, double units,
                      tm__memory *memory)
{
    uint32_t most = most_at_once(found, memory);

    demand->used = found->total_ns / 1e9 / units;
    demand->variance =
        found->squares * found->count / (found->total_ns * found->total_ns) - 1;
    demand->servers = most;
    return most ? TM_OK : TM_ENOMEM;
}

static void be_stall(tm__unit_demand *demand, const sleeps *found, double seconds)
{
    /* A thread that seldom sleeps there counts for little. */
    double threads = found->total_ns * found->total_ns / found->of_threads, gap;

    demand->stall = found->total_ns / 1e9 / found->count;
    gap = seconds * threads / found->count - demand->stall;
    demand->gap = gap > 0 ? gap : 0;
}

int tm__method_demand_of(tm__unit_demand *demand, const tm__load *load,
                         tm__candidates *all)
{
    tm__cause_watch watch = {.share_of = share_of, .context = all};
    double units = (double)load->kind->steady_count;
    sleeps found = {0};
    int rc = watch_units(&watch, load, all);

    demand->others = watch.total_ns / 1e9 / units - demand->saved;
    demand->is_own = demand->others < DELAY_SHARE * load->in_flight / load->rate;
    if (rc == TM_OK && demand->others >= DELAY_SHARE * load->in_flight / load->rate)
        rc = gather_sleeps(&found, load, all);
    demand->is_own |=
        found.total_ns <= demand->saved * units * 1e9 * (1 + OTHERS_SHARE);
    if (!found.count || found.total_ns <= 0)
        demand->others = 0;
    else if (rc == TM_OK && found.count >= OWN_SLEEPS * units)
        rc = be_station(demand, &found, units, &all->memory);
    else
        be_stall(demand, &found, load->seconds);
    tm__free(&all->memory, found.edges, found.edges_capacity * sizeof(*found.edges));
    return rc;
}
