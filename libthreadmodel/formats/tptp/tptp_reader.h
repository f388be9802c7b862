/* SPDX-License-Identifier: Apache-2.0 */
/* TPTP XML, for formats/source.c. */
#ifndef TM_FORMATS_TPTP_TPTP_READER_H
#define TM_FORMATS_TPTP_TPTP_READER_H

#include "base/format.h"

extern const tm__format tm__format_tptp;

#endif
