/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agent's life in the VM: loaded before there are threads, at work from
 * VMInit to VMDeath. An error in the options is reported in one line, and the VM then
 * does not start. Other failures, a trace that cannot be written for instance, are not
 * the fault of the options: they are reported, and the program runs on.
 */
#include "session/load.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <threadmodel/error.h>

#include "capture/early_threads.h"
#include "capture/gc_pauses.h"
#include "capture/jvmti_events.h"
#include "capture/native_bind.h"
#include "ident/monitor_owner.h"
#include "ident/object_identity.h"
#include "rings/clock.h"
#include "ring/recording_state.h"
#include "session/native_rebind.h"
#include "session/session.h"
#include "session/writer_thread.h"
#include "virtual/instrument.h"
#include "virtual/life_cycle.h"
#include "vm/capabilities.h"
#include "vm/java_fields.h"
#include "vm/message.h"
#include "vm/options.h"
#include "vm/vm.h"
#include "writer/recording.h"
#include "writer/switches.h"

enum { ERROR_BYTES = 512, OLDEST_RELEASE = 11 };

/* The VM's release, 17 for instance, or 8 where it says 1.8; 0: unknown. */
static int release_of(jvmtiEnv *jvmti)
{
    static const char OLD[] = "1.";
    char *text = NULL;
    int release = 0;

    if ((*jvmti)->GetSystemProperty(jvmti, "java.vm.specification.version", &text) ==
            JVMTI_ERROR_NONE &&
        text) {
        release = atoi(strncmp(text, OLD, strlen(OLD)) ? text : text + strlen(OLD));
        (*jvmti)->Deallocate(jvmti, (unsigned char *)text);
    }
    return release;
}

static int processors_of(jvmtiEnv *jvmti)
{
    jint count = 0;

    return (*jvmti)->GetAvailableProcessors(jvmti, &count) == JVMTI_ERROR_NONE &&
                   count > 0
               ? count
               : 0;
}

/* @return 0; -1: this VM's threads cannot be identified */
static int know_the_vm(JNIEnv *jni)
{
    tm__the_vm.processors = processors_of(tm__the_vm.jvmti);
    if (tm__java_fields_open(jni) != 0) {
        tm__message("nothing is recorded: java.lang.Thread has no field tid here");
        return -1;
    }
    tm__object_identity_open();
    tm__monitor_owner_open(jni);
    tm__the_recording.start_ns = tm__now_ns();
    tm__the_recording.start_wall_ns = tm__clock_ns(CLOCK_REALTIME);
    return 0;
}

static void JNICALL vm_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    (void)jvmti;
    if (know_the_vm(jni) != 0)
        return;
    tm__recording_begin();
    tm__virtual_begin(jni);
    if (tm__the_vm.replaces_natives)
        tm__natives_bind_missed(jni);
    if (tm__session_begin(0) != JVMTI_ERROR_NONE)
        tm__message("the VM reports only some of the events");
    tm__early_threads_report(jni, thread);
    if (tm__writer_start(jni, NULL) != 0)
        tm__session_halt();
}

static void JNICALL vm_death(jvmtiEnv *jvmti, JNIEnv *jni)
{
    (void)jvmti;
    (void)jni;
    tm__writer_stop();
}

static jvmtiError enable(jvmtiEvent event)
{
    return (*tm__the_vm.jvmti)
        ->SetEventNotificationMode(tm__the_vm.jvmti, JVMTI_ENABLE, event, NULL);
}

