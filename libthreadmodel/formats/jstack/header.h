/* SPDX-License-Identifier: Apache-2.0 */
/* The line that a thread of a text dump begins with. */
#ifndef TM_FORMATS_JSTACK_HEADER_H
#define TM_FORMATS_JSTACK_HEADER_H

#include "formats/jstack/parse.h"

/**
 * Read `"name" #12 [345] daemon prio=5 os_prio=0 tid=0x... nid=0x... state`.
 * @param[out] has_number  0: a thread of the JVM itself, or a JVM older than 8
 * @return 1; 0: it is no such line
 */
int tm__jstack_header(tm__slice line, tm__jstack_thread *thread, int *has_number);

#endif
