/* SPDX-License-Identifier: Apache-2.0 */
/* Execution traces of Go made by hand, wrong in every way. */
#include "support/go_contradictions.h"

#include "support/go_world.h"

static void events_that_contradict_one_another_end_the_trace(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(contradictions) / sizeof(*contradictions); i++) {
        const contradiction *it = &contradictions[i];
        recorder all;
        int rc;

        make(it->events);
        if (it->others.count)
            go_events(&paper, 8, GO_START, it->others);
        all = emit_all((const char *)paper.bytes, paper.length, &rc);
        if (rc != TM_EDAMAGED || !strstr(tm_error_text(), "contradict one another") ||
            all.events != it->heard)
            fail_msg("%s: %d %s\n%s", it->what, rc, tm_error_text(), all.text);
        recorder_free(&all);
    }
}

static void turns_are_those_of_one_generation(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(late_ones) / sizeof(*late_ones); i++) {
        const contradiction *it = &late_ones[i];
        recorder all;
        int rc;

        make(it->events);
        paper.generation = 2;
        go_rate(&paper, 1000000000);
        go_events(&paper, 7, 2000, it->others);
        all = emit_all((const char *)paper.bytes, paper.length, &rc);
        if (rc != TM_EDAMAGED || !strstr(tm_error_text(), "generation 2, ") ||
            !strstr(tm_error_text(), "contradict one another") ||
            all.events != it->heard)
            fail_msg("%s: %d %s\n%s", it->what, rc, tm_error_text(), all.text);
        recorder_free(&all);
    }
}

/* Each event that waits for its turn is looked at only so often. */
static void events_whose_turn_never_comes_are_left_out(void **state)
{
    enum { THREADS = 80, OTHERS = 3500, MARK = 36 };

    (void)state;
    begin(25);
    for (uint64_t i = 0; i < THREADS; i++)
        go_events(&paper, 100 + i, GO_START, (go_numbers)GO_NUMBERS(START(1, 1)));
    go_begin_batch(&paper, 7, GO_START + 10);
    for (int i = 0; i < OTHERS; i++)
        GO_PUT(&paper, MARK, 0);
    GO_PUT(&paper, STARTED);
    go_end_batch(&paper);
    assert_damaged("has events that contradict one another: what follows is missing");
    assert_reads(TM_EDAMAGED, "run ");
}

/* No event is lost by a status that is repeated for another generation. */
static void a_generation_repeats_who_is_there(void **state)
{
    static const uint64_t first[] = {STARTED, IS(2, NOBODY, WAITING), CALL(1)},
                          second[] = {P_IS(0, ABANDONED),         IS(1, 7, IN_SYSCALL),
                                      IS(2, NOBODY, WAITING),     STEAL(0, 1, 7),
                                      TM__GO_SYSCALL_END_BLOCKED, 1};

    (void)state;
    make((go_numbers){first, sizeof(first) / sizeof(*first)});
    paper.generation = 2;
    go_rate(&paper, 1000000000);
    go_events(&paper, 7, 2000, (go_numbers){second, sizeof(second) / sizeof(*second)});
    assert_reads(TM_OK, "event 2005 1 0 0 0 0 34 0\n");
    /* Numbers of a counter hold for one generation. */
    make(mutex);
    paper.generation = 2;
    go_rate(&paper, 1000000000);
    go_events(&paper, 7, 2000, (go_numbers)GO_NUMBERS(BLOCK, UNBLOCK(1, 5)));
    assert_damaged("generation 2, of the ");
    assert_damaged("has events that contradict one another: what follows is missing");
}

