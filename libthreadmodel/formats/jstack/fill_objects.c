/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/jstack/fill_objects.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "formats/dump/dump.h"
#include "formats/dump/dump_names.h"
#include "formats/dump/native_calls.h"
#include "formats/jstack/parse.h"

static uint64_t mix(uint64_t number)
{
    number ^= number >> 31;
    number *= UINT64_C(0x9e3779b97f4a7c15);
    return number ^ number >> 29;
}

/* A class as an object is shown by its name, a variable by its own. */
static int name_object(tm__jstack_fill *fill, const tm__jstack_lock *lock,
                       tm_object *object)
{
    static const char *const before[] = {"class ", "initialisation of ", ""};
    int is_init = lock->kind == TM__JSTACK_INITIALIZING;
    int is_class = tm__slice_is(lock->class_name, "java.lang.Class");
    const char *prefix = before[is_class ? is_init : 2];
    size_t length = strlen(prefix);
    uint32_t index;

    if (tm__reserve(fill->memory, &fill->label, &fill->label_capacity,
                    length + lock->of_class.length, 1) < 0)
        return tm__failure();
    memcpy(fill->label, prefix, length);
    memcpy(fill->label + length, lock->of_class.bytes, lock->of_class.length);
    if (tm__strings_intern_bytes(&fill->dump->texts, &index, fill->label,
                                 length + lock->of_class.length) < 0)
        return tm__failure();
    object->name = tm__strings_get(&fill->dump->texts, index);
    if (is_init)
        object->kind = TM_OBJECT_KIND_ONCE;
    return TM_OK;
}

/* The id of an object of another JVM is not what stands in the text. */
static int name_by_address(tm__jstack_fill *fill, const tm__jstack_lock *lock,
                           tm_object *object)
{
    tm__slice name = lock->class_name;
    char text[160];
    size_t dot = name.length;
    uint32_t index;
    int length;

    while (dot > 0 && name.bytes[dot - 1] != '.')
        dot--;
    name = tm__slice_from(name, dot);
    if (lock->is_hash || !name.length || name.length > 100)
        return TM_OK;
    length = snprintf(text, sizeof(text), "%.*s@0x%llx", (int)name.length, name.bytes,
                      (unsigned long long)lock->address);
    if (tm__strings_intern_bytes(&fill->dump->texts, &index, text, (size_t)length) < 0)
        return tm__failure();
    object->name = tm__strings_get(&fill->dump->texts, index);
    return TM_OK;
}

int tm__jstack_wait_for_own(tm__jstack_fill *fill, const tm__jstack_wait *own,
                            tm__dump_thread *to)
{
    const char *name = own && own->name ? own->name : NULL;
    uint32_t class_id = 0;

    if (own && !name)
        name = tm__dump_io_name(own->kind);
    if (!name || (to->state != TM_STATE_IO && to->state != TM_STATE_BLOCKED &&
                  to->state != TM_STATE_WAITING))
        return TM_OK;
    if (own->class_name &&
        tm__dump_class(fill->dump,
                       (tm__slice){own->class_name, strlen(own->class_name)},
                       &class_id) < 0)
        return tm__failure();
    return tm__dump_own_object(fill->dump, to->thread.id, own->kind, class_id, name,
                               &to->wanted);
}

int tm__jstack_object_id(tm__jstack_fill *fill, const tm__jstack_lock *lock,
                         uint64_t *id)
{
    uint64_t address = lock->address ^ fill->jvm << TM__JVM_SHIFT;
    uint32_t class_id = 0, known, moved = tm__map_find(&fill->moved, address);
    tm_object object = {.size = sizeof(object)};

    if (lock->class_name.length &&
        tm__dump_class(fill->dump, lock->class_name, &class_id) < 0)
        return tm__failure();
    /* A line that was cut has no class, and another one may. */
    known = tm__map_find(&fill->classes, address);
    if (known == TM__NONE && class_id &&
        tm__map_put(&fill->classes, address, class_id) < 0)
        return tm__failure();
    if (known == TM__NONE)
        known = class_id;
    if (!class_id)
        class_id = known;
    object.id = address;
    if (known != class_id)
        object.id = mix(address + ((uint64_t)class_id << 48)) | 1;
    if (lock->of_class.length ? name_object(fill, lock, &object) < 0
                              : fill->jvm && name_by_address(fill, lock, &object) < 0)
        return tm__failure();
    if (lock->is_hash) {
        object.hash = lock->hash;
        object.flags = TM_OBJECT_HAS_HASH | TM_OBJECT_MAYBE_MANY;
    }
    if (moved != TM__NONE)
        object.id = fill->moved_ids[moved];
    object.class_id = class_id;
    if (lock->kind == TM__JSTACK_PARKING || lock->kind == TM__JSTACK_SYNCHRONIZER)
        object.flags |= TM_OBJECT_SYNCHRONIZER;
    *id = object.id;
    return tm__dump_object(fill->dump, &object);
}
