/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a file begins in memory is the mapping of its first byte; its bias follows from
 * the file's own table. A process of another root, as in a container, has its files
 * below /proc/PID/root.
 */
#include "inspect/modules.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inspect/target_state.h"
#include "layout/alias.h"
#include "names/code_file.h"
#include "names/regular_file.h"

enum { MODULES_MOST = 4096 };

/* "2.36" in "GNU C Library (Debian GLIBC 2.36-9) stable release version 2.36." */
static int release_of(int file)
{
    static const char words[] = "release version 2.";
    struct stat facts;
    const char *bytes, *found;
    int release = 0;

    if (fstat(file, &facts) != 0 || facts.st_size < 4096)
        return 0;
    bytes = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED)
        return 0;
    found = memmem(bytes, (size_t)facts.st_size - 8, words, sizeof(words) - 1);
    if (found)
        release = (int)strtol(found + sizeof(words) - 1, NULL, 10);
    munmap((void *)(uintptr_t)bytes, (size_t)facts.st_size);
    return release;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void note_libc(tm__target *target, const char *name, int file)
{
    if (strncmp(name, "ld-musl-", 8) == 0 || strncmp(name, "libc.musl-", 10) == 0)
        target->libc = TM__LIBC_MUSL;
    else if (strncmp(name, "libc.so.6", 9) == 0 || strncmp(name, "libc-2.", 7) == 0) {
        target->libc = TM__LIBC_GLIBC;
        target->libc_minor = release_of(file);
    }
}

static void report(tm__target *target, const tm__mapped *it)
{
    char path[4200];
    size_t bytes;
    tm__module *module;
    uint64_t first, end;
    int file;

    snprintf(path, sizeof(path), "/proc/%u/root%s", target->pid, it->path);
    file = tm__regular_file_open(path);
    if (file < 0)
        return;
    if (tm__file_extent(file, &first, &end)) {
        note_libc(target, base_name(it->path), file);
        bytes = sizeof(*module) + strlen(path) + 1;
        module = target->symbols ? calloc(1, bytes) : NULL;
        if (module) {
            module->bias = it->begin - first;
            module->begin = it->begin;
            module->end = module->bias + end;
            strcpy(module->path, path);
            tm__symbols_add(target->symbols, module);
        }
    }
    close(file);
}

/* A line of `maps`. @return its path; NULL: the line is not of a file */
static char *parse(char *line, uint64_t *begin, uint64_t *end, uint64_t *offset)
{
    char *path = strchr(line, '/');

    if (!path ||
        sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, begin, end, offset) != 3)
        return NULL;
    path[strcspn(path, "\n")] = 0;
    return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/memfd:", 7) == 0 ? NULL
                                                                              : path;
}

static tm__mapped *add_mapped(tm__target *target)
{
    tm__mapped *more;

    if ((target->module_count & (target->module_count - 1)) == 0) {
        size_t room = target->module_count ? target->module_count * 2 : 1;

        more = target->module_count < MODULES_MOST
                   ? realloc(target->modules, room * sizeof(*more))
                   : NULL;
        if (!more)
            return NULL;
        target->modules = more;
    }
    return &target->modules[target->module_count++];
}

/* The path by which the program was started, as the kernel wrote it into its memory.
 * @return 0: it is not known, or does not begin at the root */
static int path_of_start(const tm__target *target, char *path, size_t room)
{
    uint64_t entry[2] = {0, 0};
    char name[64];
    size_t length = 0;
    FILE *file;

    snprintf(name, sizeof(name), "/proc/%u/auxv", target->pid);
    file = fopen(name, "re");
    while (file && fread(entry, sizeof(entry), 1, file) == 1 && entry[0] != AT_EXECFN)
        continue;
    if (file)
        fclose(file);
    while (entry[0] == AT_EXECFN && length < room &&
           tm__target_read(target, entry[1] + length, path + length, 1) && path[length])
        length++;
    return length > 0 && length < room && *path == '/' && path[length] == 0;
}

static void take_alias(tm__target *target)
{
    char path[2048], given[2200], file[64];

    if (!path_of_start(target, path, sizeof(path)))
        return;
    snprintf(given, sizeof(given), "/proc/%u/root%s", target->pid, path);
    snprintf(file, sizeof(file), "/proc/%u/exe", target->pid);
    if (!tm__is_alias(given, file, target->program))
        return;
    for (size_t i = 0; i < target->module_count; i++)
        if (strcmp(target->modules[i].path, target->program) == 0)
            snprintf(target->modules[i].path, sizeof(target->modules[i].path), "%s",
                     path);
}

void tm__modules_read(tm__target *target)
{
    char name[64], line[4400], *path;
    tm__mapped *last = NULL;
    uint64_t begin, end, offset;
    FILE *file;

    snprintf(name, sizeof(name), "/proc/%u/maps", target->pid);
    file = fopen(name, "re");
    while (file && fgets(line, sizeof(line), file)) {
        path = parse(line, &begin, &end, &offset);
        if (!path)
            continue;
        if (last && offset != 0 && strcmp(last->path, path) == 0) {
            last->end = end;
            continue;
        }
        last = offset == 0 ? add_mapped(target) : NULL;
        if (!last)
            continue;
        last->begin = begin;
        last->end = end;
        snprintf(last->path, sizeof(last->path), "%s", path);
    }
    if (file)
        fclose(file);
    take_alias(target);
    for (size_t i = 0; i < target->module_count; i++)
        report(target, &target->modules[i]);
}
