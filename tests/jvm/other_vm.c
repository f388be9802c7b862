/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An agent that loads ours and shows it another VM than the one that is there: by
 * another name, or without a capability. It takes the place of the VM's table of
 * functions, so that addresses in that lead nowhere near the VM's own library.
 *
 *     -agentpath:libother_vm.so=AGENT;NAME;CAPABILITY;OPTIONS
 *
 * In place of a capability there may be another release, "1.8" for instance.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jvmti.h>

enum { PARTS = 4 };

static struct JNIInvokeInterface_ vm_functions;
static JavaVM other_vm = &vm_functions;
static JavaVM *real_vm;
static struct jvmtiInterface_1_ tool_functions;
static const struct jvmtiInterface_1_ *real_tool;
static const char *name, *lacking;

static jvmtiError JNICALL get_property(jvmtiEnv *jvmti, const char *key, char **value)
{
    jvmtiError error = real_tool->GetSystemProperty(jvmti, key, value);
    const char *shown = "";
    unsigned char *copy;

    if (strcmp(key, "java.vm.name") == 0)
        shown = name;
    else if (strcmp(key, "java.vm.specification.version") == 0 && *lacking <= '9')
        shown = lacking;
    if (error != JVMTI_ERROR_NONE || !*shown)
        return error;
    real_tool->Deallocate(jvmti, (unsigned char *)*value);
    error = real_tool->Allocate(jvmti, (jlong)strlen(shown) + 1, &copy);
    if (error == JVMTI_ERROR_NONE) {
        memcpy(copy, shown, strlen(shown) + 1);
        *value = (char *)copy;
    }
    return error;
}

static jvmtiError JNICALL get_potential(jvmtiEnv *jvmti, jvmtiCapabilities *able)
{
    jvmtiError error = real_tool->GetPotentialCapabilities(jvmti, able);

#define LACK(capability)                                                               \
    if (strcmp(lacking, #capability) == 0)                                             \
    able->capability = 0
    LACK(can_tag_objects);
    LACK(can_generate_monitor_events);
    LACK(can_get_line_numbers);
    LACK(can_get_source_file_name);
    LACK(can_get_constant_pool);
    LACK(can_get_current_contended_monitor);
    LACK(can_get_owned_monitor_stack_depth_info);
    LACK(can_generate_native_method_bind_events);
    LACK(can_generate_early_vmstart);
    LACK(can_retransform_classes);
    LACK(can_generate_garbage_collection_events);
    return error;
}

static jint JNICALL get_env(JavaVM *vm, void **out, jint version)
{
    jint rc = (*real_vm)->GetEnv(real_vm, out, version);

    (void)vm;
    if (rc == JNI_OK && version == JVMTI_VERSION_1_1) {
        const struct jvmtiInterface_1_ **functions = *out;

        real_tool = *functions;
        tool_functions = *real_tool;
        tool_functions.GetSystemProperty = get_property;
        tool_functions.GetPotentialCapabilities = get_potential;
        *functions = &tool_functions;
    }
    return rc;
}

typedef union function {
    void *address;
    jint(JNICALL *load)(JavaVM *, char *, void *);
    void(JNICALL *unload)(JavaVM *);
} function;

static function unload;

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *text, void *reserved)
{
    char *parts[PARTS] = {NULL};
    char *at = strdup(text ? text : "");
    void *agent;
    function load;

    for (int i = 0; at && i < PARTS; i++)
        parts[i] = i < PARTS - 1 ? strsep(&at, ";") : at;
    agent = parts[PARTS - 1] ? dlopen(parts[0], RTLD_NOW) : NULL;
    if (!agent) {
        fprintf(stderr, "other_vm: no agent\n");
        return JNI_ERR;
    }
    name = parts[1];
    lacking = parts[2];
    real_vm = vm;
    vm_functions = **(const struct JNIInvokeInterface_ *const *)vm;
    vm_functions.GetEnv = get_env;
    load.address = dlsym(agent, "Agent_OnLoad");
    unload.address = dlsym(agent, "Agent_OnUnload");
    return load.load(&other_vm, parts[PARTS - 1], reserved);
}

JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm)
{
    (void)vm;
    if (unload.address)
        unload.unload(&other_vm);
}
