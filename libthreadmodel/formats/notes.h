/* SPDX-License-Identifier: Apache-2.0 */
/* Notes about a file for its reader: caveats, and damage, which is a caveat, too. */
#ifndef TM_FORMATS_NOTES_H
#define TM_FORMATS_NOTES_H

#include <threadmodel/sink.h>

#include "base/printf.h"
#include "base/strings.h"

typedef struct tm__notes {
    tm__strings sentences; ///< each once, in order
    uint32_t emitted;      ///< how many of them the sink has received
    uint32_t damage_count;
    char damage[400]; ///< the first sentence of it
} tm__notes;

void tm__notes_init(tm__notes *notes, tm__memory *memory);

/** Add a sentence on what the data cannot show. @return TM_OK or TM_ENOMEM */
int tm__notes_caveat(tm__notes *notes, const char *format, ...) TM__PRINTF(2, 3);

/** The same on what is missing or wrong: reading then ends with TM_EDAMAGED. */
int tm__notes_damage(tm__notes *notes, const char *format, ...) TM__PRINTF(2, 3);

/** Emit the notes that the sink has not received yet. */
int tm__notes_emit(tm__notes *notes, const tm_sink *sink);

/**
 * The file is over: emit the remaining notes.
 * @return TM_OK; TM_EDAMAGED with the first damage and how much more there is; or the
 * sink's status
 */
int tm__notes_conclude(tm__notes *notes, const tm_sink *sink, const char *path);

void tm__notes_free(tm__notes *notes);

#endif
