/* SPDX-License-Identifier: Apache-2.0 */
#include "names/code_file.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

enum { HEADERS_MOST = 64 };

/* @return how many parts it has; 0: it is not a file that the loader takes */
static size_t read_parts(int file, ElfW(Phdr) parts[HEADERS_MOST])
{
    ElfW(Ehdr) head;
    size_t count, bytes;

    if (pread(file, &head, sizeof(head), 0) != sizeof(head) ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phentsize != sizeof(*parts))
        return 0;
    count = head.e_phnum < HEADERS_MOST ? head.e_phnum : HEADERS_MOST;
    bytes = count * sizeof(*parts);
    return pread(file, parts, bytes, (off_t)head.e_phoff) == (ssize_t)bytes ? count : 0;
}

int tm__file_extent(int file, uint64_t *begin, uint64_t *end)
{
    ElfW(Phdr) parts[HEADERS_MOST];
    size_t count = read_parts(file, parts);
    int is_found = 0;

    for (size_t i = 0; i < count; i++) {
        if (parts[i].p_type != PT_LOAD)
            continue;
        if (!is_found)
            *begin = parts[i].p_vaddr - parts[i].p_offset;
        *end = parts[i].p_vaddr + parts[i].p_memsz;
        is_found = 1;
    }
    return is_found && *begin < *end;
}

/* The table by which the unwinder finds a function: sorted by where these begin. */
typedef struct table {
    unsigned char version, place_form, count_form, entry_form;
    int32_t place;
    uint32_t count;
} table;

typedef struct entry {
    int32_t begin, description; ///< from the begin of the table
} entry;

/* The forms that linkers write: 32 bits each, entries relative to the table. */
static int is_readable(const table *it)
{
    enum { RELATIVE_TO_PLACE = 0x1b, ABSOLUTE = 0x03, RELATIVE_TO_TABLE = 0x3b };

    return it->version == 1 && it->place_form == RELATIVE_TO_PLACE &&
           it->count_form == ABSOLUTE && it->entry_form == RELATIVE_TO_TABLE;
}

static uint64_t find_in_table(int file, const ElfW(Phdr) * part, uint64_t address)
{
    uint64_t begin = 0;
    uint32_t low = 0, high;
    table head;

    if (pread(file, &head, sizeof(head), (off_t)part->p_offset) != sizeof(head) ||
        !is_readable(&head) ||
        head.count > (part->p_filesz - sizeof(head)) / sizeof(entry))
        return 0;
    for (high = head.count; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        uint64_t at = part->p_offset + sizeof(head) + middle * sizeof(entry);
        entry it;

        if (pread(file, &it, sizeof(it), (off_t)at) != sizeof(it))
            return 0;
        if (part->p_vaddr + (uint64_t)(int64_t)it.begin > address) {
            high = middle;
        } else {
            begin = part->p_vaddr + (uint64_t)(int64_t)it.begin;
            low = middle + 1;
        }
    }
    return begin;
}

uint64_t tm__file_function(int file, uint64_t address)
{
    ElfW(Phdr) parts[HEADERS_MOST];
    size_t count = read_parts(file, parts);

    for (size_t i = 0; i < count; i++)
        if (parts[i].p_type == PT_GNU_EH_FRAME && parts[i].p_filesz >= sizeof(table))
            return find_in_table(file, &parts[i], address);
    return 0;
}
