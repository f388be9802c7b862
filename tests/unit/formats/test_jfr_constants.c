/* SPDX-License-Identifier: Apache-2.0 */
/* Constants of chunks: texts and threads; and the description of a JVM. */
#include "support/chunk_layout.h"

static void put_ended(uint64_t thread)
{
    begin_event(&paper, TYPE_END);
    PUT(&paper, 1400, thread);
    end_event(&paper);
}

/* A thread's name of these bytes, of an encoding and a count of bytes or units. */
static void name_thread(uint8_t encoding, const uint64_t *units, size_t count)
{
    LAY_OUT(chunk_classes);
    begin();
    put_ended(1);
    begin_constants(1);
    PUT(&paper, TYPE_THREAD, 1, 1);
    put_byte(&paper, encoding);
    PUT(&paper, count);
    for (size_t i = 0; i < count && encoding > 2; i++)
        if (encoding == 4)
            PUT(&paper, units[i]);
        else
            put_byte(&paper, (uint8_t)units[i]);
    PUT(&paper, 1, 0);
    end_event(&paper);
    end_types();
}

static void texts_of_any_encoding_are_utf8_here(void **state)
{
    static const uint64_t units[] = {'a',    0xe4, 0x20ac, 0xd83d, 0xde00, 0xd800, 'b',
                                     0xdc00, 0,    0xd83d, 0xd83d, 0xde00, 0xd800},
                          bytes[] = {'a', 0xe4, 0, 0xff},
                          plain[] = {'a', 0, 0xc3, 0xbc};

    (void)state;
    name_thread(4, units, sizeof(units) / sizeof(*units));
    assert_reads(TM_OK, "thread 1 0 0 a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbd"
                        "b\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xf0\x9f\x98\x80"
                        "\xef\xbf\xbd|");
    name_thread(5, bytes, 4);
    assert_reads(TM_OK, "thread 1 0 0 a\xc3\xa4\xef\xbf\xbd\xc3\xbf|");
    name_thread(2, plain, 'c'); /* the number of none that there is */
    assert_reads(TM_OK, "thread 1 0 0 (null)|");
    name_thread(3, plain, 4);
    assert_reads(TM_OK, "thread 1 0 0 a\xef\xbf\xbd\xc3\xbc|");
}

static const chunk_class whole_thread[] = {
    {"java.lang.Thread", TYPE_THREAD, {FIELDS_WHOLE_THREAD}},
};

typedef struct named {
    uint64_t key;
    const char *os_name;
    uint64_t os_id;
    const char *name;
    uint64_t id, group;
    uint8_t is_virtual;
} named;

static void put_threads(const named *threads, size_t count)
{
    static const char *const groups[] = {"system", NULL, "main"};

    begin_constants(2);
    PUT(&paper, TYPE_THREAD, count);
    for (size_t i = 0; i < count; i++) {
        PUT(&paper, threads[i].key);
        put_text_or_none(threads[i].os_name);
        PUT(&paper, threads[i].os_id);
        put_text_or_none(threads[i].name);
        PUT(&paper, threads[i].id, threads[i].group);
        put_byte(&paper, threads[i].is_virtual);
    }
    PUT(&paper, TYPE_GROUP, 3);
    for (uint64_t i = 0; i < 3; i++) {
        PUT(&paper, i + 1, 0);
        put_text_or_none(groups[i]);
    }
    end_event(&paper);
}

static void threads_are_those_of_java_or_of_the_jvm(void **state)
{
    static const named threads[] = {
        {1, "main", 11, "main", 1, 3, 0},
        {2, "GC", 12, NULL, 0, 0, 0},
        {3, "Signal", 13, "Dispatcher", 3, 1, 0},
        {4, NULL, 0, "", 40, 2, 1},
        {5, NULL, 15, NULL, 41, 9, 0},
    };

    (void)state;
    LAY_OUT(whole_thread);
    begin();
    for (uint64_t key = 0; key <= 6; key++)
        put_ended(key);
    put_threads(threads, sizeof(threads) / sizeof(*threads));
    end_types();
    assert_reads(TM_OK, "thread 1 0 11 main|main 0 0\n"
                        "thread 9223372036854775810 0 12 GC|(null) 0 8\n"
                        "thread 3 0 13 Dispatcher|system 0 8\n"
                        "thread 40 0 0 |(null) 0 1\n"
                        "thread 41 0 15 (null)|(null) 0 0\n");
    assert_reads(TM_OK, "event 5000400 0 0 0 0 0 3 0\n");
    assert_reads(TM_OK, "event 5000400 9223372036854775814 0 0 0 0 3 0\n");
    assert_reads(TM_OK, "caveat JFR hardly records virtual threads that are blocked");
    assert_reads(TM_OK, "caveat 1 events name threads that the recording does not");
}

