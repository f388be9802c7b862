/* SPDX-License-Identifier: Apache-2.0 */
/* From the VM's spelling of names to the one that people read. */
#ifndef TM_TRACE_MODIFIED_UTF8_H
#define TM_TRACE_MODIFIED_UTF8_H

#include <stddef.h>

/**
 * The VM's modified UTF-8 as UTF-8: a zero byte and characters beyond 16 bits are
 * spelled differently there. A malformed or truncated character becomes U+FFFD.
 * @param bytes  of `out`; text that does not fit is cut between two characters
 */
void tm__text_utf8(char *out, size_t bytes, const char *text, size_t length);

/**
 * A class by the name that a person writes: "[Ljava/lang/String;" is
 * "java.lang.String[]".
 * @param bytes  of `out`, as above
 */
void tm__text_class(char *out, size_t bytes, const char *signature, size_t length);

#endif