/* Batches of no thread, each wrong somewhere. */
static const go_numbers wrong_batches[] = {
    GO_NUMBERS(TM__GO_STRINGS, TM__GO_STACK, 1, 0),
    GO_NUMBERS(TM__GO_STRINGS, TM__GO_STRING, 1),
    GO_NUMBERS(TM__GO_STRINGS, TM__GO_STRING, 1, 5, 'a'),
    GO_NUMBERS(TM__GO_STRINGS, TM__GO_STRING, 1, 1025),
    GO_NUMBERS(TM__GO_STACKS, TM__GO_STRING, 9, 0),
    GO_NUMBERS(TM__GO_STACKS, TM__GO_STACK, 9),
    GO_NUMBERS(TM__GO_STACKS, TM__GO_STACK, 9, 129),
    GO_NUMBERS(TM__GO_STACKS, TM__GO_STACK, 9, 1, 0, 0, 0),
    GO_NUMBERS(TM__GO_CPU_SAMPLES, TM__GO_STRING, 1, 7, 0, 1, 1),
    GO_NUMBERS(TM__GO_CPU_SAMPLES, TM__GO_CPU_SAMPLE, 1, 7, 0, 1),
    GO_NUMBERS(TM__GO_SYNC, TM__GO_STRING),
    GO_NUMBERS(TM__GO_SYNC, TM__GO_CLOCK_SNAPSHOT, 1, 1, 1),
};

static void a_batch_that_is_damaged_is_left_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(wrong_batches) / sizeof(*wrong_batches); i++) {
        begin(25);
        go_events(&paper, TM__GO_NO_THREAD, GO_START, wrong_batches[i]);
        go_events(&paper, TM__GO_NO_THREAD, GO_START, wrong_batches[i]);
        go_events(&paper, 7, GO_START, mutex);
        assert_damaged("t.tmt: a batch of generation 1 is not as Go writes it");
        assert_null(strstr(tm_error_text(), "more"));
        assert_reads(TM_EDAMAGED, "event 1014 1 0 0 0 0 13 1\n");
    }
}

/* Events of a batch, of no type that is known, cut within an argument, at the end of
 * time. */
static const go_numbers unwritten[] = {
    GO_NUMBERS(TM__GO_STRING, 1), GO_NUMBERS(TM__GO_CLOCK_SNAPSHOT, 1),
    GO_NUMBERS(60, 1), GO_NUMBERS(TM__GO_STATUS, 1, 1),
    GO_NUMBERS(TM__GO_DESTROY, UINT64_MAX >> 1)};

static void an_event_that_go_does_not_write_ends_the_trace(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(unwritten) / sizeof(*unwritten); i++) {
        make(unwritten[i]);
        assert_damaged("has an event that Go does not write: what follows is missing");
        /* And behind one that can be read. */
        begin(25);
        go_begin_batch(&paper, 7, GO_START);
        GO_PUT(&paper, STARTED);
        go_put(&paper, unwritten[i].numbers, unwritten[i].count);
        go_end_batch(&paper);
        assert_damaged("what follows is missing");
        assert_reads(TM_EDAMAGED, "event 1002 1 0 0 2 0 22 0\n");
    }
}

static void a_rate_that_is_none_is_not_guessed_at(void **state)
{
    static const uint64_t rates[] = {0, 10000000001, UINT64_MAX};

    (void)state;
    for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
        go_begin(&paper, 25);
        go_rate(&paper, rates[i]);
        go_events(&paper, 7, GO_START, mutex);
        assert_damaged("generation 1 states no rate of its clock");
        assert_reads(TM_EDAMAGED, "caveat Go's traces name no lock");
    }
}

