/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chunk headers. They state where the chunk ends and so where the next begins; that
 * is believed of a finished chunk whose end the file has. The data of any other go on
 * to the next header, which is searched for, or to the end of the file.
 *
 *      │ header │ events ... │ header │ events ... │ 0 0 0 0
 *        68 B
 *
 * All fields are big-endian:
 *
 *      0 "FLR\0"          8 bytes of the chunk   32 start, ns   56 ticks per second
 *      4 major, minor    16 last checkpoint      40 length, ns  64 state
 *                        24 metadata             48 start, ticks  67 flags
 *
 * The places of checkpoints and metadata are not used: walking over the events finds
 * them all, also where a JVM died between writing them and saying so.
 */
#include "formats/jfr/chunk.h"

#include <string.h>

#include "base/error.h"
#include "formats/jfr/cursor.h"

enum {
    COMPRESSED_INTEGERS = 1,
    LAST_CHUNK = 2,
    SEARCH_BYTES = 256 << 10,
    PIPE_STEP_BYTES = 1 << 20
};

static const uint8_t magic[4] = {'F', 'L', 'R', 0};

static uint64_t big_endian(const uint8_t *bytes, unsigned count)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < count; i++)
        value = value << 8 | bytes[i];
    return value;
}

int tm__jfr_chunk_get(tm__jfr_chunk *chunk, const uint8_t *bytes)
{
    if (memcmp(bytes, magic, sizeof(magic)) != 0)
        return 0;
    *chunk = (tm__jfr_chunk){
        .major = (uint16_t)big_endian(bytes + 4, 2),
        .minor = (uint16_t)big_endian(bytes + 6, 2),
        .stated_bytes = big_endian(bytes + 8, 8),
        .metadata_offset = big_endian(bytes + 24, 8),
        .start_ns = (int64_t)big_endian(bytes + 32, 8),
        .duration_ns = (int64_t)big_endian(bytes + 40, 8),
        .start_ticks = (int64_t)big_endian(bytes + 48, 8),
        .ticks_per_second = (int64_t)big_endian(bytes + 56, 8),
        .state = bytes[64],
        .flags = bytes[67],
    };
    return chunk->major >= 1 && chunk->major <= 2 && chunk->ticks_per_second > 0 &&
           chunk->start_ns >= 0;
}

/* Whether this release knows how to read it; noted where not. */
static int check(tm__jfr_finder *finder, const tm__jfr_chunk *chunk, int *is_readable)
{
    unsigned long long offset = chunk->offset;

    *is_readable = 0;
    if (!(chunk->flags & COMPRESSED_INTEGERS))
        return tm__notes_damage(finder->notes,
                                "the chunk at byte %llu is not read: its integers are "
                                "not compressed, which "
                                "no JVM is known to write",
                                offset);
    if (chunk->flags & ~(COMPRESSED_INTEGERS | LAST_CHUNK))
        return tm__notes_damage(finder->notes,
                                "the chunk at byte %llu is not read: its flags, 0x%x, "
                                "are of a newer JVM",
                                offset, chunk->flags);
    if (chunk->bytes > UINT32_MAX)
        return tm__notes_damage(
            finder->notes,
            "the chunk at byte %llu is not read: it has %llu bytes, "
            "more than %lu",
            offset, (unsigned long long)chunk->bytes, (unsigned long)UINT32_MAX);
    *is_readable = 1;
    return TM_OK;
}

/* A header that is not the copy of the chunk's own which some checkpoints hold. */
static int is_next(const tm__jfr_chunk *chunk, const tm__jfr_chunk *previous)
{
    return previous->bytes == 0 || chunk->start_ns != previous->start_ns ||
           chunk->start_ticks != previous->start_ticks;
}

static int is_zero(const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i])
            return 0;
    return 1;
}

/*
 * Search for a header from `*offset` on, which moves to it or to the end.
 * @param[out] zeros  1: all that was passed over is zero
 * @return TM_MORE: found; TM_OK: not; TM_EIO, TM_ENOMEM
 */
static int search(tm__jfr_finder *finder, uint64_t *offset, int *zeros)
{
    *zeros = 1;
    for (;;) {
        const uint8_t *bytes = NULL, *found;
        tm__jfr_chunk chunk;
        size_t available, passed;
        int rc =
            tm__input_view(finder->input, *offset, SEARCH_BYTES, &bytes, &available);

        if (rc < 0)
            return rc;
        if (available == 0)
            return TM_OK;
        found = memchr(bytes, magic[0], available);
        passed = found ? (size_t)(found - bytes) : available;
        *zeros = *zeros && is_zero(bytes, passed);
        *offset += passed;
        if (!found)
            continue;
        rc = tm__input_view(finder->input, *offset, TM__JFR_HEADER_BYTES, &bytes,
                            &available);
        if (rc < 0)
            return rc;
        if (available == TM__JFR_HEADER_BYTES && tm__jfr_chunk_get(&chunk, bytes) &&
            is_next(&chunk, &finder->previous))
            return TM_MORE;
        *zeros = 0;
        *offset += 1;
    }
}

