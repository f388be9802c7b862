/* SPDX-License-Identifier: Apache-2.0 */
/* The names of threads: as they set it, or after the routine that they run. */
#ifndef TM_NATIVE_RECORDER_THREAD_NAMES_H
#define TM_NATIVE_RECORDER_THREAD_NAMES_H

#include "recorder/reader_table.h"

/** Learn the name of a thread that began, while the kernel still knows it. */
void tm__thread_read_name(tm__ring_reader *reader);

/** The event of a thread's begin is next. */
void tm__thread_begins(const tm__item *item);

/** An event with a stack of its thread is next. */
void tm__thread_shows_stack(const tm__item *item);

/** The event of a name is next. */
void tm__thread_renamed(const tm__item *item, const tm__readers *readers);

#endif
