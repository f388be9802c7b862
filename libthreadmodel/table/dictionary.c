/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A timeline puts ten million rows into half a dozen string columns, nearly all
 * of them interned strings that came a moment ago: so the last address is kept,
 * then an open hash of addresses is asked, and only an address that is new to
 * the column has its text read, checked and looked up.
 *
 * Both hashes are flat arrays of a power of two, at most half full, with linear
 * probing; a code is stored plus one, so that zeroed slots are empty ones.
 */
#include "table/dictionary.h"

#include <string.h>

#include "base/error.h"
#include "base/utf8.h"

typedef struct address_slot {
    const char *address;
    uint32_t code_plus_one;
} address_slot;

typedef struct text_slot {
    uint32_t hash;
    uint32_t code_plus_one;
} text_slot;

typedef struct tm__dictionary_index {
    const char *last_address;
    int32_t last_code;
    uint32_t address_count;
    address_slot *addresses;
    text_slot *texts;
    uint32_t address_capacity; ///< powers of two, or 0
    uint32_t text_capacity;
} tm__dictionary_index;

enum { FIRST_SLOTS = 16 };

static const uint64_t GOLDEN = UINT64_C(0x9e3779b97f4a7c15);

static uint32_t hash_address(const char *address)
{
    uint64_t mixed = (uint64_t)(uintptr_t)address * GOLDEN;

    return (uint32_t)(mixed >> 32);
}

static uint32_t hash_text(const char *text, size_t bytes)
{
    uint64_t mixed = bytes * GOLDEN;
    uint64_t word;

    for (; bytes >= sizeof(word); bytes -= sizeof(word), text += sizeof(word)) {
        memcpy(&word, text, sizeof(word));
        mixed = (mixed ^ word) * GOLDEN;
        mixed ^= mixed >> 29;
    }
    word = 0;
    memcpy(&word, text, bytes);
    mixed = (mixed ^ word) * GOLDEN;
    return (uint32_t)(mixed ^ (mixed >> 32));
}

static address_slot *find_address(const tm__dictionary_index *index,
                                  const char *address)
{
    uint32_t mask = index->address_capacity - 1;
    uint32_t at = hash_address(address) & mask;

    while (index->addresses[at].code_plus_one != 0 &&
           index->addresses[at].address != address)
        at = (at + 1) & mask;
    return &index->addresses[at];
}

/* Zeroed slots, twice as many as before. */
static void *more_slots(tm__memory *memory, uint32_t *capacity, size_t slot_bytes)
{
    uint32_t doubled = *capacity ? *capacity * 2 : FIRST_SLOTS;
    void *slots;

    if (*capacity > UINT32_MAX / 2) {
        tm__fail(TM_ELIMIT, "more than %u distinct strings in a column", *capacity / 2);
        return NULL;
    }
    slots = tm__zalloc(memory, doubled * slot_bytes);
    if (slots)
        *capacity = doubled;
    return slots;
}

static int grow_addresses(tm__dictionary_index *index, tm__memory *memory)
{
    address_slot *old = index->addresses;
    uint32_t old_capacity = index->address_capacity;
    uint32_t capacity = old_capacity;
    address_slot *slots = more_slots(memory, &capacity, sizeof(*slots));

    if (!slots)
        return tm__failure();
    index->addresses = slots;
    index->address_capacity = capacity;
    for (uint32_t i = 0; i < old_capacity; i++)
        if (old[i].code_plus_one != 0)
            *find_address(index, old[i].address) = old[i];
    tm__free(memory, old, (size_t)old_capacity * sizeof(*old));
    return TM_OK;
}

static text_slot *empty_text_slot(text_slot *slots, uint32_t capacity, uint32_t hash)
{
    uint32_t at = hash & (capacity - 1);

    while (slots[at].code_plus_one != 0)
        at = (at + 1) & (capacity - 1);
    return &slots[at];
}

static int grow_texts(tm__dictionary_index *index, tm__memory *memory)
{
    text_slot *old = index->texts;
    uint32_t old_capacity = index->text_capacity;
    uint32_t capacity = old_capacity;
    text_slot *slots = more_slots(memory, &capacity, sizeof(*slots));

    if (!slots)
        return tm__failure();
    for (uint32_t i = 0; i < old_capacity; i++)
        if (old[i].code_plus_one != 0)
            *empty_text_slot(slots, capacity, old[i].hash) = old[i];
    tm__free(memory, old, (size_t)old_capacity * sizeof(*old));
    index->texts = slots;
    index->text_capacity = capacity;
    return TM_OK;
}

static int32_t find_text(const tm__dictionary *dictionary, uint32_t hash,
                         const char *text, size_t bytes)
{
    const tm__dictionary_index *index = dictionary->index;
    uint32_t mask = index->text_capacity - 1;

    if (index->text_capacity == 0)
        return -1;
    for (uint32_t at = hash & mask; index->texts[at].code_plus_one != 0;
         at = (at + 1) & mask) {
        int32_t code = (int32_t)(index->texts[at].code_plus_one - 1);

        if (index->texts[at].hash == hash &&
            tm__dictionary_length(dictionary, code) == bytes &&
            memcmp(tm__dictionary_text(dictionary, code), text, bytes) == 0)
            return code;
    }
    return -1;
}

