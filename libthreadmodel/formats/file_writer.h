/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of a format that can be written: one constant of tm__writer_kind each.
 */
#ifndef TM_FORMATS_FILE_WRITER_H
#define TM_FORMATS_FILE_WRITER_H

#include <threadmodel/event.h>
#include <threadmodel/writer.h>

#include "base/output.h"

/** Neither format of logs can tell a reader from a writer, or a condition from a
 * monitor, and without that the event would say something else. */
enum { TM__LOG_LEFT_OUT = TM_EVENT_SHARED | TM_EVENT_NOT_OWNED };

struct tm_writer {
    tm__memory memory;
    tm_sink sink;
    const struct tm__writer_kind *kind;
    void *state; ///< the format's own
    uint64_t dropped[TM_EVENT_KIND_END];
};

typedef struct tm__writer_kind {
    /** Set writer->state, and those of the sink's callbacks that the format has a place
     *  for, `events` among them; their payload is the writer, unless changed. Either
     *  path or options->write is set.
     *  @return TM_OK, or a code; close() is called in any case */
    int (*open)(tm_writer *writer, const char *path, const tm_writer_options *options);

    /** Hand on what is held. @return TM_OK or a code */
    int (*flush)(tm_writer *writer);

    /** @return bytes handed on */
    uint64_t (*bytes)(const tm_writer *writer);

    /** Free writer->state, if there is one. @return TM_OK or a code */
    int (*close)(tm_writer *writer);
} tm__writer_kind;

extern const tm__writer_kind tm__writer_contention;
extern const tm__writer_kind tm__writer_tptp;

/** Count an event that is left out. @return TM_OK */
int tm__log_drop(tm_writer *writer, const tm_event *event);

/** Time in a unit, with nine digits behind the point. */
void tm__log_put_time(tm__output *output, int64_t ns, int64_t unit_ns);

#endif
