/* SPDX-License-Identifier: Apache-2.0 */
/* Native methods of the JDK, and of Netty, that may wait in the kernel. */
#ifndef TM_AGENT_CAPTURE_IO_HOOKS_H
#define TM_AGENT_CAPTURE_IO_HOOKS_H

#include <jvmti.h>
#include <stdatomic.h>
#include <stddef.h>

/** A function of any form, which the VM takes as an address. */
typedef union tm__io_function {
    void (*function)(void);
    void *address;
} tm__io_function;

typedef struct tm__io_hook {
    const char *class; ///< as a signature; after a '*' how it ends, with any package
                       ///< before: libraries move Netty into theirs
    const char *name;
    const char *signature;
    tm__io_function ours;
    void *_Atomic original;      ///< NULL: it is not bound
    jfieldID _Atomic file_field; ///< of the object's FileDescriptor, once it is known
} tm__io_hook;

extern tm__io_hook tm__io_hooks[];
extern const size_t tm__io_hook_count;

/** Whether a class, by its signature, is that of a hook. */
int tm__io_hook_is_of(const tm__io_hook *hook, const char *class);

#endif
