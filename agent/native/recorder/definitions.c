/* SPDX-License-Identifier: Apache-2.0 */
#include "recorder/definitions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "endpoint/endpoint_name.h"
#include "recorder/lookup.h"

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
    struct known_code *next_gone;
    tm__lookup *lookup; /* NULL: its frames are defined */
    int has_file;
    size_t count;
    tm_frame *frames;
} known_code;

struct tm__native_stack {
    uint32_t id;
    UT_hash_handle hh;
    tm__native_stack *next_gone;
    int is_defined;
    size_t count;
    known_code *code[TM__FRAMES_MOST];
    uint64_t frames[];
};

typedef struct tm__definitions {
    named *classes, *methods, *objects;
    known_code *code, *gone_code; /* gone: another file lies there by now */
    tm__native_stack *stacks, *gone_stacks;
    tm__module *modules;
    uint64_t next_class, next_method, next_object;
    uint32_t next_stack;
} tm__definitions;

enum { OBJECTS_MOST = 100000 };

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
    [TM__OBJECT_ENDPOINT] = {"endpoint", TM_OBJECT_KIND_UNKNOWN},
    [TM__OBJECT_FUTEX] = {"futex", TM_OBJECT_KIND_FUTEX},
    [TM__OBJECT_GUARD] = {"initialisation of", TM_OBJECT_KIND_ONCE},
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

/* A return address is the next call's; the call is the byte before.
 * @return NULL: there is no memory */
static known_code *code_at(tm__image *image, uint64_t address)
{
    tm__definitions *all = image->definitions;
    known_code *it;

    HASH_FIND(hh, all->code, &address, sizeof(address), it);
    if (it)
        return it;
    it = calloc(1, sizeof(*it));
    if (!it)
        return NULL;
    it->address = address;
    it->lookup = tm__lookup_code(image->symbols, address - 1);
    HASH_ADD(hh, all->code, address, sizeof(it->address), it);
    return it;
}

/* @return whether its names were found */
static int define_code(tm__image *image, known_code *it)
{
    const tm__symbol *chain;
    size_t count;

    if (!it->lookup)
        return 1;
    if (!tm__lookup_is_done(it->lookup))
        return 0;
    count = tm__lookup_result(it->lookup, &chain);
    it->frames = calloc(count, sizeof(*it->frames));
    it->has_file = count && *chain->module;
    it->count = it->frames ? count : 0;
    for (size_t i = 0; i < it->count; i++)
        it->frames[i] = define_frame(image, &chain[i]);
    tm__lookup_free(it->lookup);
    it->lookup = NULL;
    return 1;
}

/* Whether it would have another name if it was asked for again. */
static int is_stale(const known_code *it)
{
    return it && (it->lookup || !it->has_file);
}

/* Forget those of which a new module makes another thing. Who refers to them is emitted
 * with the names that they had. */
static void forget_code(tm__definitions *all, int all_of_it)
{
    tm__native_stack *stack, *next_stack;
    known_code *code, *next_code;

    HASH_ITER(hh, all->stacks, stack, next_stack)
    {
        int is_gone = all_of_it;

        for (size_t i = 0; i < stack->count; i++)
            is_gone |= is_stale(stack->code[i]);
        if (!is_gone)
            continue;
        HASH_DEL(all->stacks, stack);
        stack->next_gone = all->gone_stacks;
        all->gone_stacks = stack;
    }
    HASH_ITER(hh, all->code, code, next_code)
    {
        if (!all_of_it && !is_stale(code))
            continue;
        HASH_DEL(all->code, code);
        code->next_gone = all->gone_code;
        all->gone_code = code;
    }
}

static int is_same(const tm__module *one, const tm__module *other)
{
    return one->bias == other->bias && one->id_bytes == other->id_bytes &&
           memcmp(one->id, other->id, one->id_bytes) == 0 &&
           (one->id_bytes || strcmp(one->path, other->path) == 0);
}

