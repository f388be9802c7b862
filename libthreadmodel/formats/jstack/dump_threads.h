/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of a Java dump, as its lines add them. */
#ifndef TM_FORMATS_JSTACK_DUMP_THREADS_H
#define TM_FORMATS_JSTACK_DUMP_THREADS_H

#include "formats/jstack/grammar.h"
#include "formats/jstack/header.h"
#include "formats/jstack/parse_state.h"

/** Where in a dump a line stands. */
enum tm__java_section {
    TM__JAVA_THREADS,
    TM__JAVA_SYNCHRONIZERS,
    TM__JAVA_DEADLOCK, ///< of the JVM's own account: who waits for whom
    TM__JAVA_ACCOUNT   ///< and the stacks of these
};

/** @return the present thread; NULL: there is none */
tm__jstack_thread *tm__java_thread_of(tm__jstack_parser *self);

/** Add a thread, the present one from now on. @return TM_OK or TM_ENOMEM */
int tm__java_add_thread(tm__jstack_parser *self, const tm__jstack_thread *thread);

/** @return the number in "Mounted virtual thread #48"; 0: there is none */
uint64_t tm__java_virtual_id(tm__slice line);

/** Add the virtual thread that the present one carries. @return TM_OK or TM_ENOMEM */
int tm__java_read_mounted(tm__jstack_parser *self, uint64_t id);

/** The present thread is over. @return TM_OK or TM_ENOMEM */
int tm__java_end_thread(tm__jstack_parser *self);

/** Decide whether the thread whose line came before is one of Java.
 * @param is_java  what follows that line shows that it is
 * @return TM_OK or TM_ENOMEM */
int tm__java_settle_held(tm__jstack_parser *self, int is_java);

/** A thread begins. @return TM_OK, TM_ENOMEM, TM__LINE_NEXT: of another dump */
int tm__java_begin_thread(tm__jstack_parser *self, const tm__jstack_thread *thread,
                          const tm__jstack_heading *heading);

/** A frame of the present thread, without "at ".
 * @return TM_OK, TM_ENOMEM, TM__LINE_OTHER: it has no place here */
int tm__java_read_frame(tm__jstack_parser *self, tm__slice text);

/** The same of jhsdb: "java.lang.Thread.run() @bci=11, line=840 (Interpreted frame)" */
int tm__java_read_serviceability_frame(tm__jstack_parser *self, tm__slice text);

/** A lock of the present thread, without the dash. @return as above */
int tm__java_read_lock(tm__jstack_parser *self, tm__slice text);

#endif
