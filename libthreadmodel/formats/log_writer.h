/* SPDX-License-Identifier: Apache-2.0 */
/* What a format has to offer to be written: one constant of tm__log_kind each. */
#ifndef TM_FORMATS_LOG_WRITER_H
#define TM_FORMATS_LOG_WRITER_H

#include <threadmodel/event.h>
#include <threadmodel/log.h>

#include "base/output.h"

/** Neither format can tell a reader from a writer, or a condition from a monitor, and
 * without that the event would say something else. */
enum { TM__LOG_CANNOT_SAY = TM_EVENT_SHARED | TM_EVENT_NOT_OWNED };

struct tm_log_writer {
    tm__memory memory;
    tm_sink sink;
    const struct tm__log_kind *kind;
    void *state; ///< the format's own
    uint64_t dropped[TM_EVENT_KIND_END];
};

typedef struct tm__log_kind {
    /** Set writer->state, and those of the sink's callbacks that the format has a place
     *  for, `events` among them; their payload is the writer.
     *  @return TM_OK, TM_ENOMEM, TM_EIO, TM_EINVAL; close() is called in any case */
    int (*open)(tm_log_writer *writer, const char *path,
                const tm_log_writer_options *options);

    /** Free writer->state, if there is one. @return TM_OK or TM_EIO */
    int (*close)(tm_log_writer *writer);
} tm__log_kind;

extern const tm__log_kind tm__log_contention;
extern const tm__log_kind tm__log_tptp;

/** Count an event that is left out. @return TM_OK */
int tm__log_drop(tm_log_writer *writer, const tm_event *event);

/** Time in a unit, with nine digits behind the point. */
void tm__log_put_time(tm__output *output, int64_t ns, int64_t unit_ns);

#endif
