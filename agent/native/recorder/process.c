/* SPDX-License-Identifier: Apache-2.0 */
#include "recorder/process.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "layout/region.h"

static FILE *open_of(uint32_t pid, const char *name)
{
    char path[96];

    snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
    return fopen(path, "re");
}

static int shares(FILE *file, uint64_t inode)
{
    int is_shown = 0, is_found = 0;
    char line[4200];

    if (!file)
        return -1;
    while (!is_found && fgets(line, sizeof(line), file)) {
        unsigned long long of_it = 0;

        is_shown = 1;
        is_found = strstr(line, "/memfd:threadmodel") &&
                   sscanf(line, "%*s %*s %*s %*s %llu", &of_it) == 1 && of_it == inode;
    }
    fclose(file);
    return is_shown ? is_found : -1;
}

/* @return a thread of a process that has not ended, while its first one has; 0: none */
static uint32_t later_thread(uint32_t pid)
{
    char path[64];
    const struct dirent *entry;
    uint32_t found = 0;
    DIR *all;

    snprintf(path, sizeof(path), "/proc/%u/task", pid);
    all = opendir(path);
    while (all && !found && (entry = readdir(all))) {
        uint32_t task = (uint32_t)strtoul(entry->d_name, NULL, 10);
        char state = task && task != pid ? tm__process_task_state(pid, task) : 0;

        if (state && state != 'Z' && state != 'X')
            found = task;
    }
    if (all)
        closedir(all);
    return found;
}

/* A first thread that has ended shows no memory. */
int tm__process_shares(uint32_t pid, uint64_t inode)
{
    int rc = shares(open_of(pid, "maps"), inode);
    uint32_t task = rc < 0 ? later_thread(pid) : 0;
    char name[64];

    if (!task)
        return rc;
    snprintf(name, sizeof(name), "task/%u/maps", task);
    return shares(open_of(pid, name), inode);
}

char tm__process_state(uint32_t pid)
{
    char state = tm__process_task_state(pid, pid);
    uint32_t task = state == 'Z' ? later_thread(pid) : 0;

    return task ? tm__process_task_state(pid, task) : state;
}

/* @return the number that a process has itself, if that is another one; 0: it is not */
static uint32_t own_pid_of(uint32_t pid)
{
    FILE *file = open_of(pid, "status");
    char line[256], *last = NULL;

    if (!file)
        return 0;
    while (!last && fgets(line, sizeof(line), file))
        if (strncmp(line, "NSpid:", 6) == 0)
            last = strrchr(line, '\t');
    fclose(file);
    return last && last != strchr(line, '\t') ? (uint32_t)strtoul(last, NULL, 10) : 0;
}

void tm__nested_find(tm__nested *nested, uint64_t inode)
{
    DIR *all = opendir("/proc");
    const struct dirent *entry;

    nested->count = 0;
    while (all && nested->count < sizeof(nested->all) / sizeof(*nested->all) &&
           (entry = readdir(all))) {
        uint32_t pid = (uint32_t)strtoul(entry->d_name, NULL, 10);
        uint32_t own_pid = pid ? own_pid_of(pid) : 0;

        if (!own_pid || tm__process_shares(pid, inode) != 1)
            continue;
        nested->all[nested->count].own_pid = own_pid;
        nested->all[nested->count++].pid = pid;
    }
    if (all)
        closedir(all);
}

uint32_t tm__nested_pid(const tm__nested *nested, uint32_t own_pid)
{
    for (size_t i = 0; i < nested->count; i++)
        if (nested->all[i].own_pid == own_pid)
            return nested->all[i].pid;
    return 0;
}

int tm__process_program(uint32_t pid, char *path, size_t room)
{
    char link[64];
    ssize_t length;

    snprintf(link, sizeof(link), "/proc/%u/exe", pid);
    length = readlink(link, path, room - 1);
    path[length > 0 ? length : 0] = 0;
    return length > 0;
}

