/* SPDX-License-Identifier: Apache-2.0 */
/* Facts that the JVM's own account of deadlocks adds to the threads of a dump. */
#ifndef TM_FORMATS_JSTACK_ACCOUNT_H
#define TM_FORMATS_JSTACK_ACCOUNT_H

#include "formats/jstack/parse_state.h"

/**
 * Add the threads that only the account names, each with what it wants and holds by
 * that account. Somebody may have pasted nothing else.
 * @return TM_OK or TM_ENOMEM
 */
int tm__jstack_complete(tm__jstack_dump *dump);

#endif
