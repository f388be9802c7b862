/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What-if for random closed networks, whose rate with a change can be computed. Clients
 * think, and send requests that sleep, hold locks and use pools, one after the other or
 * one within the other. As in a recording, of a lock that is free and of a permit that
 * is free no event tells.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

enum { CLIENTS = 12, STAGES = 4, KIND = 70, OBJECTS = 50, US = 1000 };
enum { NETWORKS = 40, RECORDED = 600, COMPUTED = 6000, EVENTS = 60000 };
enum { STACKS_EACH = 4, SLEEPS = 1, GETS, GIVES };
enum { NEAR_PERCENT = 15 };

enum stage_kind { DELAY, LOCK, POOL };

typedef struct step {
    enum stage_kind kind;
    int length_us, permits;
    int is_within; /* the next stage is done with it in hand */
} step;

typedef struct numbered {
    tm_event event;
    size_t number;
} numbered;

typedef struct sender {
    int64_t at_us, began_us;
    int stage;      /* -1: thinks */
    int has_waited; /* it got what it queued for */
    int is_queued;
    int64_t left_us[STAGES]; /* of the request */
} sender;

typedef struct station {
    int in_use;
    int queue[CLIENTS], queued;
    int owner; /* of a lock, the last */
} station;

typedef struct network {
    step stages[STAGES];
    int stages_count, clients, think_us;
    uint64_t random;
    numbered *events; /* NULL: it is computed for its rate alone */
    size_t count;
    sender of[CLIENTS];
    station at[STAGES];
    int64_t now_us;
    int done;
} network;

static uint32_t number(uint64_t *random, uint32_t below)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*random >> 33) % below);
}

static void add(network *it, int64_t us, int which, tm_event event)
{
    if (!it->events)
        return;
    assert_true(it->count < EVENTS);
    event.time_ns = us * US;
    event.thread = (uint64_t)which + 1;
    it->events[it->count] = (numbered){event, it->count};
    it->count++;
}

