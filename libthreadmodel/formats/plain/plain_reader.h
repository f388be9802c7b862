/* SPDX-License-Identifier: Apache-2.0 */
/* Thread dumps to a file as text. docs/formats.md says what of them is read. */
#ifndef TM_FORMATS_PLAIN_PLAIN_READER_H
#define TM_FORMATS_PLAIN_PLAIN_READER_H

#include "base/format.h"

extern const tm__format tm__format_plain;

#endif
