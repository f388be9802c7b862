/* SPDX-License-Identifier: Apache-2.0 */
/* How a process ended, and what its trace is called. */
#ifndef TM_NATIVE_RECORDER_IMAGE_ENDING_H
#define TM_NATIVE_RECORDER_IMAGE_ENDING_H

#include "recorder/whole_recorder.h"

/** Give the trace that is at a path the name that was asked for, if that can be. */
void tm__recorder_name_trace(tm__recorder *it, char path[4096]);

/** The trace of an image that is about to be closed. */
void tm__recorder_describe_ended(const tm__recorder *it, const tm__image *image,
                                 tm__ended *ended);

/** A trace is complete: it is kept, or has no name to itself. */
void tm__recorder_settle(tm__recorder *it, const tm__ended *ended, int is_wanted);

/** The trace of interest has the name: the spare one is as any other. */
void tm__recorder_drop_spare(tm__recorder *it);

/** Print the traces, and the processes that have none. */
void tm__recorder_print_traces(const tm__recorder *it);

/** The end of a process is an instant of its trace, whenever the last event was. */
void tm__image_watch_end(tm__recorder *it, tm__image *image, uint64_t now);

/** Whether another program runs in its process by now. */
int tm__image_was_replaced(const tm__recorder *it, const tm__image *image);

/** The rest of its end. A program that another one replaced in its process has no
 * status. */
void tm__image_note_ending(tm__recorder *it, tm__image *image);

#endif
