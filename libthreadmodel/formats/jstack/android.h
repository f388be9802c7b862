/* SPDX-License-Identifier: Apache-2.0 */
/* Parts that only dumps of Android have. */
#ifndef TM_FORMATS_JSTACK_ANDROID_H
#define TM_FORMATS_JSTACK_ANDROID_H

#include "formats/jstack/parse_state.h"

/**
 * Read Android's own words for a state: "Native", "Timed Waiting".
 * @param text  begins with them
 * @return 1, thread->known_state is set, and of one that ran native code it is native;
 *         0: the text has no such word
 */
int tm__android_state(tm__slice text, tm__jstack_thread *thread);

/** @return 1: the line is `main (timed waiting):tid=1 systid=12425` of Crashlytics */
int tm__android_heading(tm__slice line, tm__jstack_thread *thread);

/** Read "| sysTid=3754 nice=0", "| state=S schedstat=( 0 0 0 )". */
void tm__android_property(tm__slice line, tm__jstack_thread *thread);

/**
 * Read "#00 pc 0x341a0 /apex/lib64/bionic/libc.so (syscall+32)" of the last thread.
 * @return 1: it is such a line; 0: it is not; or TM_ENOMEM
 */
int tm__android_native_frame(tm__jstack_dump *dump, tm__slice line);

#endif
