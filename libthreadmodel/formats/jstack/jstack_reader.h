/* SPDX-License-Identifier: Apache-2.0 */
/* Thread dumps as text, alone or within a log. docs/formats.md says what is read. */
#ifndef TM_FORMATS_JSTACK_JSTACK_READER_H
#define TM_FORMATS_JSTACK_JSTACK_READER_H

#include "base/format.h"

extern const tm__format tm__format_jstack;

#endif
