/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A VM may lack what we ask for, another than HotSpot above all. Monitor events and
 * tags we cannot do without; all else is left out, said on stderr before the program
 * begins, and in the trace.
 */
#include "vm/capabilities.h"

#include <stdio.h>
#include <string.h>

#include <threadmodel/error.h>

#include "vm/message.h"
#include "vm/options.h"
#include "vm/vm.h"

static char lacks[1024]; /* a sentence; "": nothing */

/* Each with what is not recorded where a VM does not have it. */
#define OPTIONAL(X)                                                                    \
    X(can_get_line_numbers, "lines")                                                   \
    X(can_get_source_file_name, "names of source files")                               \
    X(can_get_constant_pool, "the methods of lambdas")                                 \
    X(can_retransform_classes, "parks, sleeps and joins of virtual threads")           \
    X(can_generate_garbage_collection_events, "pauses of the collector")

/* HotSpot has these for an agent that it begins with alone. */
#define OPTIONAL_AT_START(X)                                                           \
    X(can_get_current_contended_monitor, "what threads wait for at the start")         \
    X(can_get_owned_monitor_stack_depth_info, "which monitors a thread holds")

static void lack(const char *name, const char *what)
{
    size_t used = strlen(lacks);

    snprintf(lacks + used, sizeof(lacks) - used, "%s%s (no %s)",
             used ? ", " : "Not recorded, since this VM lacks the capability: ", what,
             name);
}

int tm__vm_is_hotspot(void)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    char *name = NULL;
    int is = 0;

    if ((*jvmti)->GetSystemProperty(jvmti, "java.vm.name", &name) == JVMTI_ERROR_NONE &&
        name) {
        /* All builds of HotSpot call themselves one or the other. */
        is = strstr(name, "HotSpot") || strstr(name, "OpenJDK");
        (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    }
    return is;
}

/* Elsewhere nobody has tried whether a stand-in for a native method is called, and
 * in which order a notify wakes. */
static void find_hooks(tm__capabilities *c, int is_late)
{
    static const char WITHOUT[] =
        "notify, park, sleep, start and interrupt are not recorded";

    if (!tm__the_options.contention_analysis)
        return;
    if (!tm__vm_is_hotspot())
        snprintf(lacks, sizeof(lacks),
                 "This VM is not HotSpot: only JVM TI's own events are recorded; %s.",
                 WITHOUT);
    else if (!c->able.can_generate_native_method_bind_events)
        lack("can_generate_native_method_bind_events", WITHOUT);
    else if (!c->able.can_generate_early_vmstart && !is_late)
        lack("can_generate_early_vmstart", WITHOUT);
    else
        c->hooks = 1;
    c->wanted.can_generate_native_method_bind_events = c->hooks;
    c->wanted.can_generate_early_vmstart = c->hooks && !is_late;
}

int tm__capabilities_find(tm__capabilities *out, int is_late)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    tm__capabilities *c = out;

    *c = (tm__capabilities){
        .wanted = {.can_tag_objects = 1, .can_generate_monitor_events = 1}};
    lacks[0] = 0;
    if ((*jvmti)->GetPotentialCapabilities(jvmti, &c->able) != JVMTI_ERROR_NONE ||
        !c->able.can_tag_objects || !c->able.can_generate_monitor_events) {
        tm__message(
            "this VM does not report monitor events (no %s): nothing is recorded",
            c->able.can_tag_objects ? "can_generate_monitor_events"
                                    : "can_tag_objects");
        return -1;
    }
    find_hooks(c, is_late);
#define ASK(name, what)                                                                \
    c->wanted.name = c->able.name;                                                     \
    if (!c->able.name)                                                                 \
        lack(#name, what);
    OPTIONAL(ASK)
#define ASK_AT_START(name, what)                                                       \
    c->wanted.name = c->able.name;                                                     \
    if (!c->able.name && !is_late)                                                     \
        lack(#name, what);
    OPTIONAL_AT_START(ASK_AT_START)
    /* To know for which class a thread waits. */
    c->wanted.can_get_bytecodes = c->able.can_get_bytecodes;
    if (lacks[0])
        tm__message("%s", lacks);
    return 0;
}

const char *tm__capabilities_lacking(void)
{
    return lacks[0] ? lacks : NULL;
}
