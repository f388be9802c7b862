/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model's independent judge: simulated runs whose truth is known.
 *
 *     simulator [--runs N] [--seed S | --seeds FILE] [--print] [--print-terse]
 *               [--print-locks] [--hard] [--all] [--traces DIR]
 *
 * N is 2,000; 10,000 where TM_TEST_FULL is set, as ./dev check --full does; 200 where
 * TM_TEST_SLOW_MACHINE is. Each run is simulated twice: by a producer that may leave
 * out any kind of event, and by one that reports all kinds but leaves out optional
 * fields. The first is also judged by its claims alone in a model whose memory is
 * limited to what cannot be evicted. A third world per seed has up to 64 threads that
 * do little but take locks of all kinds; half of its producers report each tenure.
 * --seeds runs each seed of a file, one a line,
 * --traces writes each run to DIR/SEED.tmt, and judges none: other tests read them,
 * --all tells every wrong answer and not only the first 40,
 * --print shows the events of the runs and the answers, --print-locks those of the
 * worlds of locks, --hard adds what no stream of events can tell: a notify that takes
 * effect later than its event, and a producer that came late and does not say what it
 * found. Claims of exactness are then expected to fail now and then; the counts say how
 * often.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judging.h"

static void print_kinds(const struct config *c)
{
    printf("kinds%s:", c->kinds_known ? "" : " (not stated)");
    for (int kind = 1; kind < TM_EVENT_KIND_END; kind++)
        if (c->kinds >> kind & 1)
            printf(" %s", tm_event_kind_name(kind));
    putchar('\n');
}

static void print_events(const struct world *w)
{
    print_kinds(&w->config);
    for (size_t i = 0; i < w->event_count; i++) {
        const tm_event *e = &w->events[i];
        int t = thread_of(w, e->thread), peer = thread_of(w, e->peer);

        printf("%6" PRId64 " T%d %s", e->time_ns, t, tm_event_kind_name(e->kind));
        for (int o = 0; o < w->object_count; o++)
            if (w->objects[o].id == e->object)
                printf(" Lock%d", o);
        if (e->peer)
            printf(" peer=T%d", peer);
        if (e->flags & TM_EVENT_OWNER_READ)
            printf(" owner=T%d", thread_of(w, (uint64_t)e->value));
        else if (e->value)
            printf(" value=%" PRId64, e->value);
        printf("%s%s%s%s\n", e->flags & TM_EVENT_TIMED_OUT ? " timed_out" : "",
               e->flags & TM_EVENT_BY_INTERRUPT ? " by_interrupt" : "",
               e->flags & TM_EVENT_SHARED ? " shared" : "",
               e->flags & TM_EVENT_OWNER_READ ? " owner_read" : "");
    }
}

static int print_bytes(void *payload, const char *bytes, size_t count)
{
    (void)payload;
    fwrite(bytes, 1, count, stdout);
    return TM_OK;
}

static void print_answers(const tm_model *model)
{
    tm_table *table = NULL;

    if (tm_timeline_list(&table, model, NULL) == TM_OK)
        tm_table_write_csv(table, print_bytes, NULL);
    tm_table_free(table);
    if (tm_interaction_list(&table, model, NULL) == TM_OK)
        tm_table_write_csv(table, print_bytes, NULL);
    tm_table_free(table);
    if (tm_deadlock_list(&table, model) == TM_OK)
        tm_table_write_csv(table, print_bytes, NULL);
    tm_table_free(table);
}

static void report(const char *name, const struct score *s)
{
    double notified = s->waits_notified ? (double)s->waits_notified : 1;

    printf("%-8s %8" PRIu64
           " notified waits: %5.1f %% exact, %5.1f %% inferred (%5.1f %% of "
           "them right), %5.1f %% unbound; handoffs %5.1f %% right of %" PRIu64 "\n",
           name, s->waits_notified, 100 * (double)s->exact / notified,
           100 * (double)s->inferred / notified,
           s->inferred ? 100 * (double)s->inferred_right / (double)s->inferred : 100.0,
           100 * (double)s->unbound / notified,
           s->handoffs ? 100 * (double)s->handoffs_right / (double)s->handoffs : 100.0,
           s->handoffs);
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100 * (double)part / (double)whole : 0;
}

