/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three tables of some hundred entries, each ended by one without a name, and where in
 * an entry what is; all of that the VM's library exports. A look-up takes 10 us, and
 * there are ten when the VM has started.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include "vm/vm_structs.h"

#include <dlfcn.h>
#include <string.h>

#include "vm/vm.h"

/* More than any VM's tables have, and than any of its structures is long. */
enum { ENTRIES_MAX = 100000, OFFSET_MAX = 65536 };

typedef struct table {
    const char *at;
    uint64_t stride;
    uint64_t name, value; ///< offsets in an entry
} table;

static uint64_t word_at(const char *entry, uint64_t offset)
{
    uint64_t word;

    memcpy(&word, entry + offset, sizeof(word));
    return word;
}

static const char *text_at(const char *entry, uint64_t offset)
{
    return (const char *)(uintptr_t)word_at(entry, offset);
}

static int is_true_at(const char *entry, uint64_t offset)
{
    int32_t word;

    memcpy(&word, entry + offset, sizeof(word));
    return word != 0;
}

/* @return 0: there is no such number, or none that an offset may be */
static int number(uint64_t *out, void *library, const char *symbol)
{
    const uint64_t *at = dlsym(library, symbol);

    if (at)
        *out = *at;
    return at && *at < OFFSET_MAX;
}

static int begin(table *t, void *library, const char *symbol)
{
    const char *const *at = dlsym(library, symbol);

    t->at = at ? *at : NULL;
    return t->at != NULL;
}

static const char *next(const table *t, const char *entry, const char *name)
{
    for (int i = 0; i < ENTRIES_MAX && text_at(entry, t->name); i++) {
        if (strcmp(text_at(entry, t->name), name) == 0)
            return entry;
        entry += t->stride;
    }
    return NULL;
}

void *tm__vm_library(void)
{
    Dl_info vm;

    return dladdr(*tm__the_vm.java, &vm) && vm.dli_fname
               ? dlopen(vm.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
               : NULL;
}

/* A field of a structure, or a static one. @return its entry; NULL: there is none */
static const char *find_field(table *t, void *library, const char *structure,
                              const char *name, int is_static)
{
    uint64_t owner, statics;
    const char *entry;

    if (!begin(t, library, "gHotSpotVMStructs") ||
        !number(&t->stride, library, "gHotSpotVMStructEntryArrayStride") ||
        !number(&t->name, library, "gHotSpotVMStructEntryFieldNameOffset") ||
        !number(&owner, library, "gHotSpotVMStructEntryTypeNameOffset") ||
        !number(&statics, library, "gHotSpotVMStructEntryIsStaticOffset") ||
        !number(&t->value, library,
                is_static ? "gHotSpotVMStructEntryAddressOffset"
                          : "gHotSpotVMStructEntryOffsetOffset"))
        return NULL;
    entry = next(t, t->at, name);
    while (entry && (strcmp(text_at(entry, owner), structure) != 0 ||
                     is_true_at(entry, statics) != is_static))
        entry = next(t, entry + t->stride, name);
    return entry;
}

const char *tm__vm_field(uint64_t *offset, void *library, const char *structure,
                         const char *name)
{
    table t;
    uint64_t type;
    const char *entry = find_field(&t, library, structure, name, 0);

    if (!entry || !number(&type, library, "gHotSpotVMStructEntryTypeStringOffset"))
        return NULL;
    *offset = word_at(entry, t.value);
    if (*offset >= OFFSET_MAX || *offset % 4)
        return NULL;
    return text_at(entry, type) ? text_at(entry, type) : "";
}

int tm__vm_constant(uint64_t *value, void *library, const char *name)
{
    table t;
    const char *entry;

    if (!begin(&t, library, "gHotSpotVMLongConstants") ||
        !number(&t.stride, library, "gHotSpotVMLongConstantEntryArrayStride") ||
        !number(&t.name, library, "gHotSpotVMLongConstantEntryNameOffset") ||
        !number(&t.value, library, "gHotSpotVMLongConstantEntryValueOffset"))
        return 0;
    entry = next(&t, t.at, name);
    if (entry)
        *value = word_at(entry, t.value);
    return entry != NULL;
}

static int size_of(uint64_t *bytes, void *library, const char *structure)
{
    table t;
    const char *entry;

    if (!begin(&t, library, "gHotSpotVMTypes") ||
        !number(&t.stride, library, "gHotSpotVMTypeEntryArrayStride") ||
        !number(&t.name, library, "gHotSpotVMTypeEntryTypeNameOffset") ||
        !number(&t.value, library, "gHotSpotVMTypeEntrySizeOffset"))
        return 0;
    entry = next(&t, t.at, structure);
    if (entry)
        *bytes = word_at(entry, t.value);
    return entry && *bytes && *bytes < OFFSET_MAX;
}

int tm__vm_switch(int *is_on, void *library, const char *name)
{
    table t, flags;
    uint64_t address;
    const char *entry = find_field(&t, library, "JVMFlag", "flags", 1);

    if (!entry || !size_of(&flags.stride, library, "JVMFlag") ||
        !tm__vm_field(&flags.name, library, "JVMFlag", "_name") ||
        !tm__vm_field(&address, library, "JVMFlag", "_addr"))
        return 0;
    flags.at = text_at(text_at(entry, t.value), 0);
    entry = next(&flags, flags.at, name);
    if (entry)
        *is_on = *text_at(entry, address) != 0;
    return entry != NULL;
}
