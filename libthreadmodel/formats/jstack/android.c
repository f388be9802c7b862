/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads of Android: ANR traces, the Play Console's and Crashlytics' forms of them.
 *
 *     "main" prio=5 tid=1 Native                            of Dalvik: NATIVE
 *       | sysTid=17554 nice=0 cgrp=default
 *       | state=S schedstat=( 0 0 0 )
 *       #00 pc 0x341a0  /apex/com.android.runtime/lib64/bionic/libc.so (syscall+32)
 *
 *     "main" tid=1 Timed Waiting                            the Play Console
 *
 *     main (timed waiting):tid=1 systid=12425               Crashlytics
 *
 * Native code may run or wait in the kernel. The kernel's state says which, or the
 * innermost native frame; the state of any other thread is that of the dump, which
 * stopped it.
 */
#include "formats/jstack/android.h"

#include <string.h>
#include <threadmodel/model.h>

#include "base/error.h"
#include "formats/jstack/native_waits.h"
#include "formats/jstack/parse.h"

static const struct {
    const char *word;
    int state;
    int is_timed;
} words[] = {
    {"Native", TM_STATE_RUNNING, 0},       {"Runnable", TM_STATE_RUNNING, 0},
    {"Blocked", TM_STATE_BLOCKED, 0},      {"Waiting", TM_STATE_WAITING, 0},
    {"TimedWaiting", TM_STATE_WAITING, 1}, {"Timed Waiting", TM_STATE_WAITING, 1},
    {"Sleeping", TM_STATE_SLEEPING, 1},    {"TimedSleeping", TM_STATE_SLEEPING, 1},
    {"Suspended", TM_STATE_RUNNING, 0},    {"WaitingPerformingGc", TM_STATE_RUNNING, 0},
    {"NATIVE", TM_STATE_RUNNING, 0},       {"RUNNABLE", TM_STATE_RUNNING, 0},
    {"MONITOR", TM_STATE_BLOCKED, 0},      {"WAIT", TM_STATE_WAITING, 0},
    {"TIMED_WAIT", TM_STATE_WAITING, 1},   {"VMWAIT", TM_STATE_UNKNOWN, 0},
    {"SUSPENDED", TM_STATE_RUNNING, 0},    {"native", TM_STATE_RUNNING, 0},
    {"runnable", TM_STATE_RUNNING, 0},     {"blocked", TM_STATE_BLOCKED, 0},
    {"waiting", TM_STATE_WAITING, 0},      {"timed waiting", TM_STATE_WAITING, 1},
    {"sleeping", TM_STATE_SLEEPING, 1},    {"suspended", TM_STATE_RUNNING, 0},
};

/* Stands for "Native" in tm__jstack_thread.state, which Java's states do not use. */
static const tm__slice in_native = {"NATIVE", 6};

static int is_in_native(const tm__jstack_thread *thread)
{
    return tm__slice_is(thread->state, "NATIVE");
}

/* The text is a word, or begins with one; in a report it may be bold. */
static int begins_with(tm__slice text, const char *word)
{
    size_t length = strlen(word);

    return tm__slice_begins(text, word) &&
           (text.length == length || text.bytes[length] == ' ' ||
            text.bytes[length] == '*');
}

int tm__android_state(tm__slice text, tm__jstack_thread *thread)
{
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        if (!begins_with(text, words[i].word))
            continue;
        thread->known_state = (uint32_t)words[i].state;
        if (words[i].is_timed)
            thread->state = TM__SLICE("TIMED_WAITING");
        else if (begins_with(text, "Native") || begins_with(text, "NATIVE") ||
                 begins_with(text, "native"))
            thread->state = in_native;
        return 1;
    }
    if (!tm__slice_begins(text, "WaitingFor"))
        return 0;
    thread->known_state = TM_STATE_WAITING;
    return 1;
}

int tm__android_heading(tm__slice line, tm__jstack_thread *thread)
{
    static const char tid[] = "):", of_system[] = " systid=";
    size_t system = tm__slice_find(line, of_system), open, close;
    tm__slice rest, state;

    if (system == line.length)
        return 0;
    close = tm__slice_find(line, tid);
    rest = tm__slice_trim(tm__slice_from(line, close + strlen(tid)));
    *thread = (tm__jstack_thread){.elapsed_ns = -1, .cpu_ns = -1};
    if (!tm__slice_begins(rest, "tid="))
        return 0;
    rest = tm__slice_from(rest, strlen("tid="));
    for (open = close; open > 1 && line.bytes[open - 1] != '('; open--)
        ;
    state = (tm__slice){line.bytes + open, close - open};
    if (open < 3 || line.bytes[open - 2] != ' ' ||
        !tm__slice_number(&rest, 10, &thread->id) || !thread->id ||
        !tm__android_state(state, thread))
        return 0;
    rest = tm__slice_from(line, system + strlen(of_system));
    tm__slice_number(&rest, 10, &thread->os_id);
    thread->name = (tm__slice){line.bytes, open - 2};
    return 1;
}

void tm__android_property(tm__slice line, tm__jstack_thread *thread)
{
    size_t number = tm__slice_find(line, "sysTid=");
    tm__slice rest = tm__slice_from(line, number + strlen("sysTid="));

    tm__slice_number(&rest, 10, &thread->os_id);
    if (is_in_native(thread) &&
        (tm__slice_begins(line, "| state=S ") || tm__slice_begins(line, "| state=D ")))
        thread->known_state = TM_STATE_NATIVE;
}

/* Calls of the kernel that serve many purposes. */
static int is_kernel_call(tm__slice function)
{
    return tm__slice_is(function, "__ioctl") || tm__slice_is(function, "syscall");
}

int tm__android_native_frame(tm__jstack_dump *dump, tm__slice line)
{
    tm__jstack_thread *thread = tm__jstack_last(dump);
    size_t pc = tm__slice_find(line, " pc "), open;
    tm__slice function, number = tm__slice_from(line, 1);
    uint64_t depth;

    if (!tm__slice_begins(line, "#") || pc == line.length ||
        !tm__slice_number(&number, 10, &depth))
        return 0;
    if (!thread || !is_in_native(thread) || depth >= TM__NATIVE_FRAMES)
        return 1;
    open = tm__slice_find(line, " (");
    function = tm__slice_from(line, open + 2);
    function.length = tm__slice_find(function, ")");
    function.length = tm__slice_find(function, "+");
    function = tm__slice_trim(function);
    if (depth == 0 && thread->known_state == TM_STATE_RUNNING &&
        (is_kernel_call(function) || tm__native_is_wait(function)))
        thread->known_state = TM_STATE_NATIVE;
    if (thread->known_state == TM_STATE_RUNNING)
        return 1;
    return tm__native_wait_read(dump, function, TM__SLICE("")) < 0 ? tm__failure() : 1;
}
