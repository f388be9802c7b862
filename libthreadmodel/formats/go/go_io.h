/* SPDX-License-Identifier: Apache-2.0 */
/* Waits of goroutines that are I/O: see go_io.c. */
#ifndef TM_FORMATS_GO_GO_IO_H
#define TM_FORMATS_GO_GO_IO_H

#include "formats/go/go_frames.h"

/** A wait outside of the program. */
typedef struct tm__go_io {
    uint32_t kind;       ///< enum tm_object_kind; 0: it waits for something else
    int is_idle;         ///< it is for what others begin of their own accord
    uint64_t read_place; ///< a hash of the place, if it reads a connection; else 0
    int is_accept;       ///< it accepts connections, also if it does not wait
    const char *reason;  ///< its class: "network"
    const char *name;    ///< what the object's name begins with, before the place
    tm__go_frame place;  ///< who asked for it, outside of Go's own packages if anybody
} tm__go_io;

/** @param reason  as the runtime gives it, "select", or "syscall" */
tm__go_io tm__go_io_of(const tm__go_generation *generation, const tm__go_stack *stack,
                       tm__go_text reason);

#endif
