/* SPDX-License-Identifier: Apache-2.0 */
#include "names/libdw.h"

#include <dlfcn.h>
#include <stdio.h>

static char *the_debug_path; /* the default: where the distribution puts them */

/* @return 0: a function is missing */
static int find(tm__libdw *libdw, void *library)
{
#define TM__LIBDW_FIND(result, name, arguments)                                        \
    *(void **)&libdw->name = dlsym(library, #name);                                    \
    if (!libdw->name)                                                                  \
        return 0;
    TM__LIBDW_FUNCTIONS(TM__LIBDW_FIND)
#undef TM__LIBDW_FIND
    libdw->callbacks.find_elf = dlsym(library, "dwfl_build_id_find_elf");
    libdw->callbacks.find_debuginfo = dlsym(library, "dwfl_standard_find_debuginfo");
    libdw->callbacks.section_address = dlsym(library, "dwfl_offline_section_address");
    libdw->callbacks.debuginfo_path = &the_debug_path;
    return libdw->callbacks.find_elf && libdw->callbacks.find_debuginfo &&
           libdw->callbacks.section_address;
}

const tm__libdw *tm__libdw_load(void)
{
    static tm__libdw the_libdw;
    static enum { UNTRIED, FOUND, MISSING } found;
    void *library;

    if (found == UNTRIED) {
        library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
        found = library && find(&the_libdw, library) ? FOUND : MISSING;
        if (found == MISSING)
            fprintf(stderr, "threadmodel: libdw.so.1 of elfutils is not installed: "
                            "frames are offsets in files, without names\n");
    }
    return found == FOUND ? &the_libdw : NULL;
}
