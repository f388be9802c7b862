/* SPDX-License-Identifier: Apache-2.0 */
/* The questions to threads that have been blocked for long, and when they are repeated.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <threadmodel/event.h>
#include <threadmodel/model.h>

#include "blocked/long_blocked_ask.h"
#include "vm/vm.h"

static int thread_object; /* its address stands for a reference */
static jvmtiError owned_error;

static jobject JNICALL new_local_ref(JNIEnv *jni, jobject weak)
{
    (void)jni;
    return weak;
}

static void JNICALL delete_local_ref(JNIEnv *jni, jobject local)
{
    (void)jni;
    (void)local;
}

static jvmtiError JNICALL owned_monitors(jvmtiEnv *jvmti, jthread thread, jint *count,
                                         jvmtiMonitorStackDepthInfo **monitors)
{
    (void)jvmti;
    (void)thread;
    *count = 0;
    *monitors = NULL;
    return owned_error;
}

/* As when a virtual thread is just leaving its carrier. */
static void a_thread_whose_monitors_were_unknown_is_asked_again(void **state)
{
    const struct JNINativeInterface_ functions = {.NewLocalRef = new_local_ref,
                                                  .DeleteLocalRef = delete_local_ref};
    const jvmtiInterface_1 vm = {.GetOwnedMonitorStackDepthInfo = owned_monitors};
    JNIEnv jni = &functions;
    jvmtiEnv jvmti = &vm;
    tm__buffer own = {0};
    tm__long_blocked blocked = {.thread = 7,
                                .object = 5,
                                .weak = (jweak)&thread_object,
                                .weak_is_ours = 1,
                                .kind = TM_EVENT_CONTENDED_ENTER};

    (void)state;
    tm__the_vm.jvmti = &jvmti;
    tm__the_vm.reports_held = 1;
    owned_error = JVMTI_ERROR_THREAD_NOT_ALIVE;
    assert_int_equal(tm__long_blocked_query(&jni, &own, &blocked), 0);
    assert_true(tm__long_blocked_may_change(&blocked));
    assert_int_equal(tm__long_blocked_query_again(&jni, &own, &blocked), 0);
    owned_error = JVMTI_ERROR_NONE;
    assert_int_equal(tm__long_blocked_query_again(&jni, &own, &blocked), 1);
    assert_int_equal(blocked.state, TM_STATE_BLOCKED);
    assert_non_null(blocked.held);
    assert_int_equal(blocked.held_count, 0);
    assert_false(blocked.is_unanswered);
    free(blocked.held);
    free(blocked.depths);
}

int main(void)
{
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test(a_thread_whose_monitors_were_unknown_is_asked_again),
    };

    return cmocka_run_group_tests(TESTS, NULL, NULL);
}
