/* SPDX-License-Identifier: Apache-2.0 */
#include "writer/os_threads.h"

#include <stdlib.h>
#include <string.h>

static tm__buffer **by_os_id; /* open addressing; NULL: free */
static size_t slots;          /* a power of two, or 0 */

static size_t slot_of(uint64_t os_id)
{
    return (size_t)((os_id * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (slots - 1);
}

int tm__os_threads_open(size_t count)
{
    size_t wanted = 64;

    while (wanted < 2 * count)
        wanted *= 2;
    if (wanted != slots) {
        free(by_os_id);
        by_os_id = malloc(wanted * sizeof(*by_os_id));
        slots = by_os_id ? wanted : 0;
    }
    if (slots)
        memset(by_os_id, 0, slots * sizeof(*by_os_id));
    return slots ? 0 : -1;
}

int tm__os_threads_are_open(void)
{
    return slots != 0;
}

void tm__os_threads_put(tm__buffer *buffer)
{
    size_t at = slot_of(buffer->os_id);

    while (by_os_id[at])
        at = (at + 1) & (slots - 1);
    by_os_id[at] = buffer;
}

tm__buffer *tm__os_thread_find(uint64_t os_id, int64_t time_ns)
{
    tm__buffer *found = NULL;
    size_t at;

    if (!slots)
        return NULL;
    for (at = slot_of(os_id); by_os_id[at]; at = (at + 1) & (slots - 1)) {
        tm__buffer *it = by_os_id[at];

        if (it->os_id == os_id && it->switches.begun_ns <= time_ns &&
            (!found || it->switches.begun_ns > found->switches.begun_ns))
            found = it;
    }
    return found;
}

tm__buffer *tm__os_thread_next(size_t *at)
{
    while (*at < slots) {
        tm__buffer *it = by_os_id[(*at)++];

        if (it)
            return it;
    }
    return NULL;
}

void tm__os_threads_close(void)
{
    free(by_os_id);
    by_os_id = NULL;
    slots = 0;
}
