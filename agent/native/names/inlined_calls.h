/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that a compiler inlined at an address. */
#ifndef TM_NATIVE_NAMES_INLINED_CALLS_H
#define TM_NATIVE_NAMES_INLINED_CALLS_H

#include "names/debug_unit.h"

/** An inlined function, and where the next one has called it. */
typedef struct tm__inlined_call {
    const char *mangled; ///< NULL: it has only a name
    char name[512];      ///< with its namespaces; "": unknown
    char source[256];    ///< file name of the call; "": unknown
    int line;            ///< of the call; 0: unknown
} tm__inlined_call;

/**
 * @param units    tm__debug_unit_of
 * @param unit     what was compiled together with the address
 * @param address  as the file's debug information counts
 * @return how many were put, innermost first; where there are more than most, the last
 *         is called where the outermost is
 */
size_t tm__inlined_calls_find(tm__debug_unit **units, const tm__libdw *libdw,
                              const tm__dwarf_die *unit, uint64_t address,
                              tm__inlined_call *calls, size_t most);

#endif
