/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that are not recorded, or whose threads had nothing to do with one another.
 */
#ifndef TM_NATIVE_RECORDER_UNSEEN_PROGRAMS_H
#define TM_NATIVE_RECORDER_UNSEEN_PROGRAMS_H

#include "recorder/whole_recorder.h"

/** @return the last program in a process; NULL: none is recorded */
tm__image *tm__recorder_image_of(const tm__recorder *it, uint32_t pid);

/** Note a child whose threads had nothing to do with one another: it has no trace. */
void tm__recorder_note_eventless(tm__recorder *it, const tm__image *image);

/** Look for processes that a process starts and that show up in no ring. */
void tm__recorder_look_for_children(tm__recorder *it, tm__image *image);

/** A shell that has become, or has started, what did not load our library: which it was
 * is for whoever says why. */
void tm__recorder_look_for_unseen(tm__recorder *it, const tm__image *image);

#endif
