/* SPDX-License-Identifier: Apache-2.0 */
/* The line that a thread of a Java dump begins with. */
#ifndef TM_FORMATS_JSTACK_HEADER_H
#define TM_FORMATS_JSTACK_HEADER_H

#include "formats/jstack/parse_state.h"

/** The facts of such a line besides the thread itself. */
typedef struct tm__jstack_heading {
    int has_number; ///< 0: a thread of the JVM itself, or a JVM older than 8
    int is_certain; ///< it has what only the line of a thread has
    int has_nid;    ///< the number of the operating system, or has no place for it
    int has_hashes; ///< numbers in angle brackets are identity hashes
    tm__slice on;   ///< "Depot$Crate@1b2c", that the thread waits for; else empty
    tm__slice tail; ///< what stands behind: "waiting for monitor entry [0x...]"
} tm__jstack_heading;

/**
 * Read `"name" #12 [345] daemon prio=5 os_prio=0 tid=0x... nid=0x... state`, or what
 * other writers of Java dumps have in its place:
 *
 *     "name" - Thread t@12                                VisualVM, Spring's actuator
 *     "name" daemon prio=5 Id=12 BLOCKED on C@1b owned by "x" Id=13        ThreadInfo
 *     "name" id=12 state=BLOCKED                                 Dropwizard, Jenkins
 *     "name" #12 daemon thread=0x... state=BLOCKED                       Native Image
 *     "name" prio=5 tid=1 Native                                              Android
 *
 * @param is_cut  1: its end may be missing
 * @return 1; 0: it is no such line
 */
int tm__jstack_header(tm__slice line, tm__jstack_thread *thread,
                      tm__jstack_heading *heading, int is_cut);

#endif
