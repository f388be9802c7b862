/* SPDX-License-Identifier: Apache-2.0 */
/* Frames are read as they lie in the trace: a PC, a function, a file and a line. */
#include "formats/go/go_frames.h"

tm__go_frame tm__go_next_frame(const tm__go_generation *generation, tm__cursor *cursor)
{
    tm__go_frame it;
    uint64_t line;

    tm__get_varint(cursor);
    it.function = tm__go_text_of(generation, tm__get_varint(cursor));
    it.file = tm__go_text_of(generation, tm__get_varint(cursor));
    line = tm__get_varint(cursor);
    it.line = line <= INT32_MAX ? (int32_t)line : 0;
    for (uint32_t i = it.file.length; i > 0; i--)
        if (it.file.bytes[i - 1] == '/') {
            it.file.bytes += i;
            it.file.length -= i;
            break;
        }
    return it;
}
