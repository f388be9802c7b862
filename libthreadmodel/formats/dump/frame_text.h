/* SPDX-License-Identifier: Apache-2.0 */
/* A line of a stack as dumps write it, taken apart. */
#ifndef TM_FORMATS_DUMP_FRAME_TEXT_H
#define TM_FORMATS_DUMP_FRAME_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Some bytes of a text that somebody else holds. */
typedef struct tm__slice {
    const char *bytes;
    size_t length;
} tm__slice;

/** A slice of a literal. */
#define TM__SLICE(text)                                                                \
    (tm__slice)                                                                        \
    {                                                                                  \
        (text), sizeof(text) - 1                                                       \
    }

typedef struct tm__frame_parts {
    tm__slice class_name; ///< empty: the line is not a frame
    tm__slice method;
    tm__slice source; ///< empty: unknown
    int32_t line;     ///< 0: unknown
    int is_native;
} tm__frame_parts;

/** Take "java.base/java.lang.Thread.run(Thread.java:840)" apart, without "at ". */
tm__frame_parts tm__frame_split(tm__slice text);

/* These are asked of every line: with a literal the length costs nothing. */

/** @return 1: the text is just this */
static inline int tm__slice_is(tm__slice slice, const char *text)
{
    /* A slice of nothing may have no bytes to point at. */
    return slice.length == strlen(text) &&
           (slice.length == 0 || memcmp(slice.bytes, text, slice.length) == 0);
}

/** @return 1: the text begins so */
static inline int tm__slice_begins(tm__slice slice, const char *text)
{
    size_t length = strlen(text);

    return slice.length >= length &&
           (length == 0 || memcmp(slice.bytes, text, length) == 0);
}

/** @return what is left of a text behind its first bytes */
tm__slice tm__slice_from(tm__slice slice, size_t first);

/** @return 1: the text ends so */
static inline int tm__slice_ends(tm__slice slice, const char *text)
{
    size_t length = strlen(text);

    return slice.length >= length &&
           (length == 0 ||
            memcmp(slice.bytes + slice.length - length, text, length) == 0);
}

/** @return the text without white space around it */
tm__slice tm__slice_trim(tm__slice slice);

/** Take the next word, and the blanks around it. @return it; empty: there is none */
tm__slice tm__slice_word(tm__slice *text);

/** @return 1: they are the same */
int tm__slice_same(tm__slice a, tm__slice b);

/** @return where `text` first stands in the slice; its length: nowhere */
size_t tm__slice_find(tm__slice slice, const char *text);

/**
 * Read a number from the beginning of a slice, which moves on.
 * @param base  10 or 16, without "0x"
 * @return 1; 0: there is none, or none that fits 64 bits
 */
int tm__slice_number(tm__slice *slice, unsigned base, uint64_t *number);

#endif
