/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/hprof/hprof_kinds.h"

#include "base/error.h"
#include "formats/hprof/big_endian.h"
#include "formats/hprof/hprof_names.h"

enum { LEVELS = 1000 }; ///< of superclasses

static const struct {
    const char *class_name;
    const char *field;
    uint8_t slot;
} wanted_fields[] = {
    {"java/lang/Thread", "name", TM__HPROF_NAME},
    {"java/lang/Thread", "tid", TM__HPROF_TID},
    {"java/lang/Thread", "holder", TM__HPROF_HOLDER_OF},
    {"java/lang/Thread", "threadStatus", TM__HPROF_STATUS},
    {"java/lang/Thread", "daemon", TM__HPROF_DAEMON},
    {"java/lang/Thread", "priority", TM__HPROF_PRIORITY},
    {"java/lang/Thread", "group", TM__HPROF_GROUP_OF},
    {"java/lang/Thread", "parkBlocker", TM__HPROF_PARK_BLOCKER},
    {"java/lang/Thread$FieldHolder", "threadStatus", TM__HPROF_STATUS},
    {"java/lang/Thread$FieldHolder", "daemon", TM__HPROF_DAEMON},
    {"java/lang/Thread$FieldHolder", "priority", TM__HPROF_PRIORITY},
    {"java/lang/Thread$FieldHolder", "group", TM__HPROF_GROUP_OF},
    {"java/lang/VirtualThread", "state", TM__HPROF_STATE},
    {"java/lang/VirtualThread", "carrierThread", TM__HPROF_CARRIER},
    {"java/lang/VirtualThread", "blockPermit", TM__HPROF_BLOCK_PERMIT},
    {"java/lang/ThreadGroup", "name", TM__HPROF_NAME},
    {"java/lang/String", "value", TM__HPROF_VALUE},
    {"java/lang/String", "coder", TM__HPROF_CODER},
    {"java/util/concurrent/locks/AbstractOwnableSynchronizer", "exclusiveOwnerThread",
     TM__HPROF_OWNER},
};

static const struct {
    const char *class_name;
    uint8_t kind;
} wanted_classes[] = {
    {"java/lang/VirtualThread", TM__HPROF_VIRTUAL},
    {"java/lang/Thread", TM__HPROF_THREAD},
    {"java/lang/Thread$FieldHolder", TM__HPROF_HOLDER},
    {"java/lang/ThreadGroup", TM__HPROF_GROUP},
    {"java/lang/String", TM__HPROF_STRING},
    {"java/util/concurrent/locks/AbstractOwnableSynchronizer", TM__HPROF_SYNCHRONIZER},
};

/* The JDK's agent writes names with dots, HotSpot itself with slashes. */
static int is_name(tm__slice text, const char *name)
{
    if (text.length != strlen(name))
        return 0;
    for (size_t i = 0; i < text.length; i++)
        if ((text.bytes[i] == '.' ? '/' : text.bytes[i]) != name[i])
            return 0;
    return 1;
}

static uint8_t kind_by_name(tm__slice name)
{
    for (size_t i = 0; i < sizeof(wanted_classes) / sizeof(*wanted_classes); i++)
        if (is_name(name, wanted_classes[i].class_name))
            return wanted_classes[i].kind;
    return TM__HPROF_UNKNOWN;
}

/* Work out where the fields that matter are: an object has those of its class first,
 * then those of each superclass. */
static int find_slots(tm__hprof_names *names, tm__hprof_class *class)
{
    const tm__hprof_class *at = class;
    uint32_t first = names->slot_count;
    uint64_t offset = 0;

    for (uint32_t level = 0; at && level < LEVELS; level++) {
        tm__slice name = tm__hprof_text_of(names, at->name);
        uint32_t super = tm__map_find(&names->class_map, at->super);

        for (uint32_t f = 0; f < at->own_count; f++) {
            const tm__hprof_own_field *own = &names->fields[at->own_first + f];
            tm__slice field = tm__hprof_text_of(names, own->name);

            for (size_t w = 0; w < sizeof(wanted_fields) / sizeof(*wanted_fields); w++)
                if (tm__slice_is(field, wanted_fields[w].field) &&
                    is_name(name, wanted_fields[w].class_name)) {
                    if (tm__reserve(names->memory, &names->slots, &names->slot_capacity,
                                    (size_t)names->slot_count + 1,
                                    sizeof(*names->slots)) < 0) {
                        names->slot_count = first;
                        return TM_ENOMEM;
                    }
                    names->slots[names->slot_count++] =
                        (tm__hprof_field){.offset = (uint32_t)offset,
                                          .slot = wanted_fields[w].slot,
                                          .type = own->type};
                }
            offset += tm__hprof_type_bytes(own->type, names->id_bytes);
        }
        at = super == TM__NONE ? NULL : &names->classes[super];
    }
    class->slot_first = first;
    class->slot_count = names->slot_count - first;
    return TM_OK;
}

/* A class is of the kind of the nearest superclass that is of one. */
static int find_kind(tm__hprof_names *names, tm__hprof_class *class)
{
    const tm__hprof_class *at = class;
    uint8_t kind = TM__HPROF_OTHER;

    for (uint32_t level = 0;; level++) {
        uint32_t super;
        uint8_t named = kind_by_name(tm__hprof_text_of(names, at->name));

        if (!at->is_described)
            return TM_OK; /* ask again */
        if (named != TM__HPROF_UNKNOWN && kind == TM__HPROF_OTHER)
            kind = named;
        if (at->super == 0 || level == LEVELS)
            break;
        super = tm__map_find(&names->class_map, at->super);
        if (super == TM__NONE)
            return TM_OK;
        at = &names->classes[super];
    }
    if (kind != TM__HPROF_OTHER && find_slots(names, class) < 0)
        return tm__failure();
    class->kind = kind;
    return TM_OK;
}

int tm__hprof_find_class(tm__hprof_names *names, uint64_t id,
                         const tm__hprof_class **found)
{
    uint32_t index = tm__map_find(&names->class_map, id);

    *found = NULL;
    if (index == TM__NONE)
        return TM_OK;
    *found = &names->classes[index];
    return (*found)->kind == TM__HPROF_UNKNOWN
               ? find_kind(names, &names->classes[index])
               : TM_OK;
}
