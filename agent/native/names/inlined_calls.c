/* SPDX-License-Identifier: Apache-2.0 */
#include "names/inlined_calls.h"

#include <stdio.h>
#include <string.h>

enum { INLINED_MOST = 64 };

/* Where a function is declared: an inlined one refers to its source, and that, of a
 * method, to its class. */
static tm__dwarf_die declaration_of(const tm__libdw *libdw, tm__dwarf_die die)
{
    static const unsigned references[] = {TM__DW_AT_ABSTRACT_ORIGIN,
                                          TM__DW_AT_SPECIFICATION};

    for (size_t i = 0; i < sizeof(references) / sizeof(*references); i++) {
        tm__dwarf_attribute room;
        tm__dwarf_attribute *it = libdw->dwarf_attr(&die, references[i], &room);
        tm__dwarf_die next;

        if (it && libdw->dwarf_formref_die(it, &next))
            die = next;
    }
    return die;
}

/* The name with its namespaces and classes: "std::condition_variable::wait". */
static void qualify(tm__debug_unit **units, const tm__libdw *libdw,
                    tm__dwarf_die *scope, const char *name, char *to, size_t room)
{
    tm__dwarf_die declaration = declaration_of(libdw, *scope);
    tm__dwarf_die die;
    const tm__debug_unit *unit = NULL;
    size_t length;

    to[0] = '\0';
    if (libdw->dwarf_diecu(&declaration, &die, NULL, NULL))
        unit = tm__debug_unit_of(units, libdw, &die);
    if (unit)
        tm__debug_unit_spaces(unit, &declaration, to, room);
    length = strlen(to);
    snprintf(to + length, room - length, "%s", name);
}

/* A function that the compiler inlines everywhere may have no name in the file, such as
 * a template for a local type: its name is composed then. */
static void put_name(tm__debug_unit **units, const tm__libdw *libdw,
                     tm__dwarf_die *scope, tm__inlined_call *call)
{
    tm__dwarf_attribute room;
    tm__dwarf_attribute *linkage =
        libdw->dwarf_attr_integrate(scope, TM__DW_AT_LINKAGE_NAME, &room);
    const char *name;

    if (!linkage)
        linkage =
            libdw->dwarf_attr_integrate(scope, TM__DW_AT_MIPS_LINKAGE_NAME, &room);
    call->mangled = linkage ? libdw->dwarf_formstring(linkage) : NULL;
    call->name[0] = '\0';
    name = call->mangled ? NULL : libdw->dwarf_diename(scope);
    if (name)
        qualify(units, libdw, scope, name, call->name, sizeof(call->name));
}

static uint64_t number_of(const tm__libdw *libdw, tm__dwarf_die *scope, unsigned name)
{
    tm__dwarf_attribute room;
    tm__dwarf_attribute *it = libdw->dwarf_attr(scope, name, &room);
    uint64_t number = 0;

    return it && libdw->dwarf_formudata(it, &number) == 0 ? number : 0;
}

static void put_place(const tm__libdw *libdw, tm__dwarf_die *unit, tm__dwarf_die *scope,
                      tm__inlined_call *call)
{
    uint64_t file = number_of(libdw, scope, TM__DW_AT_CALL_FILE);
    const char *source = NULL, *slash;
    Dwarf_Files *files;
    size_t count;

    if (libdw->dwarf_getsrcfiles(unit, &files, &count) == 0 && file < count)
        source = libdw->dwarf_filesrc(files, file, NULL, NULL);
    slash = source ? strrchr(source, '/') : NULL;
    if (slash)
        source = slash + 1;
    snprintf(call->source, sizeof(call->source), "%s", source ? source : "");
    call->line = (int)number_of(libdw, scope, TM__DW_AT_CALL_LINE);
}

/* @return 0: nothing that was inlined lies there */
static int descend(const tm__libdw *libdw, tm__dwarf_die *die, uint64_t address)
{
    tm__dwarf_die child;

    if (libdw->dwarf_child(die, &child) != 0)
        return 0;
    do {
        int tag = libdw->dwarf_tag(&child);

        if ((tag == TM__DW_TAG_INLINED_SUBROUTINE || tag == TM__DW_TAG_LEXICAL_BLOCK) &&
            libdw->dwarf_haspc(&child, address) > 0) {
            *die = child;
            return tag;
        }
    } while (libdw->dwarf_siblingof(&child, &child) == 0);
    return 0;
}

size_t tm__inlined_calls_find(tm__debug_unit **units, const tm__libdw *libdw,
                              const tm__dwarf_die *unit, uint64_t address,
                              tm__inlined_call *calls, size_t most)
{
    const tm__debug_unit *indexed = tm__debug_unit_of(units, libdw, unit);
    const tm__dwarf_die *function =
        indexed ? tm__debug_unit_function(indexed, address) : NULL;
    tm__dwarf_die at, whole = *unit, inlined[INLINED_MOST];
    size_t count = 0, found = 0;
    int tag;

    if (!function)
        return 0;
    at = *function;
    while (count < INLINED_MOST && (tag = descend(libdw, &at, address)) != 0)
        if (tag == TM__DW_TAG_INLINED_SUBROUTINE)
            inlined[count++] = at;
    while (count-- > 0) {
        if (found < most)
            put_name(units, libdw, &inlined[count], &calls[found++]);
        put_place(libdw, &whole, &inlined[count], &calls[found - 1]);
    }
    return found;
}
