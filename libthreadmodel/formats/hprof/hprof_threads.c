/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread is spread over a heap dump: its object, the holder of some of its fields
 * (from JDK 19 on), its group, the strings of both names and the arrays of those, what
 * it is parked for, and who owns that. None of them is sure to come before another, so
 * a first pass finds what is of a known class, and a second what those refer to.
 */
#include "formats/hprof/hprof_threads.h"

#include "base/error.h"
#include "formats/dump/dump_names.h"
#include "formats/hprof/big_endian.h"
#include "formats/hprof/hprof_kinds.h"

enum { NAME_LETTERS = 4096 }; ///< of a name; more are cut

void tm__hprof_threads_init(tm__hprof_threads *threads, tm__memory *memory,
                            tm__hprof_names *names, tm__dump *dump)
{
    *threads = (tm__hprof_threads){.memory = memory, .names = names, .dump = dump};
    tm__map_init(&threads->thread_map, memory);
    tm__map_init(&threads->serial_map, memory);
    tm__map_init(&threads->part_map, memory);
    tm__map_init(&threads->owned_map, memory);
    tm__map_init(&threads->object_map, memory);
    tm__map_init(&threads->text_map, memory);
}

static int thread_at(tm__hprof_threads *self, uint64_t object, tm__hprof_thread **found)
{
    uint32_t index = tm__map_find(&self->thread_map, object);

    if (index == TM__NONE) {
        index = self->thread_count;
        if (tm__reserve(self->memory, &self->threads, &self->thread_capacity,
                        (size_t)index + 1, sizeof(*self->threads)) < 0 ||
            tm__map_put(&self->thread_map, object, index) < 0)
            return tm__failure();
        self->threads[index] = (tm__hprof_thread){.object = object, .hold = TM__NONE};
        self->thread_count++;
    }
    *found = &self->threads[index];
    return TM_OK;
}

static int set_serial(tm__hprof_threads *self, tm__hprof_thread *thread,
                      uint32_t serial)
{
    thread->serial = serial;
    if (serial == 0 || tm__map_find(&self->serial_map, serial) != TM__NONE)
        return TM_OK;
    return tm__map_put(&self->serial_map, serial, (uint32_t)(thread - self->threads));
}

static int on_root(void *payload, uint64_t object, uint32_t serial, uint32_t trace)
{
    tm__hprof_threads *self = payload;
    tm__hprof_thread *thread;

    if (thread_at(self, object, &thread) < 0)
        return tm__failure();
    thread->is_root = 1;
    thread->trace = trace;
    return set_serial(self, thread, serial);
}

int tm__hprof_start(tm__hprof_threads *self, const uint8_t *body, size_t length)
{
    uint32_t id_bytes = self->names->id_bytes;
    tm__hprof_thread *thread;

    if (length < 8 + 4 * (size_t)id_bytes)
        return TM_EDAMAGED;
    if (thread_at(self, tm__hprof_id(body + 4, id_bytes), &thread) < 0)
        return tm__failure();
    thread->started_name = tm__hprof_id(body + 8 + id_bytes, id_bytes);
    thread->started_group = tm__hprof_id(body + 8 + 2 * (size_t)id_bytes, id_bytes);
    return set_serial(self, thread, tm__hprof_u4(body));
}

static int on_describe(void *payload, uint64_t id, uint64_t super,
                       const uint8_t *entries, uint32_t count)
{
    tm__hprof_threads *self = payload;

    return tm__hprof_describe(self->names, id, super, entries, count);
}

static int wants_first(void *payload, uint64_t id, uint64_t class_id)
{
    tm__hprof_threads *self = payload;
    const tm__hprof_class *class;

    (void)id;
    if (tm__hprof_find_class(self->names, class_id, &class) < 0)
        return tm__failure();
    if (!class || class->kind == TM__HPROF_UNKNOWN) {
        self->late++;
        return 0;
    }
    return class->kind >= TM__HPROF_THREAD && class->kind <= TM__HPROF_SYNCHRONIZER;
}

/* The values of the fields that matter; others stay as they are. */
static void read_fields(const tm__hprof_names *names, const tm__hprof_class *class,
                        const uint8_t *fields, uint32_t bytes,
                        uint64_t values[TM__HPROF_SLOTS])
{
    for (uint32_t i = 0; i < class->slot_count; i++) {
        const tm__hprof_field *field = &names->slots[class->slot_first + i];
        uint32_t size = tm__hprof_type_bytes(field->type, names->id_bytes);

        if (field->offset > bytes || size > bytes - field->offset)
            continue;
        switch (size) {
        case 1: values[field->slot] = fields[field->offset]; break;
        case 2: values[field->slot] = tm__hprof_u2(fields + field->offset); break;
        case 4: values[field->slot] = tm__hprof_u4(fields + field->offset); break;
        default: values[field->slot] = tm__hprof_u8(fields + field->offset); break;
        }
    }
}

static int has_slot(const tm__hprof_names *names, const tm__hprof_class *class,
                    int slot)
{
    for (uint32_t i = 0; i < class->slot_count; i++)
        if (names->slots[class->slot_first + i].slot == slot)
            return 1;
    return 0;
}

