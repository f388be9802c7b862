/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/grouping/key_table.h"

size_t tm__seats_budget_bytes(const tm_model *model)
{
    enum { LEAST_BYTES = 1 << 16, PART = 32 };

    return LEAST_BYTES + tm_model_memory_bytes(model) / PART;
}

int tm__seats_open(tm__seats *seats, tm__memory *memory, size_t whats, size_t sites,
                   size_t contexts, size_t bytes_at_most)
{
    size_t bytes = sizeof(*seats->all);

    *seats = (tm__seats){.memory = memory, .whats = whats, .sites = sites};
    if (__builtin_mul_overflow(bytes, whats, &bytes) ||
        __builtin_mul_overflow(bytes, sites, &bytes) ||
        __builtin_mul_overflow(bytes, contexts, &bytes) || bytes == 0 ||
        bytes > bytes_at_most)
        return TM_OK;
    seats->count = bytes / sizeof(*seats->all);
    seats->all = tm__zalloc(memory, bytes);
    return seats->all ? TM_OK : TM_ENOMEM;
}

void tm__seats_close(tm__seats *seats)
{
    tm__free(seats->memory, seats->all, seats->count * sizeof(*seats->all));
    tm__triples_free(&seats->map, seats->memory);
}
