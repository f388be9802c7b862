/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks of a dump repeat, within it and from one dump to the next: a text is stored
 * once, and a frame is a number.
 */
#include "formats/jstack/parse.h"

#include <string.h>

#include "base/error.h"
#include "formats/jstack/grammar.h"

enum { CLASS_BYTES = 512 };

void tm__jstack_init(tm__jstack_dump *dump, tm__memory *memory)
{
    *dump = (tm__jstack_dump){.memory = memory, .time_ns = INT64_MIN};
    tm__strings_init(&dump->texts, memory);
    tm__map_init(&dump->ids, memory);
}

void tm__jstack_start(tm__jstack_dump *dump, const struct tm__grammar *grammar)
{
    dump->grammar = grammar;
    dump->vm = (tm__slice){0};
    dump->thread_count = dump->frame_count = dump->lock_count = 0;
    dump->edge_count = dump->deadlock_count = dump->vm_threads = 0;
    dump->account_threads = 0;
    dump->listed = dump->process = 0;
    dump->time_ns = INT64_MIN;
    dump->has_header = dump->reports_monitors = dump->is_serviceability = 0;
    dump->reports_synchronizers = dump->has_end = 0;
    tm__map_clear(&dump->ids);
}

tm__slice tm__jstack_frame(const tm__jstack_dump *dump, uint32_t index)
{
    uint32_t text = dump->frames[index];

    return (tm__slice){tm__strings_get(&dump->texts, text),
                       tm__strings_length(&dump->texts, text)};
}

/* ThreadInfo lists monitors only where it is asked to: a dump that shows none may have
 * left them out. HotSpot always does. */
int tm__jstack_reports_monitors(const tm__jstack_dump *dump)
{
    return dump->grammar->reports_locks &&
           (dump->reports_monitors || dump->vm.length > 0);
}

int tm__jstack_has_tids(const tm__jstack_dump *dump)
{
    for (uint32_t i = 0; i < dump->thread_count; i++)
        if (dump->threads[i].address)
            return 1;
    return 0;
}

void tm__jstack_free(tm__jstack_dump *dump)
{
    tm__memory *memory = dump->memory;

    tm__free(memory, dump->threads, dump->thread_capacity * sizeof(*dump->threads));
    tm__free(memory, dump->frames, dump->frame_capacity * sizeof(*dump->frames));
    tm__free(memory, dump->locks, dump->lock_capacity * sizeof(*dump->locks));
    tm__free(memory, dump->edges, dump->edge_capacity * sizeof(*dump->edges));
    tm__strings_clear(&dump->texts);
    tm__map_clear(&dump->ids);
    tm__jstack_init(dump, memory);
}

int tm__jstack_keep(tm__jstack_dump *dump, tm__slice *text)
{
    uint32_t index;

    if (!text->bytes)
        return TM_OK;
    if (tm__strings_intern_bytes(&dump->texts, &index, text->bytes, text->length) < 0)
        return tm__failure();
    text->bytes = tm__strings_get(&dump->texts, index);
    return TM_OK;
}

int tm__jstack_add_thread(tm__jstack_dump *dump, const tm__jstack_thread *thread)
{
    tm__jstack_thread copy = *thread;

    if (tm__jstack_keep(dump, &copy.name) < 0 ||
        tm__jstack_keep(dump, &copy.state) < 0 ||
        tm__jstack_keep(dump, &copy.owner) < 0 ||
        tm__reserve(dump->memory, &dump->threads, &dump->thread_capacity,
                    (size_t)dump->thread_count + 1, sizeof(*dump->threads)) < 0)
        return tm__failure();
    if (tm__map_find(&dump->ids, copy.id) == TM__NONE &&
        tm__map_put(&dump->ids, copy.id, dump->thread_count) < 0)
        return tm__failure();
    copy.frame_first = dump->frame_count;
    copy.lock_first = dump->lock_count;
    dump->threads[dump->thread_count++] = copy;
    return TM_OK;
}

int tm__jstack_is_frame(tm__slice line)
{
    size_t open = tm__slice_find(line, "(");

    return open < line.length && open > 2 && tm__slice_ends(line, ")") &&
           tm__slice_find((tm__slice){line.bytes, open}, " ") == open &&
           tm__slice_find((tm__slice){line.bytes, open}, ".") < open;
}

