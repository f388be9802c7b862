/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For a wheel's compiler, ahead of every source: what we use and glibc 2.17 lacks. The
 * kernel's own header, unlike libc's, is the same whatever feature macros follow.
 */
#include <asm/unistd.h>

long syscall(long number, ...);

#define getrandom(bytes, count, flags) syscall(__NR_getrandom, bytes, count, flags)
