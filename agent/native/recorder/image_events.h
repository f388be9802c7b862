/* SPDX-License-Identifier: Apache-2.0 */
/* From a program in a process into its trace and its model: events and what they name.
 */
#ifndef TM_NATIVE_RECORDER_IMAGE_EVENTS_H
#define TM_NATIVE_RECORDER_IMAGE_EVENTS_H

#include "recorder/image_state.h"

/** Print what failed, with the error's text. */
void tm__image_report_error(const tm__image *image, const char *what);

/** Emit an event; its object is an id. */
void tm__image_emit(tm__image *image, const tm_event *event);

/** Hand over what was emitted. */
void tm__image_flush(tm__image *image);

/** It needs a place for an item, which is all zero; NULL: there is no memory. */
tm__item *tm__image_add_item(tm__image *image);

#endif
