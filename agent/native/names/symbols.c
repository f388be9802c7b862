/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols and lines by elfutils, with separate debug files where they are installed. */
#include "names/symbols.h"

#include "names/c_library.h"
#include "names/cpp_library.h"
#include "names/code_file.h"
#include "names/inlined_calls.h"
#include "names/regular_file.h"
#include "names/rust_name.h"
#include "names/rust_old_name.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct tm__symbols {
    const tm__libdw *libdw; /* NULL: not installed */
    Dwfl *dwfl;
    tm__module *modules;
    tm__debug_unit *units;
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
    /* A machine that runs programs in C++ has its library. */
    cpp = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    if (cpp)
        *(void **)&symbols->demangle = dlsym(cpp, "__cxa_demangle");
    return symbols;
}

static void report(const tm__symbols *symbols, const tm__module *module)
{
    int file = tm__regular_file_open(module->path);

    if (file < 0)
        return;
    symbols->libdw->dwfl_report_begin_add(symbols->dwfl);
    /* The descriptor is elfutils' from now on, but where it fails. */
    if (!symbols->libdw->dwfl_report_elf(symbols->dwfl, module->path, module->path,
                                         file, module->bias, true))
        close(file);
    symbols->libdw->dwfl_report_end(symbols->dwfl, NULL, NULL);
}

/* elfutils keeps what it once found at an address. */
static void begin_again(tm__symbols *symbols)
{
    tm__debug_units_free(&symbols->units);
    symbols->libdw->dwfl_end(symbols->dwfl);
    symbols->dwfl = symbols->libdw->dwfl_begin(&symbols->libdw->callbacks);
    for (const tm__module *it = symbols->modules; symbols->dwfl && it; it = it->next)
        report(symbols, it);
}

int tm__modules_add(tm__module **modules, tm__module *module)
{
    int is_any = 0;

    for (tm__module **at = modules, *it; (it = *at);) {
        if (!tm__modules_overlap(it, module)) {
            at = &it->next;
            continue;
        }
        *at = it->next;
        free(it);
        is_any = 1;
    }
    module->next = *modules;
    *modules = module;
    return is_any;
}

void tm__modules_free(tm__module *modules)
{
    tm__module *next;

    for (; modules; modules = next) {
        next = modules->next;
        free(modules);
    }
}

void tm__symbols_add(tm__symbols *symbols, tm__module *module)
{
    int is_in_place = tm__modules_add(&symbols->modules, module);

    if (symbols->dwfl && is_in_place)
        begin_again(symbols);
    else if (symbols->dwfl)
        report(symbols, module);
}

static const tm__module *loaded_as(const tm__symbols *symbols, const char *path)
{
    for (const tm__module *it = symbols->modules; it; it = it->next)
        if (path && strcmp(it->path, path) == 0)
            return it;
    return NULL;
}

static const tm__module *module_at(const tm__symbols *symbols, uint64_t address)
{
    const tm__module *it = symbols->modules;

    while (it && (address < it->begin || address >= it->end))
        it = it->next;
    return it;
}

/* Whether the file is still the one that the program has in memory. */
static int is_same_file(const tm__libdw *libdw, Dwfl_Module *module,
                        const tm__module *it)
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

static void put_library(tm__symbol *to, const char *library)
{
    snprintf(to->module, sizeof(to->module), "%s", library);
    to->build_id[0] = '\0';
}

static int is_of_rusts_library(const char *name)
{
    static const char *const crates[] = {"std::", "core::", "alloc::"};

    name += strspn(name, "<&*[");
    for (size_t i = 0; i < sizeof(crates) / sizeof(*crates); i++)
        if (strncmp(name, crates[i], strlen(crates[i])) == 0)
            return 1;
    return 0;
}

