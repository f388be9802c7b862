/* SPDX-License-Identifier: Apache-2.0 */
/* Error texts: written once, by whoever detects, never by whoever relays. */
#ifndef TM_BASE_ERROR_H
#define TM_BASE_ERROR_H

#include <threadmodel/error.h>

#include "base/printf.h"

/**
 * Set the calling thread's error text: one impersonal line with the value that
 * was wrong.
 * @return code, so that a failing function can end with `return tm__fail(...)`
 */
int tm__fail(int code, const char *format, ...) TM__PRINTF(2, 3);

/**
 * The same for a system call that failed: "path: No such file or directory".
 * @param number  errno
 * @return TM_EIO; TM_ENOMEM
 */
int tm__fail_system(const char *path, int number);

/**
 * The code of the calling thread's last failure, for a caller that relays it: what
 * fails for memory (TM_ENOMEM) may also have reached a stated limit (TM_ELIMIT).
 * @return the code that tm__fail() was called with
 */
int tm__failure(void);

/**
 * One checked argument at the top of a public function. Misuse aborts where
 * assertions are on, and is TM_EINVAL in release.
 */
#ifdef TM_DEBUG
#include <assert.h>
#define TM__CHECK(condition) assert(condition)
#else
#define TM__CHECK(condition)                                                           \
    do {                                                                               \
        if (!(condition))                                                              \
            return tm__fail(TM_EINVAL, "%s: not so: %s", __func__, #condition);        \
    } while (0)
#endif

#endif
