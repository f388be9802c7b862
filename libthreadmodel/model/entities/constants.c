/* SPDX-License-Identifier: Apache-2.0 */
/* Names of states, kinds and causes, as answers and files have them.
 * Made by ./dev describe from the enums of the public headers. */
#include <threadmodel/threadmodel.h>

#define NAME_OF(names, number)                                                         \
    ((number) >= 0 && (size_t)(number) < sizeof(names) / sizeof(*(names))              \
         ? (names)[number]                                                             \
         : NULL)

const char *tm_object_kind_name(int kind)
{
    static const char *const names[] = {
        [TM_OBJECT_KIND_UNKNOWN] = "unknown",
        [TM_OBJECT_KIND_MONITOR] = "monitor",
        [TM_OBJECT_KIND_SYNCHRONIZER] = "synchronizer",
        [TM_OBJECT_KIND_MUTEX] = "mutex",
        [TM_OBJECT_KIND_RWLOCK] = "rwlock",
        [TM_OBJECT_KIND_SPIN_LOCK] = "spin_lock",
        [TM_OBJECT_KIND_CONDITION] = "condition",
        [TM_OBJECT_KIND_SEMAPHORE] = "semaphore",
        [TM_OBJECT_KIND_BARRIER] = "barrier",
        [TM_OBJECT_KIND_ONCE] = "once",
        [TM_OBJECT_KIND_CHANNEL] = "channel",
        [TM_OBJECT_KIND_SOCKET] = "socket",
        [TM_OBJECT_KIND_FILE] = "file",
        [TM_OBJECT_KIND_POLL] = "poll",
        [TM_OBJECT_KIND_ACCEPT] = "accept",
        [TM_OBJECT_KIND_NAME] = "name",
        [TM_OBJECT_KIND_PROCESS] = "process",
        [TM_OBJECT_KIND_FUTEX] = "futex",
    };

    return NAME_OF(names, kind);
}

const char *tm_diagnostic_name(int cause)
{
    static const char *const names[] = {
        [TM_DIAGNOSTIC_UNKNOWN_KIND] = "unknown_kind",
        [TM_DIAGNOSTIC_NO_THREAD] = "no_thread",
        [TM_DIAGNOSTIC_BACKWARD_TIME] = "backward_time",
        [TM_DIAGNOSTIC_ENTERED_WITHOUT_ENTER] = "entered_without_enter",
        [TM_DIAGNOSTIC_ENTER_WITHOUT_ENTERED] = "enter_without_entered",
        [TM_DIAGNOSTIC_WAITED_WITHOUT_WAIT] = "waited_without_wait",
        [TM_DIAGNOSTIC_WAIT_WITHOUT_WAITED] = "wait_without_waited",
        [TM_DIAGNOSTIC_END_WITHOUT_BEGIN] = "end_without_begin",
        [TM_DIAGNOSTIC_BEGIN_WITHOUT_END] = "begin_without_end",
        [TM_DIAGNOSTIC_OTHER_OBJECT] = "other_object",
        [TM_DIAGNOSTIC_AFTER_END] = "after_end",
        [TM_DIAGNOSTIC_STARTED_TWICE] = "started_twice",
        [TM_DIAGNOSTIC_UNDEFINED_THREAD] = "undefined_thread",
        [TM_DIAGNOSTIC_UNDEFINED_OBJECT] = "undefined_object",
        [TM_DIAGNOSTIC_UNDEFINED_STACK] = "undefined_stack",
        [TM_DIAGNOSTIC_UNDEFINED_METHOD] = "undefined_method",
        [TM_DIAGNOSTIC_STALE_OWNER] = "stale_owner",
        [TM_DIAGNOSTIC_OUT_OF_MEMORY] = "out_of_memory",
        [TM_DIAGNOSTIC_LOST_BY_PRODUCER] = "lost_by_producer",
        [TM_DIAGNOSTIC_EVICTED] = "evicted",
        [TM_DIAGNOSTIC_UNKNOWN_STATE] = "unknown_state",
        [TM_DIAGNOSTIC_OWN_PEER] = "own_peer",
        [TM_DIAGNOSTIC_TIME_RANGE] = "time_range",
        [TM_DIAGNOSTIC_INITIALISATION_WAIT] = "initialisation_wait",
        [TM_DIAGNOSTIC_TWO_OWNERS] = "two_owners",
        [TM_DIAGNOSTIC_LATE_OWNER] = "late_owner",
        [TM_DIAGNOSTIC_ACQUIRED_TWICE] = "acquired_twice",
        [TM_DIAGNOSTIC_RELEASED_BY_ANOTHER] = "released_by_another",
        [TM_DIAGNOSTIC_UNIT_NOT_BEGUN] = "unit_not_begun",
        [TM_DIAGNOSTIC_UNIT_BEGUN_TWICE] = "unit_begun_twice",
        [TM_DIAGNOSTIC_UNIT_LEFT_OUT] = "unit_left_out",
        [TM_DIAGNOSTIC_FORGOTTEN_THREAD] = "forgotten_thread",
        [TM_DIAGNOSTIC_FORGOTTEN_OBJECT] = "forgotten_object",
    };

    return NAME_OF(names, cause);
}

