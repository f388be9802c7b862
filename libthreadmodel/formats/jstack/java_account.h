/* SPDX-License-Identifier: Apache-2.0 */
/* The JVM's own account of deadlocks at the end of a dump. */
#ifndef TM_FORMATS_JSTACK_JAVA_ACCOUNT_H
#define TM_FORMATS_JSTACK_JAVA_ACCOUNT_H

#include "formats/jstack/grammar.h"
#include "formats/jstack/parse_state.h"

/** Where the account begins, goes on and ends.
 * @return TM_OK, TM_ENOMEM, TM__LINE_OTHER: a line of no account */
int tm__java_read_account(tm__jstack_parser *self, tm__slice line);

#endif