static void report_blame(const char *name, const struct score *s)
{
    printf(
        "blame, %s: of %" PRIu64 " ns %.1f %% have an owner that is sure, and right "
        "(%.2f %% of that free); %.1f %% one that is inferred, %.1f %% of that right; "
        "%.1f %% are called free, and %.1f %% were\n",
        name, s->blame_ns, percent(s->blame_sure_ns, s->blame_ns),
        percent(s->blame_sure_free_ns, s->blame_sure_ns),
        percent(s->blame_inferred_ns, s->blame_ns),
        percent(s->blame_inferred_right_ns, s->blame_inferred_ns),
        percent(s->blame_latency_ns, s->blame_ns),
        percent(s->blame_free_ns, s->blame_ns));
    if (s->uses_ns > 0)
        printf("semaphores, %s: of %" PRIu64
               " ns waited %.1f %% have a user; of that it "
               "had a permit for %.1f %%, and for %.1f %% nobody had it\n",
               name, s->uses_ns, percent(s->uses_named_ns, s->uses_ns),
               percent(s->uses_right_ns, s->uses_named_ns),
               percent(s->uses_free_ns, s->uses_named_ns));
    if (s->hold_sure_ns + s->hold_inferred_ns > 0)
        printf("holds, %s: %" PRIu64 " ns are sure, and right; %" PRIu64
               " ns are inferred, %.1f %% of that right; of %" PRIu64
               " next owners %.1f %%\n",
               name, s->hold_sure_ns, s->hold_inferred_ns,
               percent(s->hold_inferred_right_ns, s->hold_inferred_ns), s->nexts,
               percent(s->nexts_right, s->nexts));
}

static void report_replays(const char *name, const struct score *s)
{
    if (s->replays > 0)
        printf("what-if, %s: of %" PRIu64 " runs replayed unchanged %.1f %% are as long"
               " to 1 %%\n",
               name, s->replays, percent(s->replays_right, s->replays));
    if (s->replays_limited > 0)
        printf("what-if, %s: of %" PRIu64 " that are as long exactly %.1f %% are so to "
               "1 %% on fewer processors than threads\n",
               name, s->replays_limited,
               percent(s->replays_limited_right, s->replays_limited));
}

static void report_paths(const char *name, const struct score *s)
{
    double whole = s->path_ns ? (double)s->path_ns : 1;

    printf("critical paths, %s: %.1f %% of %" PRIu64 " ns are claimed and right, "
           "%.2f %% are called unexplained though they had a cause\n",
           name, 100 * (double)s->path_compared_ns / whole, s->path_ns,
           100 * (double)s->path_unexplained_ns / whole);
}

/* Write what the producer reports of a world as a trace. */
static void write_trace(const struct world *w, const char *folder)
{
    tm_writer *writer;
    const tm_sink *sink;
    char path[4096];

    snprintf(path, sizeof(path), "%s/%" PRIu64 ".tmt", folder, w->config.seed);
    if (tm_writer_open(&writer, path, NULL) != TM_OK)
        fail(path);
    sink = tm_writer_sink(writer);
    emit_definitions(w, sink, TM_POLICY_HOTSPOT);
    if (sink->events(sink->payload, w->events, w->event_count) != TM_OK)
        fail("events");
    if (tm_writer_close(writer) != TM_OK)
        fail(path);
}

/* The seeds of a file, one a line; a missing or empty file ends the program. */
static uint64_t *read_seeds(const char *path, uint64_t *count)
{
    FILE *file = fopen(path, "r");
    uint64_t *seeds = NULL;
    uint64_t seed;

    for (*count = 0; file && fscanf(file, "%" SCNu64, &seed) == 1; ++*count) {
        seeds = realloc(seeds, (*count + 1) * sizeof(*seeds));
        if (!seeds)
            fail(path);
        seeds[*count] = seed;
    }
    if (*count == 0)
        fail(path);
    fclose(file);
    return seeds;
}