const char *tm_event_kind_name(int kind)
{
    static const char *const names[] = {
        [TM_EVENT_THREAD_START_CALLED] = "thread_start_called",
        [TM_EVENT_THREAD_START] = "thread_start",
        [TM_EVENT_THREAD_END] = "thread_end",
        [TM_EVENT_CONTENDED_ENTER] = "contended_enter",
        [TM_EVENT_CONTENDED_ENTERED] = "contended_entered",
        [TM_EVENT_WAIT] = "wait",
        [TM_EVENT_WAITED] = "waited",
        [TM_EVENT_NOTIFY] = "notify",
        [TM_EVENT_NOTIFY_ALL] = "notify_all",
        [TM_EVENT_INTERRUPT_CALLED] = "interrupt_called",
        [TM_EVENT_INTERRUPTED] = "interrupted",
        [TM_EVENT_SLEEP] = "sleep",
        [TM_EVENT_SLEPT] = "slept",
        [TM_EVENT_JOIN] = "join",
        [TM_EVENT_JOINED] = "joined",
        [TM_EVENT_PARK] = "park",
        [TM_EVENT_UNPARKED] = "unparked",
        [TM_EVENT_UNPARK_CALLED] = "unpark_called",
        [TM_EVENT_VIRTUAL_MOUNT] = "virtual_mount",
        [TM_EVENT_VIRTUAL_UNMOUNT] = "virtual_unmount",
        [TM_EVENT_HELD] = "held",
        [TM_EVENT_SNAPSHOT] = "snapshot",
        [TM_EVENT_LOST] = "lost",
        [TM_EVENT_CPU_SAMPLE] = "cpu_sample",
        [TM_EVENT_GC_PAUSE] = "gc_pause",
        [TM_EVENT_PINNED] = "pinned",
        [TM_EVENT_SUBMIT_FAILED] = "submit_failed",
        [TM_EVENT_INFLATED] = "inflated",
        [TM_EVENT_ACQUIRED] = "acquired",
        [TM_EVENT_RELEASED] = "released",
        [TM_EVENT_AWAIT] = "await",
        [TM_EVENT_AWAITED] = "awaited",
        [TM_EVENT_POST] = "post",
        [TM_EVENT_RUNNABLE] = "runnable",
        [TM_EVENT_ON_CPU] = "on_cpu",
        [TM_EVENT_OFF_CPU] = "off_cpu",
        [TM_EVENT_SHUTDOWN] = "shutdown",
        [TM_EVENT_CPU_TIME] = "cpu_time",
        [TM_EVENT_CPU_WAIT] = "cpu_wait",
        [TM_EVENT_UNIT_BEGIN] = "unit_begin",
        [TM_EVENT_UNIT_END] = "unit_end",
        [TM_EVENT_UNIT_RESUME] = "unit_resume",
        [TM_EVENT_UNIT_LEAVE] = "unit_leave",
        [TM_EVENT_NESTED] = "nested",
    };

    return NAME_OF(names, kind);
}

