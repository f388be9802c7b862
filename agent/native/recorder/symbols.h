/* SPDX-License-Identifier: Apache-2.0 */
/* Names of addresses, from the files of a program, never in the program. */
#ifndef TM_NATIVE_RECORDER_SYMBOLS_H
#define TM_NATIVE_RECORDER_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

typedef struct tm__symbols tm__symbols;

typedef struct tm__symbol {
    char module[256];   ///< file name of the executable or library; "": none
    char function[512]; ///< "" : unknown
    char source[256];   ///< file name; "": unknown
    int line;
    uint64_t offset; ///< of the address in its module
} tm__symbol;

/** @return NULL: there is no memory */
tm__symbols *tm__symbols_new(void);

/**
 * A file is loaded.
 * @param id  its build id, as the program has it in memory: a file that was replaced
 *            meanwhile has another and gives no names
 */
void tm__symbols_add(tm__symbols *symbols, const char *path, uint64_t bias,
                     const unsigned char *id, size_t id_bytes);

/** @param is_data  the address is that of an object, not of code */
void tm__symbols_find(tm__symbols *symbols, uint64_t address, int is_data,
                      tm__symbol *symbol);

void tm__symbols_free(tm__symbols *symbols);

#endif
