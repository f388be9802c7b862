/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The types of events that matter, the names of their fields, and the few types about
 * the recording itself. These come before all others are decoded: which JVM the chunk
 * is of decides on the ids of its threads.
 */
#include "formats/jfr/events.h"

#include "base/error.h"
#include "formats/jfr/code.h"
#include "formats/jfr/program.h"

enum { SLOTS = TM__JFR_EVENT_SLOTS };

static const struct {
    const char *type;
    const char *names[SLOTS];
} kinds[TM__JFR_WHAT_COUNT] = {
#define COMMON                                                                         \
    [TM__JFR_SLOT_START] = "startTime", [TM__JFR_SLOT_DURATION] = "duration",          \
    [TM__JFR_SLOT_STACK] = "stackTrace"
#define OF_THREAD COMMON, [TM__JFR_SLOT_THREAD] = "eventThread"
#define OF_MONITOR                                                                     \
    OF_THREAD, [TM__JFR_SLOT_CLASS] = "monitorClass", [TM__JFR_SLOT_ADDRESS] = "address"
    [TM__JFR_ENTER] = {"jdk.JavaMonitorEnter",
                       {OF_MONITOR, [TM__JFR_SLOT_PEER] = "previousOwner"}},
    [TM__JFR_WAIT] =
        {"jdk.JavaMonitorWait",
         {OF_MONITOR, [TM__JFR_SLOT_PEER] = "notifier",
          [TM__JFR_SLOT_TIMEOUT] = "timeout", [TM__JFR_SLOT_TIMED_OUT] = "timedOut"}},
    [TM__JFR_NOTIFY] = {"jdk.JavaMonitorNotify",
                        {OF_MONITOR, [TM__JFR_SLOT_NOTIFIED] = "notifiedCount"}},
    [TM__JFR_PARK] =
        {"jdk.ThreadPark",
         {OF_THREAD, [TM__JFR_SLOT_CLASS] = "parkedClass",
          [TM__JFR_SLOT_ADDRESS] = "address", [TM__JFR_SLOT_TIMEOUT] = "timeout",
          [TM__JFR_SLOT_UNTIL] = "until"}},
    [TM__JFR_SLEEP] = {"jdk.ThreadSleep", {OF_THREAD, [TM__JFR_SLOT_TIMEOUT] = "time"}},
    [TM__JFR_START] = {"jdk.ThreadStart",
                       {COMMON, [TM__JFR_SLOT_THREAD] = "thread",
                        [TM__JFR_SLOT_PEER] = "parentThread"}},
    [TM__JFR_END] = {"jdk.ThreadEnd", {COMMON, [TM__JFR_SLOT_THREAD] = "thread"}},
    [TM__JFR_VIRTUAL_START] = {"jdk.VirtualThreadStart", {OF_THREAD}},
    [TM__JFR_VIRTUAL_END] = {"jdk.VirtualThreadEnd", {OF_THREAD}},
    [TM__JFR_SAMPLE] = {"jdk.ExecutionSample",
                        {COMMON, [TM__JFR_SLOT_THREAD] = "sampledThread",
                         [TM__JFR_SLOT_STATE] = "state"}},
    [TM__JFR_WALL_SAMPLE] = {"profiler.WallClockSample",
                             {COMMON, [TM__JFR_SLOT_THREAD] = "sampledThread",
                              [TM__JFR_SLOT_STATE] = "state"}},
    [TM__JFR_CPU_TIME] = {"jdk.CPUTimeSample", {OF_THREAD}},
    [TM__JFR_INFLATE] = {"jdk.JavaMonitorInflate",
                         {OF_MONITOR, [TM__JFR_SLOT_CAUSE] = "cause"}},
    [TM__JFR_PINNED] = {"jdk.VirtualThreadPinned", {OF_THREAD}},
    [TM__JFR_SUBMIT_FAILED] = {"jdk.VirtualThreadSubmitFailed",
                               {OF_THREAD, [TM__JFR_SLOT_JAVA_ID] = "javaThreadId"}},
    [TM__JFR_PAUSE] =
        {"jdk.GCPhasePause",
         {[TM__JFR_SLOT_START] = "startTime", [TM__JFR_SLOT_DURATION] = "duration"}},
    [TM__JFR_COLLECTION] = {"jdk.GarbageCollection",
                            {[TM__JFR_SLOT_START] = "startTime",
                             [TM__JFR_SLOT_DURATION] = "duration",
                             [TM__JFR_SLOT_PAUSES] = "sumOfPauses"}},
    [TM__JFR_DUMP] =
        {"jdk.ThreadDump",
         {[TM__JFR_SLOT_START] = "startTime", [TM__JFR_SLOT_TEXT] = "result"}},
    [TM__JFR_SHUTDOWN] = {"jdk.Shutdown", {OF_THREAD}},
    [TM__JFR_UNIT] =
        {"threadmodel.Unit",
         {OF_THREAD, [TM__JFR_SLOT_TEXT] = "kind", [TM__JFR_SLOT_LABEL] = "label",
          [TM__JFR_SLOT_ID] = "id", [TM__JFR_SLOT_PARENT] = "parent",
          [TM__JFR_SLOT_PEER] = "beginThread"}},
    [TM__JFR_UNIT_MOVE] =
        {"threadmodel.UnitMove",
         {OF_THREAD, [TM__JFR_SLOT_ID] = "id", [TM__JFR_SLOT_RESUMED] = "resumed"}},
#define OF_SOCKET                                                                      \
    OF_THREAD, [TM__JFR_SLOT_TEXT] = "address", [TM__JFR_SLOT_HOST] = "host",          \
               [TM__JFR_SLOT_PORT] = "port"
#define OF_FILE OF_THREAD, [TM__JFR_SLOT_TEXT] = "path"
    [TM__JFR_SOCKET_READ] = {"jdk.SocketRead", {OF_SOCKET}},
    [TM__JFR_SOCKET_WRITE] = {"jdk.SocketWrite", {OF_SOCKET}},
    [TM__JFR_FILE_READ] = {"jdk.FileRead", {OF_FILE}},
    [TM__JFR_FILE_WRITE] = {"jdk.FileWrite", {OF_FILE}},
    [TM__JFR_FILE_FORCE] = {"jdk.FileForce", {OF_FILE}},
    [TM__JFR_SETTING] = {"jdk.ActiveSetting", {NULL}},
    [TM__JFR_JVM] = {"jdk.JVMInformation", {NULL}},
    [TM__JFR_LOSS] = {"jdk.DataLoss", {NULL}},
};

