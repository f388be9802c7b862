/* SPDX-License-Identifier: Apache-2.0 */
#include "recorder/definitions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A class, a method of one, or an object, by its text. */
typedef struct named {
    uint64_t id;
    UT_hash_handle hh;
    char text[];
} named;

/* An address, with a frame for each function that was inlined there. */
typedef struct known_code {
    uint64_t address;
    UT_hash_handle hh;
    size_t count;
    tm_frame frames[];
} known_code;

typedef struct known_stack {
    uint32_t id;
    UT_hash_handle hh;
    size_t count;
    uint64_t frames[];
} known_stack;

typedef struct tm__definitions {
    named *classes, *methods, *objects;
    known_code *code;
    known_stack *stacks;
    uint64_t next_class, next_method, next_object;
    uint32_t next_stack;
} tm__definitions;

/* What a kind is called where people read it, and in the events. */
static const struct {
    const char *name;
    uint8_t kind;
} KINDS[TM__OBJECT_KIND_END] = {
    [TM__OBJECT_NONE] = {"object", TM_OBJECT_KIND_UNKNOWN},
    [TM__OBJECT_MUTEX] = {"mutex", TM_OBJECT_KIND_MUTEX},
    [TM__OBJECT_RWLOCK] = {"rwlock", TM_OBJECT_KIND_RWLOCK},
    [TM__OBJECT_SPIN_LOCK] = {"spinlock", TM_OBJECT_KIND_SPIN_LOCK},
    [TM__OBJECT_CONDITION] = {"condition", TM_OBJECT_KIND_CONDITION},
    [TM__OBJECT_SEMAPHORE] = {"semaphore", TM_OBJECT_KIND_SEMAPHORE},
    [TM__OBJECT_BARRIER] = {"barrier", TM_OBJECT_KIND_BARRIER},
    [TM__OBJECT_ONCE] = {"once", TM_OBJECT_KIND_ONCE},
};

static tm__definitions *definitions_of(tm__image *image)
{
    if (!image->definitions)
        image->definitions = calloc(1, sizeof(tm__definitions));
    return image->definitions;
}

/* @return the entry of a text; *is_new: it was added, without an id */
static named *find_named(named **all, const char *text, int *is_new)
{
    size_t length = strlen(text);
    named *it;

    *is_new = 0;
    HASH_FIND(hh, *all, text, (unsigned)length, it);
    if (it)
        return it;
    it = calloc(1, sizeof(*it) + length + 1);
    if (!it)
        return NULL;
    memcpy(it->text, text, length);
    HASH_ADD_KEYPTR(hh, *all, it->text, (unsigned)length, it);
    *is_new = 1;
    return it;
}

static uint64_t define_class(tm__image *image, const char *name, const char *source,
                             const char *build_id)
{
    tm__definitions *all = definitions_of(image);
    tm_class definition = TM_CLASS_INIT;
    char key[1024];
    named *it;
    int is_new;

    if (!all)
        return 0;
    /* Two files may have one name. */
    snprintf(key, sizeof(key), "%s\n%s\n%s", build_id, name, source);
    it = find_named(&all->classes, key, &is_new);
    if (!it)
        return 0;
    if (is_new) {
        it->id = ++all->next_class;
        definition.id = it->id;
        definition.name = name;
        definition.source = *source ? source : NULL;
        definition.build_id = *build_id ? build_id : NULL;
        TM__IMAGE_DEFINE(image, define_class, &definition);
    }
    return it->id;
}

static uint64_t define_method(tm__image *image, uint64_t class_id, const char *name)
{
    tm__definitions *all = definitions_of(image);
    tm_method definition = TM_METHOD_INIT;
    char key[600];
    named *it;
    int is_new;

    if (!all)
        return 0;
    snprintf(key, sizeof(key), "%llu\n%s", (unsigned long long)class_id, name);
    it = find_named(&all->methods, key, &is_new);
    if (!it)
        return 0;
    if (is_new) {
        it->id = ++all->next_method;
        definition.id = it->id;
        definition.class_id = class_id;
        definition.name = name;
        TM__IMAGE_DEFINE(image, define_method, &definition);
    }
    return it->id;
}

static tm_frame define_frame(tm__image *image, const tm__symbol *symbol)
{
    tm_frame frame = {0, -1, 0, 0};
    char offset[32];

    snprintf(offset, sizeof(offset), "0x%llx", (unsigned long long)symbol->offset + 1);
    frame.method =
        define_method(image,
                      define_class(image, *symbol->module ? symbol->module : "?",
                                   symbol->source, symbol->build_id),
                      *symbol->function ? symbol->function : offset);
    frame.line = symbol->line;
    return frame;
}

/*
 * A return address is the next call's; the call is the byte before.
 * @return NULL: there is no memory
 */
static const known_code *define_code(tm__image *image, uint64_t address)
{
    tm__definitions *all = image->definitions;
    tm__symbol chain[TM__INLINED_MOST];
    known_code *it;
    size_t count;

    HASH_FIND(hh, all->code, &address, sizeof(address), it);
    if (it)
        return it;
    count = tm__symbols_find_code(image->symbols, address - 1, chain);
    it = calloc(1, sizeof(*it) + count * sizeof(*it->frames));
    if (!it)
        return NULL;
    it->address = address;
    it->count = count;
    for (size_t i = 0; i < count; i++)
        it->frames[i] = define_frame(image, &chain[i]);
    HASH_ADD(hh, all->code, address, sizeof(it->address), it);
    return it;
}