/* @return 0; -1: this VM cannot do what we cannot do without, which was said */
static int get_ready(int is_late)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jvmtiEventCallbacks callbacks = {.VMInit = vm_init, .VMDeath = vm_death};
    tm__capabilities c;

    tm__the_vm.release = release_of(jvmti);
    if (tm__the_vm.release && tm__the_vm.release < OLDEST_RELEASE) {
        tm__message(
            "this VM is of Java %d, and the agent needs %d or newer: nothing is "
            "recorded; thread dumps of it, by jstack, can be read",
            tm__the_vm.release, OLDEST_RELEASE);
        return -1;
    }
    if (tm__capabilities_find(&c, is_late) != 0)
        return -1;
    tm__the_vm.replaces_natives = c.hooks;
    tm__the_vm.reports_held = c.able.can_get_current_contended_monitor &&
                              c.able.can_get_owned_monitor_stack_depth_info;
    tm__the_vm.reports_virtual = tm__the_vm.release >= 25;
    atomic_store(&tm__the_recording.kinds, 0);
    tm__events_set(&callbacks);
    tm__virtual_set(&callbacks);
    tm__virtual_want(&c.wanted, &c.able);
    tm__gc_pauses_set(&c.wanted, &callbacks);
    if (c.hooks)
        tm__native_bind_set(&callbacks, tm__virtual_install);
    if ((*jvmti)->AddCapabilities(jvmti, &c.wanted) != JVMTI_ERROR_NONE ||
        tm__virtual_callbacks(&callbacks) != JVMTI_ERROR_NONE ||
        (!is_late && enable(JVMTI_EVENT_VM_INIT) != JVMTI_ERROR_NONE) ||
        enable(JVMTI_EVENT_VM_DEATH) != JVMTI_ERROR_NONE) {
        tm__message(
            "this VM refuses capabilities that the agent needs: nothing is recorded");
        return -1;
    }
    /* Without it we do without: tm_run.kinds says what is not reported. */
    if (c.hooks && !is_late)
        enable(JVMTI_EVENT_NATIVE_METHOD_BIND);
    return 0;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *text, void *reserved)
{
    char error[ERROR_BYTES];

    (void)reserved;
    if (tm__the_vm.java) {
        tm__message("the agent is loaded twice: the second one is ignored");
        return JNI_OK;
    }
    tm__the_vm.java = vm;
    if (tm__options_parse(&tm__the_options, text, (uint64_t)getpid(), error,
                          sizeof(error)) != 0) {
        tm__message("%s", error);
        return JNI_ERR;
    }
    if (tm__the_options.help) {
        tm__options_help(stdout);
        exit(0);
    }
    if ((*vm)->GetEnv(vm, (void **)&tm__the_vm.jvmti, JVMTI_VERSION_1_1) != JNI_OK) {
        tm__message("this VM has no JVM TI 1.1 or later: nothing is recorded");
        return JNI_OK;
    }
    if (tm__writer_open() != 0) {
        tm__message("no file descriptor is left for the agent");
        return JNI_OK;
    }
    if (tm__recording_open() != 0)
        return JNI_OK;
    if (get_ready(0) != 0)
        tm__recording_close(TM_OK);
    else
        tm__switches_open(0);
    return JNI_OK;
}

int tm__agent_begin(JNIEnv *jni, tm__ended_fn ended)
{

    if ((*tm__the_vm.java)
            ->GetEnv(tm__the_vm.java, (void **)&tm__the_vm.jvmti, JVMTI_VERSION_1_1) !=
        JNI_OK) {
        tm__message("this VM is still starting, or has no tool interface");
        return -1;
    }
    if (tm__writer_open() != 0) {
        tm__message("no file descriptor is left for the agent");
    } else if (get_ready(1) == 0 && know_the_vm(jni) == 0 &&
               tm__recording_open() == 0) {
        tm__recording_begin();
        tm__switches_open(1);
        if (tm__writer_start(jni, ended) == 0)
            return 0;
        tm__recording_close(TM_OK);
    }
    (*tm__the_vm.jvmti)->DisposeEnvironment(tm__the_vm.jvmti);
    tm__the_vm.jvmti = NULL;
    return -1;
}

/* Buffers stay: a thread that the VM stopped on its way may still be in one. */
JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm)
{
    (void)vm;
    /* A writer that hangs has the trace. */
    if (!tm__writer_is_running())
        tm__recording_close(TM_OK);
}
