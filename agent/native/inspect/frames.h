/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks of threads, by elfutils' unwinder on the memory of the process. A thread that
 * waits in the kernel shows its stack pointer there, which is enough for code that
 * addresses its frames by it. Where a frame pointer is needed that no call has saved,
 * the thread is stopped for a moment and all of its registers are read.
 */
#ifndef TM_NATIVE_INSPECT_FRAMES_H
#define TM_NATIVE_INSPECT_FRAMES_H

#include "inspect/target_state.h"

/** Fill in the frames of threads that have moved, and do not run. */
void tm__frames_read(tm__target *target);

/** Stop the threads whose stacks are not whole, one after the other. */
void tm__frames_read_stopped(tm__target *target);

/** The functions of a return address, those inlined first. @return how many */
size_t tm__frame_names(tm__target *target, uint64_t address, int is_innermost,
                       const tm__symbol **chain);

/** The name of its function; "": not known. */
const char *tm__frame_function(tm__target *target, uint64_t address, int is_innermost);

/** Whether a frame is the recorder's library's, which the program does not know. */
int tm__is_of_recorder(const tm__symbol *frame);

/** Forget all names. */
void tm__frames_forget(void);

#endif
