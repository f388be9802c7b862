/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elfutils as it is found when the recorder runs, so that a recorder that was built
 * elsewhere reads symbols wherever elfutils is installed. The functions that are used
 * have been the same since its release 0.171.
 */
#ifndef TM_NATIVE_NAMES_LIBDW_H
#define TM_NATIVE_NAMES_LIBDW_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Dwfl Dwfl;
typedef struct Dwfl_Module Dwfl_Module;
typedef struct Dwarf_Line_s Dwarf_Line;
typedef struct Dwarf_Files_s Dwarf_Files;
typedef struct Dwfl_Thread Dwfl_Thread;
typedef struct Dwfl_Frame Dwfl_Frame;

/* From libdwfl's public header: how it reads a process. */
typedef struct tm__dwfl_thread_callbacks {
    int (*next_thread)(Dwfl *, void *process, void **thread);
    bool (*get_thread)(Dwfl *, int tid, void *process, void **thread);
    bool (*memory_read)(Dwfl *, uint64_t address, uint64_t *word, void *process);
    bool (*set_initial_thread_registers)(Dwfl_Thread *, void *thread);
    void (*detach)(Dwfl *, void *process);
    void (*thread_detach)(Dwfl_Thread *, void *thread);
} tm__dwfl_thread_callbacks;

/* From libdw's public header: an entry of debug information. */
typedef struct tm__dwarf_die {
    void *address;
    void *unit;
    void *abbreviation;
    long padding;
} tm__dwarf_die;

typedef struct tm__dwarf_attribute {
    unsigned code;
    unsigned form;
    unsigned char *value;
    void *unit;
} tm__dwarf_attribute;

/* Constants of the DWARF standard. */
enum {
    TM__DW_UT_SKELETON = 0x04,
    TM__DW_TAG_CLASS_TYPE = 0x02,
    TM__DW_TAG_LEXICAL_BLOCK = 0x0b,
    TM__DW_TAG_STRUCTURE_TYPE = 0x13,
    TM__DW_TAG_UNION_TYPE = 0x17,
    TM__DW_TAG_INLINED_SUBROUTINE = 0x1d,
    TM__DW_TAG_SUBPROGRAM = 0x2e,
    TM__DW_TAG_NAMESPACE = 0x39,
    TM__DW_AT_ABSTRACT_ORIGIN = 0x31,
    TM__DW_AT_SPECIFICATION = 0x47,
    TM__DW_AT_CALL_FILE = 0x58,
    TM__DW_AT_CALL_LINE = 0x59,
    TM__DW_AT_LINKAGE_NAME = 0x6e,
    TM__DW_AT_MIPS_LINKAGE_NAME = 0x2007,
};

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
    X(bool, dwfl_attach_state,                                                         \
      (Dwfl *, void *elf, int pid, const tm__dwfl_thread_callbacks *, void *process))  \
    X(int, dwfl_getthread_frames,                                                      \
      (Dwfl *, int tid, int (*frame)(Dwfl_Frame *, void *), void *argument))           \
    X(bool, dwfl_frame_pc, (Dwfl_Frame *, uint64_t * pc, bool *is_activation))         \
    X(bool, dwfl_thread_state_registers,                                               \
      (Dwfl_Thread *, int first, unsigned count, const uint64_t *values))              \
    X(void, dwfl_thread_state_register_pc, (Dwfl_Thread *, uint64_t pc))               \
    X(tm__dwarf_die *, dwfl_module_addrdie,                                            \
      (Dwfl_Module *, uint64_t address, uint64_t * bias))                              \
    X(tm__dwarf_die *, dwfl_module_nextcu,                                             \
      (Dwfl_Module *, tm__dwarf_die * last, uint64_t * bias))                          \
    X(int, dwarf_cu_info,                                                              \
      (void *unit, uint16_t *version, uint8_t *type, tm__dwarf_die *whole,             \
       tm__dwarf_die *split, uint64_t *id, uint8_t *address_bytes,                     \
       uint8_t *offset_bytes))                                                         \
    X(Dwarf_Line *, dwarf_getsrc_die, (tm__dwarf_die * unit, uint64_t address))        \
    X(int, dwarf_lineno, (Dwarf_Line *, int *line))                                    \
    X(const char *, dwarf_linesrc, (Dwarf_Line *, uint64_t * time, uint64_t * bytes))  \
    X(int, dwarf_child, (tm__dwarf_die *, tm__dwarf_die * child))                      \
    X(int, dwarf_siblingof, (tm__dwarf_die *, tm__dwarf_die * sibling))                \
    X(int, dwarf_haspc, (tm__dwarf_die *, uint64_t address))                           \
    X(ptrdiff_t, dwarf_ranges,                                                         \
      (tm__dwarf_die *, ptrdiff_t at, uint64_t * base, uint64_t * begin,               \
       uint64_t * end))                                                                \
    X(tm__dwarf_die *, dwarf_diecu,                                                    \
      (tm__dwarf_die *, tm__dwarf_die * unit, uint8_t *, uint8_t *))                   \
    X(int, dwarf_tag, (tm__dwarf_die *))                                               \
    X(const char *, dwarf_diename, (tm__dwarf_die *))                                  \
    X(tm__dwarf_attribute *, dwarf_attr,                                               \
      (tm__dwarf_die *, unsigned name, tm__dwarf_attribute *))                         \
    X(tm__dwarf_attribute *, dwarf_attr_integrate,                                     \
      (tm__dwarf_die *, unsigned name, tm__dwarf_attribute *))                         \
    X(const char *, dwarf_formstring, (tm__dwarf_attribute *))                         \
    X(tm__dwarf_die *, dwarf_formref_die, (tm__dwarf_attribute *, tm__dwarf_die *))    \
    X(int, dwarf_formudata, (tm__dwarf_attribute *, uint64_t *))                       \
    X(int, dwarf_getsrcfiles,                                                          \
      (tm__dwarf_die * unit, Dwarf_Files * *files, size_t * count))                    \
    X(const char *, dwarf_filesrc,                                                     \
      (Dwarf_Files *, size_t index, uint64_t * time, uint64_t * bytes))

struct tm__libdw {
#define TM__LIBDW_MEMBER(result, name, arguments) result(*name) arguments;
    TM__LIBDW_FUNCTIONS(TM__LIBDW_MEMBER)
#undef TM__LIBDW_MEMBER
    tm__dwfl_callbacks callbacks;
};

typedef struct tm__libdw tm__libdw;

/** @return NULL: it is not installed, which the first call says on stderr */
const tm__libdw *tm__libdw_load(void);

#endif
