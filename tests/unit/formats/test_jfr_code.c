/* SPDX-License-Identifier: Apache-2.0 */
/* Constants of chunks: classes, objects and stacks, and what is seen in these. */
#include "support/chunk_layout.h"

/* A monitor of a class with this name. */
static void name_class(const char *name)
{
    begin();
    begin_event(&paper, TYPE_ENTER);
    PUT(&paper, 1100, 50, 1, 0, 9, 0x100, 2);
    end_event(&paper);
    begin_constants(2);
    PUT(&paper, TYPE_CLASS, 1, 9, 9, TYPE_SYMBOL, 1, 9);
    put_text_or_none(name);
    end_event(&paper);
    end();
}

static void classes_are_named_as_people_write_them(void **state)
{
    static const char *const names[][2] = {{"java/util/Map", " java.util.Map|"},
                                           {"[Ljava/util/Map;", " java.util.Map[]|"},
                                           {"[[I", " int[][]|"},
                                           {"[Z", " boolean[]|"},
                                           {"[D", " double[]|"},
                                           {"I", " I|"},
                                           {"[Q", " Q[]|"},
                                           {"[", " []|"},
                                           {"[L", " L[]|"},
                                           {"[Lopen", " Lopen[]|"},
                                           {"[open;", " open;[]|"}};

    (void)state;
    LAY_OUT(chunk_classes);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        name_class(names[i][0]);
        assert_reads(TM_OK, names[i][1]);
        assert_reads(TM_OK, "event 5000100 1 256 0 0 0 4 0\n");
    }
    name_class(NULL);
    assert_reads(TM_OK, "object 256 0 0 0 0\n");
}

/* Monitors at one address of two classes, and of none; none of one class. */
static void an_object_is_its_address_and_its_class(void **state)
{
    static const uint64_t objects[][2] = {
        {1, 0x100}, {0, 0x100}, {1, 0}, {0, 0}, {1, 0x100}};

    (void)state;
    LAY_OUT(chunk_classes);
    begin();
    for (uint64_t i = 0; i < sizeof(objects) / sizeof(*objects); i++) {
        begin_event(&paper, TYPE_NOTIFY);
        PUT(&paper, 1210 + i, 1, 1, 0, objects[i][0], objects[i][1], 1);
        end_event(&paper);
    }
    end();
    assert_reads(TM_OK, "object 256 3 0 0 0\n");
    assert_reads(TM_OK, " 0 0 0 0\nobject "); /* of no class, by another id */
    assert_reads(TM_OK, " 3 0 0 2\n");        /* any of the class */
    assert_reads(TM_OK, "event 5000213 1 0 0 0 0 8 0\n"
                        "event 5000214 1 256 0 0 0 8 0\n");
}

/* Methods 1 to 4: wait0, wait and notifyAll of Object, join of Thread; 5: a wait; 7 and
 * 8: parkNanos and sleepNanos of VirtualThread. */
static void put_stack(uint64_t count, const uint64_t *methods)
{
    static const char *const symbols[] = {"java/lang/Object",
                                          "java/lang/Thread",
                                          "wait0",
                                          "wait",
                                          "notifyAll",
                                          "join",
                                          "parkNanos",
                                          "sleepNanos",
                                          "java/lang/VirtualThread"};
    static const uint64_t parts[][2] = {{1, 3}, {1, 4}, {1, 5}, {2, 6},
                                        {2, 4}, {1, 6}, {3, 7}, {3, 8}};
    enum { SYMBOLS = sizeof(symbols) / sizeof(*symbols) };
    enum { METHODS = sizeof(parts) / sizeof(*parts) };

    begin_constants(5);
    PUT(&paper, TYPE_SYMBOL, SYMBOLS);
    for (uint64_t i = 0; i < SYMBOLS; i++) {
        PUT(&paper, i + 1);
        put_text(&paper, symbols[i]);
    }
    PUT(&paper, TYPE_CLASS, 3, 1, 1, 2, 2, 3, 9, TYPE_METHOD, METHODS);
    for (uint64_t i = 0; i < METHODS; i++)
        PUT(&paper, i + 1, parts[i][0], parts[i][1]);
    PUT(&paper, TYPE_STACK, 1, 1);
    put_byte(&paper, 0);
    PUT(&paper, count);
    for (uint64_t i = 0; i < count; i++)
        PUT(&paper, methods[i], i ? 42 : UINT32_MAX);
    PUT(&paper, TYPE_THREAD, 1, 2);
    put_text(&paper, "other");
    PUT(&paper, 7, 0);
    end_event(&paper);
}

