/* SPDX-License-Identifier: Apache-2.0 */
/* From the threads of a text dump to those that all dumps have in common. */
#ifndef TM_FORMATS_JSTACK_FILL_H
#define TM_FORMATS_JSTACK_FILL_H

#include "formats/jstack/fill_state.h"

void tm__jstack_fill_init(tm__jstack_fill *fill, tm__memory *memory, tm__dump *dump);

/**
 * Take all threads of a dump that begins at `offset`.
 * @return TM_OK; TM_ENOMEM: call again with the same, and no thread is taken twice
 */
int tm__jstack_fill_read(tm__jstack_fill *fill, const tm__jstack_dump *parsed,
                         uint64_t offset);

/** Dumps of another JVM follow: what threads of this one do is not known any more.
 *  @return TM_OK or TM_ENOMEM */
int tm__jstack_fill_leave(tm__jstack_fill *fill);

void tm__jstack_fill_free(tm__jstack_fill *fill);

#endif