#define ADD(us, thread, what, ...)                                                     \
    add(it, us, thread, (tm_event){.kind = TM_EVENT_##what, __VA_ARGS__})

static uint64_t stack_of(int stage, int what)
{
    return (uint64_t)(stage * STACKS_EACH + what);
}

/* ---- the network ---- */

/* Sleep for a length that varies by half. */
static void sleep_at(network *it, int which, int stage)
{
    sender *own = &it->of[which];
    int length = it->stages[stage].length_us;

    length = length / 2 + (int)number(&it->random, (uint32_t)length + 1);
    ADD(it->now_us, which, SLEEP, .stack = stack_of(stage, SLEEPS));
    ADD(it->now_us + length, which, SLEPT, .stack = 0);
    own->at_us = it->now_us + length + 1;
}

static void queue(network *it, int which, int stage)
{
    station *at = &it->at[stage];

    at->queue[at->queued++] = which;
    it->of[which].is_queued = 1;
    if (it->stages[stage].kind == LOCK)
        ADD(it->now_us, which, CONTENDED_ENTER, .object = (uint64_t)(OBJECTS + stage),
            .peer = (uint64_t)at->owner + 1, .stack = stack_of(stage, GETS),
            .flags = TM_EVENT_PEER_REPORTED);
    else
        ADD(it->now_us, which, PARK, .object = (uint64_t)(OBJECTS + stage),
            .stack = stack_of(stage, GETS));
}

static void give(network *it, int which, int stage)
{
    station *at = &it->at[stage];
    int next;

    if (!at->queued) {
        at->in_use--;
        return;
    }
    next = at->queue[0];
    memmove(at->queue, at->queue + 1, (size_t)--at->queued * sizeof(*at->queue));
    at->owner = next;
    it->of[next].at_us = it->now_us + 2;
    it->of[next].is_queued = 0;
    if (it->stages[stage].kind == LOCK) {
        ADD(it->now_us + 2, next, CONTENDED_ENTERED,
            .object = (uint64_t)(OBJECTS + stage));
        return;
    }
    ADD(it->now_us, which, UNPARK_CALLED, .peer = (uint64_t)next + 1,
        .stack = stack_of(stage, GIVES));
    ADD(it->now_us + 2, next, UNPARKED, .object = (uint64_t)(OBJECTS + stage));
}

/* What a client has in hand in a stage: what was taken before and is kept. */
static int first_in_hand(const network *it, int stage)
{
    while (stage > 0 && it->stages[stage - 1].is_within)
        stage--;
    return stage;
}

static void begin_stage(network *it, int which)
{
    sender *own = &it->of[which];
    station *at = &it->at[own->stage];
    int servers =
        it->stages[own->stage].kind == LOCK ? 1 : it->stages[own->stage].permits;

    if (it->stages[own->stage].kind != DELAY && !own->has_waited) {
        if (at->in_use == servers) {
            own->has_waited = 1;
            queue(it, which, own->stage);
            return;
        }
        at->in_use++;
        at->owner = which;
    }
    own->has_waited = 0;
    sleep_at(it, which, own->stage);
    own->stage++;
}

static void end_stage(network *it, int which)
{
    sender *own = &it->of[which];
    int stage = own->stage - 1;

    if (stage < 0 || it->stages[stage].is_within)
        return;
    for (int s = stage; s >= first_in_hand(it, stage); s--)
        if (it->stages[s].kind != DELAY)
            give(it, which, s);
}

static void go_on(network *it, int which)
{
    sender *own = &it->of[which];

    if (own->stage < 0) {
        ADD(it->now_us, which, UNIT_BEGIN, .object = KIND);
        own->stage = 0;
    } else if (!own->has_waited) {
        end_stage(it, which);
    }
    if (own->stage < it->stages_count) {
        begin_stage(it, which);
        return;
    }
    ADD(it->now_us + 1, which, UNIT_END, .object = 0);
    it->done++;
    own->stage = -1;
    own->at_us = it->now_us + 2;
    if (it->think_us)
        own->at_us += (int)number(&it->random, 2 * (uint32_t)it->think_us);
}

static double rate_of(network *it, int requests)
{
    memset(it->of, 0, sizeof(it->of));
    memset(it->at, 0, sizeof(it->at));
    it->done = 0;
    it->now_us = 0;
    for (int i = 0; i < it->clients; i++)
        it->of[i] = (sender){.at_us = 37 * i, .stage = -1};
    while (it->done < requests) {
        int first = -1;

        for (int i = 0; i < it->clients; i++)
            if (!it->of[i].is_queued &&
                (first < 0 || it->of[i].at_us < it->of[first].at_us))
                first = i;
        it->now_us = it->of[first].at_us;
        go_on(it, first);
    }
    return it->done / (it->now_us / 1e6);
}

static network random_network(uint64_t *random)
{
    network it = {.clients = 4 + (int)number(random, CLIENTS - 3)};

    it.stages_count = 2 + (int)number(random, STAGES - 1);
    if (number(random, 2))
        it.think_us = 500 + (int)number(random, 10000);
    for (int i = 0; i < it.stages_count; i++) {
        step *of = &it.stages[i];

        of->kind = (enum stage_kind)number(random, 3);
        of->length_us = 1000 + (int)number(random, of->kind == LOCK ? 3000 : 12000);
        of->permits = 1 + (int)number(random, 4);
        of->is_within =
            of->kind == LOCK && i + 1 < it.stages_count && !number(random, 4);
    }
    it.random = *random;
    return it;
}

/* ---- its recording ---- */

static int by_time(const void *left, const void *right)
{
    const numbered *l = left, *r = right;

    if (l->event.time_ns != r->event.time_ns)
        return l->event.time_ns < r->event.time_ns ? -1 : 1;
    return l->number < r->number ? -1 : 1;
}

static void define(const tm_sink *sink)
{
    tm_run run = {.size = sizeof(run), .policy = TM_POLICY_HOTSPOT};
    char names[STAGES][STACKS_EACH][16], classes[STAGES][16];

    assert_int_equal(sink->run(sink->payload, &run), TM_OK);
    for (uint64_t i = 0; i <= STAGES; i++) {
        tm_object object = {.size = sizeof(object), .class_id = i + 1};
        tm_class class = {.size = sizeof(class), .id = i + 1, .name = "app.Service"};

        if (i < STAGES) {
            snprintf(classes[i], sizeof(classes[i]), "app.S%d", (int)i);
            class.name = classes[i];
        }
        object.id = i < STAGES ? OBJECTS + i : KIND;
        assert_int_equal(sink->define_class(sink->payload, &class), TM_OK);
        assert_int_equal(sink->define_object(sink->payload, &object), TM_OK);
    }
    for (int i = 0; i < STAGES; i++)
        for (int what = SLEEPS; what <= GIVES; what++) {
            static const char *const verbs[] = {"", "sleep", "get", "give"};
            uint64_t id = stack_of(i, what);
            tm_method method = {
                .size = sizeof(method), .id = id, .class_id = (uint64_t)i + 1};
            tm_frame frame = {.method = id, .location = -1};
            tm_stack stack = {
                .size = sizeof(stack), .id = id, .frames = &frame, .frame_count = 1};

            snprintf(names[i][what], sizeof(names[i][what]), "%s", verbs[what]);
            method.name = names[i][what];
            assert_int_equal(sink->define_method(sink->payload, &method), TM_OK);
            assert_int_equal(sink->define_stack(sink->payload, &stack), TM_OK);
        }
}

static tm_model *recorded(network it)
{
    tm_model *model;

    it.events = calloc(EVENTS, sizeof(*it.events));
    assert_non_null(it.events);
    rate_of(&it, RECORDED);
    qsort(it.events, it.count, sizeof(*it.events), by_time);
    assert_int_equal(tm_model_new(&model, NULL), TM_OK);
    define(tm_model_sink(model));
    for (size_t i = 0; i < it.count; i++)
        assert_int_equal(tm_model_ingest(model, &it.events[i].event, 1), TM_OK);
    free(it.events);
    return model;
}

/* ---- predictions ---- */

typedef struct tally {
    int asked, predicted, inside, near;
} tally;

static void judge(tally *sum, const tm_model *model, network changed,
                  const tm_whatif_options *options)
{
    double real = rate_of(&changed, COMPUTED), low, middle, high;
    tm_table *table;

    sum->asked++;
    if (tm_whatif_predict(&table, model, options) != TM_OK)
        return;
    if (tm_table_row_count(table) && !tm_table_is_null(table, "throughput", 0)) {
        low = tm_table_double(table, "throughput_low")[0];
        middle = tm_table_double(table, "throughput")[0];
        high = tm_table_double(table, "throughput_high")[0];
        sum->predicted++;
        sum->inside += low <= real && real <= high;
        sum->near += middle / real * 100 > 100 - NEAR_PERCENT &&
                     middle / real * 100 < 100 + NEAR_PERCENT;
        if (getenv("TM_SHOW_NETWORKS"))
            printf("change %u %s: now %.0f predicted %.0f (%.0f to %.0f), computed "
                   "%.0f%s\n",
                   options->change,
                   options->method ? options->method : options->class_name,
                   tm_table_double(table, "throughput_now")[0], middle, low, high, real,
                   low <= real && real <= high ? "" : " *");
    }
    tm_table_free(table);
}

static void judge_network(tally sums[TM_WHATIF_END], const network *it)
{
    tm_model *model = recorded(*it);

    for (int i = 0; i < it->stages_count; i++) {
        char class_name[16], sleeps[24], gets[24];
        tm_whatif_options options = {.size = sizeof(options), .factor = 0.5};
        network changed = *it;

        snprintf(class_name, sizeof(class_name), "app.S%d", i);
        snprintf(sleeps, sizeof(sleeps), "app.S%d.sleep", i);
        snprintf(gets, sizeof(gets), "app.S%d.get", i);
        changed.stages[i].length_us /= 2;
        options.change = TM_WHATIF_METHOD;
        options.method = sleeps;
        judge(&sums[TM_WHATIF_METHOD], model, changed, &options);
        if (it->stages[i].kind == LOCK && !it->stages[i].is_within) {
            options.change = TM_WHATIF_HOLDS;
            options.method = NULL;
            options.class_name = class_name;
            judge(&sums[TM_WHATIF_HOLDS], model, changed, &options);
        } else if (it->stages[i].kind == POOL) {
            options.change = TM_WHATIF_USES;
            options.method = gets;
            judge(&sums[TM_WHATIF_USES], model, changed, &options);
            changed.stages[i] = it->stages[i];
            changed.stages[i].permits += 2;
            options.change = TM_WHATIF_PERMITS;
            options.permits = 2;
            judge(&sums[TM_WHATIF_PERMITS], model, changed, &options);
        }
    }
    tm_model_free(model);
}

static void rates_of_random_networks_are_inside(void **state)
{
    tally sums[TM_WHATIF_END] = {{0}}, all = {0};
    uint64_t random = 1;

    (void)state;
    for (int i = 0; i < NETWORKS; i++) {
        network it = random_network(&random);

        judge_network(sums, &it);
    }
    for (int i = 0; i < TM_WHATIF_END; i++) {
        printf("# %s: %d asked, %d predicted, inside %d, within %d %%: %d\n",
               tm_whatif_change_name(i), sums[i].asked, sums[i].predicted,
               sums[i].inside, NEAR_PERCENT, sums[i].near);
        all.asked += sums[i].asked;
        all.predicted += sums[i].predicted;
        all.inside += sums[i].inside;
        all.near += sums[i].near;
    }
    assert_true(all.predicted > NETWORKS);
    assert_true(all.inside * 10 >= all.predicted * 9);
    assert_true(all.near * 10 >= all.predicted * 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_of_random_networks_are_inside),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
