/* SPDX-License-Identifier: Apache-2.0 */
/* What is to be told about a file: caveats, and damage, which is a limit too. */
#ifndef TM_FORMATS_NOTES_H
#define TM_FORMATS_NOTES_H

#include <threadmodel/sink.h>

#include "base/printf.h"
#include "base/strings.h"

typedef struct tm__notes {
    tm__strings sentences; ///< each once, in order
    uint32_t told;         ///< how many of them the sink has
    uint32_t damage_count;
    char damage[400]; ///< the first sentence of it
} tm__notes;

void tm__notes_init(tm__notes *notes, tm__memory *memory);

/** Add a sentence on what the data cannot show. @return TM_OK or TM_ENOMEM */
int tm__notes_caveat(tm__notes *notes, const char *format, ...) TM__PRINTF(2, 3);

/** The same on what is missing or wrong: reading then ends with TM_EDAMAGED. */
int tm__notes_damage(tm__notes *notes, const char *format, ...) TM__PRINTF(2, 3);

/** Tell the sink what it was not told yet. */
int tm__notes_emit(tm__notes *notes, const tm_sink *sink);

/**
 * The file is over: tell what was not told yet.
 * @return TM_OK; TM_EDAMAGED with the first damage and how much more there is; or what
 *         the sink said
 */
int tm__notes_conclude(tm__notes *notes, const tm_sink *sink, const char *path);

void tm__notes_free(tm__notes *notes);

#endif
