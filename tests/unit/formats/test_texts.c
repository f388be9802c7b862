/* SPDX-License-Identifier: Apache-2.0 */
/* Parts that several formats have in common: descriptors, numbers, and only a part of
 * events. */
#include "support/paper.h"

#include "formats/decimal.h"
#include "formats/descriptor.h"
#include "formats/filter.h"

static void a_class_is_written_as_people_do(void **state)
{
    static const char *const classes[][2] = {
        {"I", "int"},
        {"[[Z", "boolean[][]"},
        {"Ljava/util/Map;", "java.util.Map"},
        {"[La/B;", "a.B[]"},
        {"a/B", "a.B"},
        {"Q", "Q"},
        {"L", "L"},
        {"Lopen", "Lopen"},
        {"open;", "open;"},
        {"", ""},
    };
    char text[80];

    (void)state;
    for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
        size_t length =
            tm__descriptor_write_class(text, classes[i][0], strlen(classes[i][0]));

        text[length] = '\0';
        assert_string_equal(text, classes[i][1]);
    }
}

static void a_class_is_written_as_the_jvm_does(void **state)
{
    static const char *const classes[][2] = {
        {"int", "I"},     {"long[]", "[J"}, {"java.util.Map[][]", "[[Ljava/util/Map;"},
        {"inn", "Linn;"}, {"[]", "L[];"},
    };
    char text[80];

    (void)state;
    for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
        size_t length =
            tm__descriptor_from_class(text, classes[i][0], strlen(classes[i][0]));

        text[length] = '\0';
        assert_string_equal(text, classes[i][1]);
    }
}

static void a_method_ends_behind_what_it_returns(void **state)
{
    static const struct {
        const char *text;
        int length; ///< -1: not a method
    } methods[] = {
        {"()V", 3},      {"(I[[La/B;J)La/C;x", 16},
        {"", -1},        {"I", -1},
        {"(", -1},       {"(I", -1},
        {"()", -1},      {"(Q)V", -1},
        {"(La/B)V", -1}, {"()La/B", -1},
        {"([)V", -1},    {"()[", -1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++) {
        const char *text = methods[i].text;
        const char *end = tm__descriptor_method_end(text, text + strlen(text));

        if ((end ? end - text : -1) != methods[i].length)
            fail_msg("%s: %s", text, end ? end : "none");
    }
}

static void a_decimal_is_rounded_to_its_unit(void **state)
{
    static const struct {
        const char *text;
        int64_t unit, value;
        int is_none;
    } numbers[] = {
        {"12", 1000, 12000, 0},
        {"-1.5", 1000, -1500, 0},
        {"0.0004", 1000, 0, 0},
        {"0.0005", 1000, 1, 0},
        {"7.", 1000, 7000, 0},
        {"0.12345678901234567890123", 1000000000, 123456789, 0},
        {"9223372036854775807", 1, INT64_MAX, 0},
        {"9223372036854775808", 1, 0, 1},
        {"92233720368547758070", 1, 0, 1},
        {"9223372036854775807", 2, 0, 1},
        {"9223372036854775807.9", 1, 0, 1},
        {"", 1, 0, 1},
        {"-", 1, 0, 1},
        {".5", 1, 0, 1},
        {"x", 1, 0, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
        const char *text = numbers[i].text;
        int64_t value = 0;
        const char *end =
            tm__decimal_read(text, text + strlen(text), numbers[i].unit, &value);

        if (end != (numbers[i].is_none ? NULL : text + strlen(text)) ||
            value != numbers[i].value)
            fail_msg("%s of %lld: %lld", text, (long long)numbers[i].unit,
                     (long long)value);
    }
}

static void only_the_kinds_that_are_wanted_pass(void **state)
{
    enum { EVENTS = 5000 };
    static tm_event events[EVENTS];
    tm__filter filter;
    const tm_sink *sink;
    recorder all;

    (void)state;
    for (int i = 0; i < EVENTS; i++)
        events[i] = (tm_event){.time_ns = i,
                               .thread = 1,
                               .stack = 7,
                               .kind = i % 2 ? TM_EVENT_PARK : TM_EVENT_WAIT};
    events[0].kind = 64; /* of a newer release */
    events[2].kind = TM_EVENT_LOST;
    recorder_init(&all);
    tm__filter_init(&filter, UINT64_C(1) << TM_EVENT_PARK, 0);
    sink = tm__filter_before(&filter, &all.sink);
    assert_int_equal(sink->events(sink->payload, events, EVENTS), TM_OK);
    assert_int_equal(all.events, EVENTS / 2 + 2);
    assert_null(strstr(all.text, " 7 6 0\n"));
    recorder_free(&all);
    /* All of them, and without stacks. */
    recorder_init(&all);
    tm__filter_init(&filter, 0, TM_SOURCE_NO_STACKS);
    sink = tm__filter_before(&filter, &all.sink);
    assert_int_equal(sink->events(sink->payload, events, EVENTS), TM_OK);
    assert_int_equal(all.events, EVENTS);
    assert_null(strstr(all.text, " 7 16 0\n"));
    assert_non_null(strstr(all.text, " 0 16 0\n"));
    recorder_free(&all);
    recorder_init(&all);
    all.fail_after = 1;
    sink = tm__filter_before(&filter, &all.sink);
    assert_int_equal(sink->events(sink->payload, events, EVENTS), TM_ESTOPPED);
    recorder_free(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_class_is_written_as_people_do),
        cmocka_unit_test(a_class_is_written_as_the_jvm_does),
        cmocka_unit_test(a_method_ends_behind_what_it_returns),
        cmocka_unit_test(a_decimal_is_rounded_to_its_unit),
        cmocka_unit_test(only_the_kinds_that_are_wanted_pass),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
