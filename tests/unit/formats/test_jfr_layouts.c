/* SPDX-License-Identifier: Apache-2.0 */
/* Types that a chunk may lay out in any way, and what its constants may be. */
#include "support/chunk_layout.h"

enum {
    TYPE_SHORT = 14,
    TYPE_BYTE,
    TYPE_CHAR,
    TYPE_FLOAT,
    TYPE_DOUBLE,
    TYPE_ODD = 40,
    TYPE_ODDER
};

static const chunk_class of_every_type[] = {
    {"short", TYPE_SHORT, {{NULL}}},
    {"byte", TYPE_BYTE, {{NULL}}},
    {"char", TYPE_CHAR, {{NULL}}},
    {"float", TYPE_FLOAT, {{NULL}}},
    {"double", TYPE_DOUBLE, {{NULL}}},
    {"a.Odd",
     TYPE_ODD,
     {{"a", TYPE_SHORT, 0, 0, NULL},
      {"b", TYPE_BYTE, 0, 0, NULL},
      {"c", TYPE_CHAR, 0, 0, NULL},
      {"d", TYPE_FLOAT, 0, 0, NULL},
      {"e", TYPE_DOUBLE, 0, 0, NULL},
      {"f", TYPE_STRING, 0, 0, NULL},
      {"g", TYPE_STRING, 0, 1, NULL},
      {"h", TYPE_DOUBLE, 0, 1, NULL},
      {"i", TYPE_SHORT, 0, 1, NULL},
      {"j", TYPE_CLASS, 1, 1, NULL}}},
    {"a.Odder",
     TYPE_ODDER,
     {{"a", TYPE_BYTE, 0, 1, NULL},
      {"b", TYPE_FLOAT, 0, 1, NULL},
      {"c", TYPE_BYTE, 0, 0, NULL},
      {"d", TYPE_BYTE, 0, 0, NULL},
      {"e", TYPE_ODD, 0, 1, NULL},
      {"f", TYPE_ODD, 0, 0, NULL}}},
    {"jdk.JavaMonitorEnter",
     TYPE_ENTER,
     {FIELD_START,
      {"odd", TYPE_ODD, 0, 0, NULL},
      {"odder", TYPE_ODDER, 0, 1, NULL},
      FIELD_DURATION,
      FIELD_THREAD("eventThread"),
      FIELD_STACK,
      FIELDS_MONITOR,
      FIELD_THREAD("previousOwner")}},
};

static void put_bytes(int count)
{
    while (count-- > 0)
        put_byte(&paper, 0xff);
}

static void put_odd(uint64_t doubles)
{
    PUT(&paper, 70000);
    put_bytes(1);
    PUT(&paper, 0x20ac);
    put_bytes(4 + 8);
    put_text(&paper, "f");
    PUT(&paper, 5, 0, 1, 2, 300, 4, 2, 0x20ac, 0x20ac, 5, 1);
    put_bytes(1);
    PUT(&paper, doubles);
    put_bytes(8);
    PUT(&paper, 2, 300, 300, 1, 300);
}

static void put_odd_enter(uint64_t doubles, uint64_t floats, uint64_t odder)
{
    begin();
    begin_event(&paper, TYPE_ENTER);
    PUT(&paper, 1100);
    put_odd(1);
    PUT(&paper, odder, 3);
    put_bytes(3);
    PUT(&paper, floats);
    put_bytes(8 + 2);
    PUT(&paper, 1);
    put_odd(doubles);
    put_odd(1);
    PUT(&paper, 50, 1, 1, 1, 0x100, 2);
    end_event(&paper);
    end();
}

static void values_of_every_type_are_passed_over(void **state)
{
    (void)state;
    LAY_OUT(of_every_type);
    put_odd_enter(1, 2, 1);
    assert_reads(TM_OK, "event 5000100 1 256 0 0 1 4 0\n"
                        "event 5000150 1 256 7 0 0 5 4\n");
}

static void an_array_is_no_longer_than_its_event(void **state)
{
    static const uint64_t counts[] = {1 << 20, UINT64_MAX / 8, UINT64_MAX / 2,
                                      UINT64_MAX};

    (void)state;
    LAY_OUT(of_every_type);
    for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
        put_odd_enter(counts[i], 2, 1);
        assert_reads(TM_EDAMAGED, "caveat the event at byte 68 is longer than it says");
        put_odd_enter(1, counts[i], 1);
        assert_reads(TM_EDAMAGED, "caveat the event at byte 68 is longer than it says");
        put_odd_enter(1, 2, counts[i]);
        assert_reads(TM_EDAMAGED, "caveat the event at byte 68 is longer than it says");
    }
}

