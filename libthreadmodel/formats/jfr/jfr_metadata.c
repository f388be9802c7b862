/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The metadata event: a list of strings and a tree of elements that refer to them.
 *
 *     root ── metadata ── class name="jdk.ThreadPark" id="95" superType="..."
 *          │                ├── annotation ...
 *          │                ├── setting ...
 *          │                └── field name="timeout" class="56" [constantPool] ...
 *          │                      └── annotation class="45" value="NANOSECONDS"
 *          └── region ...
 *
 * Some two hundred types with a thousand fields and many sentences of help for each
 * chunk; types and what lies in them differ from one JVM to the next.
 */
#include "formats/jfr/jfr_metadata.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { MAX_DEPTH = 16, NAME_BYTES = 128 };

/* Words that mean something here: interned first, so that each is its own number. */
enum word {
    CLASS,
    FIELD,
    ANNOTATION,
    NAME,
    ID,
    DIMENSION,
    CONSTANT_POOL,
    VALUE,
    UNIT_FIRST,
    UNIT_LAST = UNIT_FIRST + 5,
    WORD_COUNT
};

static const char *const words[WORD_COUNT] = {
    [CLASS] = "class",
    [FIELD] = "field",
    [ANNOTATION] = "annotation",
    [NAME] = "name",
    [ID] = "id",
    [DIMENSION] = "dimension",
    [CONSTANT_POOL] = "constantPool",
    [VALUE] = "value",
    [UNIT_FIRST + TM__JFR_UNIT_TICKS - 1] = "TICKS",
    [UNIT_FIRST + TM__JFR_UNIT_NS - 1] = "NANOSECONDS",
    [UNIT_FIRST + TM__JFR_UNIT_US - 1] = "MICROSECONDS",
    [UNIT_FIRST + TM__JFR_UNIT_MS - 1] = "MILLISECONDS",
    [UNIT_FIRST + TM__JFR_UNIT_S - 1] = "SECONDS",
    [UNIT_FIRST + TM__JFR_UNIT_EPOCH_MS - 1] = "MILLISECONDS_SINCE_EPOCH",
};

/* The attributes of one element, as far as they matter; strings. */
typedef struct element {
    uint32_t kind;
    uint32_t type;  ///< types[] that it stands in, or is
    uint32_t field; ///< fields[], the same
    uint32_t children;
    uint32_t name;
    uint32_t id;
    uint32_t class_;
    uint32_t dimension;
    uint32_t constant;
    uint32_t value;
} element;

void tm__jfr_metadata_init(tm__jfr_metadata *metadata, tm__memory *memory)
{
    *metadata = (tm__jfr_metadata){.memory = memory, .text.memory = memory};
    tm__strings_init(&metadata->strings, memory);
    tm__map_init(&metadata->type_map, memory);
}

static int forget(tm__jfr_metadata *metadata)
{
    tm__strings_clear(&metadata->strings);
    tm__map_clear(&metadata->type_map);
    metadata->word_count = metadata->type_count = 0;
    metadata->field_count = metadata->step_count = 0;
    for (uint32_t i = 0; i < WORD_COUNT; i++) {
        uint32_t index;

        if (tm__strings_intern(&metadata->strings, &index, words[i]) < 0)
            return tm__failure();
    }
    return TM_OK;
}

static int read_words(tm__jfr_metadata *metadata, tm__jfr_cursor *cursor)
{
    uint64_t count = tm__jfr_number(cursor);

    for (; count > 0 && !cursor->is_broken; count--) {
        uint32_t index = metadata->word_count;
        int kind = tm__jfr_get_text(cursor, &metadata->text);

        if (kind < 0 ||
            tm__reserve(metadata->memory, &metadata->words, &metadata->word_capacity,
                        (size_t)index + 1, sizeof(*metadata->words)) < 0 ||
            tm__strings_intern(&metadata->strings, &metadata->words[index],
                               metadata->text.bytes) < 0)
            return tm__failure();
        metadata->word_count++;
    }
    return cursor->is_broken ? TM_EDAMAGED : TM_OK;
}

/* A string by its number in the event's list. */
static uint32_t read_word(const tm__jfr_metadata *metadata, tm__jfr_cursor *cursor)
{
    uint64_t number = tm__jfr_number(cursor);

    if (number < metadata->word_count)
        return metadata->words[number];
    tm__jfr_break(cursor);
    return TM__NONE;
}

static void read_attributes(const tm__jfr_metadata *metadata, tm__jfr_cursor *cursor,
                            element *read)
{
    uint64_t count = tm__jfr_number(cursor);

    for (; count > 0 && !cursor->is_broken; count--) {
        uint32_t key = read_word(metadata, cursor);
        uint32_t value = read_word(metadata, cursor);

        switch (key) {
        case NAME: read->name = value; break;
        case ID: read->id = value; break;
        case CLASS: read->class_ = value; break;
        case DIMENSION: read->dimension = value; break;
        case CONSTANT_POOL: read->constant = value; break;
        case VALUE: read->value = value; break;
        default: break;
        }
    }
}

/* A number that is written as text; 2^64 - 1, which is not a type's id, where it is
 * invalid. */
static uint64_t number_of(const tm__jfr_metadata *metadata, uint32_t string)
{
    const char *text = tm__strings_get(&metadata->strings, string);
    char *end;
    unsigned long long number;

    if (!text || *text < '0' || *text > '9')
        return UINT64_MAX;
    number = strtoull(text, &end, 10);
    return *end ? UINT64_MAX : number;
}

