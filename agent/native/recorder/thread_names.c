/* SPDX-License-Identifier: Apache-2.0 */
#include "recorder/thread_names.h"

#include <stdio.h>
#include <string.h>

#include "recorder/definitions.h"
#include "recorder/stack_definitions.h"

void tm__thread_read_name(tm__ring_reader *reader)
{
    char path[64];
    FILE *file;
    size_t length;

    reader->os_id = atomic_load(&reader->ring->os_id);
    if (*reader->name || reader->os_id == 0)
        return;
    snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", reader->image->pid,
             reader->os_id);
    file = fopen(path, "re");
    if (!file)
        return;
    /* A name may hold a line feed: the last one alone is the kernel's. */
    length = fread(reader->name, 1, sizeof(reader->name) - 1, file);
    fclose(file);
    if (length && reader->name[length - 1] == '\n')
        length--;
    reader->name[length] = 0;
}

static int is_first(const tm__ring_reader *reader)
{
    return reader->os_id == reader->image->pid;
}

/* A thread has the name of the one that created it, until it gets its own. */
static int has_no_name(const tm__ring_reader *reader)
{
    return !*reader->name || strcmp(reader->name, reader->image->name) == 0;
}

void tm__thread_begins(const tm__item *item)
{
    tm__ring_reader *reader = item->reader;
    const char *routine = item->stack ? tm__stack_function(item->stack) : "";

    tm__thread_read_name(reader);
    if (is_first(reader))
        memcpy(reader->image->name, reader->name, sizeof(reader->name));
    else if (*routine && has_no_name(reader))
        snprintf(reader->name, sizeof(reader->name), "%s", routine);
    else
        reader->wants_name = has_no_name(reader);
    /* A thread in a sandbox may not ask for its name. */
    if (!*reader->name)
        snprintf(reader->name, sizeof(reader->name), "thread %llu",
                 (unsigned long long)reader->thread);
    tm__thread_define(reader->image, reader->thread, reader->os_id, reader->name);
    tm__thread_set_handle(reader->image, atomic_load(&reader->ring->handle),
                          reader->thread);
}

void tm__thread_shows_stack(const tm__item *item)
{
    tm__ring_reader *reader = item->reader;
    const char *routine = reader->wants_name ? tm__stack_routine(item->stack) : "";

    if (!*routine)
        return;
    reader->wants_name = 0;
    snprintf(reader->name, sizeof(reader->name), "%s", routine);
    tm__thread_define(reader->image, reader->thread, 0, reader->name);
}

/* A thread that is yet to begin has a name already that its creator gave it: what the
 * kernel said of it may be older. */
void tm__thread_renamed(const tm__item *item, const tm__readers *readers)
{
    const tm__ring_reader *reader = item->reader;
    tm__ring_reader *renamed;
    uint64_t thread = item->event.object
                          ? tm__thread_by_handle(reader->image, item->event.object)
                          : reader->thread;

    if (!thread || (item->event.value == TM__NAME_AT_BEGIN && *reader->name))
        return;
    /* It ends as it began, and may be called after its routine. */
    if (!item->event.object && !is_first(reader) &&
        strcmp(item->name, reader->image->name) == 0)
        return;
    tm__thread_define(reader->image, thread, 0, item->name);
    renamed = tm__ring_reader_of(readers, reader->image, thread);
    if (!renamed)
        return;
    memcpy(renamed->name, item->name, sizeof(item->name));
    renamed->wants_name = 0;
}
