/* SPDX-License-Identifier: Apache-2.0 */
/* Sockets, files and other things that a thread waits for in the kernel, as named
 * objects. */
#ifndef TM_AGENT_IDENT_IO_OBJECTS_H
#define TM_AGENT_IDENT_IO_OBJECTS_H

#include <stdint.h>

#include <threadmodel/sink.h>

#include "ring/buffer.h"

/** An object, and whether a wait for it is idle. */
typedef struct tm__io_object {
    uint64_t id; ///< 0: there is no room to define it
    int is_idle; ///< what others begin of their own accord is awaited
} tm__io_object;

/**
 * The object of a call, which is defined where it is new: by the ring of a thread, or
 * by a sink for the writer.
 *
 * @param own   the calling thread's buffer; NULL: the sink is used
 * @param use   enum tm__call_use
 * @param fd    -1: none
 * @param name  of a TM__USE_NAME, a host for instance; NULL: not known
 */
tm__io_object tm__io_object_of(tm__buffer *own, const tm_sink *sink, uint32_t use,
                               int fd, const char *name);

/** Look which sockets of this process listen: clients are known by their ports. */
void tm__io_objects_look(void);

#endif