int tm__module_is_new(const tm__image *image, const tm__module *module)
{
    const tm__definitions *all = image->definitions;

    for (const tm__module *it = all ? all->modules : NULL; it; it = it->next)
        if (is_same(it, module))
            return 0;
    return 1;
}

int tm__module_overlaps(const tm__image *image, const tm__module *module)
{
    const tm__definitions *all = image->definitions;

    for (const tm__module *it = all ? all->modules : NULL; it; it = it->next)
        if (tm__modules_overlap(it, module))
            return 1;
    return 0;
}

void tm__module_add(tm__image *image, tm__module *module)
{
    tm__definitions *all = definitions_of(image);
    size_t bytes = sizeof(*module) + strlen(module->path) + 1;
    tm__module *own = all ? malloc(bytes) : NULL;

    if (own) {
        memcpy(own, module, bytes);
        forget_code(all, tm__modules_add(&all->modules, own));
    }
    tm__lookup_module(image->symbols, module);
}

tm__native_stack *tm__stack_of_frames(tm__image *image, const uint64_t *frames,
                                      size_t count)
{
    tm__definitions *all = definitions_of(image);
    tm__native_stack *it;

    if (!all || count == 0 || count > TM__FRAMES_MOST)
        return NULL;
    HASH_FIND(hh, all->stacks, frames, (unsigned)(count * sizeof(*frames)), it);
    if (it)
        return it;
    it = calloc(1, sizeof(*it) + count * sizeof(*frames));
    if (!it)
        return NULL;
    memcpy(it->frames, frames, count * sizeof(*frames));
    it->count = count;
    it->id = ++all->next_stack;
    HASH_ADD_KEYPTR(hh, all->stacks, it->frames, (unsigned)(count * sizeof(*frames)),
                    it);
    for (size_t i = 0; i < count; i++)
        it->code[i] = code_at(image, frames[i]);
    return it;
}

uint32_t tm__stack_id(const tm__native_stack *stack)
{
    return stack->id;
}

int tm__stack_define(tm__image *image, tm__native_stack *stack)
{
    tm_frame defined[TM__FRAMES_MOST * TM__INLINED_MOST];
    size_t defined_count = 0;
    tm_stack definition = TM_STACK_INIT;

    if (stack->is_defined)
        return 1;
    for (size_t i = 0; i < stack->count; i++)
        if (stack->code[i] && !define_code(image, stack->code[i]))
            return 0;
    for (size_t i = 0; i < stack->count; i++) {
        const known_code *code = stack->code[i];

        if (!code || code->count == 0)
            continue;
        memcpy(defined + defined_count, code->frames, code->count * sizeof(*defined));
        defined_count += code->count;
    }
    stack->is_defined = 1;
    definition.id = stack->id;
    definition.flags = stack->count == TM__FRAMES_MOST ? TM_STACK_TRUNCATED : 0;
    definition.frames = defined;
    definition.frame_count = defined_count;
    TM__IMAGE_DEFINE(image, define_stack, &definition);
    return 1;
}

/* Of a variable that is initialised once its own name is shown, and not its guard's. */
static const char *name_of_variable(const char *symbol)
{
    static const char guard[] = "guard variable for ";

    return strncmp(symbol, guard, sizeof(guard) - 1) == 0 ? symbol + sizeof(guard) - 1
                                                          : symbol;
}

/* The condition in CPython's state of the runtime is that of its global lock. */
static const char *runtime_lock(const char *variable, uint32_t kind)
{
    return kind == TM__OBJECT_CONDITION && strcmp(variable, "_PyRuntime") == 0 ? "GIL"
                                                                               : NULL;
}

