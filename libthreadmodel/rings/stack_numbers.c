/* SPDX-License-Identifier: Apache-2.0 */
#include "rings/stack_numbers.h"

#include <string.h>

void tm__stack_numbers_init(tm__stack_numbers *numbers, tm__memory *memory,
                            uint64_t most_bytes)
{
    *numbers = (tm__stack_numbers){.memory = memory, .most_bytes = most_bytes};
    tm__map_init(&numbers->by_hash, memory);
}

static uint64_t hash_words(const uint64_t *words, uint32_t count, uint32_t flags)
{
    uint64_t hash = (uint64_t)count << 8 | flags;

    for (uint32_t i = 0; i < count; i++) {
        hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

/* Whether there is a limit, and one more stack would go beyond it: an array that is
 * full grows by as much as it has. */
static int is_full(const tm__stack_numbers *numbers, uint32_t count)
{
    uint64_t more = 0;

    if (numbers->word_count + (uint64_t)count > numbers->word_capacity)
        more += numbers->word_capacity * sizeof(*numbers->words);
    if (numbers->count == numbers->capacity)
        more += numbers->capacity * sizeof(*numbers->list);
    return numbers->most_bytes &&
           numbers->memory->used_bytes + more > numbers->most_bytes;
}

/* Number a new stack. */
static int add(tm__stack_numbers *numbers, uint64_t key, const uint64_t *words,
               uint32_t count, uint32_t flags)
{
    int rc = tm__reserve(numbers->memory, &numbers->list, &numbers->capacity,
                         numbers->count + (size_t)1, sizeof(*numbers->list));

    if (rc == TM_OK)
        rc = tm__reserve(numbers->memory, &numbers->words, &numbers->word_capacity,
                         (size_t)numbers->word_count + count, sizeof(*numbers->words));
    if (rc == TM_OK)
        rc = tm__map_put(&numbers->by_hash, key, numbers->count);
    if (rc != TM_OK)
        return rc;
    memcpy(numbers->words + numbers->word_count, words, count * sizeof(*words));
    numbers->list[numbers->count++] =
        (tm__numbered_stack){numbers->word_count, count, flags};
    numbers->word_count += count;
    return TM_MORE;
}

int tm__stack_numbers_find(tm__stack_numbers *numbers, const uint64_t *words,
                           uint32_t count, uint32_t flags, uint32_t *id)
{
    uint64_t key;
    uint32_t found;
    int rc;

    *id = 0;
    if (count == 0)
        return TM_OK;
    key = hash_words(words, count, flags);
    /* Two stacks of one hash stand at neighbouring keys. */
    while ((found = tm__map_find(&numbers->by_hash, key)) != TM__NONE) {
        const tm__numbered_stack *known = &numbers->list[found];

        if (known->words == count && known->flags == flags &&
            memcmp(numbers->words + known->first, words, count * sizeof(*words)) == 0) {
            *id = found + 1;
            return TM_OK;
        }
        key++;
    }
    if (is_full(numbers, count)) {
        numbers->refused++;
        return TM_OK;
    }
    rc = add(numbers, key, words, count, flags);
    if (rc == TM_MORE)
        *id = numbers->count;
    return rc;
}

void tm__stack_numbers_free(tm__stack_numbers *numbers)
{
    if (!numbers->memory)
        return;
    tm__map_clear(&numbers->by_hash);
    tm__free(numbers->memory, numbers->list,
             numbers->capacity * sizeof(*numbers->list));
    tm__free(numbers->memory, numbers->words,
             numbers->word_capacity * sizeof(*numbers->words));
    *numbers = (tm__stack_numbers){0};
}
