/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program in a process: new after a fork and after an exec. It has a trace of its
 * own, and a model that looks for deadlocks while it runs.
 */
#ifndef TM_NATIVE_RECORDER_IMAGE_H
#define TM_NATIVE_RECORDER_IMAGE_H

#include "recorder/image_state.h"

/**
 * @param has_switches  the kernel's numbers of its threads are those seen here
 * @param live_bytes    what the model may take that follows it
 */
tm__image *tm__image_new(uint64_t id, uint32_t pid, const char *output,
                         int64_t start_ns, int records_io, int has_switches,
                         size_t live_bytes);

/** A process that it started has no trace. @param program  path of what it runs */
void tm__image_add_child(tm__image *image, uint32_t pid, const char *program);

/** Such a child has a trace after all. */
void tm__image_drop_child(tm__image *image, uint32_t pid);

/** The recording of it is over. @return 0, or -1 if its trace is not complete */
int tm__image_close(tm__image *image);

#endif
