/* SPDX-License-Identifier: Apache-2.0 */
#include "recorder/inlined_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int is_space(int tag)
{
    return tag == TM__DW_TAG_NAMESPACE || tag == TM__DW_TAG_CLASS_TYPE ||
           tag == TM__DW_TAG_STRUCTURE_TYPE || tag == TM__DW_TAG_UNION_TYPE;
}

/* The name with its namespaces and classes: "std::condition_variable::wait". */
static void qualify(const tm__libdw *libdw, tm__dwarf_die *scope, const char *name,
                    char *to, size_t room)
{
    tm__dwarf_die declaration = declaration_of(libdw, *scope);
    tm__dwarf_die *around = NULL;
    int count = libdw->dwarf_getscopes_die(&declaration, &around);
    size_t length = 0;

    to[0] = '\0';
    for (int i = count - 1; i > 0; i--) {
        const char *space = libdw->dwarf_diename(&around[i]);

        if (is_space(libdw->dwarf_tag(&around[i])) && length < room)
            length += (size_t)snprintf(to + length, room - length,
                                       "%s::", space ? space : "(anonymous namespace)");
    }
    free(around);
    if (length < room)
        snprintf(to + length, room - length, "%s", name);
}

/* What the compiler inlines everywhere may have no name in the file, as a template for
 * a type that is local: then it is put together. */
static void put_name(const tm__libdw *libdw, tm__dwarf_die *scope,
                     tm__inlined_call *call)
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
        qualify(libdw, scope, name, call->name, sizeof(call->name));
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

size_t tm__inlined_calls_find(const tm__libdw *libdw, tm__dwarf_die *unit,
                              uint64_t address, tm__inlined_call *calls, size_t most)
{
    tm__dwarf_die *innermost = NULL, *scopes = NULL;
    size_t found = 0;
    int count = 0;

    /* The first of these asks where the code is, but goes on with what lies around an
     * inlined function's source. The second goes on with what lies around its code. */
    if (libdw->dwarf_getscopes(unit, address, &innermost) > 0)
        count = libdw->dwarf_getscopes_die(innermost, &scopes);
    for (int i = 0; i < count; i++) {
        int tag = libdw->dwarf_tag(&scopes[i]);

        if (tag == TM__DW_TAG_SUBPROGRAM)
            break;
        if (tag != TM__DW_TAG_INLINED_SUBROUTINE)
            continue;
        if (found < most)
            put_name(libdw, &scopes[i], &calls[found++]);
        put_place(libdw, unit, &scopes[i], &calls[found - 1]);
    }
    free(innermost);
    free(scopes);
    return found;
}