uint32_t tm__stack_of_frames(tm__image *image, const uint64_t *frames, size_t count)
{
    tm__definitions *all = definitions_of(image);
    tm_frame defined[TM__FRAMES_MOST * TM__INLINED_MOST];
    size_t defined_count = 0;
    tm_stack definition = TM_STACK_INIT;
    known_stack *it;

    if (!all || count == 0 || count > TM__FRAMES_MOST)
        return 0;
    HASH_FIND(hh, all->stacks, frames, (unsigned)(count * sizeof(*frames)), it);
    if (it)
        return it->id;
    it = calloc(1, sizeof(*it) + count * sizeof(*frames));
    if (!it)
        return 0;
    memcpy(it->frames, frames, count * sizeof(*frames));
    it->count = count;
    it->id = ++all->next_stack;
    HASH_ADD_KEYPTR(hh, all->stacks, it->frames, (unsigned)(count * sizeof(*frames)),
                    it);
    for (size_t i = 0; i < count; i++) {
        const known_code *code = define_code(image, frames[i]);

        if (code)
            memcpy(defined + defined_count, code->frames,
                   code->count * sizeof(*defined));
        defined_count += code ? code->count : 0;
    }
    definition.id = it->id;
    definition.flags = count == TM__FRAMES_MOST ? TM_STACK_TRUNCATED : 0;
    definition.frames = defined;
    definition.frame_count = defined_count;
    TM__IMAGE_DEFINE(image, define_stack, &definition);
    return it->id;
}

/* "mutex", or "mutex names.lock" where it is a variable with a name. */
static uint64_t define_object_class(tm__image *image, const char *variable,
                                    uint32_t kind)
{
    char name[600];

    if (*variable)
        snprintf(name, sizeof(name), "%s %s", KINDS[kind].name, variable);
    else
        snprintf(name, sizeof(name), "%s", KINDS[kind].name);
    return define_class(image, name, "", "");
}

/* "mutex names.lock"; of what lies in an array or a struct, how far: "mutex
 * accounts+0x40"; of a second variable of that name, in another file, its number:
 * "mutex names.lock@0x7".
 * @return NULL: it is no variable with a name */
static const char *object_name(tm__definitions *all, const tm__symbol *variable,
                               const tm__native_object *object, char *name,
                               size_t bytes)
{
    size_t length;
    int is_new;

    if (!*variable->function)
        return NULL;
    snprintf(name, bytes, "%s %s", KINDS[object->key.kind].name, variable->function);
    length = strlen(name);
    if (variable->within)
        snprintf(name + length, bytes - length, "+0x%llx",
                 (unsigned long long)variable->within);
    if (find_named(&all->objects, name, &is_new) && is_new)
        return name;
    length = strlen(name);
    snprintf(name + length, bytes - length, "@0x%llx", (unsigned long long)object->id);
    return name;
}

tm__native_object *tm__object_at(tm__image *image, uint64_t address, uint32_t kind)
{
    tm__definitions *all = definitions_of(image);
    tm__native_object *it, wanted = {0};
    tm_object definition = TM_OBJECT_INIT;
    tm__symbol symbol;
    char name[600];

    wanted.key.address = address;
    wanted.key.kind = kind < TM__OBJECT_KIND_END ? kind : TM__OBJECT_NONE;
    HASH_FIND(hh, image->objects, &wanted.key, sizeof(wanted.key), it);
    if (it || !all)
        return it;
    it = calloc(1, sizeof(*it));
    if (!it)
        return NULL;
    it->key = wanted.key;
    it->id = ++all->next_object;
    HASH_ADD(hh, image->objects, key, sizeof(it->key), it);
    definition.id = it->id;
    tm__symbols_find_data(image->symbols, address, &symbol);
    definition.class_id =
        define_object_class(image, symbol.function, (uint32_t)it->key.kind);
    definition.kind = KINDS[it->key.kind].kind;
    definition.name = object_name(all, &symbol, it, name, sizeof(name));
    TM__IMAGE_DEFINE(image, define_object, &definition);
    return it;
}

void tm__thread_define(tm__image *image, uint64_t thread, uint32_t os_id,
                       const char *name)
{
    tm_thread definition = TM_THREAD_INIT;

    definition.id = thread;
    definition.os_id = os_id;
    definition.name = name && *name ? name : NULL;
    TM__IMAGE_DEFINE(image, define_thread, &definition);
}

void tm__thread_set_handle(tm__image *image, uint64_t handle, uint64_t thread)
{
    tm__handle *it;

    HASH_FIND(hh, image->handles, &handle, sizeof(handle), it);
    if (!it) {
        it = calloc(1, sizeof(*it));
        if (!it)
            return;
        it->handle = handle;
        HASH_ADD(hh, image->handles, handle, sizeof(it->handle), it);
    }
    it->thread = thread;
}

uint64_t tm__thread_by_handle(const tm__image *image, uint64_t handle)
{
    tm__handle *it;

    HASH_FIND(hh, image->handles, &handle, sizeof(handle), it);
    return it ? it->thread : 0;
}

#define FREE_ALL(type, head)                                                           \
    do {                                                                               \
        type *it, *next;                                                               \
        HASH_ITER(hh, head, it, next)                                                  \
        {                                                                              \
            HASH_DEL(head, it);                                                        \
            free(it);                                                                  \
        }                                                                              \
    } while (0)

void tm__definitions_free(tm__image *image)
{
    tm__definitions *all = image->definitions;

    FREE_ALL(tm__native_object, image->objects);
    FREE_ALL(tm__handle, image->handles);
    if (!all)
        return;
    FREE_ALL(named, all->classes);
    FREE_ALL(named, all->methods);
    FREE_ALL(named, all->objects);
    FREE_ALL(known_code, all->code);
    FREE_ALL(known_stack, all->stacks);
    free(all);
    image->definitions = NULL;
}
