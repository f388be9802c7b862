/* SPDX-License-Identifier: Apache-2.0 */
#include "recorder/module_file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "names/code_file.h"
#include "names/regular_file.h"

/* @return its path, where a line of /proc/PID/maps is a file's at an address */
static const char *path_at(char *line, uint64_t address)
{
    unsigned long long begin, end;
    char *path = strchr(line, '/');

    if (!path || sscanf(line, "%llx-%llx", &begin, &end) != 2 || address < begin ||
        address >= end)
        return NULL;
    path[strcspn(path, "\n")] = 0;
    return path;
}

static int find_mapped(uint32_t pid, uint64_t address, char *path, size_t room)
{
    static const char deleted[] = " (deleted)";
    char name[64], line[4200];
    const char *found = NULL;
    size_t length;
    FILE *file;

    snprintf(name, sizeof(name), "/proc/%u/maps", pid);
    file = fopen(name, "re");
    if (!file)
        return 0;
    while (!found && fgets(line, sizeof(line), file))
        found = path_at(line, address);
    fclose(file);
    if (!found || strlen(found) >= room)
        return 0;
    strcpy(path, found);
    length = strlen(path);
    if (length >= sizeof(deleted) &&
        strcmp(path + length - (sizeof(deleted) - 1), deleted) == 0)
        path[length - (sizeof(deleted) - 1)] = 0;
    return 1;
}

static int find_in(const char *link, const char *relative, char *path, size_t room)
{
    ssize_t length = readlink(link, path, room - 1);

    if (length <= 0 || (size_t)length + 1 + strlen(relative) >= room)
        return 0;
    path[length] = '/';
    strcpy(path + length + 1, relative);
    return access(path, F_OK) == 0;
}

int tm__module_path(uint32_t pid, const char *relative, uint64_t bias, char *path,
                    size_t room)
{
    char folder[64];

    snprintf(folder, sizeof(folder), "/proc/%u/cwd", pid);
    /* A process that has ended began where the recorder did. Its build id shows that it
     * is the same file. */
    return find_mapped(pid, bias, path, room) ||
           find_in(folder, relative, path, room) ||
           find_in("/proc/self/cwd", relative, path, room);
}

int tm__module_extent(const char *path, uint64_t *begin, uint64_t *end)
{
    int file = tm__regular_file_open(path);
    int is_found = file >= 0 && tm__file_extent(file, begin, end);

    if (file >= 0)
        close(file);
    return is_found;
}