/* The type of `address`, and whether it is an array, or the name of another. */
static void an_address_that_is_no_number_is_none(void **state)
{
    static const chunk_field fields[] = {{"address", TYPE_STRING, 0, 0, NULL},
                                         {"address", TYPE_LONG, 0, 1, NULL},
                                         {"address", TYPE_FLOAT, 0, 0, NULL},
                                         {"place", TYPE_LONG, 0, 0, NULL}};

    (void)state;
    for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
        chunk_class others[] = {{"float", TYPE_FLOAT, {{NULL}}},
                                {"jdk.JavaMonitorEnter",
                                 TYPE_ENTER,
                                 {FIELD_START,
                                  FIELD_DURATION,
                                  FIELD_THREAD("eventThread"),
                                  {"monitorClass", TYPE_CLASS, 1, 0, NULL},
                                  fields[i]}}};

        LAY_OUT(others);
        begin();
        begin_event(&paper, TYPE_ENTER);
        PUT(&paper, 1100, 50, 1, 1);
        if (i == 0)
            put_text(&paper, "0x100");
        else if (i == 1)
            PUT(&paper, 1, 0x100);
        else if (i == 2)
            put_bytes(4);
        else
            PUT(&paper, 0x100);
        end_event(&paper);
        end();
        assert_reads(TM_OK, " 3 0 0 2\n"); /* any object of class 3 */
        assert_never(" 256 ");
    }
}

/* The type of a number that may be below 0 decides on its sign. */
static void a_number_has_the_sign_of_its_type(void **state)
{
    static const struct {
        int type;
        uint64_t number;
        const char *kind;
    } counts[] = {{TYPE_SHORT, 2, " 9 0\n"},         {TYPE_SHORT, 0xfffe, " 8 0\n"},
                  {TYPE_INT, 0xfffe, " 9 0\n"},      {TYPE_INT, 0xfffffffe, " 8 0\n"},
                  {TYPE_LONG, 0xfffffffe, " 9 0\n"}, {TYPE_LONG, -2, " 8 0\n"},
                  {TYPE_BYTE, 2, " 9 0\n"}};

    (void)state;
    for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
        chunk_class others[] = {
            {"short", TYPE_SHORT, {{NULL}}},
            {"byte", TYPE_BYTE, {{NULL}}},
            {"jdk.JavaMonitorNotify",
             TYPE_NOTIFY,
             {FIELDS_BLOCKED,
              FIELDS_MONITOR,
              {"notifiedCount", counts[i].type, 0, 0, NULL}}},
        };
        char event[80];

        LAY_OUT(others);
        begin();
        begin_event(&paper, TYPE_NOTIFY);
        PUT(&paper, 1210, 1, 1, 1, 1, 0x100, counts[i].number);
        end_event(&paper);
        end();
        snprintf(event, sizeof(event), "event 5000210 1 256 0 0 1%s", counts[i].kind);
        assert_reads(TM_OK, event);
    }
}

static void structs_nest_only_so_deep(void **state)
{
    static const int depths[] = {5, 15, 20};

    (void)state;
    for (size_t i = 0; i < sizeof(depths) / sizeof(*depths); i++) {
        chunk_class deep[21] = {{"jdk.ThreadSleep",
                                 TYPE_SLEEP,
                                 {FIELD_START,
                                  {"deep", TYPE_ODD, 0, 0, NULL},
                                  FIELD_THREAD("eventThread")}}};

        for (int j = 1; j <= depths[i]; j++)
            deep[j] = (chunk_class){
                "a.Deep",
                TYPE_ODD + j - 1,
                {{"in", j < depths[i] ? TYPE_ODD + j : TYPE_LONG, 0, 0, NULL}}};
        lay_out(deep, (size_t)depths[i] + 1);
        begin();
        begin_event(&paper, TYPE_SLEEP);
        PUT(&paper, 1100, 7, 1);
        end_event(&paper);
        end();
        if (depths[i] < 16)
            assert_reads(TM_OK, "event 5000100 1 0 0 0 0 12 0\n");
        else
            assert_reads(TM_EDAMAGED, "describes events of type jdk.ThreadSleep by "
                                      "types that it does not have");
    }
}

static const chunk_class *timed(const char *unit, int has_until)
{
    static chunk_class type;

    type = (chunk_class){"jdk.ThreadPark",
                         TYPE_PARK,
                         {FIELD_START,
                          {"duration", TYPE_LONG, 0, 0, unit},
                          FIELD_THREAD("eventThread"),
                          {"timeout", TYPE_LONG, 0, 0, unit},
                          {has_until ? "until" : "since", TYPE_LONG, 0, 0, NULL}}};
    return &type;
}