/* The few that tell of the recording hold texts. */
enum { SETTING_ID, SETTING_NAME, SETTING_VALUE };
static const char *const setting_names[SLOTS] = {"id", "name", "value"};
enum { JVM_PID, JVM_START, JVM_NAME, JVM_VERSION, JVM_COMMAND };
static const char *const jvm_names[SLOTS] = {"pid", "jvmStartTime", "jvmName",
                                             "jvmVersion", "javaArguments"};
static const char *const loss_names[SLOTS] = {"amount"};

static int compile(tm__jfr_events *events, uint32_t type, int what)
{
    tm__jfr_event_kind *kind = &events->kinds[what];
    const char *const *names = what == TM__JFR_SETTING ? setting_names
                               : what == TM__JFR_JVM   ? jvm_names
                               : what == TM__JFR_LOSS  ? loss_names
                                                       : kinds[what].names;
    uint64_t texts =
        what == TM__JFR_DUMP   ? 1 << TM__JFR_SLOT_TEXT
        : what == TM__JFR_UNIT ? 1 << TM__JFR_SLOT_TEXT | 1 << TM__JFR_SLOT_LABEL
        : what == TM__JFR_SOCKET_READ || what == TM__JFR_SOCKET_WRITE
            ? 1 << TM__JFR_SLOT_TEXT | 1 << TM__JFR_SLOT_HOST
        : what >= TM__JFR_FILE_READ && what <= TM__JFR_FILE_FORCE
            ? 1 << TM__JFR_SLOT_TEXT
        : what == TM__JFR_SETTING ? 1 << SETTING_NAME | 1 << SETTING_VALUE
        : what == TM__JFR_JVM     ? 1 << JVM_NAME | 1 << JVM_VERSION | 1 << JVM_COMMAND
                                  : 0;
    int rc =
        tm__jfr_compile(events->metadata, &kind->program, type, names, SLOTS, texts);

    if (rc == TM_EDAMAGED)
        return tm__notes_damage(events->notes,
                                "the chunk at byte %llu describes events of type %s by "
                                "types that it does not have: they are not read",
                                (unsigned long long)events->chunk.offset,
                                kinds[what].type);
    if (rc < 0)
        return rc;
    events->metadata->types[type].role = (uint8_t)(TM__JFR_EVENT_ROLE + what);
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        int unit = tm__jfr_unit_of(events->metadata, kind->program, slot);

        if (unit >= 0) {
            kind->units[slot] = (uint8_t)unit;
            kind->has |= UINT64_C(1) << slot;
        }
    }
    return TM_OK;
}

