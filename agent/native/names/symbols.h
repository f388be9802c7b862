/* SPDX-License-Identifier: Apache-2.0 */
/* Names of addresses, from the files of a program, never in the program. */
#ifndef TM_NATIVE_NAMES_SYMBOLS_H
#define TM_NATIVE_NAMES_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct tm__libdw;
struct Dwfl;

typedef struct tm__symbols tm__symbols;

enum { TM__INLINED_MOST = 32 };

typedef struct tm__symbol {
    /** File name of the executable or library; "": none. "libstdc++" or "libc++" where
     * a function of C++'s library was compiled into another file. */
    char module[256];
    char build_id[129]; ///< of that file, hexadecimal; "": unknown
    char function[512]; ///< "" : unknown
    char source[256];   ///< file name; "": unknown
    int line;
    uint64_t offset; ///< of the address in its module
    uint64_t within; ///< and in the function or variable
    uint64_t begin;  ///< of a function without a name, in its module; 0: not known
} tm__symbol;

/** A file that is loaded. Its build id is as the program has it in memory: one that was
 * replaced meanwhile has another and has no names. */
typedef struct tm__module {
    struct tm__module *next; ///< of a list
    uint64_t bias;
    uint64_t begin, end; ///< of its addresses
    size_t id_bytes;
    unsigned char id[64];
    char path[];
} tm__module;

/** Whether one lies where the other does: then the older one is not loaded any more. */
static inline int tm__modules_overlap(const tm__module *one, const tm__module *other)
{
    return one->begin < other->end && other->begin < one->end;
}

/** Add one to a list, from which those go that lay there. @return whether any did */
int tm__modules_add(tm__module **modules, tm__module *module);

void tm__modules_free(tm__module *modules);

/** @return NULL: there is no memory */
tm__symbols *tm__symbols_new(void);

/** A file is loaded. @param module  it is the symbols' from now on */
void tm__symbols_add(tm__symbols *symbols, tm__module *module);

/**
 * The functions at an address of code: those that were inlined, innermost first, then
 * the one that they were inlined in.
 * @return how many; at least one
 */
size_t tm__symbols_find_code(tm__symbols *symbols, uint64_t address,
                             tm__symbol chain[TM__INLINED_MOST]);

/** The variable at an address; of a file without symbols, its place in that file. */
void tm__symbols_find_data(tm__symbols *symbols, uint64_t address, tm__symbol *symbol);

/** elfutils as it has these files; NULL: it is not installed. */
const struct tm__libdw *tm__symbols_libdw(const tm__symbols *symbols);
struct Dwfl *tm__symbols_dwfl(const tm__symbols *symbols);

void tm__symbols_free(tm__symbols *symbols);

#endif
