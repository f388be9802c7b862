/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sentences wait here until the sink is at hand. A file made of damage must not make
 * a report of a million lines: beyond some, they are counted.
 */
#include "formats/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

enum { DAMAGES = 32 };

void tm__notes_init(tm__notes *notes, tm__memory *memory)
{
    *notes = (tm__notes){0};
    tm__strings_init(&notes->sentences, memory);
}

static int add(tm__notes *notes, const char *text)
{
    uint32_t index;

    return tm__strings_intern(&notes->sentences, &index, text);
}

int tm__notes_caveat(tm__notes *notes, const char *format, ...)
{
    char text[sizeof(notes->damage)];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return add(notes, text);
}

int tm__notes_damage(tm__notes *notes, const char *format, ...)
{
    char text[sizeof(notes->damage)];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (notes->damage_count < DAMAGES && add(notes, text) < 0)
        return tm__failure();
    if (notes->damage_count < UINT32_MAX && notes->damage_count++ == 0)
        memcpy(notes->damage, text, sizeof(text));
    return TM_OK;
}

int tm__notes_emit(tm__notes *notes, const tm_sink *sink)
{
    while (notes->emitted < notes->sentences.count) {
        const char *text = tm__strings_get(&notes->sentences, notes->emitted++);
        int rc = sink->caveat(sink->payload, text);

        if (rc < 0)
            return rc;
    }
    return TM_OK;
}

int tm__notes_conclude(tm__notes *notes, const tm_sink *sink, const char *path)
{
    int rc = tm__notes_emit(notes, sink);

    if (rc < 0 || notes->damage_count == 0)
        return rc;
    if (notes->damage_count == 1)
        return tm__fail(TM_EDAMAGED, "%s: %s", path, notes->damage);
    return tm__fail(TM_EDAMAGED, "%s: %s; and %u more such places", path, notes->damage,
                    notes->damage_count - 1);
}

void tm__notes_free(tm__notes *notes)
{
    tm__strings_clear(&notes->sentences);
}
