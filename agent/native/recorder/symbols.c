/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols and lines by elfutils, with separate debug files where they are installed. */
#include "recorder/symbols.h"

#include "recorder/libdw.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct loaded {
    struct loaded *next;
    uint64_t bias;
    size_t id_bytes;
    unsigned char id[64];
    char path[];
} loaded;

struct tm__symbols {
    const tm__libdw *libdw; /* NULL: not installed */
    Dwfl *dwfl;
    loaded *modules;
    char *(*demangle)(const char *, char *, size_t *, int *);
};

tm__symbols *tm__symbols_new(void)
{
    tm__symbols *symbols = calloc(1, sizeof(*symbols));
    void *cpp;

    if (!symbols)
        return NULL;
    symbols->libdw = tm__libdw_load();
    if (symbols->libdw)
        symbols->dwfl = symbols->libdw->dwfl_begin(&symbols->libdw->callbacks);
    /* Whoever runs programs in C++ has its library. */
    cpp = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    if (cpp)
        *(void **)&symbols->demangle = dlsym(cpp, "__cxa_demangle");
    return symbols;
}

void tm__symbols_add(tm__symbols *symbols, const char *path, uint64_t bias,
                     const unsigned char *id, size_t id_bytes)
{
    loaded *it;

    for (it = symbols->modules; it; it = it->next)
        if (it->bias == bias && strcmp(it->path, path) == 0)
            return;
    it = calloc(1, sizeof(*it) + strlen(path) + 1);
    if (!it)
        return;
    it->bias = bias;
    it->id_bytes = id_bytes < sizeof(it->id) ? id_bytes : sizeof(it->id);
    memcpy(it->id, id, it->id_bytes);
    strcpy(it->path, path);
    it->next = symbols->modules;
    symbols->modules = it;
    if (!symbols->dwfl)
        return;
    symbols->libdw->dwfl_report_begin_add(symbols->dwfl);
    symbols->libdw->dwfl_report_elf(symbols->dwfl, it->path, it->path, -1, bias, true);
    symbols->libdw->dwfl_report_end(symbols->dwfl, NULL, NULL);
}

static const loaded *loaded_as(const tm__symbols *symbols, const char *path)
{
    for (const loaded *it = symbols->modules; it; it = it->next)
        if (path && strcmp(it->path, path) == 0)
            return it;
    return NULL;
}

/* Whether the file is still the one that the program has in memory. */
static int is_same_file(const tm__libdw *libdw, Dwfl_Module *module, const loaded *it)
{
    const unsigned char *id = NULL;
    uint64_t address;
    uint64_t bias;
    int bytes;

    if (it->id_bytes == 0)
        return 1;
    if (!libdw->dwfl_module_getelf(module, &bias))
        return 0;
    bytes = libdw->dwfl_module_build_id(module, &id, &address);
    return bytes == (int)it->id_bytes && memcmp(id, it->id, it->id_bytes) == 0;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void copy_function(const tm__symbols *symbols, char *to, size_t room,
                          const char *name)
{
    char *plain = NULL;
    int status = 0;

    if (symbols->demangle && strncmp(name, "_Z", 2) == 0)
        plain = symbols->demangle(name, NULL, NULL, &status);
    snprintf(to, room, "%s", plain ? plain : name);
    free(plain);
}

/* Without elfutils: the file that is loaded next below it. */
static void place_in_file(const tm__symbols *symbols, uint64_t address,
                          tm__symbol *symbol)
{
    const loaded *nearest = NULL;

    for (const loaded *it = symbols->modules; it; it = it->next)
        if (it->bias <= address && (!nearest || it->bias > nearest->bias))
            nearest = it;
    if (!nearest)
        return;
    snprintf(symbol->module, sizeof(symbol->module), "%s", base_name(nearest->path));
    symbol->offset = address - nearest->bias;
}

void tm__symbols_find(tm__symbols *symbols, uint64_t address, int is_data,
                      tm__symbol *symbol)
{
    const tm__libdw *libdw = symbols->libdw;
    Dwfl_Module *module =
        symbols->dwfl ? libdw->dwfl_addrmodule(symbols->dwfl, address) : NULL;
    const loaded *it;
    const char *path, *name, *source;
    Dwfl_Line *line;
    uint64_t offset = 0;
    Elf64_Sym sym;

    memset(symbol, 0, sizeof(*symbol));
    symbol->offset = address;
    if (!symbols->dwfl)
        place_in_file(symbols, address, symbol);
    if (!module)
        return;
    path = libdw->dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    it = loaded_as(symbols, path);
    if (!it)
        return;
    snprintf(symbol->module, sizeof(symbol->module), "%s", base_name(path));
    symbol->offset = address - it->bias;
    if (!is_same_file(libdw, module, it))
        return;
    name =
        libdw->dwfl_module_addrinfo(module, address, &offset, &sym, NULL, NULL, NULL);
    if (name && sym.st_size > offset &&
        ELF64_ST_TYPE(sym.st_info) == (is_data ? STT_OBJECT : STT_FUNC))
        copy_function(symbols, symbol->function, sizeof(symbol->function), name);
    line = is_data ? NULL : libdw->dwfl_module_getsrc(module, address);
    source =
        line ? libdw->dwfl_lineinfo(line, NULL, &symbol->line, NULL, NULL, NULL) : NULL;
    if (source)
        snprintf(symbol->source, sizeof(symbol->source), "%s", base_name(source));
}

void tm__symbols_free(tm__symbols *symbols)
{
    loaded *next;

    if (!symbols)
        return;
    if (symbols->dwfl)
        symbols->libdw->dwfl_end(symbols->dwfl);
    for (loaded *it = symbols->modules; it; it = next) {
        next = it->next;
        free(it);
    }
    free(symbols);
}
