/* SPDX-License-Identifier: Apache-2.0 */
/* A call of syscall(SYS_futex), whose words are the program's and may be wrong. */
#ifndef TM_NATIVE_INTERPOSE_FUTEX_WORDS_H
#define TM_NATIVE_INTERPOSE_FUTEX_WORDS_H

#include "interpose/lock.h"

/** FUTEX_LOCK_PI2, which older headers do not have. */
enum { LOCK_PI2 = 13 };

/* The six words of a call, as the kernel has them. */
typedef struct futex_call {
    const volatile void *word;
    long operation, value, fourth, fifth, sixth;
    const void *site;
} futex_call;

/** Makes the call. */
long tm__futex_ask(const futex_call *call);

/** Reads at an address of the program's. Where it cannot be read, `to` is not changed.
 * @return 0: no memory is mapped there, which the kernel then reports */
int tm__futex_read(const volatile void *from, void *to, size_t bytes);

/** FUTEX_WAIT takes a length, the others a time.
 * @return ns; 0: no timeout; -1: it cannot be read */
int64_t tm__futex_timeout_ns(int operation, const struct timespec *given);

#endif
