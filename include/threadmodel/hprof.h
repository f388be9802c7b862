/* SPDX-License-Identifier: Apache-2.0 */
/* HPROF's binary format, "JAVA PROFILE 1.0.2": threads, stacks and CPU samples. */
#ifndef TM_AGENT_WRITER_HPROF_BINARY_H
#define TM_AGENT_WRITER_HPROF_BINARY_H

#include <stdint.h>

#include <threadmodel/sink.h>
#include <threadmodel/table.h>

#include "vm/options.h"

typedef struct tm__hprof tm__hprof;

/**
 * Begin a file.
 * @param[out] out   close() it; NULL on failure
 * @param write      takes all bytes or returns a negative code
 * @param options    lineno, thread, cutoff, depth
 * @param wall_ns    since 1970, now
 * @param now_ns     the same instant on the events' clock
 * @return TM_OK, TM_ENOMEM
 */
int tm__hprof_open(tm__hprof **out, tm_write_fn write, void *payload,
                   const tm__options *options, int64_t wall_ns, int64_t now_ns);

/** What fills it. */
const tm_sink *tm__hprof_sink(tm__hprof *hprof);

/** Write what there is so far. @return TM_OK or what `write` returned */
int tm__hprof_flush(tm__hprof *hprof);

/** Write the sums of the samples, and free. @return TM_OK, TM_ENOMEM or of `write` */
int tm__hprof_close(tm__hprof *hprof);

#endif