int tm__jstack_add_frame(tm__jstack_dump *dump, tm__slice text)
{
    uint32_t index;

    if (tm__reserve(dump->memory, &dump->frames, &dump->frame_capacity,
                    (size_t)dump->frame_count + 1, sizeof(*dump->frames)) < 0 ||
        tm__strings_intern_bytes(&dump->texts, &index, text.bytes, text.length) < 0)
        return tm__failure();
    dump->frames[dump->frame_count++] = index;
    dump->threads[dump->thread_count - 1].frame_count++;
    return TM_OK;
}

static size_t put(char *to, size_t at, size_t room, tm__slice text)
{
    size_t length = text.length < room - at ? text.length : room - at;

    if (length > 0)
        memcpy(to + at, text.bytes, length);
    return at + length;
}

int tm__jstack_add_call(tm__jstack_dump *dump, tm__slice place, tm__slice function,
                        tm__slice file, uint64_t line)
{
    enum { ROOM = 1000 };
    char text[ROOM + 40], digits[24];
    size_t at = put(text, 0, ROOM / 2, place), count = 0;

    text[at++] = '.';
    at = put(text, at, ROOM - 200, function);
    text[at++] = '(';
    if (file.length > 0) {
        at = put(text, at, ROOM, file);
        for (; line > 0; line /= 10)
            digits[count++] = (char)('0' + line % 10);
        if (count > 0)
            text[at++] = ':';
        while (count > 0)
            text[at++] = digits[--count];
    } else {
        at = put(text, at, ROOM, TM__SLICE("Unknown Source"));
    }
    text[at++] = ')';
    return tm__jstack_add_frame(dump, (tm__slice){text, at});
}

/* jhsdb and OpenJ9 write "java/util/ArrayList"; "Job$$Lambda/0x7f01" has a number. */
int tm__jstack_keep_class(tm__jstack_dump *dump, tm__slice *name)
{
    char dotted[CLASS_BYTES];
    tm__slice copy = {dotted, name->length};

    if (name->length == 0 || name->length > sizeof(dotted) ||
        !memchr(name->bytes, '/', name->length))
        return tm__jstack_keep(dump, name);
    memcpy(dotted, name->bytes, name->length);
    for (size_t i = 0; i + 1 < name->length; i++)
        if (dotted[i] == '/' && (dotted[i + 1] < '0' || dotted[i + 1] > '9'))
            dotted[i] = '.';
    if (tm__jstack_keep(dump, &copy) < 0)
        return tm__failure();
    *name = copy;
    return TM_OK;
}

int tm__jstack_add_lock(tm__jstack_dump *dump, const tm__jstack_lock *lock)
{
    tm__jstack_thread *thread = tm__jstack_last(dump);
    tm__jstack_lock copy = *lock;

    if (tm__jstack_keep_class(dump, &copy.class_name) < 0 ||
        tm__jstack_keep(dump, &copy.of_class) < 0 ||
        tm__reserve(dump->memory, &dump->locks, &dump->lock_capacity,
                    (size_t)dump->lock_count + 1, sizeof(*dump->locks)) < 0)
        return tm__failure();
    copy.depth = TM__NONE;
    if (copy.kind != TM__JSTACK_SYNCHRONIZER && thread->frame_count > 0)
        copy.depth = thread->frame_count - 1;
    if (copy.kind == TM__JSTACK_LOCKED)
        dump->reports_monitors = 1;
    dump->locks[dump->lock_count++] = copy;
    thread->lock_count++;
    return TM_OK;
}

int tm__jstack_add_edge(tm__jstack_dump *dump, const tm__jstack_edge *edge)
{
    tm__jstack_edge copy = *edge;

    if (tm__jstack_keep(dump, &copy.thread) < 0 ||
        tm__reserve(dump->memory, &dump->edges, &dump->edge_capacity,
                    (size_t)dump->edge_count + 1, sizeof(*dump->edges)) < 0)
        return tm__failure();
    dump->edges[dump->edge_count++] = copy;
    return TM_OK;
}

uint64_t tm__jstack_hash(tm__slice text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < text.length; i++)
        hash = (hash ^ (uint8_t)text.bytes[i]) * UINT64_C(0x100000001b3);
    return hash ? hash : 1;
}

void tm__jstack_lock_by_hash(tm__jstack_lock *lock, uint64_t hash)
{
    lock->hash = (uint32_t)hash;
    lock->is_hash = 1;
    lock->address = (tm__jstack_hash(lock->class_name) << 32 ^ hash) | UINT64_C(1)
                                                                           << 63;
}

tm__jstack_thread *tm__jstack_last(tm__jstack_dump *dump)
{
    return dump->thread_count ? &dump->threads[dump->thread_count - 1] : NULL;
}
