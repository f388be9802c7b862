/* SPDX-License-Identifier: Apache-2.0 */
/* Reports to a live producer: the callback inside ingest, and the word it has in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

#include "support/scarce.h"

enum { ALICE = 1, BOB = 2, LEFT = 10, RIGHT = 20 };

/* The arguments that a callback received. */
struct call {
    size_t calls;
    size_t count;
    int32_t deadlock;
    tm_deadlock_member members[4];
    int answer;
};

static int hear(void *payload, const tm_deadlock_member *members, size_t count,
                int32_t deadlock)
{
    struct call *call = payload;

    call->calls++;
    call->count = count;
    call->deadlock = deadlock;
    memcpy(call->members, members, (count < 4 ? count : 4) * sizeof(*members));
    return call->answer;
}

static int feed(tm_model *model, int64_t time_ns, uint64_t thread, int kind,
                uint64_t object)
{
    tm_event event = {.time_ns = time_ns,
                      .thread = thread,
                      .kind = (uint16_t)kind,
                      .object = object,
                      .stack = (uint32_t)thread};

    return tm_model_ingest(model, &event, 1);
}

static tm_model *new_model(void)
{
    tm_run run = {.size = sizeof(run),
                  .policy = TM_POLICY_HOTSPOT,
                  .kinds = UINT64_C(1) << TM_EVENT_CONTENDED_ENTER |
                           UINT64_C(1) << TM_EVENT_CONTENDED_ENTERED};
    tm_model *model;
    const tm_sink *sink;

    assert_int_equal(tm_model_new(&model, NULL), TM_OK);
    sink = tm_model_sink(model);
    assert_int_equal(sink->run(sink->payload, &run), TM_OK);
    return model;
}

/* Each got one lock by waiting for it, and now wants the other's: a cycle, if
 * neither let its own go unseen. */
static int suspect(tm_model *model)
{
    int rc = TM_OK;

    rc = rc < 0 ? rc : feed(model, 1, ALICE, TM_EVENT_CONTENDED_ENTER, LEFT);
    rc = rc < 0 ? rc : feed(model, 2, ALICE, TM_EVENT_CONTENDED_ENTERED, LEFT);
    rc = rc < 0 ? rc : feed(model, 3, BOB, TM_EVENT_CONTENDED_ENTER, RIGHT);
    rc = rc < 0 ? rc : feed(model, 4, BOB, TM_EVENT_CONTENDED_ENTERED, RIGHT);
    rc = rc < 0 ? rc : feed(model, 5, ALICE, TM_EVENT_CONTENDED_ENTER, RIGHT);
    return rc < 0 ? rc : feed(model, 6, BOB, TM_EVENT_CONTENDED_ENTER, LEFT);
}

static size_t listed(const tm_model *model, const char *provenance)
{
    tm_table *table;
    size_t count = 0;

    assert_int_equal(tm_deadlock_list(&table, model), TM_OK);
    for (size_t i = 0; i < tm_table_row_count(table); i++)
        count += !strcmp(tm_table_string(table, "provenance", i), provenance);
    assert_int_equal(count, tm_table_row_count(table));
    tm_table_free(table);
    return count;
}

static const char *state_of(const tm_model *model, uint64_t thread)
{
    static char state[32];
    tm_selection selection = {
        .size = sizeof(selection), .threads = &thread, .thread_count = 1};
    tm_table *table;

    assert_int_equal(tm_thread_list(&table, model, &selection), TM_OK);
    assert_int_equal(tm_table_row_count(table), 1);
    strcpy(state, tm_table_string(table, "state", 0));
    tm_table_free(table);
    return state;
}

static void the_event_that_closes_a_cycle_calls_back(void **state)
{
    struct call call = {0};
    tm_model *model = new_model();

    (void)state;
    tm_deadlock_watch(model, hear, &call);
    assert_int_equal(suspect(model), TM_OK);
    assert_int_equal(call.calls, 1);
    assert_int_equal(call.count, 2);
    assert_int_equal(call.members[0].thread, BOB);
    assert_int_equal(call.members[0].object, LEFT);
    assert_int_equal(call.members[0].stack, BOB);
    assert_int_equal(call.members[0].kind, TM_STATE_BLOCKED);
    assert_int_equal(call.members[0].provenance, TM_PROVENANCE_INFERRED);
    assert_int_equal(call.members[1].thread, ALICE);
    assert_int_equal(call.members[1].object, RIGHT);
    assert_int_equal(listed(model, "inferred"), 2);
    assert_string_equal(state_of(model, ALICE), "deadlocked");
    tm_model_free(model);
}

static void a_callback_that_returns_stop_ends_the_ingest(void **state)
{
    struct call call = {.answer = TM_ESTOPPED};
    tm_model *model = new_model();

    (void)state;
    tm_deadlock_watch(model, hear, &call);
    assert_int_equal(suspect(model), TM_ESTOPPED);
    assert_int_equal(tm_model_event_count(model), 6);
    assert_int_equal(feed(model, 7, BOB, TM_EVENT_CONTENDED_ENTERED, LEFT), TM_OK);
    tm_model_free(model);
}

static void a_suspicion_is_forgotten_when_a_member_gets_away(void **state)
{
    tm_model *model = new_model();

    (void)state;
    assert_int_equal(suspect(model), TM_OK);
    assert_int_equal(feed(model, 9, BOB, TM_EVENT_CONTENDED_ENTERED, LEFT), TM_OK);
    assert_int_equal(listed(model, "inferred"), 0);
    assert_string_equal(state_of(model, ALICE), "blocked");
    assert_string_equal(state_of(model, BOB), "running");
    tm_model_free(model);
}

