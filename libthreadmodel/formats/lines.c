/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines are short, some hundred bytes, and there are millions of them: a view of a few
 * thousand bytes nearly always holds the whole line.
 */
#include "formats/lines.h"

#include <string.h>

enum { FIRST_VIEW_BYTES = 4096 };

int tm__lines_next(tm__lines *lines)
{
    const uint8_t *bytes = NULL, *end = NULL;
    size_t wanted = FIRST_VIEW_BYTES, available;

    for (;;) {
        int rc =
            tm__input_view(lines->input, lines->offset, wanted, &bytes, &available);

        if (rc < 0)
            return rc;
        if (available == 0)
            return TM_OK;
        end = memchr(bytes, '\n', available);
        if (end || available < wanted || wanted == TM__TEXT_LINE_BYTES)
            break;
        wanted = TM__TEXT_LINE_BYTES;
    }
    lines->text = (const char *)bytes;
    lines->start = lines->offset;
    lines->length = end ? (size_t)(end - bytes) : available;
    lines->is_too_long = !end && available == wanted;
    lines->offset += lines->length + (end != NULL);
    if (lines->length > 0 && lines->text[lines->length - 1] == '\r')
        lines->length--;
    return TM_MORE;
}

int tm__lines_skip(tm__lines *lines)
{
    while (lines->is_too_long) {
        const uint8_t *bytes = NULL, *end;
        size_t available;
        int rc = tm__input_view(lines->input, lines->offset, TM__TEXT_LINE_BYTES,
                                &bytes, &available);

        if (rc < 0)
            return rc;
        end = available > 0 ? memchr(bytes, '\n', available) : NULL;
        lines->offset += end ? (size_t)(end - bytes) + 1 : available;
        lines->is_too_long = !end && available > 0;
    }
    return TM_MORE;
}
