/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a thread dump. */
#ifndef TEST_JSTACK_LINES_H
#define TEST_JSTACK_LINES_H

#include "support/hardship.h"

#include "formats/dump/dump_time.h"
#include "formats/jstack/jstack_reader.h"
#include "formats/jstack/parse_state.h"

#define HEAD                                                                           \
    "2024-03-01 10:15:30\nFull thread dump OpenJDK 64-Bit Server VM (17 mixed):\n\n"
#define ONE                                                                            \
    "\"one\" #11 prio=5 os_prio=0 tid=0x00a1 nid=0x10 waiting for monitor entry\n"     \
    "   java.lang.Thread.State: BLOCKED (on object monitor)\n"                         \
    "\tat a.Bank.move(Bank.java:20)\n"                                                 \
    "\t- waiting to lock <0x10> (a a.Account)\n"                                       \
    "\t- locked <0x20> (a a.Account)\n"                                                \
    "\tat a.Job.run(Job.java:9)\n\n"
#define TWO                                                                            \
    "\"two\" #12 daemon prio=5 os_prio=0 tid=0x00a2 nid=17 waiting for monitor "       \
    "entry\n"                                                                          \
    "   java.lang.Thread.State: BLOCKED (on object monitor)\n"                         \
    "\tat a.Bank.move(Bank.java:20)\n"                                                 \
    "\t- waiting to lock <0x20> (a a.Account)\n"                                       \
    "\t- locked <0x10> (a a.Account)\n"                                                \
    "\tat a.Job.run(Job.java:9)\n\n"
#define STRAY                                                                          \
    "\"two\" #12 prio=5 os_prio=0 tid=0x00a2 nid=17 runnable\n"                        \
    "   java.lang.Thread.State: RUNNABLE\n\tat a.Job.run(Job.java:9)\n\n"
#define TAIL                                                                           \
    "\"VM Thread\" os_prio=0 tid=0x0b nid=0x11 runnable \n\nJNI global refs: 3\n"
#define ACCOUNT                                                                        \
    "\n\nFound one Java-level deadlock:\n=============================\n"              \
    "\"one\":\n  waiting to lock monitor 0x01 (object 0x10, a a.Account),\n"           \
    "  which is held by \"two\"\n\n"                                                   \
    "\"two\":\n  waiting to lock monitor 0x02 (object 0x20, a a.Account),\n"           \
    "  which is held by \"one\"\n\n"                                                   \
    "Java stack information for the threads listed above:\n"                           \
    "\"one\":\n\tat a.Bank.move(Bank.java:20)\n\nFound 1 deadlock.\n"

static inline void assert_reads(const char *text, int code, const char *expected)
{
    assert_emits(text, strlen(text), code, expected);
}

#endif