static void put_function(const tm__symbols *symbols, tm__symbol *to, const char *name)
{
    const char *library = tm__cpp_library_of(name);
    char rust[512], *plain = NULL;
    int status = 0;

    if (tm__rust_name(name, rust, sizeof(rust))) {
        snprintf(to->function, sizeof(to->function), "%s", rust);
        if (is_of_rusts_library(rust))
            put_library(to, "rust-std");
        return;
    }

    if (symbols->demangle && strncmp(name, "_Z", 2) == 0)
        plain = symbols->demangle(name, NULL, NULL, &status);
    snprintf(to->function, sizeof(to->function), "%s", plain ? plain : name);
    free(plain);
    if (tm__rust_old_name(to->function) && is_of_rusts_library(to->function))
        put_library(to, "rust-std");
    if (library && strncmp(to->module, library, strlen(library)) != 0)
        put_library(to, library);
}

/* A compiler that optimises a whole program adds to the names of what it moves:
 * "_ZN4rust5SHELF17h07ef6c8a1b2d3e4fE.llvm.667719398260353149". */
static void copy_function(const tm__symbols *symbols, tm__symbol *to, const char *name)
{
    const char *suffix = strstr(name, ".llvm.");
    char *cut = suffix ? strndup(name, (size_t)(suffix - name)) : NULL;

    put_function(symbols, to, cut ? cut : name);
    free(cut);
}

static void place_in(const tm__module *file, uint64_t address, tm__symbol *symbol)
{
    snprintf(symbol->module, sizeof(symbol->module), "%s", base_name(file->path));
    for (size_t i = 0; i < file->id_bytes; i++)
        snprintf(symbol->build_id + 2 * i, 3, "%02x", file->id[i]);
    symbol->offset = address - file->bias;
}

/* Without elfutils: the file that is loaded next below it. */
static void place_in_file(const tm__symbols *symbols, uint64_t address,
                          tm__symbol *symbol)
{
    const tm__module *nearest = NULL;

    for (const tm__module *it = symbols->modules; it; it = it->next)
        if (it->bias <= address && (!nearest || it->bias > nearest->bias))
            nearest = it;
    if (nearest)
        place_in(nearest, address, symbol);
}

/*
 * Where an address lies in which file.
 * @return NULL: the file is not the program's, or nobody can read it
 */
static Dwfl_Module *find_module(const tm__symbols *symbols, uint64_t address,
                                tm__symbol *symbol)
{
    const tm__libdw *libdw = symbols->libdw;
    Dwfl_Module *module =
        symbols->dwfl ? libdw->dwfl_addrmodule(symbols->dwfl, address) : NULL;
    const tm__module *it;
    const char *path;

    memset(symbol, 0, sizeof(*symbol));
    symbol->offset = address;
    if (!symbols->dwfl)
        place_in_file(symbols, address, symbol);
    if (!module)
        return NULL;
    path = libdw->dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    it = loaded_as(symbols, path);
    if (!it)
        return NULL;
    place_in(it, address, symbol);
    return is_same_file(libdw, module, it) ? module : NULL;
}

static void find_name(const tm__symbols *symbols, Dwfl_Module *module, uint64_t address,
                      unsigned type, tm__symbol *symbol)
{
    uint64_t offset = 0;
    Elf64_Sym sym;
    const char *name = symbols->libdw->dwfl_module_addrinfo(module, address, &offset,
                                                            &sym, NULL, NULL, NULL);

    if (!name || sym.st_size <= offset || ELF64_ST_TYPE(sym.st_info) != type)
        return;
    copy_function(symbols, symbol, name);
    symbol->within = offset;
}

/* A program that is stripped keeps the table by which exceptions find their way. */
static void find_begin(const tm__module *module, tm__symbol *symbol)
{
    int file = module ? tm__regular_file_open(module->path) : -1;

    if (file < 0)
        return;
    symbol->begin = tm__file_function(file, symbol->offset);
    close(file);
}

