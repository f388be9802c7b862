/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes of the calling thread's ring. A record is written where it lies and then shown
 * to the recorder by the ring's head.
 */
#ifndef TM_NATIVE_RECORD_OWN_RING_H
#define TM_NATIVE_RECORD_OWN_RING_H

#include <stddef.h>
#include <stdint.h>

#include "layout/region.h"

/** @return room for so many bytes in one piece, not shown yet; NULL: there is none */
tm__record *tm__ring_reserve(tm__ring *ring, uint32_t bytes);

/** Show what was written there. */
void tm__ring_commit(tm__ring *ring, uint32_t bytes);

/** A record with a payload in two pieces, as there may be no stack to join them.
 * @return 0, or -1 if it finds no room */
int tm__ring_write_pieces(tm__ring *ring, int kind, uint64_t object, uint64_t peer,
                          const void *first, size_t first_bytes, const void *second,
                          size_t second_bytes);

#endif
