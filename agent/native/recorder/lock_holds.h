/* SPDX-License-Identifier: Apache-2.0 */
/* The locks that threads own, as far as was emitted. */
#ifndef TM_NATIVE_RECORDER_LOCK_HOLDS_H
#define TM_NATIVE_RECORDER_LOCK_HOLDS_H

#include "recorder/reader_table.h"

/** Emit what a thread did earlier, as others have shown: it may be off its processor by
 * now. @param reader  of its thread; NULL: that has none any more */
void tm__image_emit_late(tm__image *image, tm__ring_reader *reader,
                         const tm_event *event);

/** A thread acquires a lock. @return whether it is news */
int tm__hold_acquire(tm__item *item, const tm__readers *readers,
                     tm__native_object *object);

/** A thread releases a lock. @return whether it is news */
int tm__hold_let_go(const tm__item *item, tm__native_object *object);

/** A thread ends with locks that it owns alone: nobody will release them. */
void tm__holds_leave(tm__ring_reader *reader);

/** Whether a thread has a lock for which there may be several owners. */
int tm__holds_share(const tm__ring_reader *reader, const tm__native_object *object);

/** Emit releases that no record states, after two rounds without the hold. */
void tm__holds_close(tm__ring_reader *reader, const tm__readers *readers,
                     int64_t now_ns);

#endif