static int visit_thread(tm__hprof_threads *self, uint64_t id,
                        const tm__hprof_class *class, const uint8_t *fields,
                        uint32_t bytes)
{
    tm__hprof_thread *thread;

    if (thread_at(self, id, &thread) < 0)
        return tm__failure();
    read_fields(self->names, class, fields, bytes, thread->values);
    thread->is_seen = 1;
    thread->is_virtual = class->kind == TM__HPROF_VIRTUAL;
    thread->has_block_permit =
        (uint8_t)has_slot(self->names, class, TM__HPROF_BLOCK_PERMIT);
    return TM_OK;
}

static int visit_part(tm__hprof_threads *self, uint64_t id,
                      const tm__hprof_class *class, const uint8_t *fields,
                      uint32_t bytes)
{
    if (tm__map_find(&self->part_map, id) != TM__NONE)
        return TM_OK;
    if (tm__reserve(self->memory, &self->parts, &self->part_capacity,
                    (size_t)self->part_count + 1, sizeof(*self->parts)) < 0 ||
        tm__map_put(&self->part_map, id, self->part_count) < 0)
        return tm__failure();
    memset(self->parts[self->part_count], 0, sizeof(*self->parts));
    read_fields(self->names, class, fields, bytes, self->parts[self->part_count]);
    self->part_count++;
    return TM_OK;
}

static int visit_synchronizer(tm__hprof_threads *self, uint64_t id, uint64_t class_id,
                              const tm__hprof_class *class, const uint8_t *fields,
                              uint32_t bytes)
{
    uint64_t values[TM__HPROF_SLOTS] = {0};

    read_fields(self->names, class, fields, bytes, values);
    if (!values[TM__HPROF_OWNER] || tm__map_find(&self->owned_map, id) != TM__NONE)
        return TM_OK;
    if (tm__reserve(self->memory, &self->owned, &self->owned_capacity,
                    (size_t)self->owned_count + 1, sizeof(*self->owned)) < 0 ||
        tm__map_put(&self->owned_map, id, self->owned_count) < 0)
        return tm__failure();
    self->owned[self->owned_count++] =
        (tm__hprof_owned){id, class_id, values[TM__HPROF_OWNER], TM__NONE};
    return TM_OK;
}

static int visit_first(void *payload, uint64_t id, uint64_t class_id,
                       const uint8_t *fields, uint32_t bytes)
{
    tm__hprof_threads *self = payload;
    const tm__hprof_class *class;

    if (tm__hprof_find_class(self->names, class_id, &class) < 0)
        return tm__failure();
    switch (class->kind) {
    case TM__HPROF_SYNCHRONIZER:
        return visit_synchronizer(self, id, class_id, class, fields, bytes);
    case TM__HPROF_HOLDER:
    case TM__HPROF_GROUP: return visit_part(self, id, class, fields, bytes);
    default: return visit_thread(self, id, class, fields, bytes);
    }
}

static int wants_nothing(void *payload, uint64_t id)
{
    (void)payload;
    (void)id;
    return 0;
}

tm__hprof_visitor tm__hprof_first_pass(tm__hprof_threads *threads)
{
    return (tm__hprof_visitor){.payload = threads,
                               .thread = on_root,
                               .describe = on_describe,
                               .wants = wants_first,
                               .visit = visit_first,
                               .wants_values = wants_nothing};
}

/* Ask for an object; it may be the array of a name itself, as before JDK 8. */
static int want(tm__hprof_threads *self, uint64_t id)
{
    if (id == 0 || tm__map_find(&self->object_map, id) != TM__NONE)
        return TM_OK;
    if (tm__reserve(self->memory, &self->objects, &self->object_capacity,
                    (size_t)self->object_count + 1, sizeof(*self->objects)) < 0 ||
        tm__map_put(&self->object_map, id, self->object_count) < 0)
        return tm__failure();
    self->objects[self->object_count++] = (tm__hprof_object){0};
    return TM_OK;
}

static int want_text(tm__hprof_threads *self, uint64_t id)
{
    if (id == 0 || tm__map_find(&self->text_map, id) != TM__NONE)
        return TM_OK;
    if (tm__reserve(self->memory, &self->texts, &self->text_capacity,
                    (size_t)self->text_count + 1, sizeof(*self->texts)) < 0 ||
        tm__map_put(&self->text_map, id, self->text_count) < 0)
        return tm__failure();
    self->texts[self->text_count++] = (tm__hprof_text){0, TM__NONE};
    self->text_missing++;
    return TM_OK;
}

static const uint64_t *part_of(const tm__hprof_threads *self, uint64_t id)
{
    uint32_t index = tm__map_find(&self->part_map, id);

    return index == TM__NONE ? NULL : self->parts[index];
}

/* A field of a thread, or of the holder that has it in its place. */
static uint64_t value_of(const tm__hprof_threads *self, const tm__hprof_thread *thread,
                         int slot)
{
    const uint64_t *holder = part_of(self, thread->values[TM__HPROF_HOLDER_OF]);

    return holder && slot != TM__HPROF_NAME ? holder[slot] : thread->values[slot];
}