/* "mutex", or "mutex names.lock" where it is a variable with a name. */
static uint64_t define_object_class(tm__image *image, const char *variable,
                                    uint32_t kind)
{
    const char *lock = runtime_lock(variable, kind);
    char name[600];

    if (lock)
        return define_class(image, lock, "", "");
    if (*variable)
        snprintf(name, sizeof(name), "%s %s", KINDS[kind].name,
                 name_of_variable(variable));
    else if (kind == TM__OBJECT_GUARD)
        snprintf(name, sizeof(name), "static initialisation");
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
    const char *lock;
    size_t length;
    int is_new;

    if (!*variable->function)
        return NULL;
    lock = runtime_lock(variable->function, object->key.kind);
    snprintf(name, bytes, "%s%s%s", lock ? lock : KINDS[object->key.kind].name,
             lock ? "" : " ", lock ? "" : name_of_variable(variable->function));
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

/* Until it is defined. */
static void name_endpoint(const tm__image *image, tm__native_object *object,
                          const tm__endpoint *endpoint, const char *text)
{
    char name[TM__ENDPOINT_TEXT_BYTES + 64];

    tm__endpoint_name(endpoint, text, image->shows_paths, name, sizeof(name));
    free(object->endpoint);
    object->endpoint = strdup(name);
}

void tm__endpoint_learn(tm__image *image, const tm__endpoint *endpoint,
                        const char *text)
{
    tm__native_object *object =
        tm__object_at(image, endpoint->key, TM__OBJECT_ENDPOINT, 0);

    if (object && !object->is_defined)
        name_endpoint(image, object, endpoint, text);
}

static void define_endpoint(tm__image *image, tm__native_object *object)
{
    tm_object definition = TM_OBJECT_INIT;

    definition.id = object->id;
    definition.kind = tm__endpoint_of_key(object->key.address).kind;
    definition.name = object->endpoint;
    TM__IMAGE_DEFINE(image, define_object, &definition);
    free(object->endpoint);
    object->endpoint = NULL;
    object->is_defined = 1;
}

static tm__native_object *object_of(tm__image *image, uint64_t address, uint32_t kind,
                                    uint32_t generation)
{
    tm__definitions *all = definitions_of(image);
    tm__native_object *it, wanted = {0};

    /* A program may read any number of files: the rest share an object a kind. */
    if (kind == TM__OBJECT_ENDPOINT && HASH_COUNT(image->objects) >= OBJECTS_MOST)
        address = tm__endpoint_of_key(address).key;
    wanted.key.address = address;
    wanted.key.kind = kind < TM__OBJECT_KIND_END ? kind : TM__OBJECT_NONE;
    wanted.key.generation = generation;
    HASH_FIND(hh, image->objects, &wanted.key, sizeof(wanted.key), it);
    if (it || !all)
        return it;
    it = calloc(1, sizeof(*it));
    if (!it)
        return NULL;
    it->key = wanted.key;
    if (it->key.kind == TM__OBJECT_ENDPOINT) {
        tm__endpoint known_by_key = tm__endpoint_of_key(address);

        name_endpoint(image, it, &known_by_key, "");
    } else {
        it->lookup = tm__lookup_data(image->symbols, address);
        if (!it->lookup) {
            free(it);
            return NULL;
        }
    }
    it->id = ++all->next_object;
    HASH_ADD(hh, image->objects, key, sizeof(it->key), it);
    return it;
}

tm__native_object *tm__object_at(tm__image *image, uint64_t address, uint32_t kind,
                                 uint32_t generation)
{
    tm__native_object *first = generation ? object_of(image, address, kind, 0) : NULL;

    if (first && generation > first->latest)
        first->latest = generation;
    return object_of(image, address, kind, generation);
}

tm__native_object *tm__object_last_at(tm__image *image, uint64_t address, uint32_t kind)
{
    tm__native_object *first = object_of(image, address, kind, 0);

    return first && first->latest ? object_of(image, address, kind, first->latest)
                                  : first;
}

/* A lock that is begun and ended by no call, as a std::mutex, and is no variable: other
 * locks may lie in its memory after it. */
static int may_be_many(const tm__native_object *object, const tm__symbol *variable)
{
    return (object->key.kind == TM__OBJECT_MUTEX ||
            object->key.kind == TM__OBJECT_RWLOCK ||
            object->key.kind == TM__OBJECT_SPIN_LOCK) &&
           !object->is_life_seen && !*variable->function;
}

int tm__object_define(tm__image *image, tm__native_object *object)
{
    static const tm__symbol nameless;
    tm_object definition = TM_OBJECT_INIT;
    const tm__symbol *symbol;
    char name[600];

    if (object->key.kind == TM__OBJECT_ENDPOINT) {
        if (!object->is_defined)
            define_endpoint(image, object);
        return 1;
    }
    if (!object->lookup)
        return 1;
    if (!tm__lookup_is_done(object->lookup))
        return 0;
    if (tm__lookup_result(object->lookup, &symbol) == 0)
        symbol = &nameless;
    definition.id = object->id;
    definition.class_id =
        define_object_class(image, symbol->function, object->key.kind);
    definition.kind = KINDS[object->key.kind].kind;
    if (may_be_many(object, symbol))
        definition.flags |= TM_OBJECT_MAYBE_MANY;
    definition.name =
        object_name(image->definitions, symbol, object, name, sizeof(name));
    TM__IMAGE_DEFINE(image, define_object, &definition);
    tm__lookup_free(object->lookup);
    object->lookup = NULL;
    return 1;
}

int tm__definitions_complete(tm__image *image)
{
    tm__definitions *all = image->definitions;
    tm__native_object *object, *next_object;
    tm__native_stack *stack, *next_stack;
    int is_complete = 1;

    if (!all)
        return 1;
    HASH_ITER(hh, image->objects, object, next_object)
    {
        is_complete &= tm__object_define(image, object);
    }
    HASH_ITER(hh, all->stacks, stack, next_stack)
    {
        is_complete &= tm__stack_define(image, stack);
    }
    for (stack = all->gone_stacks; stack; stack = stack->next_gone)
        is_complete &= tm__stack_define(image, stack);
    return is_complete;
}

static void define_thread(tm__image *image, uint64_t thread, uint32_t os_id,
                          const char *name, uint32_t flags)
{
    tm_thread definition = TM_THREAD_INIT;

    definition.id = thread;
    definition.os_id = os_id;
    definition.name = name && *name ? name : NULL;
    definition.flags = flags;
    TM__IMAGE_DEFINE(image, define_thread, &definition);
}

void tm__thread_define(tm__image *image, uint64_t thread, uint32_t os_id,
                       const char *name)
{
    define_thread(image, thread, os_id, name, 0);
}

void tm__thread_define_not_forked(tm__image *image, uint64_t thread, uint32_t os_id,
                                  const char *name)
{
    define_thread(image, thread, os_id, name, TM_THREAD_NOT_FORKED);
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

static void free_code(known_code *it)
{
    tm__lookup_free(it->lookup);
    free(it->frames);
    free(it);
}

void tm__definitions_free(tm__image *image)
{
    tm__definitions *all = image->definitions;
    tm__native_object *object, *next_object;
    known_code *code, *next_code;
    tm__native_stack *stack;

    HASH_ITER(hh, image->objects, object, next_object)
    {
        tm__lookup_free(object->lookup);
        free(object->endpoint);
    }
    FREE_ALL(tm__native_object, image->objects);
    FREE_ALL(tm__handle, image->handles);
    if (!all)
        return;
    FREE_ALL(named, all->classes);
    FREE_ALL(named, all->methods);
    FREE_ALL(named, all->objects);
    FREE_ALL(tm__native_stack, all->stacks);
    HASH_ITER(hh, all->code, code, next_code)
    {
        HASH_DEL(all->code, code);
        free_code(code);
    }
    while ((code = all->gone_code)) {
        all->gone_code = code->next_gone;
        free_code(code);
    }
    while ((stack = all->gone_stacks)) {
        all->gone_stacks = stack->next_gone;
        free(stack);
    }
    tm__modules_free(all->modules);
    free(all);
    image->definitions = NULL;
}
