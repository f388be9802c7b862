/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text of others on a terminal. A name of the recorded program may hold anything: what
 * a terminal obeys, what ends a line, what turns the direction of text around.
 * Everything that C prints passes here; in Python threadmodel.text.clean() knows the
 * same characters.
 */
#ifndef TM_BASE_PRINTABLE_H
#define TM_BASE_PRINTABLE_H

#include <stddef.h>

/** @return how many bytes from `text` on must not be printed as they are: those of a
 * harmful character, or one that is not of valid UTF-8; 0: the first byte may be */
size_t tm__unprintable_bytes(const char *text);

/**
 * Put '?' in place of each harmful character and of each byte that is not UTF-8.
 * @param text  it becomes no longer
 */
void tm__printable(char *text);

#endif