size_t tm__process_children(uint32_t pid, uint32_t *children, size_t most)
{
    char name[64];
    size_t count = 0;
    FILE *file;

    snprintf(name, sizeof(name), "task/%u/children", pid);
    file = open_of(pid, name);
    while (file && count < most && fscanf(file, "%" SCNu32, &children[count]) == 1)
        count++;
    if (file)
        fclose(file);
    return count;
}

int tm__process_inherits(uint32_t pid, const char *memory)
{
    static const char name[] = TM__REGION_VARIABLE "=";
    FILE *file = open_of(pid, "environ");
    char *variable = NULL;
    size_t room = 0;
    int is_found = 0;

    while (file && !is_found && getdelim(&variable, &room, 0, file) > 0)
        is_found = strncmp(variable, name, sizeof(name) - 1) == 0 &&
                   strcmp(variable + sizeof(name) - 1, memory) == 0;
    free(variable);
    if (file)
        fclose(file);
    return is_found;
}

/* The fields of a file `stat` after the command's name; NULL: the file is not there. */
static const char *stat_fields(FILE *file, char *text, size_t room)
{
    if (!file)
        return NULL;
    text[fread(text, 1, room - 1, file)] = 0;
    fclose(file);
    return strrchr(text, ')');
}

uint32_t tm__process_parent(uint32_t pid)
{
    char text[1024];
    const char *fields = stat_fields(open_of(pid, "stat"), text, sizeof(text));
    uint32_t parent = 0;

    return fields && sscanf(fields, ") %*c %" SCNu32, &parent) == 1 ? parent : 0;
}

int tm__process_open(uint32_t pid)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, pid, 0);
#else
    (void)pid;
    return -1;
#endif
}

int tm__process_is_over(int descriptor)
{
    struct pollfd it = {descriptor, POLLIN, 0};

    return poll(&it, 1, 0) == 1 && it.revents != 0;
}

/* Linux 6.15 keeps the status of a process that was waited for, at its descriptor. */
static int status_of_descriptor(int descriptor, int *status)
{
    enum { WANTS_EXIT = 1 << 3 };
    struct {
        uint64_t mask, cgroup;
        uint32_t ids[11];
        int32_t exit_code;
    } facts = {.mask = WANTS_EXIT};

    if (descriptor < 0 || ioctl(descriptor, _IOWR(0xFF, 11, facts), &facts) != 0 ||
        !(facts.mask & WANTS_EXIT))
        return 0;
    *status = facts.exit_code;
    return 1;
}

/* As long as nobody has waited for it, the last field of its line shows that. */
static int status_of_zombie(uint32_t pid, int *status)
{
    FILE *file = open_of(pid, "stat");
    char text[1024], *fields, *last;
    size_t length;

    if (!file)
        return 0;
    length = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[length] = 0;
    text[strcspn(text, "\n")] = 0;
    fields = strrchr(text, ')');
    last = strrchr(text, ' ');
    if (!fields || last <= fields || (fields[2] != 'Z' && fields[2] != 'X'))
        return 0;
    *status = (int)strtol(last, NULL, 10);
    return 1;
}

int tm__process_status(uint32_t pid, int descriptor, int *status)
{
    return status_of_descriptor(descriptor, status) || status_of_zombie(pid, status);
}

int tm__process_has_died(uint32_t pid)
{
    char text[1024], state = 0;
    const char *fields;
    long threads = 0;
    size_t length;
    FILE *file;

    file = open_of(pid, "stat");
    /* Where no descriptor is left nobody knows. */
    if (!file)
        return errno == ENOENT || errno == ESRCH;
    length = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[length] = 0;
    fields = strrchr(text, ')');
    if (!fields || sscanf(fields,
                          ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                          "%*s %*s %*s %ld",
                          &state, &threads) != 2)
        return length == 0;
    return (state == 'Z' || state == 'X') && threads <= 1;
}

char tm__process_task_state(uint32_t pid, uint32_t task)
{
    char path[64], text[512];
    const char *fields;

    snprintf(path, sizeof(path), "/proc/%u/task/%u/stat", pid, task);
    fields = stat_fields(fopen(path, "re"), text, sizeof(text));
    return fields && fields[1] == ' ' ? fields[2] : 0;
}