/* Chunks of one file, each with a thread of the same number. */
static void a_thread_that_is_renamed_is_defined_again(void **state)
{
    static const named names[] = {
        {1, NULL, 11, "one", 1, 3, 0}, {7, NULL, 11, "one", 1, 3, 0},
        {1, NULL, 11, "two", 1, 3, 0}, {1, NULL, 11, "two", 1, 2, 0},
        {1, NULL, 12, "two", 1, 2, 0}, {1, NULL, 12, "two", 1, 2, 1}};
    enum { COUNT = sizeof(names) / sizeof(*names) };
    static chunk_paper all;
    recorder read;
    size_t definitions = 0;
    int rc;

    (void)state;
    LAY_OUT(whole_thread);
    all.length = 0;
    for (uint64_t i = 0; i < COUNT; i++) {
        begin_chunk(&paper, 5000000 + 1000000 * i, 1000000000);
        put_ended(names[i].key);
        put_threads(&names[i], 1);
        end_types();
        memcpy(all.bytes + all.length, paper.bytes, paper.length);
        all.length += paper.length;
    }
    read = emit_all((const char *)all.bytes, all.length, &rc);
    assert_int_equal(rc, TM_OK);
    for (const char *at = read.text; (at = strstr(at, "thread 1 0 1")); at++)
        definitions++;
    assert_int_equal(definitions, COUNT - 1);
    recorder_free(&read);
    /* And within a chunk, by another key: the last name is emitted, and once. */
    begin();
    put_ended(1);
    put_ended(7);
    put_threads(
        (const named[]){{1, NULL, 11, "one", 1, 3, 0}, {7, NULL, 11, "two", 1, 3, 0}},
        2);
    end_types();
    assert_reads(TM_OK, "thread 1 0 11 two|main 0 0\nevent ");
    assert_never("two|main 0 0\nthread 1 0 11 two|");
}

static void put_jvm(uint64_t pid, const char *name, const char *version)
{
    begin_event(&paper, TYPE_JVM);
    PUT(&paper, 1000);
    put_text_or_none(name);
    put_text_or_none(version);
    PUT(&paper, pid);
    end_event(&paper);
}

static void a_jvm_is_named_with_its_version(void **state)
{
    static const struct {
        const char *name, *version, *vm;
    } jvms[] = {
        {"OpenJDK VM", "OpenJDK VM (25+36-LTS) for linux", "2.1|OpenJDK VM 25+36-LTS|"},
        {"OpenJDK VM", "OpenJDK VM 25", "2.1|OpenJDK VM|"},
        {"OpenJDK VM", "()", "2.1|OpenJDK VM|"},
        {NULL, "(25", "2.1| 25|"},
        {NULL, NULL, "2.1|(null)|"}};

    (void)state;
    LAY_OUT(chunk_classes);
    for (size_t i = 0; i < sizeof(jvms) / sizeof(*jvms); i++) {
        begin();
        put_jvm(4711, jvms[i].name, jvms[i].version);
        put_jvm(4711, "the same", NULL);
        end();
        assert_reads(TM_OK, jvms[i].vm);
        assert_reads(TM_OK, "|(null) 4711 5000000 ");
    }
}

static void threads_and_objects_of_several_jvms_are_distinguished(void **state)
{
    static chunk_paper all;
    char bytes[80];

    (void)state;
    all.length = 0;
    LAY_OUT(chunk_classes);
    for (uint64_t i = 0; i < 2; i++) {
        begin_chunk(&paper, 5000000 + 1000000 * i, 1000000000);
        put_jvm(4711 + i, "VM", NULL);
        for (uint64_t thread = 1; thread < 4; thread += 2) {
            begin_event(&paper, TYPE_ENTER);
            PUT(&paper, 1100, 50, thread, 1, 1, 0x100, 2);
            end_event(&paper);
        }
        end();
        memcpy(all.bytes + all.length, paper.bytes, paper.length);
        all.length += paper.length;
    }
    paper = all;
    assert_reads(TM_OK, "caveat The file holds recordings of 2 JVMs");
    assert_reads(TM_OK, "|(null)|(null) 0 5000000 5000000 ");
    assert_reads(TM_OK, "event 5000100 1 256 0 0 1 4 0\n");
    assert_reads(TM_OK, "event 5000100 9223372036854775811 256 0 0 1 4 0\n");
    assert_reads(TM_OK, "thread 281474976710657 0 0 main|");
    assert_reads(TM_OK, "event 6000100 281474976710657 ");
    snprintf(bytes, sizeof(bytes), "event 6000100 %llu ",
             (unsigned long long)(UINT64_C(1) << 63 | UINT64_C(1) << 48 | 3));
    assert_reads(TM_OK, bytes);
    assert_never("event 6000100 281474976710657 256 ");
}

static void more_jvms_than_ids_have_room_for_are_the_last(void **state)
{
    (void)state;
    LAY_OUT(chunk_classes);
    begin();
    for (uint64_t pid = 1; pid <= 1025; pid++)
        put_jvm(pid, NULL, NULL);
    end();
    assert_reads(TM_OK, "caveat The file holds recordings of 1024 JVMs");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_of_any_encoding_are_utf8_here),
        cmocka_unit_test(threads_are_those_of_java_or_of_the_jvm),
        cmocka_unit_test(a_thread_that_is_renamed_is_defined_again),
        cmocka_unit_test(a_jvm_is_named_with_its_version),
        cmocka_unit_test(threads_and_objects_of_several_jvms_are_distinguished),
        cmocka_unit_test(more_jvms_than_ids_have_room_for_are_the_last),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
