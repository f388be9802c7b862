/* SPDX-License-Identifier: Apache-2.0 */
#include "record/reported_modules.h"

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "layout/alias.h"
#include "record/own_thread.h"
#include "record/own_ring.h"

enum { BUILD_ID_MOST = 64 };

static char the_program[PATH_MAX];

static int read_loads(struct dl_phdr_info *info, size_t bytes, void *payload)
{
    (void)bytes;
    *(uint64_t *)payload = info->dlpi_adds;
    return 1;
}

/* @return how long it is, 0: there is none */
static size_t build_id(const struct dl_phdr_info *info, const unsigned char **id)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        const unsigned char *at =
            (const unsigned char *)info->dlpi_addr + header->p_vaddr;
        const unsigned char *note_end = at + header->p_memsz;

        while (header->p_type == PT_NOTE && at + sizeof(ElfW(Nhdr)) < note_end) {
            const ElfW(Nhdr) *note = (const void *)at;
            const unsigned char *text =
                at + sizeof(*note) + (note->n_namesz + 3u) / 4 * 4;

            if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
                note->n_descsz <= BUILD_ID_MOST && text + note->n_descsz <= note_end) {
                *id = text;
                return note->n_descsz;
            }
            at = text + (note->n_descsz + 3u) / 4 * 4;
        }
    }
    return 0;
}

typedef struct listing {
    tm__ring *ring;
    uint32_t at, begin; ///< those before were reported
} listing;

static int report_module(struct dl_phdr_info *info, size_t bytes, void *payload)
{
    /* The program's own name is empty with glibc, and the kernel's page's with musl. */
    const char *path = info->dlpi_phdr == (const void *)getauxval(AT_PHDR)
                           ? the_program
                           : info->dlpi_name;
    const unsigned char *id = (const unsigned char *)"";
    size_t id_bytes = build_id(info, &id);
    listing *it = payload;

    (void)bytes;
    if (it->at >= it->begin && *path &&
        tm__ring_write_pieces(it->ring, TM__MODULE, info->dlpi_addr, id_bytes, id,
                              id_bytes, path, strnlen(path, PATH_MAX - 1)) != 0)
        return 1;
    it->at++;
    return 0;
}

void tm__modules_begin(void)
{
    const char *given = (const char *)getauxval(AT_EXECFN);
    ssize_t length = readlink("/proc/self/exe", the_program, PATH_MAX - 1);

    the_program[length > 0 ? length : 0] = 0;
    if (given && *given == '/' && strlen(given) < sizeof(the_program) &&
        tm__is_alias(given, the_program, the_program))
        strcpy(the_program, given);
}

/* A module that finds no room in the ring is reported with the next stack. */
void tm__modules_report(tm__ring *ring)
{
    enum { ALL = 0x7FFFFFFF };
    static _Atomic uint64_t reported; /* of what, and how many */
    uint64_t before = atomic_load(&reported), loads = 0, of_what;
    listing it = {.ring = ring};

    dl_iterate_phdr(read_loads, &loads);
    of_what = (uint32_t)(loads << 16 ^ *tm__the_image);
    if (before >> 32 == of_what)
        it.begin = (uint32_t)before;
    if (it.begin == ALL)
        return;
    if (dl_iterate_phdr(report_module, &it) == 0)
        it.at = ALL;
    atomic_compare_exchange_strong(&reported, &before, of_what << 32 | it.at);
}
