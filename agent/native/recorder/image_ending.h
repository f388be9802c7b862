/* SPDX-License-Identifier: Apache-2.0 */
/* How a process ended, and what its trace is called. */
#ifndef TM_NATIVE_RECORDER_IMAGE_ENDING_H
#define TM_NATIVE_RECORDER_IMAGE_ENDING_H

#include "recorder/whole_recorder.h"

/** Give the trace that is at a path the name that was asked for, if that can be. */
void tm__recorder_name_trace(tm__recorder *it, char path[4096]);

/** Another trace than the one that was asked for is complete. */
void tm__recorder_add_other(tm__recorder *it, const char *path);

/** The end of a process is an instant of its trace, whenever the last event was. */
void tm__image_watch_end(tm__recorder *it, tm__image *image, uint64_t now);

/** Whether another program runs in its process by now. */
int tm__image_was_replaced(const tm__recorder *it, const tm__image *image);

/** The rest of its end. A program that another one replaced in its process has no
 * status. */
void tm__image_note_ending(tm__recorder *it, tm__image *image);

#endif
