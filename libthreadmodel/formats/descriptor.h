/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of the JVM: "[Ljava/util/Map;" and "(ILjava/lang/String;)V". */
#ifndef TM_FORMATS_DESCRIPTOR_H
#define TM_FORMATS_DESCRIPTOR_H

#include <stddef.h>

/** A class's name takes at most this much more than twice its descriptor. */
#define TM__DESCRIPTOR_ROOM 8

/** @return behind the descriptor that begins at `at`; NULL: none does */
const char *tm__descriptor_end(const char *at, const char *end);

/** The same of a method's descriptor. */
const char *tm__descriptor_method_end(const char *at, const char *end);

/**
 * A class's name as people write it, "java.util.Map[]" or "int[]".
 *
 * @param to    room for 2 * length + TM__DESCRIPTOR_ROOM bytes
 * @param text  a descriptor; anything else becomes itself with dots for slashes
 * @return bytes written
 */
size_t tm__descriptor_write_class(char *to, const char *text, size_t length);

/**
 * The other way: "int[]" becomes "[I", "java.util.Map" becomes "Ljava/util/Map;".
 *
 * @param to  room for length + TM__DESCRIPTOR_ROOM bytes
 * @return bytes written
 */
size_t tm__descriptor_from_class(char *to, const char *name, size_t length);

#endif
