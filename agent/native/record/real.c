/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dlsym takes the loader's lock, which is no lock of ours, and allocates only to report
 * that a name is missing. The names that every C library has come first, so that an
 * allocator that locks a mutex in there finds them.
 */
#include "record/real.h"

#include <dlfcn.h>

tm__real tm__the_real;

void tm__real_find(void)
{
#define FIND(result, name, arguments)                                                  \
    if (!tm__the_real.name)                                                            \
        *(void **)&tm__the_real.name = dlsym(RTLD_NEXT, #name);
    TM__REAL_FUNCTIONS(FIND)
#undef FIND
}
