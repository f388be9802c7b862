/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/unpack/file_chain.h"

#include <stdio.h>
#include <string.h>

#include "formats/unpack/packed_file.h"

enum { SEEN_BYTES = 64 << 10 };

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

int tm__file_chain_open(tm__input *input, tm__memory *memory, const char *const *paths,
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
