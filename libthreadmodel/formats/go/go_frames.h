/* SPDX-License-Identifier: Apache-2.0 */
/* The frames of a goroutine's stack. */
#ifndef TM_FORMATS_GO_GO_FRAMES_H
#define TM_FORMATS_GO_GO_FRAMES_H

#include "formats/go/go_generation.h"

/** A frame of a stack. */
typedef struct tm__go_frame {
    tm__go_text function;
    tm__go_text file; ///< without folders
    int32_t line;
} tm__go_frame;

/** @return the frame at a cursor, which goes on to the next one outwards */
tm__go_frame tm__go_next_frame(const tm__go_generation *generation, tm__cursor *cursor);

#endif
