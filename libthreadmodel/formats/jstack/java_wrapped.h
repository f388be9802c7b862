/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line that is longer than somebody's mail or terminal goes on in the next one. It
 * waits until it is whole, or until the next line shows that it ends there.
 */
#ifndef TM_FORMATS_JSTACK_JAVA_WRAPPED_H
#define TM_FORMATS_JSTACK_JAVA_WRAPPED_H

#include "formats/jstack/grammar.h"
#include "formats/jstack/parse_state.h"

#define TM__JAVA_FIRST "Full thread dump"
#define TM__JAVA_STATE "java.lang.Thread.State:"

/** The kind of the line that waits. */
enum tm__java_pending {
    TM__PENDING_NOTHING,
    TM__PENDING_HEADER,
    TM__PENDING_FRAME,
    TM__PENDING_LOCK
};

/** Have a line wait. @return TM_OK, TM__LINE_OTHER: it is too long */
int tm__java_pend(tm__jstack_parser *self, enum tm__java_pending kind, tm__slice line);

/** Have the line that waits go on.
 * @return TM_OK, TM_ENOMEM, TM__LINE_OTHER: it does not */
int tm__java_go_on(tm__jstack_parser *self, tm__slice line);

/** Take the text that waits, which is all there is of it.
 * @param is_cut  1: its end may be missing
 * @return TM_OK, TM_ENOMEM, TM__LINE_NEXT: of another dump */
int tm__java_flush(tm__jstack_parser *self, int is_cut);

/** @return 1: a frame has its source in parentheses */
int tm__java_is_whole_frame(tm__slice text);

#endif
