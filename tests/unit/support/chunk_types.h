/* SPDX-License-Identifier: Apache-2.0 */
/* The types and events of a recording that chunk_paper.h makes. */
#ifndef TM_TESTS_CHUNK_TYPES_H
#define TM_TESTS_CHUNK_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* Types of the paper's chunks; events from 100 on. */
enum chunk_type {
    TYPE_LONG = 10,
    TYPE_INT,
    TYPE_BOOLEAN,
    TYPE_STRING,
    TYPE_THREAD = 20,
    TYPE_GROUP,
    TYPE_CLASS,
    TYPE_METHOD,
    TYPE_STACK,
    TYPE_FRAME,
    TYPE_SYMBOL,
    TYPE_UNIT = 30,
    TYPE_ENTER = 100,
    TYPE_WAIT,
    TYPE_NOTIFY,
    TYPE_PARK,
    TYPE_SLEEP,
    TYPE_START,
    TYPE_END,
    TYPE_SETTING,
    TYPE_JVM,
    TYPE_DUMP,
};

typedef struct chunk_field {
    const char *name;
    int type;
    int is_constant;
    int is_array;
    const char *unit;
} chunk_field;

typedef struct chunk_class {
    const char *name;
    int id;
    chunk_field fields[10];
} chunk_class;

#define FIELD_START                                                                    \
    {                                                                                  \
        "startTime", TYPE_LONG, 0, 0, "TICKS"                                          \
    }
#define FIELD_DURATION                                                                 \
    {                                                                                  \
        "duration", TYPE_LONG, 0, 0, "TICKS"                                           \
    }
#define FIELD_THREAD(name)                                                             \
    {                                                                                  \
        name, TYPE_THREAD, 1, 0, NULL                                                  \
    }
#define FIELD_STACK                                                                    \
    {                                                                                  \
        "stackTrace", TYPE_STACK, 1, 0, NULL                                           \
    }
#define FIELDS_MONITOR                                                                 \
    {"monitorClass", TYPE_CLASS, 1, 0, NULL},                                          \
    {                                                                                  \
        "address", TYPE_LONG, 0, 0, NULL                                               \
    }
/* The fields of a thread, since JDK 17. */
#define FIELDS_WHOLE_THREAD                                                            \
    {"osName", TYPE_STRING, 0, 0, NULL}, {"osThreadId", TYPE_LONG, 0, 0, NULL},        \
        {"javaName", TYPE_STRING, 0, 0, NULL},                                         \
        {"javaThreadId", TYPE_LONG, 0, 0, NULL}, {"group", TYPE_GROUP, 1, 0, NULL},    \
    {                                                                                  \
        "virtual", TYPE_BOOLEAN, 0, 0, NULL                                            \
    }
#define FIELDS_BLOCKED                                                                 \
    FIELD_START, FIELD_DURATION, FIELD_THREAD("eventThread"), FIELD_STACK

static const chunk_class chunk_classes[] = {
    {"long", TYPE_LONG, {{NULL}}},
    {"int", TYPE_INT, {{NULL}}},
    {"boolean", TYPE_BOOLEAN, {{NULL}}},
    {"java.lang.String", TYPE_STRING, {{NULL}}},
    {"java.lang.Thread",
     TYPE_THREAD,
     {{"javaName", TYPE_STRING, 0, 0, NULL},
      {"javaThreadId", TYPE_LONG, 0, 0, NULL},
      {"group", TYPE_GROUP, 1, 0, NULL}}},
    {"jdk.types.ThreadGroup",
     TYPE_GROUP,
     {{"parent", TYPE_GROUP, 1, 0, NULL}, {"name", TYPE_STRING, 0, 0, NULL}}},
    {"java.lang.Class", TYPE_CLASS, {{"name", TYPE_SYMBOL, 1, 0, NULL}}},
    {"jdk.types.Method",
     TYPE_METHOD,
     {{"type", TYPE_CLASS, 1, 0, NULL}, {"name", TYPE_SYMBOL, 1, 0, NULL}}},
    {"jdk.types.StackTrace",
     TYPE_STACK,
     {{"truncated", TYPE_BOOLEAN, 0, 0, NULL}, {"frames", TYPE_FRAME, 0, 1, NULL}}},
    {"jdk.types.StackFrame",
     TYPE_FRAME,
     {{"method", TYPE_METHOD, 1, 0, NULL}, {"lineNumber", TYPE_INT, 0, 0, NULL}}},
    {"jdk.types.Symbol", TYPE_SYMBOL, {{"string", TYPE_STRING, 0, 0, NULL}}},
    {"jdk.jfr.Timespan", TYPE_UNIT, {{NULL}}},
    {"jdk.JavaMonitorEnter",
     TYPE_ENTER,
     {FIELDS_BLOCKED, FIELDS_MONITOR, FIELD_THREAD("previousOwner")}},
    {"jdk.JavaMonitorWait",
     TYPE_WAIT,
     {FIELDS_BLOCKED,
      FIELDS_MONITOR,
      FIELD_THREAD("notifier"),
      {"timeout", TYPE_LONG, 0, 0, "MILLISECONDS"},
      {"timedOut", TYPE_BOOLEAN, 0, 0, NULL}}},
    {"jdk.JavaMonitorNotify",
     TYPE_NOTIFY,
     {FIELDS_BLOCKED, FIELDS_MONITOR, {"notifiedCount", TYPE_INT, 0, 0, NULL}}},
    {"jdk.ThreadPark",
     TYPE_PARK,
     {FIELDS_BLOCKED,
      {"parkedClass", TYPE_CLASS, 1, 0, NULL},
      {"address", TYPE_LONG, 0, 0, NULL},
      {"timeout", TYPE_LONG, 0, 0, "NANOSECONDS"}}},
    {"jdk.ThreadSleep",
     TYPE_SLEEP,
     {FIELDS_BLOCKED, {"time", TYPE_LONG, 0, 0, "NANOSECONDS"}}},
    {"jdk.ThreadStart",
     TYPE_START,
     {FIELD_START, FIELD_THREAD("thread"), FIELD_THREAD("parentThread")}},
    {"jdk.ThreadEnd", TYPE_END, {FIELD_START, FIELD_THREAD("thread")}},
    {"jdk.ActiveSetting",
     TYPE_SETTING,
     {FIELD_START,
      {"id", TYPE_LONG, 0, 0, NULL},
      {"name", TYPE_STRING, 0, 0, NULL},
      {"value", TYPE_STRING, 0, 0, NULL}}},
    {"jdk.JVMInformation",
     TYPE_JVM,
     {FIELD_START,
      {"jvmName", TYPE_STRING, 0, 0, NULL},
      {"jvmVersion", TYPE_STRING, 0, 0, NULL},
      {"pid", TYPE_LONG, 0, 0, NULL}}},
    {"jdk.ThreadDump", TYPE_DUMP, {FIELD_START, {"result", TYPE_STRING, 0, 0, NULL}}},
};

enum { CHUNK_CLASSES = sizeof(chunk_classes) / sizeof(*chunk_classes) };

#endif
