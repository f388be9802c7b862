/* SPDX-License-Identifier: Apache-2.0 */
/* HPROF files as text. docs/formats.md says what of them is read. */
#ifndef TM_FORMATS_HPROF_HPROF_TEXT_READER_H
#define TM_FORMATS_HPROF_HPROF_TEXT_READER_H

#include "base/format.h"

extern const tm__format tm__format_hprof_text;

#endif