/* A trace of 1.26, whose generations have an end; 1.25's end where another begins. */
static void a_generation_ends_where_it_states_so(void **state)
{
    char text[80];

    (void)state;
    begin(26);
    go_events(&paper, 7, GO_START, mutex);
    snprintf(text, sizeof(text),
             "generation 1 has no end: the file was cut at byte %zu", paper.length);
    assert_damaged(text);
    go_byte(&paper, TM__GO_END_OF_GENERATION);
    assert_reads(TM_OK, "event 1014 1 0 0 0 0 13 1\n");
    /* Nor is anything else taken for a batch. */
    snprintf(text, sizeof(text),
             "no whole batch of events is at byte %zu: what follows is missing",
             paper.length);
    go_byte(&paper, TM__GO_STRING);
    assert_damaged(text);
    paper.length--;
    GO_PUT(&paper, TM__GO_EVENT_BATCH, 0, 7, 1, 0); /* generation 0 */
    assert_damaged(text);
    paper.length -= 5;
    GO_PUT(&paper, TM__GO_EVENT_BATCH, 2, 7, 1, 65537);
    assert_damaged(text);
    paper.length -= 7;
    GO_PUT(&paper, TM__GO_EVENT_BATCH, 2, 7, 1, 5);
    assert_damaged(text);
    assert_reads(TM_EDAMAGED, "event 1014 1 0 0 0 0 13 1\n");
    go_begin(&paper, 26);
    assert_reads(TM_OK, "Go 1.26");
}

static void a_generation_may_be_longer_than_one_view(void **state)
{
    enum { BATCHES = 40 };
    size_t room = BATCHES * (TM__GO_BATCH_BYTES + 16) + GO_ROOM, length;
    uint8_t *bytes = calloc(1, room);

    (void)state;
    begin(25);
    memcpy(bytes, paper.bytes, paper.length);
    length = paper.length;
    for (int i = 0; i < BATCHES; i++) {
        static const uint8_t head[] = {
            TM__GO_EXPERIMENTAL_BATCH, 1, 1, 7, 1, 0x80, 0x80, 4};

        memcpy(bytes + length, head, sizeof(head));
        length += sizeof(head) + TM__GO_BATCH_BYTES;
    }
    paper.length = 0;
    go_events(&paper, 7, GO_START, mutex);
    memcpy(bytes + length, paper.bytes, paper.length);
    length += paper.length;
    assert_emits((char *)bytes, length, TM_OK, "event 1014 1 0 0 0 0 13 1\n");
    free(bytes);
}

static void only_releases_that_are_known_are_read(void **state)
{
    static const char *const others[] = {"go 1.  trace\0\0\0", "go 1.x2 trace\0\0\0",
                                         "go 1.25 trace!\0\0", "go 1.222 trace\0",
                                         "go 2.25 trace\0\0\0"};
    int rc;
    recorder all;

    (void)state;
    begin(27);
    all = emit_all((char *)paper.bytes, paper.length, &rc);
    assert_int_equal(rc, TM_EVERSION);
    assert_non_null(
        strstr(tm_error_text(), "of Go 1.27; those of Go 1.22 to 1.26 are"));
    recorder_free(&all);
    begin(21);
    all = emit_all((char *)paper.bytes, paper.length, &rc);
    assert_int_equal(rc, TM_EVERSION);
    recorder_free(&all);
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        begin(25);
        memcpy(paper.bytes, others[i], TM__GO_HEADER_BYTES);
        all = emit_all((char *)paper.bytes, paper.length, &rc);
        if (rc != (i == 3 ? TM_EVERSION : TM_EFORMAT))
            fail_msg("%s: %d", others[i], rc);
        recorder_free(&all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_that_contradict_one_another_end_the_trace),
        cmocka_unit_test(turns_are_those_of_one_generation),
        cmocka_unit_test(events_whose_turn_never_comes_are_left_out),
        cmocka_unit_test(a_generation_repeats_who_is_there),
        cmocka_unit_test(a_batch_that_is_damaged_is_left_out),
        cmocka_unit_test(an_event_that_go_does_not_write_ends_the_trace),
        cmocka_unit_test(a_rate_that_is_none_is_not_guessed_at),
        cmocka_unit_test(a_generation_ends_where_it_states_so),
        cmocka_unit_test(a_generation_may_be_longer_than_one_view),
        cmocka_unit_test(only_releases_that_are_known_are_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
