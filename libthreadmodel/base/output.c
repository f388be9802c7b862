/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Millions of short pieces go into a file. The writer asks once in a while whether that
 * still works, not after each.
 */
#include "base/output.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

enum { BUFFER_BYTES = 1 << 16, FORMATTED_BYTES = 256 };

int tm__output_begin(tm__output *output, tm__memory *memory, tm_write_fn write,
                     void *payload)
{
    *output = (tm__output){.memory = memory,
                           .file = {.descriptor = -1},
                           .write = write,
                           .payload = payload};
    output->bytes = tm__resize(memory, NULL, 0, BUFFER_BYTES);
    return output->bytes ? TM_OK : TM_ENOMEM;
}

int tm__output_open(tm__output *output, tm__memory *memory, const char *path)
{
    int rc = tm__output_begin(output, memory, tm__file_write, &output->file);

    if (rc == TM_OK)
        rc = tm__file_open(&output->file, memory, path);
    if (rc < 0) {
        tm__free(memory, output->bytes, BUFFER_BYTES);
        output->bytes = NULL;
    }
    return rc;
}

static void flush(tm__output *output)
{
    if (output->failure == TM_OK && output->held > 0)
        output->failure =
            tm__write(output->write, output->payload, output->bytes, output->held);
    if (output->failure == TM_OK)
        output->written += output->held;
    if (output->failure < 0 && !*output->failure_text)
        snprintf(output->failure_text, sizeof(output->failure_text), "%s",
                 tm_error_text());
    output->held = 0;
}

void tm__output_put(tm__output *output, const char *bytes, size_t count)
{
    while (count > 0) {
        size_t room = BUFFER_BYTES - output->held;
        size_t part = count < room ? count : room;

        memcpy(output->bytes + output->held, bytes, part);
        output->held += part;
        bytes += part;
        count -= part;
        if (output->held == BUFFER_BYTES)
            flush(output);
    }
}

void tm__output_text(tm__output *output, const char *text)
{
    tm__output_put(output, text, strlen(text));
}

void tm__output_format(tm__output *output, const char *format, ...)
{
    char text[FORMATTED_BYTES];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (length > 0)
        tm__output_put(output, text,
                       length < FORMATTED_BYTES ? (size_t)length : FORMATTED_BYTES - 1);
}

int tm__output_flush(tm__output *output)
{
    flush(output);
    return tm__output_state(output);
}

int tm__output_state(const tm__output *output)
{
    return output->failure == TM_OK
               ? TM_OK
               : tm__fail(output->failure, "%s", output->failure_text);
}

int tm__output_close(tm__output *output)
{
    int rc;

    if (!output->bytes)
        return TM_OK;
    flush(output);
    rc = output->file.descriptor < 0 ? TM_OK
                                     : tm__file_close(&output->file, output->memory);
    tm__free(output->memory, output->bytes, BUFFER_BYTES);
    output->bytes = NULL;
    return output->failure < 0 ? tm__output_state(output) : rc;
}
