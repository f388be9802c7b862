/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The questions about locks when memory runs out at any of their allocations, on an
 * empty model, on wrong arguments, and on runs that no program can make.
 */
#include "support/all_questions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

#include "base/histogram.h"
#include "support/scarce.h"

/* A verdict has members only where threads cannot go on. */
static int is_of_the_stuck(size_t question)
{
    return questions[question].ask == tm_verdict_member_list;
}

static void running_out_of_memory_leaves_nothing_behind(void **state)
{
    struct scarce scarce;
    tm_allocator hook = scarce_hook(&scarce, SIZE_MAX);
    tm_model *model = random_run(7, 900, &hook, 0);
    size_t live = scarce.live_blocks;

    (void)state;
    for (size_t q = 0; q < QUESTIONS; q++) {
        size_t calls = 0;
        tm_table *table;
        int rc;

        for (;; calls++) {
            scarce.calls_left = calls;
            scarce.has_failed = 0;
            rc = questions[q].ask(&table, model);
            if (rc == TM_OK)
                break;
            assert_int_equal(rc, TM_ENOMEM);
            assert_null(table);
            tm_model_ingest(model, NULL, 0); /* what is kept goes */
            assert_int_equal(scarce.live_blocks, live);
        }
        assert_false(scarce.has_failed);
        assert_true(calls > 5);
        assert_string_equal(tm_table_name(table), questions[q].name);
        assert_true(tm_table_row_count(table) > 0 || is_of_the_stuck(q));
        tm_table_free(table);
        tm_model_ingest(model, NULL, 0); /* what is kept goes */
        assert_int_equal(scarce.live_blocks, live);
    }
    scarce.calls_left = SIZE_MAX;
    tm_model_free(model);
    assert_int_equal(scarce.live_blocks, 0);
}

/* An answer that lacks a part, since one call failed, must not look like the truth. */
static void one_failure_is_never_passed_over(void **state)
{
    struct scarce scarce;
    tm_allocator hook = scarce_hook(&scarce, SIZE_MAX);
    tm_model *model = random_run(7, 900, &hook, 0);

    (void)state;
    scarce.fails_once = 1;
    for (size_t q = 0; q < QUESTIONS; q++)
        for (size_t calls = 0, is_done = 0; !is_done; calls++) {
            tm_table *table;
            int rc;

            scarce.calls_left = calls;
            scarce.has_failed = 0;
            rc = questions[q].ask(&table, model);
            is_done = !scarce.has_failed;
            assert_int_equal(rc, is_done ? TM_OK : TM_ENOMEM);
            tm_table_free(table);
        }
    scarce.calls_left = SIZE_MAX;
    tm_model_free(model);
    assert_int_equal(scarce.live_blocks, 0);
}

/* Ingest goes on without lock order where there is no memory for it. */
static void events_are_accepted_while_memory_is_scarce(void **state)
{
    (void)state;
    for (size_t calls = 0; calls < 200; calls++) {
        struct scarce scarce;
        tm_allocator hook = scarce_hook(&scarce, SIZE_MAX);
        tm_model *model = random_run(3, 20, &hook, 0);
        uint64_t seed = 11 + calls;
        int64_t time_ns = 1000000;
        tm_table *table;

        scarce.calls_left = calls;
        for (int i = 0; i < 300; i++) {
            tm_event event = random_event(&seed, &time_ns, 0);
            int rc = tm_model_ingest(model, &event, 1);

            assert_true(rc == TM_OK || rc == TM_ENOMEM);
        }
        scarce.calls_left = SIZE_MAX;
        for (size_t q = 0; q < QUESTIONS; q++) {
            assert_int_equal(questions[q].ask(&table, model), TM_OK);
            tm_table_free(table);
        }
        tm_model_free(model);
        assert_int_equal(scarce.live_blocks, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
        cmocka_unit_test(one_failure_is_never_passed_over),
        cmocka_unit_test(events_are_accepted_while_memory_is_scarce),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
