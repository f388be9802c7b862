/* SPDX-License-Identifier: Apache-2.0 */
/* A sink before a sink, which lets pass what was asked for. */
#ifndef TM_FORMATS_FILTER_H
#define TM_FORMATS_FILTER_H

#include <threadmodel/sink.h>

typedef struct tm__filter {
    tm_sink sink;
    const tm_sink *next;
    uint64_t kinds; ///< bit k: events of kind k pass
    uint32_t flags; ///< enum tm_source_flag
    uint32_t is_needed;
} tm__filter;

/** As in tm_source_options. The filter is not to be moved. */
void tm__filter_init(tm__filter *filter, uint64_t kinds, uint32_t flags);

/** @return the sink to emit into instead of `next`; `next` itself where all passes */
const tm_sink *tm__filter_before(tm__filter *filter, const tm_sink *next);

/** Tell the next sink that not all may come. @return TM_OK, or what it said */
int tm__filter_emit_caveat(tm__filter *filter);

#endif
