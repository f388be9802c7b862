/* SPDX-License-Identifier: Apache-2.0 */
/* Where in a line a dump of Java threads begins. */
#ifndef TM_FORMATS_JSTACK_JAVA_FIND_H
#define TM_FORMATS_JSTACK_JAVA_FIND_H

#include <stddef.h>

#include "formats/jstack/parse_state.h"

/** @return the first byte of the dump; the line's length: none begins there */
size_t tm__java_find(tm__slice line);

#endif