static uint64_t group_name_of(const tm__hprof_threads *self,
                              const tm__hprof_thread *thread)
{
    const uint64_t *group = part_of(self, value_of(self, thread, TM__HPROF_GROUP_OF));

    return group ? group[TM__HPROF_NAME] : 0;
}

int tm__hprof_prepare(tm__hprof_threads *self)
{
    for (uint32_t i = 0; i < self->thread_count; i++) {
        const tm__hprof_thread *thread = &self->threads[i];

        if (want(self, thread->values[TM__HPROF_NAME]) < 0 ||
            want(self, thread->values[TM__HPROF_PARK_BLOCKER]) < 0 ||
            want(self, group_name_of(self, thread)) < 0 ||
            want_text(self, thread->values[TM__HPROF_NAME]) < 0)
            return tm__failure();
    }
    for (uint32_t i = 0; i < self->owned_count; i++) {
        uint32_t owner = tm__map_find(&self->thread_map, self->owned[i].owner);

        self->owned[i].next = TM__NONE;
        if (owner == TM__NONE)
            continue;
        self->owned[i].next = self->threads[owner].hold;
        self->threads[owner].hold = i;
    }
    return TM_OK;
}

static int wants_second(void *payload, uint64_t id, uint64_t class_id)
{
    tm__hprof_threads *self = payload;
    uint32_t index = tm__map_find(&self->object_map, id);

    if (index == TM__NONE)
        return 0;
    self->objects[index].class_id = class_id;
    return 1;
}

static int visit_second(void *payload, uint64_t id, uint64_t class_id,
                        const uint8_t *fields, uint32_t bytes)
{
    tm__hprof_threads *self = payload;
    tm__hprof_object *object = &self->objects[tm__map_find(&self->object_map, id)];
    uint64_t values[TM__HPROF_SLOTS] = {0};
    const tm__hprof_class *class;

    if (tm__hprof_find_class(self->names, class_id, &class) < 0)
        return tm__failure();
    if (!class || class->kind != TM__HPROF_STRING)
        return TM_OK;
    read_fields(self->names, class, fields, bytes, values);
    object->text = values[TM__HPROF_VALUE];
    object->coder = (uint8_t)values[TM__HPROF_CODER];
    return want_text(self, object->text);
}

static int wants_text(void *payload, uint64_t id)
{
    tm__hprof_threads *self = payload;
    uint32_t index = tm__map_find(&self->text_map, id);

    return index != TM__NONE && self->texts[index].length == TM__NONE;
}

/* Keep the bytes as they are, big-endian where they are characters: only the string
 * knows what is in an array of bytes. */
static int read_text(void *payload, uint64_t id, uint8_t type, const uint8_t *values,
                     uint32_t count)
{
    enum { CHARS = 5, BYTES = 8 };
    tm__hprof_threads *self = payload;
    tm__hprof_text *text = &self->texts[tm__map_find(&self->text_map, id)];
    uint32_t bytes = type == CHARS ? 2 * count : count;

    if (type != CHARS && type != BYTES)
        bytes = 0;
    bytes = bytes < 2 * NAME_LETTERS ? bytes : 2 * NAME_LETTERS;
    /* A byte before them says whether they are characters. */
    if (tm__reserve(self->memory, &self->letters, &self->letter_capacity,
                    (size_t)self->letter_count + 1 + bytes, 1) < 0)
        return tm__failure();
    text->offset = self->letter_count;
    text->length = bytes;
    self->letters[self->letter_count] = type == CHARS;
    memcpy(self->letters + self->letter_count + 1, values, bytes);
    self->letter_count += 1 + bytes;
    self->text_missing--;
    return TM_OK;
}

tm__hprof_visitor tm__hprof_second_pass(tm__hprof_threads *threads)
{
    return (tm__hprof_visitor){.payload = threads,
                               .thread = on_root,
                               .describe = on_describe,
                               .wants = wants_second,
                               .visit = visit_second,
                               .wants_values = wants_text,
                               .values = read_text};
}

void tm__hprof_threads_free(tm__hprof_threads *threads)
{
    tm__memory *memory = threads->memory;

    tm__map_clear(&threads->thread_map);
    tm__map_clear(&threads->serial_map);
    tm__map_clear(&threads->part_map);
    tm__map_clear(&threads->owned_map);
    tm__map_clear(&threads->object_map);
    tm__map_clear(&threads->text_map);
    tm__free(memory, threads->threads,
             threads->thread_capacity * sizeof(*threads->threads));
    tm__free(memory, threads->parts, threads->part_capacity * sizeof(*threads->parts));
    tm__free(memory, threads->owned, threads->owned_capacity * sizeof(*threads->owned));
    tm__free(memory, threads->objects,
             threads->object_capacity * sizeof(*threads->objects));
    tm__free(memory, threads->texts, threads->text_capacity * sizeof(*threads->texts));
    tm__free(memory, threads->letters, threads->letter_capacity);
    tm__free(memory, threads->frames,
             threads->frame_capacity * sizeof(*threads->frames));
    tm__free(memory, threads->holds, threads->hold_capacity * sizeof(*threads->holds));
}
