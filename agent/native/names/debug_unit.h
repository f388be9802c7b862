/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Index of a compilation unit, built once: libdw reads a whole unit for each question,
 * which took 8 ms for each address in a program with much of C++'s library in it.
 */
#ifndef TM_NATIVE_NAMES_DEBUG_UNIT_H
#define TM_NATIVE_NAMES_DEBUG_UNIT_H

#include "names/libdw.h"

typedef struct tm__debug_unit tm__debug_unit;

/**
 * @param units  all that were asked for; first NULL, later for tm__debug_units_free
 * @param die    the unit's own entry
 * @return NULL: there is no memory
 */
const tm__debug_unit *tm__debug_unit_of(tm__debug_unit **units, const tm__libdw *libdw,
                                        const tm__dwarf_die *die);

/**
 * The unit of an address. Clang lists the addresses of units only when it is asked to,
 * by -gdwarf-aranges, and elfutils may find none without such a list.
 * @param bias  what the program adds to addresses in debug information
 * @return NULL: it has no debug information
 */
const tm__dwarf_die *tm__debug_unit_at(tm__debug_unit **units, const tm__libdw *libdw,
                                       Dwfl_Module *module, uint64_t address,
                                       uint64_t *bias);

/**
 * The entry that has a unit's functions: its own, or that of the file in which
 * -gsplit-dwarf put them.
 * @return 0: that file is not there
 */
int tm__debug_unit_functions(const tm__libdw *libdw, const tm__dwarf_die *unit,
                             tm__dwarf_die *functions);

/** @return the function that has code at an address; NULL: none */
const tm__dwarf_die *tm__debug_unit_function(const tm__debug_unit *unit,
                                             uint64_t address);

/** The namespaces and classes that a declared function is in: "std::mutex::", or "".
 * It is known for those without a mangled name. */
void tm__debug_unit_spaces(const tm__debug_unit *unit, const tm__dwarf_die *function,
                           char *to, size_t room);

void tm__debug_units_free(tm__debug_unit **units);

#endif
