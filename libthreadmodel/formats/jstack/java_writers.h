/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that single writers of Java dumps have, and those that no thread has. */
#ifndef TM_FORMATS_JSTACK_JAVA_WRITERS_H
#define TM_FORMATS_JSTACK_JAVA_WRITERS_H

#include "formats/jstack/grammar.h"
#include "formats/jstack/parse_state.h"

/** "Thread 4250: (state = BLOCKED)", of `jstack -F`.
 * @return TM_OK, TM_ENOMEM, TM__LINE_OTHER, TM__LINE_NEXT: of another dump */
int tm__java_read_forced(tm__jstack_parser *self, tm__slice line);

/** "main (timed waiting):tid=1 systid=12425", of Crashlytics. @return as above */
int tm__java_read_crashlytics(tm__jstack_parser *self, tm__slice line);

/** Any other line. @return as above, or TM__LINE_LAST */
int tm__java_read_other(tm__jstack_parser *self, tm__slice line);

#endif
