/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a thread of Java, by its innermost frames. */
#ifndef TM_FORMATS_DUMP_JAVA_STATE_H
#define TM_FORMATS_DUMP_JAVA_STATE_H

#include "formats/dump/dump_state.h"

/** @return 1: a frame is of this class, and of a method that begins so */
int tm__dump_is_method(const tm__dump *dump, uint32_t frame, const char *class_name,
                       const char *name);

/** @return the class of a frame's method; 0: unknown */
uint32_t tm__dump_class_of(const tm__dump *dump, uint32_t frame);

/** Whether a state of Java has a timeout: TIMED_WAITING. */
int tm__dump_is_timed(tm__slice java_state);

/**
 * The true state of a thread that Java calls WAITING, TIMED_WAITING or BLOCKED, by its
 * innermost frames.
 * @param[out] wait_depth  of the frame that called Object.wait; TM__NONE: no wait
 * @return enum tm_state
 */
int tm__dump_state(const tm__dump *dump, tm__slice java_state, const uint32_t *frames,
                   uint32_t frame_count, uint32_t *wait_depth);

#endif
