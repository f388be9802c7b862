/* SPDX-License-Identifier: Apache-2.0 */
/* Binary HPROF files, heap dumps above all. docs/formats.md says what of them is read.
 */
#ifndef TM_FORMATS_HPROF_HPROF_READER_H
#define TM_FORMATS_HPROF_HPROF_READER_H

#include "base/format.h"

extern const tm__format tm__format_hprof;

#endif
