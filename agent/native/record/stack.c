/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks are walked by the tables that C++ exceptions use, which nearly all code has,
 * with the unwinder of the compiler's own library, linked in. It allocates nothing.
 */
#include "record/stack.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include "layout/alias.h"
#include "record/record.h"

enum { BUILD_ID_MOST = 64 };

/* To look at what is loaded takes a lock of the loader's, which a fork leaves as it is.
 * Any other thread may have it then: one that walks, that throws, that loads a library,
 * or that is the first of all to be cancelled. So a process that was not forked by the
 * only thread of its parent has no stacks. */
static int was_alone, is_walk_unsafe;

static void set_blocked(const uint64_t *blocked, uint64_t *before)
{
    int error = errno;

    syscall(SYS_rt_sigprocmask, SIG_SETMASK, blocked, before, sizeof(*blocked));
    errno = error;
}

size_t tm__left_of_alternate(uintptr_t frame)
{
    stack_t alternate = {.ss_flags = SS_DISABLE};
    int error = errno;

    sigaltstack(NULL, &alternate);
    errno = error;
    return alternate.ss_flags & SS_ONSTACK ? frame - (uintptr_t)alternate.ss_sp
                                           : SIZE_MAX;
}

/* The thread is in a frame that the begun one would lie in. On a stack of its own a
 * handler may be anywhere. */
int tm__frame_was_left(uintptr_t begun, uintptr_t frame)
{
    return frame > begun && !atomic_load(&tm__is_sandboxed) &&
           tm__left_of_alternate(frame) == SIZE_MAX;
}

/* No signal handler leaves a walk by a jump, with the loader's lock. In a sandbox one
 * may. */
int tm__stack_walk_begin(uint64_t *blocked)
{
    const uint64_t all = UINT64_MAX;

    if (is_walk_unsafe)
        return 0;
    *blocked = all;
    if (!atomic_load(&tm__is_sandboxed))
        set_blocked(&all, blocked);
    return 1;
}

void tm__stack_walk_end(const uint64_t *blocked)
{
    if (*blocked != UINT64_MAX)
        set_blocked(blocked, NULL);
}

/* The kernel counts the threads among the links of their folder, beside two. In a
 * sandbox it may not be asked. */
static void before_fork(void)
{
    struct stat facts;
    int error = errno;

    was_alone = !atomic_load(&tm__is_sandboxed) &&
                stat("/proc/self/task", &facts) == 0 && facts.st_nlink == 3;
    errno = error;
}

static void after_fork(void)
{
    was_alone = 0;
}

static void after_fork_in_child(void)
{
    is_walk_unsafe |= !was_alone;
}

void tm__stack_forked(void)
{
    is_walk_unsafe |= !was_alone;
    was_alone = 0;
}

typedef struct walk {
    uint64_t *frames;
    size_t count;
    uint64_t site;
    tm__known_stack *known;
    uintptr_t frame_begin; ///< of the frame before
} walk;

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *payload)
{
    walk *it = payload;
    uint64_t address = _Unwind_GetIP(context);
    uintptr_t begin = it->frame_begin;

    if (address == 0 || it->count == TM__FRAMES_MOST)
        return _URC_END_OF_STACK;
    if (it->count == 0 && address != it->site)
        return _URC_NO_REASON;
    it->frame_begin = _Unwind_GetCFA(context);
    if (it->known && it->count != 0)
        tm__known_stack_add(it->known, begin, it->frame_begin, (uintptr_t)address);
    it->frames[it->count++] = address;
    return _URC_NO_REASON;
}

size_t tm__stack_walk(uint64_t frames[TM__FRAMES_MOST], const void *site,
                      tm__known_stack *known)
{
    walk it = {frames, 0, (uint64_t)(uintptr_t)site, known, 0};

    _Unwind_Backtrace(step, &it);
    if (it.count == 0)
        frames[it.count++] = it.site;
    return it.count;
}

static int read_loads(struct dl_phdr_info *info, size_t bytes, void *payload)
{
    (void)bytes;
    *(uint64_t *)payload = info->dlpi_adds;
    return 1;
}

static char the_program[PATH_MAX];

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
    const unsigned char *id = NULL;
    size_t id_bytes = build_id(info, &id);
    listing *it = payload;

    (void)bytes;
    if (it->at >= it->begin && *path &&
        tm__write_module(it->ring, info->dlpi_addr, id, id_bytes, path,
                         strnlen(path, PATH_MAX - 1)) != 0)
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
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

/* What finds no room in the ring is reported with the next stack. */
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