int tm__jfr_events_start(tm__jfr_events *events, const tm__jfr_chunk *chunk)
{
    tm__jfr_metadata *metadata = events->metadata;

    events->chunk = *chunk;
    events->decoded = 0;
    memset(events->kinds, 0, sizeof(events->kinds));
    for (uint32_t type = 0; type < metadata->type_count; type++) {
        const char *name = tm__jfr_type_name(metadata, &metadata->types[type]);

        if (strncmp(name, "jdk.", 4) != 0 && strncmp(name, "threadmodel.", 12) != 0 &&
            strncmp(name, "profiler.", 9) != 0)
            continue;
        for (int what = TM__JFR_NOTHING + 1; what < TM__JFR_WHAT_COUNT; what++)
            if (strcmp(name, kinds[what].type) == 0 && compile(events, type, what) < 0)
                return tm__failure();
    }
    return TM_OK;
}

int tm__jfr_events_complain(tm__jfr_events *events, const tm__jfr_entry *entry,
                            const char *what)
{
    return tm__notes_damage(
        events->notes, "the event at byte %llu %s",
        (unsigned long long)events->chunk.offset + entry->body - entry->head, what);
}

/* A text of an event, "" for none; which stays. */
static int read_text(tm__jfr_events *events, uint64_t offset, const char **text)
{
    uint32_t index = TM__NONE;
    int rc = offset ? tm__jfr_entity_text(events->entities, offset, &index) : TM_OK;

    *text = tm__strings_get(&events->entities->texts, index);
    if (!*text)
        *text = "";
    return rc;
}

static int read_setting(tm__jfr_events *events, const uint64_t *values)
{
    int what = tm__jfr_what_of(events->metadata, values[SETTING_ID]);
    const char *name, *value;
    int rc;

    if (what <= TM__JFR_NOTHING)
        return TM_OK;
    rc = read_text(events, values[SETTING_NAME], &name);
    if (rc == TM_OK)
        rc = read_text(events, values[SETTING_VALUE], &value);
    if (rc == TM_OK)
        tm__jfr_settings_read(events->settings, what, name, value);
    return rc;
}

static int read_jvm(tm__jfr_events *events, const uint64_t *values)
{
    const char *name, *version, *command;
    int rc = read_text(events, values[JVM_NAME], &name);

    if (rc == TM_OK)
        rc = read_text(events, values[JVM_VERSION], &version);
    if (rc == TM_OK)
        rc = read_text(events, values[JVM_COMMAND], &command);
    if (rc == TM_OK)
        rc = tm__jfr_settings_jvm(events->settings,
                                  (tm__jfr_jvm){values[JVM_PID], values[JVM_START]},
                                  name, version, command);
    return rc;
}

int tm__jfr_events_about(tm__jfr_events *events, const uint8_t *base)
{
    int rc = TM_OK;

    for (uint32_t i = 0; rc == TM_OK && i < events->index.about_count; i++) {
        const tm__jfr_entry *entry = &events->index.abouts[i];
        tm__jfr_event_kind *kind = &events->kinds[entry->what];
        tm__jfr_cursor cursor = {.at = base + entry->body,
                                 .limit = base + events->chunk.bytes};

        tm__jfr_run(events->metadata, kind->program, &cursor, base, kind->values);
        if (cursor.is_broken || cursor.at > base + entry->end)
            rc = tm__jfr_events_complain(events, entry, "is longer than it says");
        else if (entry->what == TM__JFR_SETTING)
            rc = read_setting(events, kind->values);
        else if (entry->what == TM__JFR_JVM)
            rc = read_jvm(events, kind->values);
        else
            events->settings->lost_bytes += kind->values[0];
    }
    return rc;
}

void tm__jfr_events_free(tm__jfr_events *events)
{
    tm__jfr_index_free(&events->index);
    tm__jfr_witness_free(&events->witness);
    tm__free(events->memory, events->facts,
             events->fact_capacity * sizeof(*events->facts));
    tm__jfr_order_free(&events->order);
    tm__triple_map_free(&events->peer_map, events->memory);
    tm__free(events->memory, events->peers,
             events->peer_capacity * sizeof(*events->peers));
}
