/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calling thread as one that is recorded: from its first call on to its end, in
 * this process or in a fork of it.
 */
#ifndef TM_NATIVE_RECORD_THREAD_ATTACH_H
#define TM_NATIVE_RECORD_THREAD_ATTACH_H

#include "record/own_thread.h"

/** The slow half of tm__ring_here(): a new thread, a fork, or nothing to do. */
tm__ring *tm__ring_attach(void);

/** The calling thread's ring; NULL: it is not recorded. */
static inline tm__ring *tm__ring_here(void)
{
    if (__builtin_expect(tm__the_self.image == *tm__the_image, 1))
        return tm__the_self.ring;
    return tm__ring_attach();
}

/** The calling thread is the one that a ring was claimed for. */
void tm__ring_adopt(tm__ring *ring);

/** The calling thread may not read the processor's counter any more, nor may those that
 * it creates: nothing is recorded of it from now on. */
void tm__ring_leave(void);

/** Map the region and attach the first thread; once a process image. */
void tm__process_begin(void);

#endif
