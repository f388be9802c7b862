/* SPDX-License-Identifier: Apache-2.0 */
/* macOS puts files of its own into archives, beside each of a person's. */
#include "formats/unpack/archive_members.h"

#include <string.h>

static int is_of_mac(const char *name, size_t length)
{
    static const char folder[] = "__MACOSX/", view[] = ".DS_Store";
    size_t base = length;

    if (length >= sizeof(folder) - 1 && memcmp(name, folder, sizeof(folder) - 1) == 0)
        return 1;
    while (base > 0 && name[base - 1] != '/')
        base--;
    name += base;
    length -= base;
    return (length > 2 && memcmp(name, "._", 2) == 0) ||
           (length == sizeof(view) - 1 && memcmp(name, view, length) == 0);
}

void tm__members_begin(tm__members *members, const char *name, size_t length)
{
    members->is_left_out = is_of_mac(name, length);
}

void tm__members_pass(tm__members *members, const uint8_t *to, size_t *count)
{
    if (members->is_left_out)
        *count = 0;
    if (*count == 0)
        return;
    /* A recording is not made of lines: nothing may stand between two of them. */
    if (!members->has_before)
        members->is_binary = memchr(to, 0, *count) != NULL;
    members->has_before = 1;
    members->last = to[*count - 1];
}

int tm__members_end_line(tm__members *members, uint8_t *to)
{
    if (!members->has_before || members->is_binary || members->last == '\n')
        return 0;
    *to = members->last = '\n';
    return 1;
}
