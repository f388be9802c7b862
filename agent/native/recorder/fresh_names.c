/* SPDX-License-Identifier: Apache-2.0 */
#include "recorder/fresh_names.h"

#include <stdlib.h>
#include <string.h>

#include "recorder/definitions.h"
#include "recorder/module_file.h"

/* The longest path of a file, with its build id. */
enum { PAYLOAD_MOST = 8192 };

/* A record of a stack or of a module. */
typedef struct fresh {
    const void *place;      ///< in the ring
    tm__record record;      ///< as it was
    unsigned char *payload; ///< as it was
    size_t payload_bytes;
    tm__ring_reader *reader;
    uint64_t time, order;
    int kind;
    tm__native_stack *stack; ///< once it is known
    tm__module *module;
} fresh;

static fresh *the_fresh;
static size_t the_fresh_count, the_fresh_room;

void tm__fresh_add(tm__ring_reader *reader, const void *place, const tm__record *record)
{
    size_t bytes = record->bytes - sizeof(*record);
    unsigned char *payload;
    size_t room = the_fresh_room ? the_fresh_room * 2 : 64;
    fresh *more;

    if (the_fresh_count == the_fresh_room) {
        more = realloc(the_fresh, room * sizeof(*more));
        if (!more)
            return;
        the_fresh = more;
        the_fresh_room = room;
    }
    payload = bytes <= PAYLOAD_MOST ? malloc(bytes + 1) : NULL;
    if (!payload)
        return;
    memcpy(payload, (const unsigned char *)place + sizeof(*record), bytes);
    the_fresh[the_fresh_count] = (fresh){.place = place,
                                         .record = *record,
                                         .payload = payload,
                                         .payload_bytes = bytes,
                                         .reader = reader,
                                         .time = record->time,
                                         .order = the_fresh_count,
                                         .kind = record->kind};
    the_fresh_count++;
}

static int earlier(const void *left, const void *right)
{
    const fresh *a = left, *b = right;

    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static int by_place(const void *left, const void *right)
{
    const fresh *a = left, *b = right;

    return (uintptr_t)a->place < (uintptr_t)b->place   ? -1
           : (uintptr_t)a->place > (uintptr_t)b->place ? 1
                                                       : 0;
}

static void read_stack(fresh *it)
{
    uint64_t frames[TM__FRAMES_MOST];
    size_t count = it->payload_bytes / sizeof(*frames);

    if (count > TM__FRAMES_MOST)
        return;
    memcpy(frames, it->payload, count * sizeof(*frames));
    it->stack = tm__stack_of_frames(it->reader->image, frames, count);
}

/* @return NULL: that is not a module, or memory is short */
static tm__module *new_module(const char *path, uint64_t bias, const unsigned char *id,
                              size_t id_bytes)
{
    size_t length = strlen(path);
    tm__module *it = calloc(1, sizeof(*it) + length + 1);

    if (!it)
        return NULL;
    it->bias = bias;
    it->id_bytes = id_bytes < sizeof(it->id) ? id_bytes : sizeof(it->id);
    memcpy(it->id, id, it->id_bytes);
    memcpy(it->path, path, length + 1);
    if (tm__module_extent(path, &it->begin, &it->end)) {
        it->begin += bias;
        it->end += bias;
    } else {
        it->begin = bias;
        it->end = bias + 1;
    }
    return it;
}

static void read_module(fresh *it)
{
    const tm__record *record = &it->record;
    size_t bytes = it->payload_bytes;
    size_t length = record->value >= 0 ? (size_t)record->value : 0;
    size_t id_bytes = record->peer;
    const unsigned char *payload = it->payload;
    char path[4200], whole[8400];
    const char *file = NULL;

    if (length > bytes || id_bytes > length || length - id_bytes >= sizeof(path))
        return;
    memcpy(path, payload + id_bytes, length - id_bytes);
    path[length - id_bytes] = 0;
    if (*path == '/')
        file = path;
    else if (*path && tm__module_path(it->reader->image->pid, path, record->object,
                                      whole, sizeof(whole)))
        file = whole;
    if (file)
        it->module = new_module(file, record->object, payload, id_bytes);
}

static void add_module(fresh *it)
{
    if (it->module && tm__module_is_new(it->reader->image, it->module))
        tm__module_add(it->reader->image, it->module);
    else
        free(it->module);
    it->module = NULL;
}

void tm__fresh_read(void)
{
    if (the_fresh_count == 0)
        return;
    qsort(the_fresh, the_fresh_count, sizeof(*the_fresh), earlier);
    for (size_t i = 0; i < the_fresh_count; i++) {
        if (the_fresh[i].kind != TM__MODULE)
            continue;
        read_module(&the_fresh[i]);
        /* Those that come into the place of another one wait for their turn; the others
         * may be in a stack that another thread wrote a moment before. */
        if (the_fresh[i].module &&
            !tm__module_overlaps(the_fresh[i].reader->image, the_fresh[i].module))
            add_module(&the_fresh[i]);
    }
    for (size_t i = 0; i < the_fresh_count; i++) {
        if (the_fresh[i].kind == TM__MODULE)
            add_module(&the_fresh[i]);
        else
            read_stack(&the_fresh[i]);
    }
    qsort(the_fresh, the_fresh_count, sizeof(*the_fresh), by_place);
}

tm__native_stack *tm__fresh_stack(const void *place)
{
    const fresh wanted = {.place = place};
    const fresh *it = the_fresh_count ? bsearch(&wanted, the_fresh, the_fresh_count,
                                                sizeof(wanted), by_place)
                                      : NULL;

    return it ? it->stack : NULL;
}

void tm__fresh_end(void)
{
    for (size_t i = 0; i < the_fresh_count; i++)
        free(the_fresh[i].payload);
    the_fresh_count = 0;
}
