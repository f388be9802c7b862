/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of a file format that can be read: a reader of each is one constant of
 * this type. They are listed in formats/source.c.
 */
#ifndef TM_BASE_FORMAT_H
#define TM_BASE_FORMAT_H

#include <threadmodel/sink.h>
#include <threadmodel/source.h>

#include "base/input.h"

/** How many of a file's first bytes a format is shown, where there are so many. */
#define TM__PROBE_BYTES 4096

typedef struct tm__format {
    const char *name; ///< as tm_source_format() gives it
    size_t reader_bytes;

    /** @return 1: a file that begins so is of this format, whole or not; else 0 */
    int (*probe)(const uint8_t *bytes, size_t length);

    /**
     * Begin to read one file.
     * @param reader   reader_bytes of it, all zero; to be closed, after a failure too
     * @param memory   lent until it is closed, as is input
     * @param options  the user's choices, lent for the call
     * @return TM_OK, TM_ENOMEM, TM_EIO, TM_EFORMAT, TM_EVERSION, TM_EINVAL
     */
    int (*open)(void *reader, tm__memory *memory, tm__input *input,
                const tm_source_options *options);

    /** As tm_source_read(); called again after it said that all is read. */
    int (*read)(void *reader, const tm_sink *sink);

    /** @return bytes that were read so far */
    uint64_t (*position)(const void *reader);

    /** Free what a reader has; its own bytes are the caller's. */
    void (*close)(void *reader);

    /**
     * When a file begins, by its first bytes: several files of the format are read as
     * one, in the order of their times. NULL: they cannot be.
     * @return 1; 0: they do not say
     */
    int (*begins)(const uint8_t *bytes, size_t length, int64_t *time_ns);

    /** 1: bytes are looked at in any order; of a packed file in a copy of its content
     */
    int is_random;
} tm__format;

#endif
