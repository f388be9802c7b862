/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A packed file becomes a stream over itself; one within another, a stream over that. A
 * bomb is one whose content is more than a thousand times what holds it: deflate cannot
 * do that to anything, and no dump or trace shrinks so much by any other way.
 */
#include "formats/unpack/unpack.h"

#include <stdio.h>
#include <string.h>

#include <threadmodel/error.h>

#include "base/error.h"
#include "formats/unpack/packed.h"

enum { LEVELS = 4, SEEN_BYTES = 64 << 10, PROBE_BYTES = 4096, FREE_BYTES = 64 << 20 };
enum { RATIO = 1100 };

static const tm__packing *const packings[] = {
    &tm__packing_gzip, &tm__packing_zip,   &tm__packing_lz4, &tm__packing_zstd,
    &tm__packing_xz,   &tm__packing_utf16, &tm__packing_mac, &tm__packing_mail,
};

int tm__packed_refill(tm__packed *packed)
{
    const uint8_t *bytes = NULL;
    size_t available = 0;
    int rc;

    if (packed->at != packed->end)
        return TM_OK;
    rc = tm__input_view(&packed->inner, packed->offset, SEEN_BYTES, &bytes, &available);
    if (rc < 0)
        return rc;
    packed->at = bytes;
    packed->end = bytes + available;
    packed->offset += available;
    return TM_OK;
}

int tm__packed_get(tm__packed *packed, uint8_t *to, size_t bytes)
{
    while (bytes > 0) {
        size_t held;
        int rc = tm__packed_refill(packed);

        held = (size_t)(packed->end - packed->at);
        if (rc < 0 || held == 0)
            return rc < 0 ? rc : tm__packed_damage(packed, "it ends too early");
        held = held < bytes ? held : bytes;
        memcpy(to, packed->at, held);
        packed->at += held;
        to += held;
        bytes -= held;
    }
    return TM_OK;
}

int tm__packed_skip(tm__packed *packed, uint64_t bytes)
{
    uint8_t passed[256];

    while (bytes > 0) {
        size_t some = bytes < sizeof(passed) ? (size_t)bytes : sizeof(passed);
        int rc = tm__packed_get(packed, passed, some);

        if (rc < 0)
            return rc;
        bytes -= some;
    }
    return TM_OK;
}

int tm__packed_damage(tm__packed *packed, const char *what)
{
    return tm__fail(
        TM_EDAMAGED, "%s: %s: %s at byte %llu", packed->inner.path,
        packed->packing->name, what,
        (unsigned long long)(packed->offset - (uint64_t)(packed->end - packed->at)));
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
    taken = packed->offset - (uint64_t)(packed->end - packed->at);
    if (rc == TM_OK && packed->written > FREE_BYTES && packed->written / RATIO > taken)
        return tm__fail(TM_ELIMIT,
                        "%s: %s: it holds more than %d times its own size: not read on "
                        "at byte %llu",
                        packed->inner.path, packed->packing->name, RATIO,
                        (unsigned long long)taken);
    /* What came before the damage is read as far as it goes. */
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

static uint64_t position_of(void *state)
{
    tm__packed *packed = state;

    if (packed->inner.stream.position)
        return packed->inner.stream.position(packed->inner.stream.state);
    return packed->offset - (uint64_t)(packed->end - packed->at);
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

/* Several files, each opened when the one before is over. */
typedef struct chain {
    tm__memory *memory;
    char *paths; ///< each with its zero byte
    size_t path_bytes, next;
    tm__input input;
    uint64_t offset;
    uint64_t passed; ///< bytes of the files that are over
    int is_open;
    uint8_t last;
    char damage[240];
} chain;

static uint64_t position_of_chain(void *state)
{
    chain *self = state;

    if (!self->is_open)
        return self->passed;
    if (self->input.stream.position)
        return self->passed + self->input.stream.position(self->input.stream.state);
    return self->passed + self->offset;
}

static int read_chain(void *state, uint8_t *to, size_t room, size_t *count)
{
    chain *self = state;

    *count = 0;
    while (self->is_open || self->next < self->path_bytes) {
        const uint8_t *bytes = NULL;
        size_t available = 0;
        int rc = TM_OK;

        if (!self->is_open) {
            rc = tm__input_open(&self->input, self->memory, self->paths + self->next);
            if (rc < 0)
                return rc;
            self->is_open = 1;
            self->offset = 0;
            rc = tm__packed_open(&self->input, self->memory);
        }
        if (rc == TM_OK)
            rc = tm__input_view(&self->input, self->offset,
                                room < SEEN_BYTES ? room : SEEN_BYTES, &bytes,
                                &available);
        if (rc < 0)
            return rc;
        if (available > 0) {
            memcpy(to, bytes, available);
            self->offset += available;
            self->last = to[available - 1];
            *count = available;
            return TM_OK;
        }
        if (self->input.stream.damage && !self->damage[0]) {
            const char *text = self->input.stream.damage(self->input.stream.state);

            snprintf(self->damage, sizeof(self->damage), "%s", text ? text : "");
        }
        self->passed = position_of_chain(self);
        tm__input_close(&self->input);
        self->is_open = 0;
        self->next += strlen(self->paths + self->next) + 1;
        /* The last line of a file ends with it. */
        if (self->last != '\n' && self->next < self->path_bytes) {
            to[0] = self->last = '\n';
            *count = 1;
            return TM_OK;
        }
    }
    return TM_OK;
}

static const char *damage_of_chain(void *state)
{
    chain *self = state;

    return self->damage[0] ? self->damage : NULL;
}

static void close_chain(void *state)
{
    chain *self = state;

    if (self->is_open)
        tm__input_close(&self->input);
    tm__free(self->memory, self->paths, self->path_bytes);
    tm__free(self->memory, self, sizeof(*self));
}

int tm__packed_open_all(tm__input *input, tm__memory *memory, const char *const *paths,
                        size_t count)
{
    chain *self = tm__zalloc(memory, sizeof(*self));
    tm__input_stream stream = {read_chain, close_chain, damage_of_chain,
                               position_of_chain, self};

    if (!self)
        return TM_ENOMEM;
    *self = (chain){.memory = memory, .last = '\n'};
    for (size_t i = 0; i < count; i++)
        self->path_bytes += strlen(paths[i]) + 1;
    self->paths = tm__resize(memory, NULL, 0, self->path_bytes);
    if (!self->paths) {
        tm__free(memory, self, sizeof(*self));
        return TM_ENOMEM;
    }
    for (size_t i = 0, at = 0; i < count; at += strlen(paths[i++]) + 1)
        memcpy(self->paths + at, paths[i], strlen(paths[i]) + 1);
    return tm__input_open_stream(input, memory, paths[0], stream);
}
