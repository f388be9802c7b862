/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads by the kernel's numbers. Several have had a number, one after the other: the
 * kernel gives it again, and a thread that detaches from the VM may attach again.
 */
#ifndef TM_AGENT_WRITER_OS_THREADS_H
#define TM_AGENT_WRITER_OS_THREADS_H

#include <stddef.h>
#include <stdint.h>

#include "ring/buffer.h"

/** Make room for so many, and have none of them yet. @return 0; -1: no memory, and no
 * thread will be found */
int tm__os_threads_open(size_t count);

int tm__os_threads_are_open(void);

/** Add one; there is room for it. */
void tm__os_threads_put(tm__buffer *buffer);

/** @return the thread that had a number at a time, or NULL */
tm__buffer *tm__os_thread_find(uint64_t os_id, int64_t time_ns);

/** The threads one after the other. @param[in,out] at  0 at first @return NULL: that
 * was all */
tm__buffer *tm__os_thread_next(size_t *at);

void tm__os_threads_close(void);

#endif
