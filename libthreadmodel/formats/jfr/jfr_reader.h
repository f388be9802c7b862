/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings of the JDK Flight Recorder. docs/formats.md says what of them is read. */
#ifndef TM_FORMATS_JFR_JFR_READER_H
#define TM_FORMATS_JFR_JFR_READER_H

#include "base/format.h"

extern const tm__format tm__format_jfr;

#endif
