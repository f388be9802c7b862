/* SPDX-License-Identifier: Apache-2.0 */
/* Goroutines in system calls, and waits as such. */
#ifndef TM_FORMATS_GO_GO_SYSCALLS_H
#define TM_FORMATS_GO_GO_SYSCALLS_H

#include "formats/go/go_step.h"

/** A goroutine begins to wait, is woken, and no longer waits. */
void tm__go_begin_wait(const tm__go_step *at, tm__go_goroutine *it, int kind,
                       uint64_t object, uint32_t stack);
void tm__go_wake(const tm__go_step *at, tm__go_goroutine *it, uint64_t waker,
                 uint32_t stack);
void tm__go_end_wait(const tm__go_step *at, tm__go_goroutine *it);

int tm__go_on_syscall_begin(const tm__go_step *at);
int tm__go_on_syscall_end(const tm__go_step *at);
int tm__go_on_syscall_end_blocked(const tm__go_step *at);
int tm__go_on_create_syscall(const tm__go_step *at);
int tm__go_on_destroy_syscall(const tm__go_step *at);

#endif
