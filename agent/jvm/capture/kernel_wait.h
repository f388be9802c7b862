/* SPDX-License-Identifier: Apache-2.0 */
/* A call that may wait in the kernel, from its beginning to its end. */
#ifndef TM_AGENT_CAPTURE_KERNEL_WAIT_H
#define TM_AGENT_CAPTURE_KERNEL_WAIT_H

#include <jvmti.h>
#include <stdint.h>

#include "ring/buffer.h"

typedef struct tm__kernel_wait {
    tm__buffer *buffer; ///< NULL: it is not followed
    int64_t since_ns;
    uint64_t thread;
    uint64_t begun; ///< events of the thread by then
    uint32_t session;
    uint32_t use;
    int fd;
} tm__kernel_wait;

/**
 * Begin a call. A virtual thread's read or write of a socket never waits in the kernel
 * and is not followed.
 *
 * @param use    enum tm__call_use
 * @param bytes  that it moves; many may take a processor for long
 */
void tm__kernel_wait_begin(tm__kernel_wait *wait, JNIEnv *jni, uint32_t use, int fd,
                           int64_t bytes);

/**
 * End it, and report it if the thread left its processor. A pending exception and errno
 * stay.
 * @param name  as for tm__io_object_of()
 */
void tm__kernel_wait_end(tm__kernel_wait *wait, const char *name);

/** Whether tm__kernel_wait_end() will report it: a name is worth its cost then. */
int tm__kernel_wait_is_long(const tm__kernel_wait *wait);

#endif
