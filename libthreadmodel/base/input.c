/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One window that serves all: it holds what was last asked for and what was read
 * along with it, so that reading a file from front to end in pieces of any size is
 * one system call every quarter of a megabyte.
 */
#include "base/input.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/system.h"

enum { WINDOW_BYTES = 256 << 10, STREAM_BYTES = 4 << 10 };

static int copy_path(tm__input *input, tm__memory *memory, const char *path)
{
    size_t bytes = strlen(path) + 1;

    *input = (tm__input){.memory = memory, .descriptor = -1};
    input->path = tm__resize(memory, NULL, 0, bytes);
    if (!input->path)
        return TM_ENOMEM;
    memcpy(input->path, path, bytes);
    return TM_OK;
}

/* @return TM_OK, and then `descriptor` is to be closed, or TM_EIO */
static int open_file(const char *path, int *descriptor, struct stat *status)
{
    int number;

    do
        *descriptor = open(path, O_RDONLY | O_CLOEXEC);
    while (*descriptor < 0 && errno == EINTR);
    if (*descriptor < 0)
        return tm__fail_system(path, errno);
    if (fstat(*descriptor, status) == 0 && !S_ISDIR(status->st_mode))
        return TM_OK;
    number = S_ISDIR(status->st_mode) ? EISDIR : errno;
    close(*descriptor);
    *descriptor = -1;
    return tm__fail_system(path, number);
}

int tm__input_open(tm__input *input, tm__memory *memory, const char *path)
{
    struct stat status = {0};
    int rc = copy_path(input, memory, path);

    if (rc < 0)
        return rc;
    rc = open_file(path, &input->descriptor, &status);
    if (rc < 0) {
        tm__input_close(input);
        return rc;
    }
    if (S_ISREG(status.st_mode)) {
        input->is_seekable = 1;
        input->length = (uint64_t)status.st_size;
    }
    return TM_OK;
}

int tm__input_append(tm__input *input, const char *path)
{
    struct stat status = {0};
    int descriptor, rc;

    if (tm__reserve(input->memory, &input->parts, &input->part_capacity,
                    (size_t)input->part_count + 1, sizeof(*input->parts)) < 0)
        return tm__failure();
    rc = open_file(path, &descriptor, &status);
    if (rc < 0)
        return rc;
    if (!input->is_seekable || !S_ISREG(status.st_mode)) {
        close(descriptor);
        return tm__fail(
            TM_EUNSUPPORTED,
            "%s: not a regular file: several files are read as one only if all are",
            input->is_seekable ? path : input->path);
    }
    input->parts[input->part_count++] = (tm__input_part){input->length, descriptor};
    input->length += (uint64_t)status.st_size;
    return TM_OK;
}

int tm__input_open_memory(tm__input *input, tm__memory *memory, const char *path,
                          const void *data, size_t length)
{
    int rc = copy_path(input, memory, path);

    if (rc < 0)
        return rc;
    input->is_seekable = 1;
    input->length = length;
    input->bytes = data;
    input->held = length;
    return TM_OK;
}

int tm__input_open_stream(tm__input *input, tm__memory *memory, const char *path,
                          tm__input_stream stream)
{
    int rc = copy_path(input, memory, path);

    input->stream = stream;
    if (rc < 0)
        tm__input_close(input);
    return rc;
}

/* The file that a byte of the whole is in, and where the next one begins. */
static tm__input_part find_part(const tm__input *input, uint64_t at, uint64_t *end)
{
    tm__input_part found = {0, input->descriptor};

    *end = UINT64_MAX;
    for (uint32_t i = 0; i < input->part_count; i++) {
        if (input->parts[i].start > at) {
            *end = input->parts[i].start;
            break;
        }
        found = input->parts[i];
    }
    return found;
}

