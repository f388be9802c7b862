/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a file, pipe or piece of memory, through a window that moves.
 *
 * Regular files are read, not mapped: a file that someone cuts while it is mapped
 * kills the process that reads it, and one that still grows is seen to its end.
 * Regular files and memory may be looked at anywhere; a pipe only forwards, and in
 * what the last view still holds.
 */
#ifndef TM_BASE_INPUT_H
#define TM_BASE_INPUT_H

#include <stdint.h>

#include "base/memory.h"

/** One of several files that are read as one. */
typedef struct tm__input_part {
    uint64_t start; ///< where its first byte stands in the whole
    int descriptor;
} tm__input_part;

/** Where bytes come from that stand in no file as they are. */
typedef struct tm__input_stream {
    /** @param[out] count  bytes that were read; 0: there are no more
     *  @return TM_OK, or what went wrong */
    int (*read)(void *state, uint8_t *to, size_t room, size_t *count);
    void (*close)(void *state);
    /** @return why it ended before its end; NULL: it did not */
    const char *(*damage)(void *state);
    /** @return bytes of the file behind it that were taken so far */
    uint64_t (*position)(void *state);
    void *state;
} tm__input_stream;

typedef struct tm__input {
    tm__memory *memory;
    char *path;           ///< for error texts
    int descriptor;       ///< -1: memory
    int is_seekable;      ///< any offset may be viewed at any time
    uint64_t length;      ///< when opened; 0: not known
    const uint8_t *bytes; ///< of memory, or `window`
    uint64_t start;       ///< offset of bytes[0]
    size_t held;          ///< how many of them there are
    uint8_t *window;
    size_t capacity;
    tm__input_part *parts; ///< behind the first file
    uint32_t part_count;
    uint32_t part_capacity;
    tm__input_stream stream; ///< without `read`: none
} tm__input;

/** @return TM_OK, TM_ENOMEM, TM_EIO (a directory, too) */
int tm__input_open(tm__input *input, tm__memory *memory, const char *path);

/**
 * Have another file begin where the last one ends; before anything was viewed.
 * @return TM_OK, TM_ENOMEM, TM_EIO; TM_EUNSUPPORTED: one of them is not a regular file
 */
int tm__input_append(tm__input *input, const char *path);

/** As tm__input_open() over memory, which stays the caller's. */
int tm__input_open_memory(tm__input *input, tm__memory *memory, const char *path,
                          const void *data, size_t length);

/** As tm__input_open() over a stream, which is the input's from then on, after a
 * failure too. */
int tm__input_open_stream(tm__input *input, tm__memory *memory, const char *path,
                          tm__input_stream stream);

/**
 * See some bytes.
 *
 * @param[out] bytes      lent until the next view
 * @param[out] available  `wanted`, or fewer where the input ends for now
 * @return TM_OK, TM_ENOMEM, TM_EIO; TM_EUNSUPPORTED: a pipe that is past it
 */
int tm__input_view(tm__input *input, uint64_t offset, size_t wanted,
                   const uint8_t **bytes, size_t *available);

void tm__input_close(tm__input *input);

#endif
