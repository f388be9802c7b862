/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layouts of glibc's locks. Each function returns whether the word at an address,
 * that a thread waits for in the kernel, is part of such a lock, and describes it in
 * `wait`.
 */
#ifndef TM_NATIVE_INSPECT_GLIBC_WORDS_H
#define TM_NATIVE_INSPECT_GLIBC_WORDS_H

#include "inspect/target_state.h"

/** @param is_sure  the frames say that it is one: the layout need not fit */
int tm__glibc_mutex(const tm__target *target, tm__thread_wait *wait, uint64_t address,
                    uint32_t operation, uint32_t value, int is_sure);

int tm__glibc_rwlock(const tm__target *target, tm__thread_wait *wait, uint64_t address,
                     int hint);

int tm__glibc_condition(const tm__target *target, tm__thread_wait *wait,
                        uint64_t address, int is_sure);

int tm__glibc_barrier(const tm__target *target, tm__thread_wait *wait, uint64_t address,
                      uint32_t command, uint32_t value, int is_sure);

int tm__glibc_join(const tm__target *target, tm__thread_wait *wait,
                   const tm__task *task, uint64_t address, uint32_t operation,
                   uint32_t value);

int tm__glibc_stream(const tm__target *target, tm__thread_wait *wait, uint64_t address,
                     uint32_t value);

int tm__glibc_low_level(const tm__target *target, tm__thread_wait *wait,
                        uint64_t address, uint32_t value);

int tm__glibc_refused(tm__thread_wait *wait, const tm__task *task, uint64_t address,
                      uint32_t value);

/** Read again who owns what is waited for, as memory has it now. */
void tm__glibc_owner(const tm__target *target, tm__thread_wait *wait);

/** A thread by the address of what its C library knows of it; 0: of no thread. */
uint32_t tm__thread_of_descriptor(const tm__target *target, uint64_t address);

#endif