static void durations_are_in_the_unit_of_their_field(void **state)
{
    static const struct {
        const char *unit;
        uint64_t duration, timeout;
        const char *begin, *end;
    } times[] = {
        {NULL, 50, 7, "5000300 7 0 0 7 0 16 0", "5000350"},
        {"NANOSECONDS", 50, 7, "5000300 7 0 0 7 0 16 0", "5000350"},
        {"MICROSECONDS", 50, 7, "5000300 7 0 0 7000 0 16 0", "5050300"},
        {"MILLISECONDS", 50, 7, "5000300 7 0 0 7000000 0 16 0", "55000300"},
        {"SECONDS", 50, 7, "5000300 7 0 0 7000000000 0 16 0", "50005000300"},
        {"TICKS", 50, 7, "5000300 7 0 0 7 0 16 0", "5000350"},
        {"FORTNIGHTS", 50, 7, "5000300 7 0 0 7 0 16 0", "5000350"},
        {"SECONDS", INT64_MAX, INT64_MAX, "5000300 7 0 0 9223372036854775807 0 16 0",
         "9223372036854775807"},
        {"SECONDS", INT64_MIN, INT64_MIN, "5000300 7 0 0 0 0 16 0", "5000300"},
        {"NANOSECONDS", -1, -1, "5000300 7 0 0 0 0 16 0", "5000300"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
        char text[120];

        lay_out(timed(times[i].unit, 0), 1);
        begin();
        begin_event(&paper, TYPE_PARK);
        PUT(&paper, 1300, times[i].duration, 2, times[i].timeout, 0);
        end_event(&paper);
        end();
        snprintf(text, sizeof(text), "event %s\nevent %s 7 0 0 0 0 17 0\n",
                 times[i].begin, times[i].end);
        assert_reads(TM_OK, text);
    }
}

/* A tick is a second: some come to more nanoseconds than there are. */
static void ticks_beyond_all_bounds_are_the_last_that_there_are(void **state)
{
    (void)state;
    lay_out(timed("TICKS", 0), 1);
    begin_chunk(&paper, 5000000, 1);
    begin_event(&paper, TYPE_PARK);
    PUT(&paper, 1000, INT64_MAX / 2, 2, INT64_MAX / 2, 0);
    end_event(&paper);
    begin_event(&paper, TYPE_PARK);
    PUT(&paper, INT64_MIN / 2, 1, 2, INT64_MIN / 2, 0);
    end_event(&paper);
    end();
    assert_reads(TM_OK, "event 5000000 7 0 0 9223372036854775807 0 16 0\n");
    assert_reads(TM_OK, "event 9223372036854775807 7 0 0 0 0 17 0\n");
    assert_reads(TM_OK, "event -9223372036849775808 7 0 0 0 0 16 0\n"
                        "event -9223372036849775808 7 0 0 0 0 17 0\n");
}

static void a_park_until_an_instant_has_the_timeout_that_is_left(void **state)
{
    static const struct {
        uint64_t ticks, timeout, until;
        const char *value;
    } parks[] = {
        {1300, 7, 6, " 7 0 0 7 0 16 "},
        {1300, INT64_MIN, 6, " 7 0 0 999700 0 16 "}, /* of 6 ms since 1970 */
        {1300, INT64_MIN, 1, " 7 0 0 1 0 16 "},      /* it is over */
        {1300, INT64_MIN, 0, " 7 0 0 0 0 16 "},
        {1300, INT64_MIN, INT64_MAX, " 7 0 0 0 0 16 "},
        {1300, INT64_MIN, -1, " 7 0 0 0 0 16 "},
        {2000 - INT64_MAX, 0, 9000000000000,
         "event -9223372036849774807 7 0 0 0 0 16 "},
    };

    (void)state;
    lay_out(timed(NULL, 1), 1);
    for (size_t i = 0; i < sizeof(parks) / sizeof(*parks); i++) {
        begin();
        begin_event(&paper, TYPE_PARK);
        PUT(&paper, parks[i].ticks, 9, 2, parks[i].timeout, parks[i].until);
        end_event(&paper);
        end();
        assert_reads(TM_OK, parks[i].value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_every_type_are_passed_over),
        cmocka_unit_test(an_array_is_no_longer_than_its_event),
        cmocka_unit_test(an_address_that_is_no_number_is_none),
        cmocka_unit_test(a_number_has_the_sign_of_its_type),
        cmocka_unit_test(structs_nest_only_so_deep),
        cmocka_unit_test(durations_are_in_the_unit_of_their_field),
        cmocka_unit_test(ticks_beyond_all_bounds_are_the_last_that_there_are),
        cmocka_unit_test(a_park_until_an_instant_has_the_timeout_that_is_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
