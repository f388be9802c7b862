/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits of control groups. A line of /proc/self/cgroup names a group,
 *
 *     0::/app.slice/it.service           version 2: memory.max
 *     4:memory:/docker/ce679d01          version 1: memory.limit_in_bytes
 *
 * by its path below the mount. In a container that path may be the host's, and only its
 * end is mounted: then the limit is found above it, at the mount.
 */
#include "recorder/memory_limit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 4096 };

/* "max", and what version 1 has for none, is beyond all memory. */
static uint64_t read_limit(const char *path)
{
    FILE *file = fopen(path, "re");
    uint64_t limit = UINT64_MAX;

    if (!file)
        return UINT64_MAX;
    if (fscanf(file, "%" SCNu64, &limit) != 1 || limit > UINT64_C(1) << 60)
        limit = UINT64_MAX;
    fclose(file);
    return limit;
}

/* The least one of a group and of all above it. */
static uint64_t least_of(const char *mount, const char *group, const char *name)
{
    char folder[PATH_BYTES], path[2 * PATH_BYTES];
    uint64_t least = UINT64_MAX;
    int length = snprintf(folder, sizeof(folder), "%s", group);

    if (length < 0 || length >= (int)sizeof(folder))
        return UINT64_MAX;
    for (char *end = folder + length;; end = strrchr(folder, '/')) {
        uint64_t limit;

        if (!end)
            return least;
        *end = '\0';
        snprintf(path, sizeof(path), "%s%s/%s", mount, folder, name);
        limit = read_limit(path);
        least = limit < least ? limit : least;
    }
}

static int has_memory(const char *controllers, size_t length)
{
    static const char name[] = "memory";
    const size_t bytes = sizeof(name) - 1;

    for (size_t at = 0; at + bytes <= length; at++)
        if (strncmp(controllers + at, name, bytes) == 0 &&
            (at == 0 || controllers[at - 1] == ',') &&
            (at + bytes == length || controllers[at + bytes] == ','))
            return 1;
    return 0;
}

static uint64_t limit_of_line(const char *line, const char *mount)
{
    const char *controllers = strchr(line, ':'), *group;
    char first[PATH_BYTES];

    if (!controllers || !(group = strchr(++controllers, ':')))
        return UINT64_MAX;
    if (group == controllers)
        return least_of(mount, group + 1, "memory.max");
    if (!has_memory(controllers, (size_t)(group - controllers)))
        return UINT64_MAX;
    snprintf(first, sizeof(first), "%s/memory", mount);
    return least_of(first, group + 1, "memory.limit_in_bytes");
}

uint64_t tm__memory_limit(const char *groups, const char *mount)
{
    FILE *file = fopen(groups, "re");
    uint64_t least = UINT64_MAX;
    char line[PATH_BYTES];

    if (!file)
        return UINT64_MAX;
    while (fgets(line, sizeof(line), file)) {
        uint64_t limit;

        line[strcspn(line, "\n")] = '\0';
        limit = limit_of_line(line, mount);
        least = limit < least ? limit : least;
    }
    fclose(file);
    return least;
}
