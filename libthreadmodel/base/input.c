/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One window that serves all: it holds what was last asked for and what was read
 * along with it, so that reading a file from front to end in pieces of any size is
 * one system call every quarter of a megabyte.
 */
#include "base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

enum { WINDOW_BYTES = 256 << 10 };

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

int tm__input_open(tm__input *input, tm__memory *memory, const char *path)
{
    struct stat status;
    int rc = copy_path(input, memory, path);

    if (rc < 0)
        return rc;
    do
        input->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    while (input->descriptor < 0 && errno == EINTR);
    if (input->descriptor < 0 || fstat(input->descriptor, &status) < 0)
        rc = tm__fail_system(path, errno);
    else if (S_ISDIR(status.st_mode))
        rc = tm__fail_system(path, EISDIR);
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

/* Read once, behind what is held. @return bytes, 0 at the end, -1 */
static ssize_t read_more(tm__input *input)
{
    uint8_t *to = input->window + input->held;
    size_t room = input->capacity - input->held;
    ssize_t count;

    do
        count = input->is_seekable ? pread(input->descriptor, to, room,
                                           (off_t)(input->start + input->held))
                                   : read(input->descriptor, to, room);
    while (count < 0 && errno == EINTR);
    if (count > 0)
        input->held += (size_t)count;
    return count;
}

static int make_room(tm__input *input, size_t wanted)
{
    size_t capacity = wanted > WINDOW_BYTES ? wanted : WINDOW_BYTES;
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
        ssize_t count;

        input->start += input->held;
        input->held = 0;
        count = read_more(input);
        if (count < 0)
            return tm__fail_system(input->path, errno);
        if (count == 0)
            return TM_OK;
    }
    return move_window(input, offset);
}

int tm__input_view(tm__input *input, uint64_t offset, size_t wanted,
                   const uint8_t **bytes, size_t *available)
{
    uint64_t end = input->start + input->held;
    int rc;

    *available = 0;
    if (input->descriptor >= 0 &&
        (offset < input->start || offset > end || end - offset < wanted)) {
        if (offset > INT64_MAX - (uint64_t)wanted)
            return tm__fail(TM_EIO, "%s: no byte %llu", input->path,
                            (unsigned long long)offset);
        rc = make_room(input, wanted);
        if (rc == TM_OK)
            rc = move_window(input, offset);
        if (rc < 0)
            return rc;
        while (input->start == offset && input->held < wanted) {
            ssize_t count = read_more(input);

            if (count < 0)
                return tm__fail_system(input->path, errno);
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
    if (input->descriptor >= 0)
        close(input->descriptor);
    tm__free(input->memory, input->window, input->capacity);
    if (input->path)
        tm__free(input->memory, input->path, strlen(input->path) + 1);
    *input = (tm__input){.memory = input->memory, .descriptor = -1};
}
