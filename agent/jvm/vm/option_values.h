/* SPDX-License-Identifier: Apache-2.0 */
/* The types of options, and the parsing of their values. */
#ifndef TM_AGENT_VM_OPTION_VALUES_H
#define TM_AGENT_VM_OPTION_VALUES_H

#include <stddef.h>
#include <stdint.h>

enum { TM__PATH_BYTES = 4096, TM__ADDRESS_BYTES = 512 };

enum tm__option_type {
    PATH,    ///< char[TM__PATH_BYTES], %p and %% replaced
    ADDRESS, ///< char[TM__ADDRESS_BYTES]
    NUMBER,  ///< uint64_t within [least, most]
    KIB,     ///< the same in KiB, kept in bytes as a power of two
    MIB,     ///< the same in MiB, kept in bytes
    PERCENT, ///< double above 0 and up to 1, written as 1 or 0.5%
    SHARE,   ///< double within [0, 1]
    WORD,    ///< uint64_t: the place of a word in `words`
    FLAG,    ///< uint64_t 0 or 1: y or n
    BARE     ///< the same, and the name alone is a yes
};

/** A row of the table in options.c. */
typedef struct tm__option {
    const char *name;
    enum tm__option_type type;
    size_t offset;
    const char *initial; ///< read as if the user had given it; NULL: zero
    const char *value;   ///< as the help calls it
    const char *help;    ///< lines end by a line feed; NULL: not for people
    uint64_t least, most;
    const char *words[6];
} tm__option;

/** Where a line about what cannot be read goes. */
typedef struct tm__complaint {
    char *text;
    size_t bytes;
} tm__complaint;

/** Replace %p by `pid`, and %%; @return 0, or -1: longer than `bytes` */
int tm__option_expand(char *out, size_t bytes, const char *pattern, uint64_t pid);

/** Read `value` into `field`, which is as option->type says; @return 0, or -1 and a
 * line */
int tm__option_read(void *field, const tm__option *option, const char *value,
                    uint64_t pid, const tm__complaint *problem);

#endif
