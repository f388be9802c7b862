/* SPDX-License-Identifier: Apache-2.0 */
/* A sink in which every callback can be called. */
#ifndef TM_BASE_SINK_H
#define TM_BASE_SINK_H

#include <threadmodel/sink.h>

/**
 * Copy a caller's sink; in place of each callback that is NULL stands one that does
 * nothing.
 *
 * @return TM_OK, or TM_EINVAL for a size that cannot be
 */
int tm__sink_read(tm_sink *out, const tm_sink *given);

#endif
