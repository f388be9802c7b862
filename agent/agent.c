/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agent's life in the VM: loaded before there are threads, at work from
 * VMInit to VMDeath. Options that are wrong are said in one line, and the VM then
 * does not start. What else may go wrong, a trace that cannot be written for one, is
 * no fault of whoever wrote them: it is said, and the program runs on.
 */
#include "collector.h"
#include "session.h"
#include "virtual.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <threadmodel/error.h>

enum { ERROR_BYTES = 512 };

tm__agent tm__the_agent;

/* The VM's release, 17 for instance; 0: unknown. */
static int release_of(jvmtiEnv *jvmti)
{
    char *text = NULL;
    int release = 0;

    if ((*jvmti)->GetSystemProperty(jvmti, "java.vm.specification.version", &text) ==
            JVMTI_ERROR_NONE &&
        text) {
        release = atoi(text);
        (*jvmti)->Deallocate(jvmti, (unsigned char *)text);
    }
    return release;
}

/* @return 0; -1: this VM's threads cannot be told apart */
static int know_the_vm(JNIEnv *jni)
{
    struct timespec wall;

    if (tm__identity_open(jni) != 0) {
        tm__complain("nothing is recorded: java.lang.Thread has no field tid here");
        return -1;
    }
    tm__the_agent.vm_release = release_of(tm__the_agent.jvmti);
    clock_gettime(CLOCK_REALTIME, &wall);
    tm__the_agent.start_ns = tm__now_ns();
    tm__the_agent.start_wall_ns = (int64_t)wall.tv_sec * 1000000000 + wall.tv_nsec;
    return 0;
}

static void JNICALL vm_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    (void)jvmti;
    if (know_the_vm(jni) != 0)
        return;
    tm__recording_begin();
    tm__virtual_begin(jni);
    if (tm__session_begin() != JVMTI_ERROR_NONE)
        tm__complain("the VM reports only some of the events");
    tm__events_snapshot(jni, thread);
    if (tm__writer_start(jni, 0) != 0)
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
    return (*tm__the_agent.jvmti)
        ->SetEventNotificationMode(tm__the_agent.jvmti, JVMTI_ENABLE, event, NULL);
}

/* @return JNI_OK, or JNI_ERR when this VM cannot do what we cannot do without */
static jint get_ready(int is_late)
{
    jvmtiEnv *jvmti = tm__the_agent.jvmti;
    jvmtiEventCallbacks callbacks = {.VMInit = vm_init, .VMDeath = vm_death};
    jvmtiCapabilities able = {0};
    unsigned hooks;
    jvmtiCapabilities wanted = {
        .can_tag_objects = 1,
        .can_generate_monitor_events = 1,
    };

    if ((*jvmti)->GetPotentialCapabilities(jvmti, &able) != JVMTI_ERROR_NONE ||
        !able.can_tag_objects || !able.can_generate_monitor_events) {
        tm__complain("this VM does not report monitor events");
        return JNI_ERR;
    }
    wanted.can_get_line_numbers = able.can_get_line_numbers;
    wanted.can_get_source_file_name = able.can_get_source_file_name;
    wanted.can_get_constant_pool = able.can_get_constant_pool;
    wanted.can_get_current_contended_monitor = able.can_get_current_contended_monitor;
    wanted.can_get_owned_monitor_stack_depth_info =
        able.can_get_owned_monitor_stack_depth_info;
    hooks = tm__the_agent.options.contention_analysis &&
            able.can_generate_native_method_bind_events &&
            (able.can_generate_early_vmstart || is_late);
    if (tm__the_agent.options.contention_analysis && !hooks)
        tm__complain("this VM lets nobody stand in for its native methods: notify, "
                     "park, sleep, start and interrupt are not recorded");
    wanted.can_generate_native_method_bind_events = hooks;
    wanted.can_generate_early_vmstart = hooks && !is_late;
    tm__the_agent.tells_held = able.can_get_current_contended_monitor &&
                               able.can_get_owned_monitor_stack_depth_info;
    atomic_store(&tm__the_agent.kinds, 0);
    tm__events_set(&callbacks);
    tm__virtual_set(&callbacks);
    tm__virtual_want(&wanted, &able);
    tm__collector_want(&wanted, &able, &callbacks);
    if (hooks)
        tm__hooks_set(&callbacks);
    if ((*jvmti)->AddCapabilities(jvmti, &wanted) != JVMTI_ERROR_NONE ||
        tm__virtual_callbacks(&callbacks) != JVMTI_ERROR_NONE ||
        (!is_late && enable(JVMTI_EVENT_VM_INIT) != JVMTI_ERROR_NONE) ||
        enable(JVMTI_EVENT_VM_DEATH) != JVMTI_ERROR_NONE) {
        tm__complain("this VM refuses what the agent needs");
        return JNI_ERR;
    }
    /* Without it we do without: tm_run.kinds says what is not reported. */
    if (hooks && !is_late)
        enable(JVMTI_EVENT_NATIVE_METHOD_BIND);
    return JNI_OK;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *text, void *reserved)
{
    tm__agent *agent = &tm__the_agent;
    char error[ERROR_BYTES];

    (void)reserved;
    if (agent->vm) {
        tm__complain("the agent is loaded twice: the second is not heard");
        return JNI_OK;
    }
    agent->vm = vm;
    if (tm__options_parse(&agent->options, text, (uint64_t)getpid(), error,
                          sizeof(error)) != 0) {
        tm__complain("%s", error);
        return JNI_ERR;
    }
    if (agent->options.help) {
        tm__options_help(stdout);
        exit(0);
    }
    if ((*vm)->GetEnv(vm, (void **)&agent->jvmti, JVMTI_VERSION_1_1) != JNI_OK) {
        tm__complain("this VM has no tool interface of version 1.1 or later");
        return JNI_ERR;
    }
    if (tm__writer_open() != 0) {
        tm__complain("no file descriptor is left for the agent");
        return JNI_OK;
    }
    if (tm__recording_open() != 0)
        return JNI_OK;
    return get_ready(0);
}

int tm__agent_begin(JNIEnv *jni)
{
    tm__agent *agent = &tm__the_agent;

    if ((*agent->vm)->GetEnv(agent->vm, (void **)&agent->jvmti, JVMTI_VERSION_1_1) !=
        JNI_OK) {
        tm__complain("this VM is still starting, or has no tool interface");
        return -1;
    }
    if (tm__writer_open() != 0) {
        tm__complain("no file descriptor is left for the agent");
    } else if (get_ready(1) == JNI_OK && know_the_vm(jni) == 0 &&
               tm__recording_open() == 0) {
        tm__recording_begin();
        if (tm__writer_start(jni, 1) == 0)
            return 0;
        tm__recording_close(TM_OK);
    }
    (*agent->jvmti)->DisposeEnvironment(agent->jvmti);
    agent->jvmti = NULL;
    return -1;
}

/* Buffers stay: a thread that the VM stopped on its way may still be in one. */
JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm)
{
    (void)vm;
    tm__recording_close(TM_OK);
}
