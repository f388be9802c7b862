/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of classes and objects that are identified by name or hash alone, and the
 * numbers of both. No number is ever used twice.
 */
#include "ident/definition_records.h"

#include <stdatomic.h>
#include <string.h>

#include "ring/buffer.h"

static _Atomic uint64_t last_number;

uint32_t tm__text_copy(char *to, const char *text)
{
    size_t length = text ? strlen(text) : 0;

    if (length > TM__TEXT_BYTES)
        length = TM__TEXT_BYTES;
    if (length > 0)
        memcpy(to, text, length);
    return (uint32_t)length;
}

uint64_t tm__identity_new(void)
{
    return atomic_fetch_add(&last_number, 1) + 1;
}

static uint64_t put_class(tm__buffer *own, const char *name, uint16_t plain)
{
    tm__record *record = tm__thread_ring_reserve(&own->ring, TM__TEXT_BYTES);
    uint64_t number = tm__identity_new();

    if (!record)
        return 0;
    record->kind = TM__RECORD_CLASS | plain;
    record->class = (tm__class_record){
        .name_bytes = (uint16_t)tm__text_copy((char *)(record + 1), name),
        .id = number,
    };
    tm__thread_ring_commit(&own->ring, record, record->class.name_bytes);
    return number;
}

uint64_t tm__class_by_name(tm__buffer *own, const char *signature)
{
    return put_class(own, signature, 0);
}

uint64_t tm__class_by_plain_name(tm__buffer *own, const char *name)
{
    return put_class(own, name, TM__RECORD_PLAIN);
}

void tm__object_by_hash(tm__buffer *own, uint64_t number, uint64_t class_id,
                        uint32_t hash)
{
    tm__record *record = tm__thread_ring_reserve(&own->ring, 0);

    if (!record)
        return;
    record->kind = TM__RECORD_OBJECT;
    record->object = (tm__object_record){
        .id = number,
        .class_id = class_id,
        .hash = hash,
        .flags = TM_OBJECT_MAYBE_MANY,
    };
    tm__thread_ring_commit(&own->ring, record, 0);
}

uint64_t tm__object_by_name(tm__buffer *own, uint64_t class_id, int kind,
                            const char *name)
{
    tm__record *record = tm__thread_ring_reserve(&own->ring, TM__TEXT_BYTES);
    uint64_t number = tm__identity_new();

    if (!record)
        return 0;
    record->kind = TM__RECORD_OBJECT | TM__RECORD_PLAIN;
    record->object = (tm__object_record){
        .name_bytes = (uint16_t)tm__text_copy((char *)(record + 1), name),
        .object_kind = (uint16_t)kind,
        .id = number,
        .class_id = class_id,
    };
    tm__thread_ring_commit(&own->ring, record, record->object.name_bytes);
    return number;
}
