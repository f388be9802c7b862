/* SPDX-License-Identifier: Apache-2.0 */
#include "recorder/object_definitions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "endpoint/endpoint_name.h"
#include "recorder/lookup.h"
#include "recorder/named_definitions.h"

enum { OBJECTS_MOST = 100000 };

/* The name of each kind, for people, and its kind in the events. */
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
    [TM__OBJECT_INHERITED] = {"mutex", TM_OBJECT_KIND_MUTEX},
    [TM__OBJECT_GUARD] = {"initialisation of", TM_OBJECT_KIND_ONCE},
};

/* A variable that is initialised once is shown by its own name, and not by its
 * guard's. */
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

/* CPython's locks are semaphores that only one of its functions waits for. */
static const char *interpreted_lock(const char *function, uint32_t kind)
{
    return kind == TM__OBJECT_SEMAPHORE &&
                   strcmp(function, "PyThread_acquire_lock_timed") == 0
               ? "Python lock"
               : NULL;
}

/* "mutex", or "mutex names.lock" where it is a variable with a name. */
static uint64_t define_object_class(tm__image *image, const char *variable,
                                    uint32_t kind, const char *function)
{
    const char *lock = runtime_lock(variable, kind);
    char name[600];

    if (!lock)
        lock = interpreted_lock(function, kind);
    if (lock)
        return tm__class_define(image, lock, "", "");
    if (*variable)
        snprintf(name, sizeof(name), "%s %s", KINDS[kind].name,
                 name_of_variable(variable));
    else if (kind == TM__OBJECT_GUARD)
        snprintf(name, sizeof(name), "static initialisation");
    else
        snprintf(name, sizeof(name), "%s", KINDS[kind].name);
    return tm__class_define(image, name, "", "");
}

/* "mutex names.lock"; of what lies in an array or a struct, how far: "mutex
 * accounts+0x40"; of a second variable of that name, in another file, its number:
 * "mutex names.lock@0x7".
 * @return NULL: it is not a variable with a name */
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
    if (tm__named_find(&all->objects, name, &is_new) && is_new)
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
    tm__definitions *all = tm__definitions_of(image);
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

/* A lock that is begun and ended by no call, as a std::mutex, and is not a variable:
 * other locks may lie in its memory after it. */
static int may_be_many(const tm__native_object *object, const tm__symbol *variable)
{
    return (object->key.kind == TM__OBJECT_MUTEX ||
            object->key.kind == TM__OBJECT_RWLOCK ||
            object->key.kind == TM__OBJECT_SPIN_LOCK) &&
           !object->is_life_seen && !*variable->function;
}

int tm__object_define(tm__image *image, tm__native_object *object, const char *function)
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
        define_object_class(image, symbol->function, object->key.kind, function);
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

int tm__objects_define(tm__image *image)
{
    tm__native_object *object, *next_object;
    int is_complete = 1;

    HASH_ITER(hh, image->objects, object, next_object)
    {
        is_complete &= tm__object_define(image, object, "");
    }
    return is_complete;
}

void tm__objects_free(tm__image *image)
{
    tm__native_object *object, *next_object;

    HASH_ITER(hh, image->objects, object, next_object)
    {
        HASH_DEL(image->objects, object);
        tm__lookup_free(object->lookup);
        free(object->endpoint);
        free(object);
    }
}
