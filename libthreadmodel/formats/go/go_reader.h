/* SPDX-License-Identifier: Apache-2.0 */
/* Execution traces of Go. docs/formats.md says what of them is read. */
#ifndef TM_FORMATS_GO_READER_H
#define TM_FORMATS_GO_READER_H

#include "base/format.h"

extern const tm__format tm__format_go;

#endif
