/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of the run, asked of the VM when it is up and again emitted at the end. */
#include "writer/run_facts.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <threadmodel/error.h>
#include <threadmodel/version.h>

#include "endpoint/endpoint.h"
#include "ring/recording_state.h"
#include "trace/modified_utf8.h"
#include "vm/capabilities.h"
#include "vm/vm.h"
#include "writer/overhead.h"

enum { FACT_BYTES = 8192 };

#define TEXT(x) #x
#define RELEASE(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

static const char PRODUCER[] =
    "threadmodel-agent " RELEASE(TM_VERSION_MAJOR, TM_VERSION_MINOR, TM_VERSION_PATCH);

static void property(char *out, size_t bytes, const char *name)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    char *value = NULL;

    *out = 0;
    if ((*jvmti)->GetSystemProperty(jvmti, name, &value) != JVMTI_ERROR_NONE || !value)
        return;
    tm__text_utf8(out, bytes, value, strlen(value));
    (*jvmti)->Deallocate(jvmti, (unsigned char *)value);
}

int tm__run_facts_announce(void)
{
    const tm_sink *sink = tm__the_recording.sink;
    tm_run run = {
        .size = sizeof(run),
        .producer = PRODUCER,
        .pid = (uint64_t)getpid(),
        .id = tm__the_recording.run_id,
    };

    return sink->run(sink->payload, &run);
}

static int64_t stopped_ns;

void tm__run_facts_open(void)
{
    stopped_ns = 0;
}

void tm__run_facts_note_stopped(int64_t for_ns)
{
    stopped_ns += for_ns;
}

int tm__run_facts_emit(int64_t end_ns, enum tm_ending ending)
{
    const tm_sink *sink = tm__the_recording.sink;
    char command[FACT_BYTES], name[256], version[256],
        vm[sizeof(name) + sizeof(version)];
    tm_run run = {
        .size = sizeof(run),
        .producer = PRODUCER,
        .vm = vm,
        .command = command,
        .pid = (uint64_t)getpid(),
        .start_wall_ns = tm__the_recording.start_wall_ns,
        .start_ns = tm__the_recording.start_ns,
        .end_ns = end_ns,
        .kinds = tm__the_recording.kinds,
        .identity = TM_IDENTITY_EXACT,
        .id = tm__the_recording.run_id,
        .processors = (uint64_t)tm__the_vm.processors,
        .ending = (int32_t)ending,
        .stopped_ns = stopped_ns,
    };

    if (run.kinds >> TM_EVENT_AWAIT & 1)
        run.object_kinds = TM__ENDPOINT_KINDS;
    if (end_ns)
        tm__overhead_add(&run);
    property(command, sizeof(command), "sun.java.command");
    property(name, sizeof(name), "java.vm.name");
    property(version, sizeof(version), "java.vm.version");
    snprintf(vm, sizeof(vm), "%s %s", name, version);
    run.policy = tm__vm_is_hotspot() ? TM_POLICY_HOTSPOT : TM_POLICY_UNKNOWN;
    return sink->run(sink->payload, &run);
}
