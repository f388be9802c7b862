/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a recording's entities, and their definitions. */
#ifndef TM_FORMATS_JFR_JFR_DEFINITIONS_H
#define TM_FORMATS_JFR_JFR_DEFINITIONS_H

#include "formats/jfr/jfr_entities.h"

/** @return TM_OK or TM_ENOMEM; to be freed either way */
int tm__jfr_entities_init(tm__jfr_entities *entities, tm__memory *memory,
                          tm__jfr_pools *pools);

/** Emit what was not emitted yet; may be called again after a failure. */
int tm__jfr_entities_emit(tm__jfr_entities *entities, const tm_sink *sink);

void tm__jfr_entities_free(tm__jfr_entities *entities);

#endif
