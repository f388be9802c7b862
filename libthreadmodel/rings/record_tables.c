/* SPDX-License-Identifier: Apache-2.0 */
/* The tables behind the texts of a method's record: what there is room for. */
#include "rings/record_tables.h"

/* The entries that a record can hold. @return how many */
static size_t put_lines(tm__record_line *to, const tm_method *given)
{
    size_t count = 0;

    for (size_t i = 0; i < given->line_count; i++) {
        const tm_line *line = &given->lines[i];

        if (line->location < 0 || line->location > UINT16_MAX || line->line < 0 ||
            line->line > UINT16_MAX)
            continue;
        if (count == TM__LINES_BYTES / sizeof(*to))
            break;
        to[count++] = (tm__record_line){(uint16_t)line->location, (uint16_t)line->line};
    }
    return count;
}

/* A record has all monitors of a method, or none: more than there is room for are not
 * known. @return how many, and 1; 0: not known */
static size_t put_monitors(tm__record_line *to, const tm_method *given)
{
    size_t count = given->monitors ? given->monitor_count : TM__METHOD_MONITORS + 1;

    if (count > TM__METHOD_MONITORS)
        return 0;
    for (size_t i = 0; i < count; i++) {
        const tm_monitor_range *range = &given->monitors[i];

        if (range->enter < 0 || range->enter > UINT16_MAX || range->end < 0 ||
            range->end > UINT16_MAX)
            return 0;
        to[i] = (tm__record_line){(uint16_t)range->enter, (uint16_t)range->end};
    }
    return count + 1;
}

size_t tm__record_put_tables(tm__record *record, const tm_method *given)
{
    tm__record_line *lines = (tm__record_line *)((char *)(record + 1) +
                                                 tm__record_lines_at(&record->method));
    size_t count = put_lines(lines, given);

    record->method.line_count = (int64_t)count;
    record->method.monitors = (uint16_t)put_monitors(lines + count, given);
    return count + tm__record_monitors(&record->method);
}
