/* SPDX-License-Identifier: Apache-2.0 */
#include "names/debug_unit.h"

#include <stdio.h>
#include <stdlib.h>

#include <uthash.h>

enum { DEPTH_MOST = 64 };

/* A function has several where a part that is seldom run lies elsewhere. */
typedef struct code {
    uint64_t begin, end;
    tm__dwarf_die function;
} code;

/* A namespace or class. The first one stands for none and lies in itself. */
typedef struct space {
    const char *name;
    size_t outer;
} space;

typedef struct declared {
    const void *address;
    size_t space;
} declared;

/* Or a module, with its units instead of functions. */
struct tm__debug_unit {
    const void *address;
    code *codes;
    space *spaces;
    declared *declareds;
    size_t code_count, space_count, declared_count;
    uint64_t bias; /* of a module */
    UT_hash_handle hh;
};

/* Room for one more, which is doubled when it is full.
 * @return NULL: there is no memory, and the items are as before */
static void *add(void **items, size_t *count, size_t bytes)
{
    void *more;

    if ((*count & (*count - 1)) == 0) {
        more = realloc(*items, (*count ? *count * 2 : 1) * bytes);
        if (!more)
            return NULL;
        *items = more;
    }
    return (char *)*items + (*count)++ * bytes;
}

static void add_code(tm__debug_unit *unit, const tm__libdw *libdw, tm__dwarf_die *die)
{
    uint64_t base = 0, begin, end;
    ptrdiff_t at = 0;

    while ((at = libdw->dwarf_ranges(die, at, &base, &begin, &end)) > 0) {
        code *it = add((void **)&unit->codes, &unit->code_count, sizeof(*unit->codes));

        if (it)
            *it = (code){begin, end, *die};
    }
}

static void add_function(tm__debug_unit *unit, const tm__libdw *libdw,
                         tm__dwarf_die *die, size_t in)
{
    tm__dwarf_attribute room;

    if (in && !libdw->dwarf_attr(die, TM__DW_AT_LINKAGE_NAME, &room)) {
        declared *it = add((void **)&unit->declareds, &unit->declared_count,
                           sizeof(*unit->declareds));

        if (it)
            *it = (declared){die->address, in};
    }
    add_code(unit, libdw, die);
}

static size_t add_space(tm__debug_unit *unit, int tag, const char *name, size_t outer)
{
    space *it = add((void **)&unit->spaces, &unit->space_count, sizeof(*unit->spaces));

    if (!it)
        return 0;
    if (!name)
        name =
            tag == TM__DW_TAG_NAMESPACE ? "(anonymous namespace)" : "(anonymous class)";
    *it = (space){name, outer};
    return unit->space_count - 1;
}

static void visit(tm__debug_unit *unit, const tm__libdw *libdw, tm__dwarf_die *parent,
                  size_t in, int depth)
{
    tm__dwarf_die die;

    if (depth == DEPTH_MOST || libdw->dwarf_child(parent, &die) != 0)
        return;
    do {
        int tag = libdw->dwarf_tag(&die);
        size_t within = 0;

        switch (tag) {
        case TM__DW_TAG_NAMESPACE:
        case TM__DW_TAG_CLASS_TYPE:
        case TM__DW_TAG_STRUCTURE_TYPE:
        case TM__DW_TAG_UNION_TYPE:
            within = add_space(unit, tag, libdw->dwarf_diename(&die), in);
            break;
        case TM__DW_TAG_SUBPROGRAM: add_function(unit, libdw, &die, in); break;
        case TM__DW_TAG_LEXICAL_BLOCK: break;
        default: continue;
        }
        visit(unit, libdw, &die, within, depth + 1);
    } while (libdw->dwarf_siblingof(&die, &die) == 0);
}

/* Functions whose code was merged begin at one address: of these the one that the debug
 * information has last is found. */
static int compare_code(const void *left, const void *right)
{
    const code *l = left, *r = right;
    const char *a = l->function.address, *b = r->function.address;

    if (l->begin != r->begin)
        return l->begin < r->begin ? -1 : 1;
    return a < b ? -1 : a > b;
}