/* Read once, behind what is held. @param[out] count  0 at the end */
static int read_more(tm__input *input, size_t *count)
{
    uint64_t at = input->start + input->held, end;
    uint8_t *to = input->window + input->held;
    size_t room = input->capacity - input->held;
    tm__input_part part;
    ssize_t done;

    if (input->stream.read) {
        int rc = input->stream.read(input->stream.state, to, room, count);

        input->held += rc == TM_OK ? *count : 0;
        return rc;
    }
    part = find_part(input, at, &end);
    if (room > end - at)
        room = (size_t)(end - at);
    do
        done = input->is_seekable
                   ? tm__read_at(part.descriptor, to, room, at - part.start)
                   : tm__read_some(part.descriptor, to, room);
    while (done < 0 && errno == EINTR);
    *count = done > 0 ? (size_t)done : 0;
    input->held += *count;
    return done < 0 ? tm__fail_system(input->path, errno) : TM_OK;
}

static int reserve(tm__input *input, size_t capacity)
{
    uint8_t *window;

    if (capacity <= input->capacity)
        return TM_OK;
    window = tm__resize(input->memory, input->window, input->capacity, capacity);
    if (!window)
        return TM_ENOMEM;
    input->bytes = input->window = window;
    input->capacity = capacity;
    return TM_OK;
}

/* The length of a stream is not known: its window grows with what it has delivered. */
static int make_room(tm__input *input, uint64_t offset, size_t wanted)
{
    if (!input->stream.read)
        return reserve(input, wanted > WINDOW_BYTES ? wanted : WINDOW_BYTES);
    if (offset > WINDOW_BYTES)
        return reserve(input, WINDOW_BYTES);
    return reserve(input, offset > STREAM_BYTES ? (size_t)offset : STREAM_BYTES);
}

/* Have the window begin at `offset`, with what it holds of the bytes from there. */
static int move_window(tm__input *input, uint64_t offset)
{
    uint64_t end = input->start + input->held;

    if (offset >= input->start && offset <= end) {
        size_t passed = (size_t)(offset - input->start);

        memmove(input->window, input->window + passed, input->held - passed);
        input->held -= passed;
        input->start = offset;
        return TM_OK;
    }
    if (input->is_seekable) {
        input->held = 0;
        input->start = offset;
        return TM_OK;
    }
    if (offset < input->start)
        return tm__fail(TM_EUNSUPPORTED, "%s: a pipe cannot go back to byte %llu",
                        input->path, (unsigned long long)offset);
    while (offset > input->start + input->held) {
        size_t count;
        int rc;

        input->start += input->held;
        input->held = 0;
        rc = read_more(input, &count);
        if (rc < 0 || count == 0)
            return rc;
    }
    return move_window(input, offset);
}

int tm__input_view(tm__input *input, uint64_t offset, size_t wanted,
                   const uint8_t **bytes, size_t *available)
{
    uint64_t end = input->start + input->held;
    int rc;

    *available = 0;
    if ((input->descriptor >= 0 || input->stream.read) &&
        (offset < input->start || offset > end || end - offset < wanted)) {
        if (offset > INT64_MAX - (uint64_t)wanted)
            return tm__fail(TM_EIO, "%s: byte %llu is beyond the end", input->path,
                            (unsigned long long)offset);
        rc = make_room(input, offset, wanted);
        if (rc == TM_OK)
            rc = move_window(input, offset);
        if (rc < 0)
            return rc;
        while (input->start == offset && input->held < wanted) {
            size_t count = 0;

            rc = input->held < input->capacity ? TM_OK
                                               : reserve(input, 2 * input->capacity);
            if (rc == TM_OK)
                rc = read_more(input, &count);
            if (rc < 0)
                return rc;
            if (count == 0)
                break;
        }
        end = input->start + input->held;
    }
    if (offset < input->start || offset > end)
        return TM_OK;
    *bytes = input->bytes + (offset - input->start);
    *available = end - offset < wanted ? (size_t)(end - offset) : wanted;
    return TM_OK;
}

void tm__input_close(tm__input *input)
{
    if (input->stream.close)
        input->stream.close(input->stream.state);
    if (input->descriptor >= 0)
        close(input->descriptor);
    for (uint32_t i = 0; i < input->part_count; i++)
        close(input->parts[i].descriptor);
    tm__free(input->memory, input->parts, input->part_capacity * sizeof(*input->parts));
    tm__free(input->memory, input->window, input->capacity);
    if (input->path)
        tm__free(input->memory, input->path, strlen(input->path) + 1);
    *input = (tm__input){.memory = input->memory, .descriptor = -1};
}
