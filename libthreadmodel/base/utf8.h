/* SPDX-License-Identifier: Apache-2.0 */
/*
 * UTF-8 as Unicode has it: shortest forms only, no surrogates, nothing above U+10FFFF.
 * Any other form is replaced by U+FFFD, one for each longest run of bytes that begins a
 * character and then breaks off, as Unicode recommends.
 */
#ifndef TM_BASE_UTF8_H
#define TM_BASE_UTF8_H

#include <stddef.h>

/** @return how many bytes from the first on are whole, valid characters */
size_t tm__utf8_valid_bytes(const char *text, size_t bytes);

/** @return how many bytes of text fit into so many, in whole characters */
size_t tm__utf8_cut(const char *text, size_t bytes);

/**
 * Copy text, repaired.
 * @param[out] out  room for three times `bytes`; NULL: only measure
 * @return how many bytes were, or would be, written; no zero byte is added
 */
size_t tm__utf8_repair(char *out, const char *text, size_t bytes);

#endif