static void sort_code(tm__debug_unit *unit)
{
    if (unit->code_count)
        qsort(unit->codes, unit->code_count, sizeof(*unit->codes), compare_code);
}

/* @return the one of a key, which has no contents if *is_new; NULL: there is no memory
 */
static tm__debug_unit *find(tm__debug_unit **units, const void *key, int *is_new)
{
    tm__debug_unit *it;

    *is_new = 0;
    HASH_FIND_PTR(*units, &key, it);
    if (it)
        return it;
    it = calloc(1, sizeof(*it));
    if (!it)
        return NULL;
    *is_new = 1;
    it->address = key;
    HASH_ADD_PTR(*units, address, it);
    return it;
}

const tm__debug_unit *tm__debug_unit_of(tm__debug_unit **units, const tm__libdw *libdw,
                                        const tm__dwarf_die *die)
{
    tm__dwarf_die whole = *die;
    int is_new;
    tm__debug_unit *it = find(units, die->address, &is_new);

    if (is_new) {
        add_space(it, 0, "", 0);
        visit(it, libdw, &whole, 0, 0);
        sort_code(it);
    }
    return it;
}

const tm__dwarf_die *tm__debug_unit_at(tm__debug_unit **units, const tm__libdw *libdw,
                                       Dwfl_Module *module, uint64_t address,
                                       uint64_t *bias)
{
    const tm__dwarf_die *known = libdw->dwfl_module_addrdie(module, address, bias);
    tm__dwarf_die *die = NULL;
    tm__debug_unit *it;
    int is_new;

    if (known)
        return known;
    it = find(units, module, &is_new);
    if (is_new) {
        while ((die = libdw->dwfl_module_nextcu(module, die, &it->bias)))
            add_code(it, libdw, die);
        sort_code(it);
    }
    if (!it)
        return NULL;
    *bias = it->bias;
    return tm__debug_unit_function(it, address - it->bias);
}

int tm__debug_unit_functions(const tm__libdw *libdw, const tm__dwarf_die *unit,
                             tm__dwarf_die *functions)
{
    tm__dwarf_die split = {0};
    uint8_t type = 0;

    *functions = *unit;
    if (libdw->dwarf_cu_info(unit->unit, NULL, &type, NULL, &split, NULL, NULL, NULL) ||
        type != TM__DW_UT_SKELETON)
        return 1;
    *functions = split;
    return split.address != NULL;
}

const tm__dwarf_die *tm__debug_unit_function(const tm__debug_unit *unit,
                                             uint64_t address)
{
    size_t low = 0, high = unit->code_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (unit->codes[middle].begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low && address < unit->codes[low - 1].end ? &unit->codes[low - 1].function
                                                     : NULL;
}

static size_t put_spaces(const tm__debug_unit *unit, size_t in, char *to, size_t room)
{
    size_t length;

    if (in == 0)
        return 0;
    length = put_spaces(unit, unit->spaces[in].outer, to, room);
    if (length < room)
        length +=
            (size_t)snprintf(to + length, room - length, "%s::", unit->spaces[in].name);
    return length;
}

void tm__debug_unit_spaces(const tm__debug_unit *unit, const tm__dwarf_die *function,
                           char *to, size_t room)
{
    size_t low = 0, high = unit->declared_count;

    to[0] = '\0';
    /* They were added as they lie in the file. */
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if ((uintptr_t)unit->declareds[middle].address < (uintptr_t)function->address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < unit->declared_count && unit->declareds[low].address == function->address)
        put_spaces(unit, unit->declareds[low].space, to, room);
}

void tm__debug_units_free(tm__debug_unit **units)
{
    tm__debug_unit *it, *next;

    HASH_ITER(hh, *units, it, next)
    {
        HASH_DEL(*units, it);
        free(it->codes);
        free(it->spaces);
        free(it->declareds);
        free(it);
    }
}