int32_t tm__dictionary_append(tm__dictionary *dictionary, tm__memory *memory,
                              const char *text, size_t bytes)
{
    uint32_t count = dictionary->count;
    size_t begin = count ? (size_t)dictionary->offsets[count] : 0;
    char *place;

    if (count >= INT32_MAX - 1 || bytes > INT32_MAX - begin)
        return tm__fail(TM_ELIMIT, "more than %d bytes of distinct text in a column",
                        INT32_MAX);
    if (tm__reserve(memory, &dictionary->offsets, &dictionary->offset_capacity,
                    (size_t)count + 2, sizeof(*dictionary->offsets)) < 0 ||
        tm__reserve(memory, &dictionary->texts, &dictionary->text_capacity,
                    begin + count + bytes + 1, 1) < 0)
        return tm__failure();
    place = dictionary->texts + begin + count;
    memcpy(place, text, bytes);
    place[bytes] = '\0';
    dictionary->offsets[0] = 0;
    dictionary->offsets[count + 1] = (int32_t)(begin + bytes);
    dictionary->count++;
    return (int32_t)count;
}

static int32_t put_valid(tm__dictionary *dictionary, tm__memory *memory,
                         const char *text, size_t bytes)
{
    tm__dictionary_index *index = dictionary->index;
    uint32_t hash = hash_text(text, bytes);
    int32_t code = find_text(dictionary, hash, text, bytes);

    if (code >= 0)
        return code;
    if (dictionary->count >= index->text_capacity / 2 && grow_texts(index, memory) < 0)
        return tm__failure();
    code = tm__dictionary_append(dictionary, memory, text, bytes);
    if (code >= 0)
        *empty_text_slot(index->texts, index->text_capacity, hash) =
            (text_slot){hash, (uint32_t)code + 1};
    return code;
}

static int32_t put_repaired(tm__dictionary *dictionary, tm__memory *memory,
                            const char *text, size_t bytes)
{
    size_t repaired_bytes = tm__utf8_repair(NULL, text, bytes);
    char *repaired = tm__resize(memory, NULL, 0, repaired_bytes);
    int32_t code;

    if (!repaired)
        return TM_ENOMEM;
    tm__utf8_repair(repaired, text, bytes);
    code = put_valid(dictionary, memory, repaired, repaired_bytes);
    tm__free(memory, repaired, repaired_bytes);
    return code;
}

int32_t tm__dictionary_put(tm__dictionary *dictionary, tm__memory *memory,
                           const char *text)
{
    size_t bytes = strlen(text);

    if (!dictionary->index) {
        dictionary->index = tm__zalloc(memory, sizeof(*dictionary->index));
        if (!dictionary->index)
            return TM_ENOMEM;
    }
    return tm__utf8_valid_bytes(text, bytes) == bytes
               ? put_valid(dictionary, memory, text, bytes)
               : put_repaired(dictionary, memory, text, bytes);
}

int32_t tm__dictionary_put_address(tm__dictionary *dictionary, tm__memory *memory,
                                   const char *text)
{
    tm__dictionary_index *index = dictionary->index;
    int32_t code;

    if (index && index->last_address == text)
        return index->last_code;
    if (index && index->address_count > 0) {
        const address_slot *found = find_address(index, text);

        if (found->code_plus_one != 0) {
            index->last_address = text;
            index->last_code = (int32_t)(found->code_plus_one - 1);
            return index->last_code;
        }
    }
    code = tm__dictionary_put(dictionary, memory, text);
    if (code < 0)
        return code;
    index = dictionary->index;
    if (index->address_count >= index->address_capacity / 2 &&
        grow_addresses(index, memory) < 0)
        return tm__failure();
    *find_address(index, text) = (address_slot){text, (uint32_t)code + 1};
    index->address_count++;
    index->last_address = text;
    index->last_code = code;
    return code;
}

static void free_index(tm__dictionary *dictionary, tm__memory *memory)
{
    tm__dictionary_index *index = dictionary->index;

    if (!index)
        return;
    tm__free(memory, index->addresses,
             (size_t)index->address_capacity * sizeof(*index->addresses));
    tm__free(memory, index->texts,
             (size_t)index->text_capacity * sizeof(*index->texts));
    tm__free(memory, index, sizeof(*index));
    dictionary->index = NULL;
}

static size_t byte_count(const tm__dictionary *dictionary)
{
    return dictionary->count ? (size_t)dictionary->offsets[dictionary->count] : 0;
}

int tm__dictionary_finish(tm__dictionary *dictionary, tm__memory *memory)
{
    size_t bytes = byte_count(dictionary);

    free_index(dictionary, memory);
    /* Arrow reads offsets[0] even of a column without a string. */
    if (tm__reserve(memory, &dictionary->offsets, &dictionary->offset_capacity, 1,
                    sizeof(*dictionary->offsets)) < 0)
        return tm__failure();
    dictionary->offsets[0] = 0;
    if (bytes == 0)
        return TM_OK;
    dictionary->bytes = tm__resize(memory, NULL, 0, bytes);
    if (!dictionary->bytes)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < dictionary->count; i++)
        memcpy(dictionary->bytes + dictionary->offsets[i],
               dictionary->texts + dictionary->offsets[i] + i,
               tm__dictionary_length(dictionary, (int32_t)i));
    return TM_OK;
}

const char *tm__dictionary_text(const tm__dictionary *dictionary, int32_t code)
{
    if (code < 0 || (uint32_t)code >= dictionary->count)
        return NULL;
    return dictionary->texts + dictionary->offsets[code] + code;
}

size_t tm__dictionary_length(const tm__dictionary *dictionary, int32_t code)
{
    return (size_t)(dictionary->offsets[code + 1] - dictionary->offsets[code]);
}

void tm__dictionary_free(tm__dictionary *dictionary, tm__memory *memory)
{
    free_index(dictionary, memory);
    tm__free(memory, dictionary->bytes, byte_count(dictionary));
    tm__free(memory, dictionary->texts, dictionary->text_capacity);
    tm__free(memory, dictionary->offsets,
             dictionary->offset_capacity * sizeof(*dictionary->offsets));
    *dictionary = (tm__dictionary){0};
}
