/* SPDX-License-Identifier: Apache-2.0 */
/* Thread dumps as JSON. docs/formats.md says what of them is read. */
#ifndef TM_FORMATS_JSON_JSON_DUMP_READER_H
#define TM_FORMATS_JSON_JSON_DUMP_READER_H

#include "base/format.h"

extern const tm__format tm__format_json;

#endif
