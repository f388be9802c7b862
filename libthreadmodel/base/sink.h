/* SPDX-License-Identifier: Apache-2.0 */
/* A sink in which every callback can be called. */
#ifndef TM_BASE_SINK_H
#define TM_BASE_SINK_H

#include <threadmodel/sink.h>

/** Set the size, and in place of each callback that is NULL one that does nothing. */
void tm__sink_fill(tm_sink *sink);

/**
 * Copy a caller's sink and fill it.
 *
 * @return TM_OK, or TM_EINVAL for a size that cannot be
 */
int tm__sink_read(tm_sink *out, const tm_sink *given);

#endif
