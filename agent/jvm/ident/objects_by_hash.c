/* SPDX-License-Identifier: Apache-2.0 */
/*
 * At an attach, the VM reports which locks are wanted and held by class and identity
 * hash; a moment later the same objects come by in events, as themselves. Each must
 * have one number. Two objects of a class share a hash once in 2^31, and then would
 * be taken for one: such an object is flagged until it is met.
 *
 * A few hundred entries, asked once an object that is new.
 */
#include "ident/objects_by_hash.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <threadmodel/definition.h>

#include "base/map.h"
#include "ident/definition_records.h"
#include "ring/buffer.h"
#include "trace/modified_utf8.h"

enum { NAME_BYTES = 1024 };

typedef struct foreign {
    char *class; ///< as people write it
    uint64_t class_number;
    uint64_t number;
    uint32_t next; ///< of the same hash; TM__NONE
} foreign;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static tm__memory memory;
static tm__map by_hash; /* the first of a hash */
static foreign *list;
static uint32_t count, capacity;
static atomic_int is_used, is_open;

void tm__by_hash_open(void)
{
    /* After a pause those of before are still known. */
    if (!memory.hook.resize) {
        tm__memory_init(&memory, NULL);
        tm__map_init(&by_hash, &memory);
    }
    atomic_store(&is_open, 1);
    atomic_store(&is_used, 1);
}

void tm__by_hash_seal(void)
{
    atomic_store(&is_open, 0);
    if (count == 0)
        atomic_store(&is_used, 0);
}

void tm__by_hash_close(void)
{
    pthread_mutex_lock(&lock);
    atomic_store(&is_used, 0);
    atomic_store(&is_open, 0);
    for (uint32_t i = 0; i < count; i++)
        free(list[i].class);
    tm__map_clear(&by_hash);
    tm__free(&memory, list, capacity * sizeof(*list));
    list = NULL;
    count = 0;
    capacity = 0;
    pthread_mutex_unlock(&lock);
}

int tm__by_hash_is_used(void)
{
    return atomic_load_explicit(&is_used, memory_order_relaxed);
}

/* Class.getName() as the signature that JVM TI has for it. */
static void signature_of(char *out, const char *name)
{
    size_t length = strnlen(name, NAME_BYTES - 3);
    int is_array = name[0] == '[';
    char *to = out;

    if (!is_array)
        *to++ = 'L';
    for (size_t i = 0; i < length; i++)
        *to++ = name[i] == '.' ? '/' : name[i] == '/' ? '.' : name[i];
    if (!is_array)
        *to++ = ';';
    *to = 0;
}

static foreign *find(const char *class, uint32_t hash)
{
    uint32_t i = tm__map_find(&by_hash, hash);

    while (i != TM__NONE && strcmp(list[i].class, class) != 0)
        i = list[i].next;
    return i == TM__NONE ? NULL : &list[i];
}

static foreign *add(const char *class, uint32_t hash, uint64_t number)
{
    char *copy = strdup(class);
    uint32_t first;

    if (!copy ||
        tm__reserve(&memory, &list, &capacity, (size_t)count + 1, sizeof(*list)) < 0) {
        free(copy);
        return NULL;
    }
    list[count] = (foreign){copy, 0, number, TM__NONE};
    first = tm__map_find(&by_hash, hash);
    if (first != TM__NONE) {
        list[count].next = list[first].next;
        list[first].next = count;
    } else if (tm__map_put(&by_hash, hash, count) < 0) {
        free(copy);
        return NULL;
    }
    return &list[count++];
}

/* A number for a class of this name that was met by none of its objects. */
static uint64_t class_number(tm__buffer *own, const char *class, const char *signature)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i].class_number && strcmp(list[i].class, class) == 0)
            return list[i].class_number;
    return tm__class_by_name(own, signature);
}

uint64_t tm__by_hash_id(tm__buffer *own, const char *name, uint32_t hash)
{
    char signature[NAME_BYTES], class[NAME_BYTES];
    uint64_t number = 0;
    foreign *it;

    signature_of(signature, name);
    tm__text_class(class, sizeof(class), signature, strlen(signature));
    pthread_mutex_lock(&lock);
    it = find(class, hash);
    if (!it) {
        it = add(class, hash, tm__identity_new());
        if (it) {
            it->class_number = class_number(own, class, signature);
            tm__object_by_hash(own, it->number, it->class_number, hash);
        }
    }
    if (it)
        number = it->number;
    pthread_mutex_unlock(&lock);
    return number;
}

uint64_t tm__by_hash_resolve(const char *signature, uint32_t hash, uint64_t number)
{
    char class[NAME_BYTES];
    foreign *it;

    tm__text_class(class, sizeof(class), signature, strlen(signature));
    pthread_mutex_lock(&lock);
    it = find(class, hash);
    if (it)
        number = it->number;
    else if (atomic_load(&is_open))
        add(class, hash, number);
    pthread_mutex_unlock(&lock);
    return number;
}
