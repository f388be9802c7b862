/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code: from a chunk's keys of classes, methods and stacks to what is known across
 * chunks. Each constant is looked into once a chunk; from then on its slot in the pool
 * holds the answer, so an event costs a look-up in the chunk's own map for each key.
 */
#include "formats/jfr/code.h"
#include "base/error.h"
#include "formats/jfr/jfr_entities.h"
#include "formats/jfr/program.h"

int tm__jfr_entity_read(tm__jfr_entities *entities, uint64_t offset)
{
    tm__jfr_cursor cursor = tm__jfr_pools_at(entities->pools, offset);
    int kind = tm__jfr_get_text(&cursor, &entities->text);

    if (kind == TM__JFR_TEXT_CONSTANT) {
        const tm__jfr_constant *constant = tm__jfr_constant_find(
            entities->pools, TM__JFR_POOL_STRING, entities->text.constant);

        if (!constant)
            return TM__JFR_TEXT_NULL;
        cursor = tm__jfr_pools_at(entities->pools, constant->offset);
        /* A string of the pool that refers to another one is invalid. */
        kind = tm__jfr_get_text(&cursor, &entities->text);
    }
    return kind;
}

int tm__jfr_entity_text(tm__jfr_entities *entities, uint64_t offset, uint32_t *text)
{
    int kind = tm__jfr_entity_read(entities, offset);

    *text = TM__NONE;
    if (kind < 0)
        return kind;
    if (kind != TM__JFR_TEXT_PLAIN)
        return TM_OK;
    return tm__strings_intern_bytes(&entities->texts, text, entities->text.bytes,
                                    entities->text.length);
}

/* A symbol's text by its key; its own slot keeps the answer. */
static int find_symbol(tm__jfr_entities *entities, uint64_t key, uint32_t *text)
{
    tm__jfr_constant *constant =
        tm__jfr_constant_find(entities->pools, TM__JFR_POOL_SYMBOL, key);
    uint64_t values[TM__JFR_CONSTANT_SLOTS];
    int rc = TM_OK;

    *text = TM__NONE;
    if (!constant)
        return TM_OK;
    if (constant->resolved == TM__NONE) {
        tm__jfr_constant_read(entities->pools, TM__JFR_POOL_SYMBOL, constant, values);
        if (values[TM__JFR_SYMBOL_TEXT])
            rc = tm__jfr_entity_text(entities, values[TM__JFR_SYMBOL_TEXT],
                                     &constant->resolved);
    }
    *text = constant->resolved;
    return rc;
}

int tm__jfr_inflation(tm__jfr_entities *entities, uint64_t key)
{
    static const struct {
        const char *text;
        int cause;
    } causes[] = {
        {"Monitor Enter", TM_INFLATION_ENTER},
        {"Monitor Wait", TM_INFLATION_WAIT},
        {"Monitor Notify", TM_INFLATION_NOTIFY},
        {"Monitor Hash Code", TM_INFLATION_HASH},
        {"JNI Monitor Enter", TM_INFLATION_JNI},
        {"JNI Monitor Exit", TM_INFLATION_JNI},
        {"VM Internal", TM_INFLATION_VM},
    };
    tm__jfr_constant *constant =
        tm__jfr_constant_find(entities->pools, TM__JFR_POOL_CAUSE, key);
    uint64_t values[TM__JFR_CONSTANT_SLOTS];
    uint32_t text;

    if (!constant)
        return TM_INFLATION_UNKNOWN;
    if (constant->resolved == TM__NONE) {
        tm__jfr_constant_read(entities->pools, TM__JFR_POOL_CAUSE, constant, values);
        if (tm__jfr_entity_text(entities, values[TM__JFR_CAUSE_TEXT], &text) < 0)
            return tm__failure();
        constant->resolved = TM_INFLATION_UNKNOWN;
        for (size_t i = 0; text != TM__NONE && i < sizeof(causes) / sizeof(*causes);
             i++)
            if (strcmp(tm__strings_get(&entities->texts, text), causes[i].text) == 0)
                constant->resolved = (uint32_t)causes[i].cause;
    }
    return (int)constant->resolved;
}

int tm__jfr_state_runs(tm__jfr_entities *entities, uint64_t key)
{
    static const char *const running[] = {"STATE_RUNNABLE", "STATE_DEFAULT"};
    tm__jfr_constant *constant =
        tm__jfr_constant_find(entities->pools, TM__JFR_POOL_STATE, key);
    uint64_t values[TM__JFR_CONSTANT_SLOTS];
    uint32_t text;

    if (!constant)
        return 1;
    if (constant->resolved == TM__NONE) {
        tm__jfr_constant_read(entities->pools, TM__JFR_POOL_STATE, constant, values);
        if (tm__jfr_entity_text(entities, values[TM__JFR_STATE_NAME], &text) < 0)
            return tm__failure();
        constant->resolved = text == TM__NONE;
        for (size_t i = 0; text != TM__NONE && i < sizeof(running) / sizeof(*running);
             i++)
            constant->resolved |=
                strcmp(tm__strings_get(&entities->texts, text), running[i]) == 0;
    }
    return (int)constant->resolved;
}

