/* SPDX-License-Identifier: Apache-2.0 */
/* The contention log, for formats/source.c. */
#ifndef TM_FORMATS_CONTENTION_CONTENTION_READER_H
#define TM_FORMATS_CONTENTION_CONTENTION_READER_H

#include "base/format.h"

extern const tm__format tm__format_contention;

#endif