const char *tm_inflation_name(int cause)
{
    static const char *const names[] = {
        [TM_INFLATION_UNKNOWN] = "unknown", [TM_INFLATION_ENTER] = "enter",
        [TM_INFLATION_WAIT] = "wait",       [TM_INFLATION_NOTIFY] = "notify",
        [TM_INFLATION_HASH] = "hash",       [TM_INFLATION_JNI] = "jni",
        [TM_INFLATION_VM] = "vm",
    };

    return NAME_OF(names, cause);
}

const char *tm_interaction_kind_name(int kind)
{
    static const char *const names[] = {
        [TM_INTERACTION_START] = "start",   [TM_INTERACTION_HANDOFF] = "handoff",
        [TM_INTERACTION_NOTIFY] = "notify", [TM_INTERACTION_NOTIFY_ALL] = "notify_all",
        [TM_INTERACTION_JOIN] = "join",     [TM_INTERACTION_INTERRUPT] = "interrupt",
        [TM_INTERACTION_UNPARK] = "unpark", [TM_INTERACTION_TIMEOUT] = "timeout",
        [TM_INTERACTION_POST] = "post",
    };

    return NAME_OF(names, kind);
}

const char *tm_state_name(int state)
{
    static const char *const names[] = {
        [TM_STATE_UNKNOWN] = "unknown", [TM_STATE_NEW] = "new",
        [TM_STATE_RUNNING] = "running", [TM_STATE_BLOCKED] = "blocked",
        [TM_STATE_WAITING] = "waiting", [TM_STATE_REENTERING] = "reentering",
        [TM_STATE_JOINING] = "joining", [TM_STATE_SLEEPING] = "sleeping",
        [TM_STATE_PARKED] = "parked",   [TM_STATE_DEADLOCKED] = "deadlocked",
        [TM_STATE_DEAD] = "dead",       [TM_STATE_RUNNABLE] = "runnable",
        [TM_STATE_IO] = "io",           [TM_STATE_NATIVE] = "native",
    };

    return NAME_OF(names, state);
}

const char *tm_provenance_name(int provenance)
{
    static const char *const names[] = {
        [TM_PROVENANCE_UNKNOWN] = "unknown",
        [TM_PROVENANCE_INFERRED] = "inferred",
        [TM_PROVENANCE_EXACT] = "exact",
        [TM_PROVENANCE_REPORTED] = "reported",
    };

    return NAME_OF(names, provenance);
}

const char *tm_verdict_name(int verdict)
{
    static const char *const names[] = {
        [TM_VERDICT_CANNOT_TELL] = "cannot_tell",
        [TM_VERDICT_DEADLOCKED] = "deadlocked",
        [TM_VERDICT_STUCK] = "stuck",
        [TM_VERDICT_PARTLY_STUCK] = "partly_stuck",
        [TM_VERDICT_STARVED] = "starved",
        [TM_VERDICT_BOUND] = "bound",
        [TM_VERDICT_IDLE] = "idle",
        [TM_VERDICT_HEALTHY] = "healthy",
    };

    return NAME_OF(names, verdict);
}

const char *tm_wait_edge_name(int edge)
{
    static const char *const names[] = {
        [TM_WAIT_EDGE_UNKNOWN] = "unknown",
        [TM_WAIT_EDGE_OWNER] = "owner",
        [TM_WAIT_EDGE_DEAD_OWNER] = "dead_owner",
        [TM_WAIT_EDGE_SELF] = "self",
        [TM_WAIT_EDGE_JOIN] = "join",
        [TM_WAIT_EDGE_CLASS] = "class",
        [TM_WAIT_EDGE_SERVED] = "served",
        [TM_WAIT_EDGE_TASK] = "task",
        [TM_WAIT_EDGE_CARRIER] = "carrier",
    };

    return NAME_OF(names, edge);
}

const char *tm_whatif_change_name(int change)
{
    static const char *const names[] = {
        [TM_WHATIF_HOLDS] = "holds", [TM_WHATIF_METHOD] = "method",
        [TM_WHATIF_USES] = "uses",   [TM_WHATIF_PERMITS] = "permits",
        [TM_WHATIF_IO] = "io",       [TM_WHATIF_PROCESSORS] = "processors",
    };

    return NAME_OF(names, change);
}