static void what_the_vm_confirmed_stays_listed(void **state)
{
    struct call call = {0};
    tm_model *model = new_model();
    tm_table *table;

    (void)state;
    tm_deadlock_watch(model, hear, &call);
    assert_int_equal(suspect(model), TM_OK);
    assert_int_equal(tm_deadlock_confirm(model, call.deadlock, 1), TM_OK);
    assert_int_equal(listed(model, "reported"), 2);
    assert_int_equal(feed(model, 9, BOB, TM_EVENT_CONTENDED_ENTERED, LEFT), TM_OK);
    assert_int_equal(tm_deadlock_list(&table, model), TM_OK);
    assert_int_equal(tm_table_row_count(table), 2);
    assert_int_equal(tm_table_int64(table, "resolved_ns")[0], 8);
    assert_string_equal(state_of(model, ALICE), "blocked");
    tm_table_free(table);
    /* A deadlock that is over can no longer be denied. */
    assert_int_equal(tm_deadlock_confirm(model, call.deadlock, 0), TM_OK);
    assert_int_equal(listed(model, "reported"), 2);
    tm_model_free(model);
}

static void of_two_deadlocks_one_may_be_withdrawn(void **state)
{
    enum { CAROL = 3, DAVE = 4, UP = 30, DOWN = 40 };
    struct call call = {0};
    tm_model *model = new_model();

    (void)state;
    tm_deadlock_watch(model, hear, &call);
    assert_int_equal(suspect(model), TM_OK);
    assert_int_equal(feed(model, 11, CAROL, TM_EVENT_CONTENDED_ENTER, UP), TM_OK);
    assert_int_equal(feed(model, 12, CAROL, TM_EVENT_CONTENDED_ENTERED, UP), TM_OK);
    assert_int_equal(feed(model, 13, DAVE, TM_EVENT_CONTENDED_ENTER, DOWN), TM_OK);
    assert_int_equal(feed(model, 14, DAVE, TM_EVENT_CONTENDED_ENTERED, DOWN), TM_OK);
    assert_int_equal(feed(model, 15, CAROL, TM_EVENT_CONTENDED_ENTER, DOWN), TM_OK);
    assert_int_equal(feed(model, 16, DAVE, TM_EVENT_CONTENDED_ENTER, UP), TM_OK);
    assert_int_equal(call.calls, 2);
    assert_int_equal(call.deadlock, 1);
    assert_int_equal(listed(model, "inferred"), 4);
    assert_int_equal(tm_deadlock_confirm(model, 0, 0), TM_OK);
    assert_int_equal(listed(model, "inferred"), 2);
    assert_int_equal(tm_deadlock_confirm(model, 0, 1), TM_ENOTFOUND);
    assert_string_equal(tm_error_text(), "unknown deadlock 0");
    assert_int_equal(tm_deadlock_confirm(model, 1, 1), TM_OK);
    assert_int_equal(listed(model, "reported"), 2);
    assert_string_equal(state_of(model, CAROL), "deadlocked");
    assert_string_equal(state_of(model, ALICE), "blocked");
    tm_model_free(model);
}

static void what_the_vm_denied_is_withdrawn(void **state)
{
    struct call call = {0};
    tm_model *model = new_model();

    (void)state;
    tm_deadlock_watch(model, hear, &call);
    assert_int_equal(suspect(model), TM_OK);
    assert_int_equal(tm_deadlock_confirm(model, call.deadlock, 0), TM_OK);
    assert_int_equal(listed(model, "inferred"), 0);
    assert_string_equal(state_of(model, ALICE), "blocked");
    assert_string_equal(state_of(model, BOB), "blocked");
    assert_int_equal(tm_deadlock_confirm(model, call.deadlock, 1), TM_ENOTFOUND);
    assert_string_equal(tm_error_text(), "unknown deadlock 0");
    assert_int_equal(tm_deadlock_confirm(model, -1, 1), TM_ENOTFOUND);
    tm_model_free(model);
}

/* Memory fails at each allocation in turn, among them those inside the search. */
static void running_out_of_memory_leaves_the_model_usable(void **state)
{
    int failures = 0;

    (void)state;
    for (size_t allowed = 0;; allowed++) {
        struct scarce scarce;
        tm_allocator hook = scarce_hook(&scarce, allowed);
        tm_model_options options = {.size = sizeof(options), .allocator = &hook};
        struct call call = {0};
        tm_model *model;
        int rc = tm_model_new(&model, &options);

        if (rc == TM_OK) {
            tm_deadlock_watch(model, hear, &call);
            rc = suspect(model);
            scarce.calls_left = SIZE_MAX;
            assert_int_equal(feed(model, 20, ALICE, TM_EVENT_THREAD_END, 0), TM_OK);
            assert_string_equal(state_of(model, ALICE), "dead");
            tm_model_free(model);
        }
        assert_int_equal(scarce.live_blocks, 0);
        if (rc == TM_OK)
            break;
        assert_int_equal(rc, TM_ENOMEM);
        failures++;
    }
    assert_true(failures > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_event_that_closes_a_cycle_calls_back),
        cmocka_unit_test(a_callback_that_returns_stop_ends_the_ingest),
        cmocka_unit_test(a_suspicion_is_forgotten_when_a_member_gets_away),
        cmocka_unit_test(what_the_vm_confirmed_stays_listed),
        cmocka_unit_test(of_two_deadlocks_one_may_be_withdrawn),
        cmocka_unit_test(what_the_vm_denied_is_withdrawn),
        cmocka_unit_test(running_out_of_memory_leaves_the_model_usable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
