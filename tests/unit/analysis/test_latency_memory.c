/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that a question about latencies takes in a run that does not state who
 * ended waits. */
#include "support/statistics_runs.h"

enum { FEW = 100, MANY = 20 * FEW };

/* A wait that is listed takes more. */
enum { BYTES_OF_A_WAIT = 32 };

/** All that was asked for while `on`. */
struct counted {
    struct scarce scarce;
    size_t bytes;
    int on;
};

static void *counted_resize(void *payload, void *block, size_t bytes)
{
    struct counted *counted = payload;

    counted->bytes += counted->on ? bytes : 0;
    return scarce_resize(&counted->scarce, block, bytes);
}

/* The latencies of so many parks; `waker`: the stack from which each is ended, or 0. */
static size_t bytes_of(int parks, uint32_t waker)
{
    struct counted counted = {.scarce = {.calls_left = SIZE_MAX}};
    tm_allocator hook = {counted_resize, &counted};
    tm_statistics_options options = {.size = sizeof(options),
                                     .keys = TM_STATISTICS_BY_CLASS |
                                             TM_STATISTICS_BY_LATENCY};
    tm_model *model = new_model(&hook);
    tm_table *table;

    for (int i = 0; i < parks; i++) {
        tm_event call = {.time_ns = 1000 + 20 * i + 10,
                         .thread = 2,
                         .peer = 1,
                         .kind = TM_EVENT_UNPARK_CALLED,
                         .stack = waker};

        ingest(model, 20 * i, 1, TM_EVENT_PARK, 102, 2);
        assert_int_equal(tm_model_ingest(model, &call, 1), TM_OK);
        ingest(model, 20 * i + 15, 1, TM_EVENT_UNPARKED, 102, 0);
    }
    counted.on = 1;
    assert_int_equal(tm_statistics_list(&table, model, &options), TM_OK);
    counted.on = 0;
    assert_int_equal(tm_table_row_count(table), 1);
    assert_int_equal(tm_table_int64(table, "parked_count")[0], parks);
    assert_int_equal(tm_table_int64(table, "parked_latency_ns")[0],
                     waker ? 5 * parks : 0);
    tm_table_free(table);
    tm_model_free(model);
    assert_int_equal(counted.scarce.live_blocks, 0);
    return counted.bytes;
}

static size_t bytes_of_a_wait(uint32_t waker)
{
    return (bytes_of(MANY, waker) - bytes_of(FEW, waker)) / (MANY - FEW);
}

static void waits_without_a_known_release_are_not_listed(void **state)
{
    (void)state;
    assert_true(bytes_of_a_wait(0) < BYTES_OF_A_WAIT);
}

static void waits_with_one_are(void **state)
{
    (void)state;
    assert_true(bytes_of_a_wait(1) > BYTES_OF_A_WAIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_without_a_known_release_are_not_listed),
        cmocka_unit_test(waits_with_one_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