int main(int argc, char **argv)
{
    uint64_t runs = getenv("TM_TEST_SLOW_MACHINE") ? 200
                    : getenv("TM_TEST_FULL")       ? 10000
                                                   : 2000;
    uint64_t first = 1;
    uint64_t *seeds = NULL;
    uint64_t failures;
    bool print = false, print_terse = false, print_locks = false, hard = false;
    const char *traces = NULL;
    struct score hotspot = {0}, tptp = {0}, bounded = {0}, terse = {0}, locks = {0},
                 tenures = {0};

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--runs") && i + 1 < argc)
            runs = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--seed") && i + 1 < argc)
            first = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--seeds") && i + 1 < argc)
            seeds = read_seeds(argv[++i], &runs);
        else if (!strcmp(argv[i], "--traces") && i + 1 < argc)
            traces = argv[++i];
        else if (!strcmp(argv[i], "--print"))
            print = true;
        else if (!strcmp(argv[i], "--print-terse"))
            print_terse = true;
        else if (!strcmp(argv[i], "--print-locks"))
            print_locks = true;
        else if (!strcmp(argv[i], "--hard"))
            hard = true;
        else if (!strcmp(argv[i], "--all"))
            hotspot.all = tptp.all = bounded.all = terse.all = locks.all = tenures.all =
                true;
        else {
            fprintf(stderr,
                    "usage: %s [--runs N] [--seed S | --seeds FILE] [--print] "
                    "[--print-terse] [--print-locks] [--hard] [--all] "
                    "[--traces DIR]\n",
                    argv[0]);
            return 2;
        }
    }
    for (uint64_t run = 0; run < runs; run++) {
        uint64_t seed = seeds ? seeds[run] : first + run;
        /* Traces are of both worlds, in turn. */
        struct config c = traces && run % 2 ? config_locks(seed) : config_random(seed);
        tm_model *model;
        struct world w;

        if (hard && !c.full) {
            c.slow_notify = seed % 2;
            c.blind = !c.late && seed % 4 == 0;
        }
        world_run(&w, c);
        if (traces) {
            write_trace(&w, traces);
            world_free(&w);
            continue;
        }
        if (print)
            print_events(&w);
        if (w.event_count > 0) {
            hotspot.events += w.event_count;
            model = model_of(&w, TM_POLICY_HOTSPOT, 0);
            if (print)
                print_answers(model);
            judge(&w, model, &hotspot, TM_POLICY_HOTSPOT);
            tm_model_free(model);
            model = model_of(&w, TM_POLICY_TPTP, 0);
            judge(&w, model, &tptp, TM_POLICY_TPTP);
            tm_model_free(model);
            /* Evicted facts are missing, but none that is there may be wrong. */
            w.config.loses = true;
            w.config.full = false;
            model = model_of(&w, TM_POLICY_HOTSPOT, 1);
            judge(&w, model, &bounded, TM_POLICY_HOTSPOT);
            tm_model_free(model);
        }
        world_free(&w);
        world_run(&w, config_terse(seed));
        if (w.event_count > 0) {
            if (print_terse)
                print_events(&w);
            model = model_of(&w, TM_POLICY_HOTSPOT, 0);
            if (print_terse)
                print_answers(model);
            judge(&w, model, &terse, TM_POLICY_HOTSPOT);
            tm_model_free(model);
        }
        world_free(&w);
        world_run(&w, config_locks(seed));
        if (w.event_count > 0) {
            if (print_locks)
                print_events(&w);
            model = model_of(&w, TM_POLICY_HOTSPOT, 0);
            if (print_locks)
                print_answers(model);
            judge(&w, model, reports_tenures(&w) ? &tenures : &locks,
                  TM_POLICY_HOTSPOT);
            tm_model_free(model);
        }
        world_free(&w);
    }
    if (traces)
        return 0;
    if (seeds)
        first = seeds[0];
    printf("%" PRIu64 " runs from seed %" PRIu64 ", %" PRIu64
           " events; deadlocks: %" PRIu64 " shown by the events, %" PRIu64
           " found, %" PRIu64 " inferred wrongly\n",
           runs, first, hotspot.events, hotspot.deadlocks, hotspot.deadlocks_found,
           hotspot.deadlocks_false);
    report("hotspot", &hotspot);
    report("tptp", &tptp);
    report("bounded", &bounded);
    report_blame("owners", &hotspot);
    report_blame("locks", &locks);
    report_blame("acquired and released reported", &tenures);
    report_replays("locks", &locks);
    report_replays("acquired and released reported", &tenures);
    report_paths("all reported", &hotspot);
    report_paths("fields left out", &terse);
    printf("all reported: %" PRIu64 " of %" PRIu64
           " causes right and not called exact\n",
           hotspot.unsure, hotspot.evident);
    /* Events of one instant leave doubt, and so do interrupts that may not be over
     * when the interrupted thread waits again: three in a thousand, and no more may.
     * Single runs may be all of such, and chosen ones are. */
    if (!seeds && hotspot.evident > 1000 &&
        hotspot.unsure * 200 > hotspot.evident + 200)
        hotspot.failures++;
    failures = hotspot.failures + tptp.failures + bounded.failures + terse.failures +
               locks.failures + tenures.failures;
    if (failures > 0)
        printf("%" PRIu64 " wrong answers\n", failures);
    free(seeds);
    return failures > 0;
}
