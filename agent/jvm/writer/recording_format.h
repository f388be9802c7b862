/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output of a recording, by the option format: a trace, or one of HPROF's files;
 * and besides, by doe, a report on stderr. Knows nothing of the VM.
 */
#ifndef TM_AGENT_WRITER_RECORDING_FORMAT_H
#define TM_AGENT_WRITER_RECORDING_FORMAT_H

#include <stdint.h>

#include <threadmodel/sink.h>
#include <threadmodel/table.h>

#include "vm/options.h"

/**
 * Begin.
 * @param write    takes all bytes, in whole pieces
 * @param options  lent until the end
 * @param wall_ns  since 1970, now
 * @param now_ns   the same instant on the events' clock
 * @return TM_OK, TM_ENOMEM, or what `write` returned
 */
int tm__recording_format_open(tm_write_fn write, void *payload,
                              const tm__options *options, int64_t wall_ns,
                              int64_t now_ns);

/** The sink that fills it; NULL: there is none. */
const tm_sink *tm__recording_format_sink(void);

/** Have all that was emitted written. @return TM_OK, TM_ENOMEM, or of `write` */
int tm__recording_format_flush(void);

/** @return events that are written, of a trace; else 0 */
uint64_t tm__recording_format_events(void);

/**
 * Write the rest and the reports. To close what is not open does nothing.
 * @return TM_OK, TM_ENOMEM, or what `write` returned
 */
int tm__recording_format_close(void);

#endif
