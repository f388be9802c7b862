/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A packed file becomes a stream over itself; one within another, a stream over that. A
 * bomb is one whose content is more than a thousand times the file, on whatever level:
 * deflate cannot do that to anything, and no dump or trace shrinks so much otherwise.
 */
#include "formats/unpack/packed_file.h"

#include <stdio.h>

#include <threadmodel/error.h>

#include "base/error.h"
#include "formats/unpack/packed.h"

enum { LEVELS = 4, PROBE_BYTES = 4096, FREE_BYTES = 64 << 20, RATIO = 1100 };

static const tm__packing *const packings[] = {
    &tm__packing_gzip,  &tm__packing_zip,  &tm__packing_tar,
    &tm__packing_lz4,   &tm__packing_zstd, &tm__packing_xz,
    &tm__packing_utf16, &tm__packing_mac,  &tm__packing_mail,
};

static uint64_t position_of(void *state)
{
    tm__packed *packed = state;

    if (packed->inner.stream.position)
        return packed->inner.stream.position(packed->inner.stream.state);
    return packed->offset - (uint64_t)(packed->end - packed->at);
}

static int read_packed(void *state, uint8_t *to, size_t room, size_t *count)
{
    tm__packed *packed = state;
    uint64_t taken;
    int rc = TM_OK;

    *count = 0;
    if (packed->is_over)
        return TM_OK;
    rc = packed->packing->read(packed, to, room, count);
    packed->written += *count;
    taken = position_of(packed);
    if (rc == TM_OK && packed->written > FREE_BYTES && packed->written / RATIO > taken)
        return tm__fail(TM_ELIMIT,
                        "%s: %s: it holds more than %d times its own size: not read on "
                        "at byte %llu",
                        packed->inner.path, packed->packing->name, RATIO,
                        (unsigned long long)taken);
    /* The data before the damage is read as far as it goes. */
    if (rc == TM_EDAMAGED && packed->written > 0) {
        snprintf(packed->damage, sizeof(packed->damage), "%s", tm_error_text());
        packed->is_over = 1;
        *count = 0;
        return TM_OK;
    }
    return rc;
}

static const char *damage_of(void *state)
{
    tm__packed *packed = state;

    if (packed->damage[0])
        return packed->damage;
    return packed->inner.stream.damage
               ? packed->inner.stream.damage(packed->inner.stream.state)
               : NULL;
}

static void close_packed(void *state)
{
    tm__packed *packed = state;
    tm__memory *memory = packed->memory;

    if (packed->state) {
        if (packed->packing->end)
            packed->packing->end(packed);
        tm__free(memory, packed->state, packed->packing->state_bytes);
    }
    tm__input_close(&packed->inner);
    tm__free(memory, packed, sizeof(*packed));
}

/* Put a stream before the input. On failure it is as it was. */
static int wrap(tm__input *input, tm__memory *memory, const tm__packing *packing)
{
    tm__packed *packed = tm__zalloc(memory, sizeof(*packed));
    tm__input_stream stream = {read_packed, close_packed, damage_of, position_of,
                               packed};
    int rc = TM_OK;

    if (!packed)
        return TM_ENOMEM;
    packed->memory = memory;
    packed->packing = packing;
    packed->inner = *input;
    packed->state = tm__zalloc(memory, packing->state_bytes);
    *input = (tm__input){.memory = memory, .descriptor = -1};
    if (!packed->state)
        rc = TM_ENOMEM;
    if (rc == TM_OK && packing->begin)
        rc = packing->begin(packed);
    if (rc < 0) {
        close_packed(packed);
        return rc;
    }
    return tm__input_open_stream(input, memory, packed->inner.path, stream);
}

int tm__packed_open(tm__input *input, tm__memory *memory)
{
    int is_mail = 0;

    for (int level = 0; level < LEVELS; level++) {
        const tm__packing *packing = NULL;
        const uint8_t *bytes = NULL;
        size_t available = 0;
        int rc = tm__input_view(input, 0, PROBE_BYTES, &bytes, &available);

        for (size_t i = 0; rc == TM_OK && i < sizeof(packings) / sizeof(*packings); i++)
            if (!packing && packings[i]->probe(bytes, available) &&
                !(is_mail && packings[i] == &tm__packing_mail))
                packing = packings[i];
        /* The header that names the encoding is still there after decoding. */
        is_mail |= packing == &tm__packing_mail;
        if (rc == TM_OK && packing)
            rc = wrap(input, memory, packing);
        if (rc < 0 || !packing)
            return rc;
    }
    return tm__fail(TM_EFORMAT, "%s: packed more than %d times", input->path, LEVELS);
}
