/* SPDX-License-Identifier: Apache-2.0 */
/* The endpoints of this process, by descriptor. */
#ifndef TM_NATIVE_RECORD_ENDPOINTS_H
#define TM_NATIVE_RECORD_ENDPOINTS_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/socket.h>

#include "endpoint/endpoint.h"
#include "layout/region.h"

enum { TM__DESCRIPTORS = 65536 };

/** Values of tm__the_descriptors: nothing is known, or it is not a socket. */
enum { TM__NOT_KNOWN = 0, TM__NO_SOCKET = 1 };

/** Keys of endpoints. Descriptors beyond those are looked up each time. */
extern _Atomic uint64_t tm__the_descriptors[TM__DESCRIPTORS];

/** A descriptor is another thing from now on. */
static inline void tm__descriptor_changed(int fd)
{
    if (fd >= 0 && fd < TM__DESCRIPTORS)
        atomic_store_explicit(&tm__the_descriptors[fd], TM__NOT_KNOWN,
                              memory_order_relaxed);
}

void tm__descriptors_changed(unsigned first, unsigned last);

/** The key of a call's endpoint at its begin. The key of a file is looked up at the
 * end. */
uint64_t tm__endpoint_at_begin(tm__ring *ring, uint32_t use, int fd);

/** The same at its end, exact: the recorder knows it from then on. */
uint64_t tm__endpoint_at_end(tm__ring *ring, uint64_t begun, uint32_t use, int fd,
                             const char *host);

/** The peer of a connect. */
uint64_t tm__endpoint_at_connect(tm__ring *ring, const struct sockaddr *address,
                                 socklen_t bytes);

#endif
