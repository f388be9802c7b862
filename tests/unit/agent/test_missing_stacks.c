/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a blocked thread is asked for its stack, and not one that has gone on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/missing_stacks.h"

enum { THREAD = 77, DOOR = 5 };

static int asked;

/* The first thing that is done to ask: it has gone, so that it is the last as well. */
static jobject JNICALL count_questions(JNIEnv *jni, jobject weak)
{
    (void)jni;
    (void)weak;
    asked++;
    return NULL;
}

static void begin(int64_t since_ns, uint16_t kind)
{
    const tm__event_report report = {.thread = THREAD, .is_virtual = 1};
    const tm_event event = {.kind = kind, .object = DOOR};

    tm__missing_stack_begin(&report, &event, since_ns);
}

static int is_asked_of(int64_t since_ns)
{
    const struct JNINativeInterface_ functions = {.NewLocalRef = count_questions};
    JNIEnv jni = &functions;
    tm__buffer own = {0};

    asked = 0;
    tm__missing_stacks_ask_virtual(&jni, &own, THREAD, DOOR, TM_EVENT_CONTENDED_ENTER,
                                   since_ns, NULL);
    return asked;
}

static void a_virtual_thread_is_asked_in_the_interval_that_is_meant_alone(void **state)
{
    const tm__event_report report = {.thread = THREAD, .is_virtual = 1};

    (void)state;
    begin(1000, TM_EVENT_CONTENDED_ENTER);
    assert_int_equal(is_asked_of(1000), 1);
    assert_int_equal(tm__missing_stack_end(&report), 1000);
    assert_int_equal(is_asked_of(1000), 0);
    /* It sleeps by now: that it blocks on the door would be wrong. */
    begin(2000, TM_EVENT_SLEEP);
    assert_int_equal(is_asked_of(1000), 0);
    assert_int_equal(is_asked_of(2000), 1);
}

int main(void)
{
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test(a_virtual_thread_is_asked_in_the_interval_that_is_meant_alone),
    };

    return cmocka_run_group_tests(TESTS, NULL, NULL);
}