/* JDK 9 and 10 have other names for the packages of their events and constants. */
static int rename_type(tm__jfr_metadata *metadata, uint32_t *name)
{
    static const struct {
        const char *old, *now;
    } packages[] = {{"com.oracle.jdk.", "jdk."},
                    {"com.oracle.jfr.types.", "jdk.types."}};
    const char *text = tm__strings_get(&metadata->strings, *name);
    char renamed[NAME_BYTES];

    for (size_t i = 0; text && i < sizeof(packages) / sizeof(*packages); i++) {
        size_t length = strlen(packages[i].old);

        if (strncmp(text, packages[i].old, length) != 0 ||
            strlen(text + length) + strlen(packages[i].now) >= sizeof(renamed))
            continue;
        snprintf(renamed, sizeof(renamed), "%s%s", packages[i].now, text + length);
        return tm__strings_intern(&metadata->strings, name, renamed);
    }
    return TM_OK;
}

static int add_type(tm__jfr_metadata *metadata, element *read)
{
    uint64_t id = number_of(metadata, read->id);
    uint32_t index = metadata->type_count;

    if (rename_type(metadata, &read->name) < 0)
        return tm__failure();
    if (id == UINT64_MAX || tm__map_find(&metadata->type_map, id) != TM__NONE)
        return TM_OK;
    if (tm__reserve(metadata->memory, &metadata->types, &metadata->type_capacity,
                    (size_t)index + 1, sizeof(*metadata->types)) < 0 ||
        tm__map_put(&metadata->type_map, id, index) < 0)
        return tm__failure();
    metadata->types[index] = (tm__jfr_type){
        .id = id, .name = read->name, .field_first = metadata->field_count};
    metadata->type_count++;
    read->type = index;
    return TM_OK;
}

static int add_field(tm__jfr_metadata *metadata, element *read)
{
    tm__jfr_type *type = &metadata->types[read->type];
    uint32_t index = metadata->field_count;
    uint64_t dimension =
        read->dimension == TM__NONE ? 0 : number_of(metadata, read->dimension);

    if (tm__reserve(metadata->memory, &metadata->fields, &metadata->field_capacity,
                    (size_t)index + 1, sizeof(*metadata->fields)) < 0)
        return tm__failure();
    metadata->fields[index] =
        (tm__jfr_field){.type_id = number_of(metadata, read->class_),
                        .name = read->name,
                        .is_constant = read->constant != TM__NONE,
                        .is_array = dimension > 0};
    metadata->field_count++;
    type->field_count++;
    read->field = index;
    return TM_OK;
}

static int add_element(tm__jfr_metadata *metadata, element *read, const element *parent,
                       int depth)
{
    /* root, metadata, class: a class within a class would tear fields apart. */
    if (read->kind == CLASS && depth == 2)
        return add_type(metadata, read);
    if (read->kind == FIELD && parent->kind == CLASS && parent->type != TM__NONE) {
        read->type = parent->type;
        return add_field(metadata, read);
    }
    if (read->kind == ANNOTATION && parent->kind == FIELD &&
        parent->field != TM__NONE && read->value >= UNIT_FIRST &&
        read->value <= UNIT_LAST)
        metadata->fields[parent->field].unit = (uint8_t)(read->value - UNIT_FIRST + 1);
    return TM_OK;
}

static int read_element(tm__jfr_metadata *metadata, tm__jfr_cursor *cursor,
                        const element *parent, int depth)
{
    element read = {.type = TM__NONE,
                    .field = TM__NONE,
                    .name = TM__NONE,
                    .id = TM__NONE,
                    .class_ = TM__NONE,
                    .dimension = TM__NONE,
                    .constant = TM__NONE,
                    .value = TM__NONE};
    uint64_t children;
    int rc;

    read.kind = read_word(metadata, cursor);
    read_attributes(metadata, cursor, &read);
    children = tm__jfr_number(cursor);
    if (depth == MAX_DEPTH)
        tm__jfr_break(cursor);
    if (cursor->is_broken)
        return TM_EDAMAGED;
    rc = add_element(metadata, &read, parent, depth);
    for (; children > 0 && rc == TM_OK; children--)
        rc = read_element(metadata, cursor, &read, depth + 1);
    return rc;
}

int tm__jfr_metadata_read(tm__jfr_metadata *metadata, tm__jfr_cursor *cursor)
{
    static const element no_parent = {
        .kind = TM__NONE, .type = TM__NONE, .field = TM__NONE};
    int rc = forget(metadata);

    if (rc < 0)
        return rc;
    tm__jfr_skip_numbers(cursor, 3); /* start, duration, version of the metadata */
    rc = read_words(metadata, cursor);
    if (rc == TM_OK)
        rc = read_element(metadata, cursor, &no_parent, 0);
    return rc;
}

const char *tm__jfr_type_name(const tm__jfr_metadata *metadata,
                              const tm__jfr_type *type)
{
    const char *name = tm__strings_get(&metadata->strings, type->name);

    return name ? name : "";
}

void tm__jfr_metadata_free(tm__jfr_metadata *metadata)
{
    tm__memory *memory = metadata->memory;

    tm__strings_clear(&metadata->strings);
    tm__map_clear(&metadata->type_map);
    tm__jfr_text_free(&metadata->text);
    tm__free(memory, metadata->words, metadata->word_capacity * sizeof(uint32_t));
    tm__free(memory, metadata->types, metadata->type_capacity * sizeof(tm__jfr_type));
    tm__free(memory, metadata->fields,
             metadata->field_capacity * sizeof(tm__jfr_field));
    tm__free(memory, metadata->steps, metadata->step_capacity * sizeof(tm__jfr_step));
}
