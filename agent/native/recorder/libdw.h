/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elfutils as it is found when the recorder runs, so that a recorder that was built
 * elsewhere reads symbols wherever elfutils is installed. The functions that are used
 * have been the same since its release 0.158.
 */
#ifndef TM_NATIVE_RECORDER_LIBDW_H
#define TM_NATIVE_RECORDER_LIBDW_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Dwfl Dwfl;
typedef struct Dwfl_Module Dwfl_Module;
typedef struct Dwfl_Line Dwfl_Line;

typedef struct tm__dwfl_callbacks {
    void *find_elf;
    void *find_debuginfo;
    void *section_address;
    char **debuginfo_path;
} tm__dwfl_callbacks;

#define TM__LIBDW_FUNCTIONS(X)                                                         \
    X(Dwfl *, dwfl_begin, (const tm__dwfl_callbacks *))                                \
    X(void, dwfl_end, (Dwfl *))                                                        \
    X(void, dwfl_report_begin_add, (Dwfl *))                                           \
    X(Dwfl_Module *, dwfl_report_elf,                                                  \
      (Dwfl *, const char *name, const char *path, int descriptor, uint64_t base,      \
       bool add_vaddr))                                                                \
    X(int, dwfl_report_end, (Dwfl *, void *removed, void *argument))                   \
    X(Dwfl_Module *, dwfl_addrmodule, (Dwfl *, uint64_t address))                      \
    X(void *, dwfl_module_getelf, (Dwfl_Module *, uint64_t * bias))                    \
    X(int, dwfl_module_build_id,                                                       \
      (Dwfl_Module *, const unsigned char **bits, uint64_t *address))                  \
    X(const char *, dwfl_module_info,                                                  \
      (Dwfl_Module *, void *, void *, void *, void *, void *, void *, void *))         \
    X(const char *, dwfl_module_addrinfo,                                              \
      (Dwfl_Module *, uint64_t address, uint64_t * offset, Elf64_Sym *, void *section, \
       void *elf, void *bias))                                                         \
    X(Dwfl_Line *, dwfl_module_getsrc, (Dwfl_Module *, uint64_t address))              \
    X(const char *, dwfl_lineinfo,                                                     \
      (Dwfl_Line *, uint64_t * address, int *line, int *column, void *, void *))

typedef struct tm__libdw {
#define TM__LIBDW_MEMBER(result, name, arguments) result(*name) arguments;
    TM__LIBDW_FUNCTIONS(TM__LIBDW_MEMBER)
#undef TM__LIBDW_MEMBER
    tm__dwfl_callbacks callbacks;
} tm__libdw;

/** @return NULL: it is not installed, which the first call says on stderr */
const tm__libdw *tm__libdw_load(void);

#endif
