/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries of the JDK that the process has loaded. */
#ifndef TM_AGENT_SESSION_LOADED_LIBRARIES_H
#define TM_AGENT_SESSION_LOADED_LIBRARIES_H

#include "capture/io_hooks.h"

enum { TM__LIBRARIES = 4 };

/** Libraries of the JDK, by handle. */
typedef struct tm__libraries {
    void *handles[TM__LIBRARIES];
    int count;
} tm__libraries;

/** Open them, not while they are listed: the list is locked then, and a thread that
 * loads a library wants that lock with the one that dlopen takes. */
void tm__libraries_open(tm__libraries *out);

/** The function of a hook that the VM would bind, by the name that JNI gives it. */
void *tm__libraries_find(const tm__libraries *from, const tm__io_hook *hook);

#endif