/* "[Ljava/util/Map;" is written "java.util.Map[]" by people, "[I" is "int[]". */
static int write_class_name(tm__jfr_entities *entities, const char *internal)
{
    static const char letters[] = "ZBCSIJFD";
    static const char *const names[] = {"boolean", "byte", "char",  "short",
                                        "int",     "long", "float", "double"};
    tm__jfr_text *text = &entities->slashed;
    size_t dimensions = strspn(internal, "["), length;
    const char *letter;
    int rc = tm__jfr_text_start(text);

    internal += dimensions;
    length = strlen(internal);
    letter = length == 1 && dimensions ? strchr(letters, *internal) : NULL;
    if (letter) {
        internal = names[letter - letters];
        length = strlen(internal);
    } else if (dimensions && length > 1 && *internal == 'L' &&
               internal[length - 1] == ';') {
        internal++;
        length -= 2;
    }
    if (rc == TM_OK)
        rc = tm__jfr_text_add(text, internal, length);
    for (size_t i = 0; rc == TM_OK && i < text->length; i++)
        if (text->bytes[i] == '/')
            text->bytes[i] = '.';
    for (; rc == TM_OK && dimensions > 0; dimensions--)
        rc = tm__jfr_text_add(text, "[]", 2);
    return rc;
}

int tm__jfr_class_intern(tm__jfr_entities *entities, uint32_t name, uint32_t *id)
{
    uint32_t index = tm__map_find(&entities->class_map, name);

    if (index != TM__NONE) {
        *id = index;
        return TM_OK;
    }
    if (tm__reserve(entities->memory, &entities->classes, &entities->class_capacity,
                    (size_t)entities->class_count + 1,
                    sizeof(*entities->classes)) < 0 ||
        tm__map_put(&entities->class_map, name, entities->class_count + 1) < 0)
        return tm__failure();
    entities->classes[entities->class_count++] = name;
    *id = entities->class_count;
    return TM_OK;
}

int tm__jfr_class_id(tm__jfr_entities *entities, uint64_t key, uint32_t *id)
{
    tm__jfr_constant *constant =
        tm__jfr_constant_find(entities->pools, TM__JFR_POOL_CLASS, key);
    uint64_t values[TM__JFR_CONSTANT_SLOTS];
    uint32_t symbol, name;
    int rc;

    *id = 0;
    if (!key || !constant)
        return TM_OK;
    if (constant->resolved == TM__NONE) {
        tm__jfr_constant_read(entities->pools, TM__JFR_POOL_CLASS, constant, values);
        rc = find_symbol(entities, values[TM__JFR_CLASS_NAME], &symbol);
        if (rc < 0)
            return rc;
        if (symbol == TM__NONE)
            return TM_OK;
        if (write_class_name(entities, tm__strings_get(&entities->texts, symbol)) < 0 ||
            tm__strings_intern_bytes(&entities->texts, &name, entities->slashed.bytes,
                                     entities->slashed.length) < 0 ||
            tm__jfr_class_intern(entities, name, &constant->resolved) < 0)
            return tm__failure();
    }
    *id = constant->resolved;
    return TM_OK;
}

int tm__jfr_method_intern(tm__jfr_entities *entities, tm__jfr_method method,
                          uint32_t *id)
{
    uint32_t *known;

    if (tm__reserve(entities->memory, &entities->methods, &entities->method_capacity,
                    (size_t)entities->method_count + 1, sizeof(method)) < 0)
        return tm__failure();
    known = tm__triple_map_at(&entities->method_map, entities->memory, method.class_,
                              method.name, method.signature);
    if (!known)
        return tm__failure();
    if (!*known) {
        entities->methods[entities->method_count++] = method;
        *known = entities->method_count;
    }
    *id = *known;
    return TM_OK;
}

static int find_method(tm__jfr_entities *entities, uint64_t key, uint32_t *id)
{
    tm__jfr_constant *constant =
        tm__jfr_constant_find(entities->pools, TM__JFR_POOL_METHOD, key);
    uint64_t values[TM__JFR_CONSTANT_SLOTS];
    tm__jfr_method method;
    int rc;

    *id = 0;
    if (!constant)
        return TM_OK;
    if (constant->resolved != TM__NONE) {
        *id = constant->resolved;
        return TM_OK;
    }
    tm__jfr_constant_read(entities->pools, TM__JFR_POOL_METHOD, constant, values);
    rc = tm__jfr_class_id(entities, values[TM__JFR_METHOD_CLASS], &method.class_);
    if (rc == TM_OK)
        rc = find_symbol(entities, values[TM__JFR_METHOD_NAME], &method.name);
    if (rc == TM_OK)
        rc = find_symbol(entities, values[TM__JFR_METHOD_SIGNATURE], &method.signature);
    if (rc == TM_OK)
        rc = tm__jfr_method_intern(entities, method, id);
    if (rc == TM_OK)
        constant->resolved = *id;
    return rc;
}

/* Between the park and the sleep are some frames of the JDK's. */
enum { SLEEP_FRAMES = 8 };

