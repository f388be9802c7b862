/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/grouping/key_table.h"

size_t tm__key_table_budget_bytes(const tm_model *model)
{
    enum { LEAST_BYTES = 1 << 16, PART = 32 };

    return LEAST_BYTES + tm_model_memory_bytes(model) / PART;
}

int tm__key_table_open(tm__key_table *key_table, tm__memory *memory, size_t whats,
                       size_t sites, size_t contexts, size_t bytes_at_most)
{
    size_t bytes = sizeof(*key_table->all);

    *key_table = (tm__key_table){.memory = memory, .whats = whats, .sites = sites};
    if (__builtin_mul_overflow(bytes, whats, &bytes) ||
        __builtin_mul_overflow(bytes, sites, &bytes) ||
        __builtin_mul_overflow(bytes, contexts, &bytes) || bytes == 0 ||
        bytes > bytes_at_most)
        return TM_OK;
    key_table->count = bytes / sizeof(*key_table->all);
    key_table->all = tm__zalloc(memory, bytes);
    return key_table->all ? TM_OK : TM_ENOMEM;
}

void tm__key_table_close(tm__key_table *key_table)
{
    tm__free(key_table->memory, key_table->all,
             key_table->count * sizeof(*key_table->all));
    tm__triple_map_free(&key_table->map, key_table->memory);
}
