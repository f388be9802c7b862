/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/jstack/recent_lines.h"

#include <string.h>

#include "formats/dump/dump_time.h"
#include "formats/text/log_time.h"

void tm__recent_lines_add(tm__recent_lines *self, tm__slice line)
{
    size_t skipped =
        line.length > TM__RECENT_BYTES ? line.length - TM__RECENT_BYTES : 0;

    if (line.length == 0)
        return;
    memcpy(self->lines[1], self->lines[0], self->lengths[0]);
    self->lengths[1] = self->lengths[0];
    self->lengths[0] = line.length - skipped;
    memcpy(self->lines[0], line.bytes + skipped, line.length - skipped);
}

int tm__ends_with_time(tm__slice line, int64_t *time_ns)
{
    static const char *const ends[] = {"", "\\n", "\\n\"", "\"", "\\r\\n"};
    tm__slice last = line;

    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
        size_t length = strlen(ends[i]) + 19;

        if (line.length < length || line.bytes[line.length - length + 13] != ':' ||
            !tm__slice_ends(line, ends[i]))
            continue;
        last = tm__slice_from(line, line.length - length);
        last.length = 19;
        if (tm__dump_time(last, time_ns))
            return 1;
    }
    return 0;
}

int64_t tm__recent_lines_time(const tm__recent_lines *self, tm__slice around)
{
    int64_t time_ns = INT64_MIN;
    tm__slice last = {self->lines[0], self->lengths[0]};
    tm__slice before = {self->lines[1], self->lengths[1]};

    if (tm__ends_with_time(last, &time_ns) || tm__ends_with_time(around, &time_ns) ||
        tm__log_time_last(last, &time_ns) || tm__log_time(around, &time_ns) ||
        tm__log_time(last, &time_ns) || tm__ends_with_time(before, &time_ns))
        return time_ns;
    tm__log_time(before, &time_ns);
    return time_ns;
}
