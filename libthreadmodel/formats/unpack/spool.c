/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/unpack/spool.h"

#include <stdio.h>

#include "base/error.h"
#include "base/system.h"

/* Formats that are read in random order are binary, and shrink to a tenth or so when
 * packed: no more is put on a disk. */
enum { AT_ONCE_BYTES = 64 << 10, FREE_BYTES = 64 << 20, RATIO = 100 };

static int write_all(int descriptor, const uint8_t *bytes, size_t count)
{
    while (count > 0) {
        ssize_t done = tm__write_some(descriptor, bytes, count);

        if (done < 0 && errno != EINTR)
            return tm__fail_system("temporary file", errno);
        bytes += done > 0 ? done : 0;
        count -= done > 0 ? (size_t)done : 0;
    }
    return TM_OK;
}

static int copy(tm__input *input, int descriptor, uint64_t *length)
{
    const tm__input_stream *stream = &input->stream;
    const uint8_t *bytes = NULL;
    size_t available = 1;
    int rc = TM_OK;

    *length = 0;
    while (rc == TM_OK && available > 0) {
        rc = tm__input_view(input, *length, AT_ONCE_BYTES, &bytes, &available);
        if (rc == TM_OK)
            rc = write_all(descriptor, bytes, available);
        *length += available;
        if (rc == TM_OK && *length > FREE_BYTES && stream->position &&
            *length / RATIO > stream->position(stream->state))
            rc = tm__fail(TM_ELIMIT,
                          "%s: it holds more than %d times its own size: unpack it "
                          "before",
                          input->path, RATIO);
    }
    return rc;
}

/* @return its descriptor, -1 */
static int open_temporary(void)
{
    FILE *file = tmpfile();
    int descriptor = file ? dup(fileno(file)) : -1;

    if (file)
        fclose(file);
    return descriptor;
}

int tm__spool(tm__input *input, tm__memory *memory, char *damage, size_t bytes)
{
    const tm__input_stream *stream = &input->stream;
    const char *text;
    uint64_t length;
    tm__input file;
    int rc, descriptor = open_temporary();

    if (descriptor < 0)
        return tm__fail_system("temporary file", errno);
    rc = copy(input, descriptor, &length);
    if (rc == TM_OK)
        rc = tm__input_open_memory(&file, memory, input->path, NULL, 0);
    if (rc < 0) {
        close(descriptor);
        return rc;
    }
    text = stream->damage ? stream->damage(stream->state) : NULL;
    snprintf(damage, bytes, "%s", text ? text : "");
    file.descriptor = descriptor;
    file.length = length;
    tm__input_close(input);
    *input = file;
    return TM_OK;
}