static void a_wait_in_join_is_for_the_thread_that_ended_it(void **state)
{
    static const struct {
        uint64_t count, methods[3], peer;
        int is_join;
    } stacks[] = {{3, {1, 2, 4}, 2, 1}, {2, {2, 4}, 2, 1},  {3, {1, 2, 4}, 0, 0},
                  {2, {1, 2}, 2, 0},    {1, {4}, 2, 0},     {2, {2, 5}, 2, 0},
                  {2, {2, 6}, 2, 0},    {2, {2, 99}, 2, 0}, {2, {2, 3}, 2, 0}};

    (void)state;
    LAY_OUT(chunk_classes);
    for (size_t i = 0; i < sizeof(stacks) / sizeof(*stacks); i++) {
        begin();
        begin_event(&paper, TYPE_WAIT);
        PUT(&paper, 1120, 100, 1, 1, 1, 0x100, stacks[i].peer, 5);
        put_byte(&paper, 0);
        end_event(&paper);
        put_stack(stacks[i].count, stacks[i].methods);
        end_types();
        assert_reads(TM_OK, stacks[i].is_join ? " 2 7 0 0\n" : "object 256 2 0 0 0\n");
    }
}

static void a_notify_in_notify_all_is_one_to_all(void **state)
{
    static const uint64_t inner[] = {3}, outer[] = {2, 3}, other[] = {4, 3};
    static const struct {
        uint64_t count;
        const uint64_t *methods;
        const char *kind;
    } stacks[] = {
        {1, inner, " 1 9 0\n"}, {2, outer, " 1 8 0\n"}, {2, other, " 1 8 0\n"}};

    (void)state;
    LAY_OUT(chunk_classes);
    for (size_t i = 0; i < 3; i++) {
        begin();
        begin_event(&paper, TYPE_NOTIFY);
        PUT(&paper, 1210, 1, 1, 1, 1, 0x100, 1);
        end_event(&paper);
        put_stack(stacks[i].count, stacks[i].methods);
        end_types();
        assert_reads(TM_OK, stacks[i].kind);
    }
}

/* A virtual thread that keeps its carrier sleeps by parking, and JFR reports both. */
static void a_park_of_a_sleep_is_none(void **state)
{
    static const uint64_t frames[] = {7, 8, 5};

    (void)state;
    LAY_OUT(chunk_classes);
    for (int sleeps = 1; sleeps >= 0; sleeps--) {
        begin();
        begin_event(&paper, TYPE_PARK);
        PUT(&paper, 1110, 80, 2, 1, 1, 0x200, 90);
        end_event(&paper);
        if (sleeps) {
            begin_event(&paper, TYPE_SLEEP);
            PUT(&paper, 1100, 95, 2, 0, 90);
            end_event(&paper);
        }
        put_stack(3, frames);
        end_types();
        assert_reads(TM_OK, sleeps ? "event 5000100 7 0 0 90 0 12 0\n"
                                   : "event 5000110 7 0 0 90 1 12 0\n");
        assert_never(" 16 0\n");
        assert_never(" 17 0\n");
    }
}

/* Frames that are keys, or no array, or missing. */
static void a_stack_without_frames_is_none(void **state)
{
    static const chunk_field frames[] = {{"frames", TYPE_FRAME, 0, 0, NULL},
                                         {"frames", TYPE_LONG, 0, 1, NULL},
                                         {"others", TYPE_FRAME, 0, 1, NULL},
                                         {"frames", TYPE_FRAME, 0, 1, NULL}};

    (void)state;
    for (size_t i = 0; i < sizeof(frames) / sizeof(*frames); i++) {
        chunk_class others[] = {{"jdk.types.StackTrace",
                                 TYPE_STACK,
                                 {{"truncated", TYPE_BOOLEAN, 0, 0, NULL}, frames[i]}}};

        LAY_OUT(others);
        begin();
        begin_event(&paper, TYPE_SLEEP);
        PUT(&paper, 1340, 10, 2, 1, 9);
        end_event(&paper);
        begin_constants(1);
        PUT(&paper, TYPE_STACK, 1, 1);
        put_byte(&paper, 1);
        if (i == 0)
            PUT(&paper, 1, 42);
        else if (i == 1)
            PUT(&paper, 1, 42);
        else if (i == 2)
            PUT(&paper, 1, 1, 42);
        else
            PUT(&paper, 0);
        end_event(&paper);
        end();
        assert_reads(TM_OK, "event 5000340 7 0 0 9 0 12 0\n");
        assert_never("\nstack ");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_are_named_as_people_write_them),
        cmocka_unit_test(an_object_is_its_address_and_its_class),
        cmocka_unit_test(a_wait_in_join_is_for_the_thread_that_ended_it),
        cmocka_unit_test(a_notify_in_notify_all_is_one_to_all),
        cmocka_unit_test(a_park_of_a_sleep_is_none),
        cmocka_unit_test(a_stack_without_frames_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