static int is_sleep(const tm__jfr_entities *entities, const tm_frame *frames,
                    size_t count)
{
    for (size_t i = 0; i < count && i < SLEEP_FRAMES && frames[i].method; i++) {
        const tm__jfr_method *method = &entities->methods[frames[i].method - 1];

        if (method->name == entities->sleep_name && method->class_ &&
            entities->classes[method->class_ - 1] == entities->virtual_name)
            return 1;
    }
    return 0;
}

static uint32_t see(const tm__jfr_entities *entities, const tm_frame *frames,
                    size_t count)
{
    size_t i = 0;

    if (is_sleep(entities, frames, count))
        return TM__JFR_SIGHT_SLEEP;
    for (; i < count && frames[i].method; i++) {
        const tm__jfr_method *method = &entities->methods[frames[i].method - 1];

        if (method->class_ == entities->object_class) {
            if (i == 0 && method->name == entities->notify_all_name)
                return TM__JFR_SIGHT_NOTIFY_ALL;
            if (method->name == entities->wait_name[0] ||
                method->name == entities->wait_name[1])
                continue;
        }
        return i > 0 && method->class_ == entities->join_class &&
                       method->name == entities->join_name
                   ? TM__JFR_SIGHT_JOIN
                   : 0;
    }
    return 0;
}

int tm__jfr_frame_put(tm__jfr_entities *entities, uint32_t number, tm_frame frame)
{
    if (tm__reserve(entities->memory, &entities->frames, &entities->frame_capacity,
                    (size_t)number + 2, sizeof(*entities->frames)) < 0)
        return tm__failure();
    entities->frames[number] = frame;
    return TM_OK;
}

/* Frames into entities->frames. */
static int read_frames(tm__jfr_entities *entities, uint64_t offset, uint32_t *count)
{
    tm__jfr_pools *pools = entities->pools;
    tm__jfr_cursor cursor = tm__jfr_pools_at(pools, offset);
    uint64_t stated = tm__jfr_number(&cursor);

    *count = 0;
    for (; stated > 0 && pools->frame.count && !cursor.is_broken; stated--) {
        uint64_t values[TM__JFR_CONSTANT_SLOTS] = {0};
        uint32_t method;
        int64_t line;

        tm__jfr_run(pools->metadata, pools->frame, &cursor, pools->base, values);
        line = (int64_t)values[TM__JFR_FRAME_LINE];
        if (find_method(entities, values[TM__JFR_FRAME_METHOD], &method) < 0 ||
            tm__jfr_frame_put(
                entities, *count,
                (tm_frame){.method = method,
                           .location = (int64_t)values[TM__JFR_FRAME_LOCATION],
                           .line = line > 0 && line <= INT32_MAX ? (int32_t)line : 0}) <
                0)
            return tm__failure();
        (*count)++;
    }
    return TM_OK;
}

int tm__jfr_stack_intern(tm__jfr_entities *entities, uint32_t count, uint64_t truncated,
                         uint32_t *id)
{
    tm_frame *frames = entities->frames;
    uint32_t before = entities->stacks.count, index;

    /* The flags ride as one more frame, so that they tell stacks apart as well. */
    frames[count] = (tm_frame){.method = truncated != 0};
    if (tm__reserve(entities->memory, &entities->stack_sights,
                    &entities->stack_capacity, (size_t)before + 1, 1) < 0 ||
        tm__strings_intern_bytes(&entities->stacks, &index, (const char *)frames,
                                 ((size_t)count + 1) * sizeof(*frames)) < 0)
        return tm__failure();
    if (entities->stacks.count > before)
        entities->stack_sights[index] = (uint8_t)see(entities, frames, count);
    *id = index + 1;
    return TM_OK;
}

int tm__jfr_stack_id(tm__jfr_entities *entities, uint64_t key, uint32_t *id)
{
    tm__jfr_constant *constant =
        key ? tm__jfr_constant_find(entities->pools, TM__JFR_POOL_STACK, key) : NULL;
    uint64_t values[TM__JFR_CONSTANT_SLOTS];
    uint32_t count;
    int rc;

    *id = 0;
    if (!constant)
        return TM_OK;
    if (constant->resolved == TM__NONE) {
        tm__jfr_constant_read(entities->pools, TM__JFR_POOL_STACK, constant, values);
        if (!values[TM__JFR_STACK_FRAMES]) {
            constant->resolved = 0;
            return TM_OK;
        }
        rc = read_frames(entities, values[TM__JFR_STACK_FRAMES], &count);
        if (rc < 0)
            return rc;
        if (count == 0)
            constant->resolved = 0;
        else if (tm__jfr_stack_intern(entities, count, values[TM__JFR_STACK_TRUNCATED],
                                      &constant->resolved) < 0)
            return tm__failure();
    }
    *id = constant->resolved;
    return TM_OK;
}

uint32_t tm__jfr_stack_sight(const tm__jfr_entities *entities, uint32_t id)
{
    return id ? entities->stack_sights[id - 1] : 0;
}

int tm__jfr_optional_text(tm__jfr_entities *entities, uint64_t offset, uint32_t *text)
{
    *text = TM__NONE;
    return offset ? tm__jfr_entity_text(entities, offset, text) : TM_OK;
}
