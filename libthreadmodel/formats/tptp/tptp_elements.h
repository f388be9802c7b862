/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of the elements of TPTP XML, one after the other. */
#ifndef TM_FORMATS_TPTP_TPTP_ELEMENTS_H
#define TM_FORMATS_TPTP_TPTP_ELEMENTS_H

#include <threadmodel/sink.h>

#include "formats/notes.h"
#include "formats/tptp/tptp_ids.h"

typedef struct tm__tptp_trace {
    tm__memory *memory;
    const tm_sink *sink; ///< of the call
    int64_t unit_ns;     ///< of times
    tm__tptp_ids threads;
    tm__tptp_ids objects;
    tm__tptp_ids classes;
    tm__notes notes;
    char *text; ///< to make a class's name in
    uint32_t text_capacity;
} tm__tptp_trace;

void tm__tptp_trace_init(tm__tptp_trace *trace, tm__memory *memory, int64_t unit_ns);

/** @return 1: an element by which a trace is known; else 0 */
int tm__tptp_is_element(const char *name, size_t length);

/**
 * Take an element. One that is not of threads or monitors means nothing; one that
 * cannot be read is noted as damage.
 *
 * @param attributes  names and values by turns, NULL at the end
 * @param offset      of its first byte, for texts
 * @return TM_OK, TM_ENOMEM, or what the sink returned
 */
int tm__tptp_trace_read(tm__tptp_trace *trace, const char *name,
                        const char **attributes, uint64_t offset);

void tm__tptp_trace_free(tm__tptp_trace *trace);

#endif
