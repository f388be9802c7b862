/* SPDX-License-Identifier: Apache-2.0 */
/* Only lines that begin so are looked at: this runs for each line of a log. */
#include "formats/jstack/unread.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *begin;
    const char *what;
} known[] = {
    {"BZh", "a bzip2 archive: unpack it first"},
    {"Rar!", "a RAR archive: unpack it first"},
    {"*** ***", "an Android tombstone: take the ANR trace of /data/anr instead"},
    {"Thread List:", "a list of threads without stacks: take `jstack -l PID`"},
    {"== Info: (*", "a thread dump of WebLogic's console: take `jstack -l PID`"},
    {"===== FULL THREAD DUMP", "a dump of JRockit, which is not read: `jstack -l PID` "
                               "of another JVM is"},
    {"Heap Histogram", "a histogram of the heap: take `jstack -l PID`"},
    {"Debugger attached successfully.",
     "a `jstack -F` that failed: take `jstack -l PID`"},
    {" num     #instances", "a histogram of the heap: take `jstack -l PID`"},
    {"!JavaThread", "WinDbg's list of threads: take `jstack -l PID`"},
    {"OS Thread Id: 0x",
     "stacks of .NET, which are not read: take lldb's `bt all` of the process"},
    {"Thread (0x",
     "stacks of .NET, which are not read: take lldb's `bt all` of the process"},
    {"Thread - OS ",
     "stacks of .NET, which are not read: take lldb's `bt all` of the process"},
    {"Sigdump at ",
     "stacks of Ruby, which are not read: take gdb's `thread apply all bt`"},
    {"script_filename = ",
     "the slow log of PHP, which is not read: take gdb's `thread apply all bt`"},
    {"VirtualThreadSchedulers:",
     "a state of schedulers: take `jcmd PID Thread.dump_to_file -format=json FILE`"},
    {"----------------- ",
     "stacks of `jstack -m`, which are not read: take `jstack -l PID`"},
    {"Number of daemon threads: ",
     "a report of GlassFish, which is not read: take `jstack -l PID`"},
    {"     Found by: ", "stacks of a minidump: take gdb's `thread apply all bt`"},
    {"=proc:<", "a crash dump of Erlang, which is not read"},
    {"Traceback (most recent call last):",
     "the traceback of an exception: take `py-spy dump` of the process"},
    {"    \"javascriptStack\":", "a report of Node.js, which is not read"},
    {"    \"owns_gil\":",
     "a dump of py-spy as JSON: take `py-spy dump` without --json"},
    {"Analysis of sampling ", "a sample of macOS: take `lldb -p PID -o 'bt all'`"},
    {"Report Version:", "a report of macOS: take `lldb -p PID -o 'bt all'`"},
    {"Binary Images:", "a report of macOS: take `lldb -p PID -o 'bt all'`"},
    {"-- Thread ",
     "stacks of Ruby, which are not read: take gdb's `thread apply all bt`"},
    {"goroutine profile: total ",
     "a profile of goroutines, which counts equal stacks: take it with debug=2"},
    {"Goroutine ", "goroutines by Delve, which are not read: take kill -QUIT PID"},
    {"* Goroutine ", "goroutines by Delve, which are not read: take kill -QUIT PID"},
};

/* Words anywhere in a line, which may have a log's text before them. */
static const struct {
    const char *words;
    const char *what;
} within[] = {
    {"WSVR0605W: Thread ",
     "a hung thread of WebSphere: take a javacore, `kill -QUIT PID`"},
    {"<BEA-000337> <[STUCK] ",
     "a stuck thread of WebLogic: take `jstack -l PID`, or the console's dump"},
    {"\"thread-id\" => ", "threads of WildFly's console: take `jstack -l PID`"},
    {"Thread #<Thread:0x",
     "stacks of Ruby, which are not read: take gdb's `thread apply all bt`"},
    {"  Id   Target Id ", "gdb's list of threads: take `thread apply all bt`"},
    {"+> threads size=", "a dump of Jetty without stacks: take `jstack -l PID`"},
    {"at WorkflowScript.run(WorkflowScript",
     "threads of a Jenkins pipeline: take the controller's dump, at /threadDump"},
};

void tm__unread_look(tm__unread *unread, tm__slice line, uint64_t offset)
{
    for (size_t i = 0; !unread->known && i < sizeof(known) / sizeof(*known); i++)
        if (line.length && line.bytes[0] == known[i].begin[0] &&
            tm__slice_begins(line, known[i].begin)) {
            unread->known = known[i].what;
            unread->known_at = offset;
        }
    if (!unread->known && tm__slice_begins(line, "Showing ") &&
        tm__slice_find(line, " unique goroutines ") < line.length) {
        unread->known = "goroutines, equal ones counted together: take kill -QUIT PID";
        unread->known_at = offset;
    }
    for (size_t i = 0; !unread->known && i < sizeof(within) / sizeof(*within); i++)
        if (tm__slice_find(line, within[i].words) < line.length) {
            unread->known = within[i].what;
            unread->known_at = offset;
        }
    unread->has_end |= tm__slice_find(line, "JNI global ref") < line.length;
    if (!unread->mentions && tm__slice_find(line, "hread dump") < line.length)
        unread->mentions = 1;
}

const char *tm__unread_hint(const tm__unread *unread, char *to, size_t bytes)
{
    if (unread->known)
        snprintf(to, bytes, ": byte %llu begins %s",
                 (unsigned long long)unread->known_at, unread->known);
    else if (unread->mentions)
        snprintf(to, bytes,
                 "; a line mentions a thread dump, and none follows: take "
                 "one with `jstack -l PID` or `jcmd PID Thread.print -l`");
    else
        to[0] = '\0';
    return to;
}