/* How many bytes from an offset on there are, up to a limit. */
static int measure(tm__input *input, uint64_t offset, uint64_t limit, uint64_t *there)
{
    const uint8_t *bytes;
    size_t available = 0;
    uint64_t wanted = PIPE_STEP_BYTES;
    int rc;

    if (input->is_seekable) {
        uint64_t length = input->length > offset ? input->length - offset : 0;

        *there = length < limit ? length : limit;
        return TM_OK;
    }
    /* A length that a header states is no reason to ask for so much memory at once. */
    do {
        wanted = wanted < limit ? wanted : limit;
        rc = tm__input_view(input, offset, (size_t)wanted, &bytes, &available);
        *there = available;
        if (rc < 0 || available < wanted || wanted == limit)
            return rc;
        wanted *= 2;
    } while (wanted <= SIZE_MAX / 4);
    return TM_OK;
}

/* The same search in a pipe, which lies wholly in the window and has to stay there. */
static int find_end_in_window(tm__jfr_finder *finder, tm__jfr_chunk *chunk)
{
    const uint8_t *bytes = NULL, *found;
    size_t available, at = TM__JFR_HEADER_BYTES;
    int rc = tm__input_view(finder->input, chunk->offset, (size_t)chunk->bytes, &bytes,
                            &available);

    while (rc == TM_OK && at + TM__JFR_HEADER_BYTES <= available) {
        tm__jfr_chunk next;

        found = memchr(bytes + at, magic[0], available - at);
        if (!found)
            break;
        at = (size_t)(found - bytes);
        if (at + TM__JFR_HEADER_BYTES <= available && tm__jfr_chunk_get(&next, found) &&
            is_next(&next, chunk)) {
            chunk->bytes = at;
            break;
        }
        at++;
    }
    return rc;
}

/* Where what belongs to the chunk ends. */
static int find_end(tm__jfr_finder *finder, tm__jfr_chunk *chunk)
{
    int is_finished = chunk->state == 0 && chunk->stated_bytes >= TM__JFR_HEADER_BYTES;
    uint64_t limit = is_finished ? chunk->stated_bytes : UINT64_MAX;
    int rc = measure(finder->input, chunk->offset, limit, &chunk->bytes);

    if (rc < 0)
        return rc;
    if (is_finished && chunk->bytes == chunk->stated_bytes)
        return TM_OK;
    chunk->is_cut = chunk->state == 0;
    finder->previous = *chunk;
    if (finder->input->is_seekable) {
        uint64_t end = chunk->offset + TM__JFR_HEADER_BYTES;
        int zeros;

        rc = search(finder, &end, &zeros);
        if (rc == TM_MORE)
            chunk->bytes = end - chunk->offset;
        return rc < 0 ? rc : TM_OK;
    }
    return find_end_in_window(finder, chunk);
}

/* Nothing starts where a chunk should: look for one behind it. */
static int pass_over(tm__jfr_finder *finder)
{
    uint64_t from = finder->offset;
    int zeros;
    int rc = search(finder, &finder->offset, &zeros);

    if (rc < 0 || zeros)
        return rc;
    if (tm__notes_damage(
            finder->notes, "bytes %llu to %llu are not a chunk of a recording",
            (unsigned long long)from, (unsigned long long)finder->offset) < 0)
        return tm__failure();
    return rc;
}

int tm__jfr_chunk_find(tm__jfr_finder *finder, tm__jfr_chunk *chunk)
{
    int is_readable = 0;

    while (!is_readable) {
        const uint8_t *bytes;
        size_t available;
        int rc = tm__input_view(finder->input, finder->offset, TM__JFR_HEADER_BYTES,
                                &bytes, &available);

        if (rc < 0 || available == 0)
            return rc;
        if (available < TM__JFR_HEADER_BYTES || !tm__jfr_chunk_get(chunk, bytes)) {
            rc = pass_over(finder);
            if (rc != TM_MORE)
                return rc;
            continue;
        }
        chunk->offset = finder->offset;
        rc = find_end(finder, chunk);
        if (rc < 0)
            return rc;
        finder->previous = *chunk;
        finder->offset += chunk->bytes;
        rc = check(finder, chunk, &is_readable);
        if (rc < 0)
            return rc;
    }
    return TM_MORE;
}
