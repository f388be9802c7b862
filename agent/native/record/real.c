/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dlsym takes the loader's lock, which we do not interpose, and allocates only to
 * report that a name is missing. The names that every C library has come first, so that
 * an allocator that locks a mutex in there finds them.
 */
#include "record/real.h"

#include <dlfcn.h>
#include <features.h>

tm__real tm__the_real;

/* glibc has two kinds of condition functions. Before release 2.36 dlsym() returns the
 * old ones of a library behind ours, which take a condition for a pointer. */
#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__i386__))
#define FIND_NEW(name)                                                                 \
    {                                                                                  \
        void *new = dlvsym(RTLD_NEXT, #name, "GLIBC_2.3.2");                           \
                                                                                       \
        if (new)                                                                       \
            *(void **)&tm__the_real.name = new;                                        \
    }
#else
#define FIND_NEW(name)
#endif

void tm__real_find(void)
{
#define FIND(result, name, arguments)                                                  \
    if (!tm__the_real.name)                                                            \
        *(void **)&tm__the_real.name = dlsym(RTLD_NEXT, #name);
    TM__REAL_IO_FUNCTIONS(FIND)
    TM__REAL_FUNCTIONS(FIND)
    TM__REAL_IO_ALIASES(FIND)
    TM__REAL_CPP_FUNCTIONS(FIND)
#undef FIND
    /* After the names that an allocator may need. */
    FIND_NEW(pthread_cond_wait)
    FIND_NEW(pthread_cond_timedwait)
    FIND_NEW(pthread_cond_signal)
    FIND_NEW(pthread_cond_broadcast)
}