static void find_line(const tm__libdw *libdw, const tm__dwarf_die *unit,
                      uint64_t address, tm__symbol *symbol)
{
    tm__dwarf_die whole = *unit;
    Dwarf_Line *line = libdw->dwarf_getsrc_die(&whole, address);
    const char *source = line ? libdw->dwarf_linesrc(line, NULL, NULL) : NULL;

    if (!source || libdw->dwarf_lineno(line, &symbol->line) != 0)
        return;
    snprintf(symbol->source, sizeof(symbol->source), "%s", base_name(source));
}

/*
 * Put what was inlined at an address before the function that has its code.
 * @param file   the file that it lies in
 * @param chain  that function, with the line of the address
 */
static size_t put_inlined(tm__symbols *symbols, const tm__dwarf_die *unit,
                          uint64_t address, const tm__symbol *file, tm__symbol *chain)
{
    tm__inlined_call calls[TM__INLINED_MOST - 1];
    const tm__symbol outermost = *chain;
    size_t count = tm__inlined_calls_find(&symbols->units, symbols->libdw, unit,
                                          address, calls, TM__INLINED_MOST - 1);

    for (size_t i = 0; i < count; i++) {
        memcpy(chain[i].module, file->module, sizeof(file->module));
        memcpy(chain[i].build_id, file->build_id, sizeof(file->build_id));
        copy_function(symbols, &chain[i],
                      calls[i].mangled ? calls[i].mangled : calls[i].name);
        chain[i + 1] = outermost;
        memcpy(chain[i + 1].source, calls[i].source, sizeof(calls[i].source));
        chain[i + 1].line = calls[i].line;
    }
    return count + 1;
}

size_t tm__symbols_find_code(tm__symbols *symbols, uint64_t address,
                             tm__symbol chain[TM__INLINED_MOST])
{
    Dwfl_Module *module = find_module(symbols, address, chain);
    tm__symbol file;
    const tm__dwarf_die *unit;
    tm__dwarf_die functions;
    uint64_t bias;

    if (!module)
        return 1;
    file = *chain;
    find_name(symbols, module, address, STT_FUNC, chain);
    if (!*chain->function)
        find_begin(module_at(symbols, address), chain);
    /* Distributions compress its debug information, which takes longer to read than all
     * else of a dump, and nobody looks for a line of it. */
    if (tm__is_c_library(file.module))
        return 1;
    unit = tm__debug_unit_at(&symbols->units, symbols->libdw, module, address, &bias);
    /* A line is useless where the function into which it was inlined is not known. */
    if (!unit || !tm__debug_unit_functions(symbols->libdw, unit, &functions))
        return 1;
    find_line(symbols->libdw, unit, address - bias, chain);
    return put_inlined(symbols, &functions, address - bias, &file, chain);
}

/* "redis-server+0x1f2e80": a variable of a file without symbols. */
static void name_by_place(const tm__module *module, uint64_t address,
                          tm__symbol *symbol)
{
    if (!module)
        return;
    place_in(module, address, symbol);
    snprintf(symbol->function, sizeof(symbol->function), "%s+0x%llx", symbol->module,
             (unsigned long long)symbol->offset);
}

void tm__symbols_find_data(tm__symbols *symbols, uint64_t address, tm__symbol *symbol)
{
    Dwfl_Module *module = find_module(symbols, address, symbol);

    if (module)
        find_name(symbols, module, address, STT_OBJECT, symbol);
    if (!*symbol->function)
        name_by_place(module_at(symbols, address), address, symbol);
}

const tm__libdw *tm__symbols_libdw(const tm__symbols *symbols)
{
    return symbols->libdw;
}

struct Dwfl *tm__symbols_dwfl(const tm__symbols *symbols)
{
    return symbols->dwfl;
}

void tm__symbols_free(tm__symbols *symbols)
{
    if (!symbols)
        return;
    tm__debug_units_free(&symbols->units);
    if (symbols->dwfl)
        symbols->libdw->dwfl_end(symbols->dwfl);
    tm__modules_free(symbols->modules);
    free(symbols);
}
