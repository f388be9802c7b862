/* SPDX-License-Identifier: Apache-2.0 */
/* The object of a wait in a function of the C library or of a runtime. */
#ifndef TM_FORMATS_JSTACK_NATIVE_WAITS_H
#define TM_FORMATS_JSTACK_NATIVE_WAITS_H

#include "formats/jstack/parse_state.h"

enum {
    TM__NATIVE_FRAMES = 12 ///< within so many the function stands that waits
};

/** The name that stands for the class of the C library's functions. */
#define TM__NATIVE_LIBRARY "libc"

/**
 * Take a function of the last thread's stack, before it becomes a frame.
 * @param function   "__GI___pthread_mutex_lock", "std::mutex::lock"
 * @param arguments  "(mutex=mutex@entry=0x5641e175c180 <orders>) at ..."; or empty
 * @return TM_OK or TM_ENOMEM
 */
int tm__native_wait_read(tm__jstack_dump *dump, tm__slice function,
                         tm__slice arguments);

/** Whether a thread that is in the function waits. */
int tm__native_is_wait(tm__slice function);

/** Whether the class that stands for a file or library is of the C library or of C++'s.
 */
int tm__native_is_library(const char *class_name);

#endif
