/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NOLOAD, dl_iterate_phdr */
#endif
#include "session/loaded_libraries.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/io_hooks.h"

typedef struct paths {
    char *names[TM__LIBRARIES];
    int count;
} paths;

static int note_library(struct dl_phdr_info *info, size_t bytes, void *payload)
{
    static const char *const names[] = {"/libjava.so", "/libnio.so", "/libnet.so"};
    const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    paths *it = payload;

    (void)bytes;
    for (size_t i = 0; slash && i < sizeof(names) / sizeof(*names); i++)
        if (strcmp(slash, names[i]) == 0 && it->count < TM__LIBRARIES)
            it->names[it->count++] = strdup(info->dlpi_name);
    return 0;
}

void tm__libraries_open(tm__libraries *out)
{
    paths found = {.count = 0};

    dl_iterate_phdr(note_library, &found);
    for (int i = 0; i < found.count; i++) {
        void *handle =
            found.names[i] ? dlopen(found.names[i], RTLD_LAZY | RTLD_NOLOAD) : NULL;

        if (handle)
            out->handles[out->count++] = handle;
        free(found.names[i]);
    }
}

void *tm__libraries_find(const tm__libraries *from, const tm__io_hook *hook)
{
    char symbol[160];
    void *address = NULL;

    snprintf(symbol, sizeof(symbol), "Java_%.*s_%s", (int)strlen(hook->class) - 2,
             hook->class + 1, hook->name);
    for (char *at = symbol; *at; at++)
        if (*at == '/')
            *at = '_';
    for (int i = 0; i < from->count && !address; i++)
        address = dlsym(from->handles[i], symbol);
    return address;
}
