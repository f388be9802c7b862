/* SPDX-License-Identifier: Apache-2.0 */
/* ThreadInfo as JSON: Spring Boot's actuator, Jolokia. docs/formats.md says what is
 * read. */
#ifndef TM_FORMATS_JSON_THREAD_INFO_READER_H
#define TM_FORMATS_JSON_THREAD_INFO_READER_H

#include "base/format.h"

extern const tm__format tm__format_thread_info;

#endif
