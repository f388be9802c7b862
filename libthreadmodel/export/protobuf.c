/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wire format: a key of field and type, and behind it a varint, eight bytes, or a
 * length and so many bytes. A message's length is known at its end and stands before
 * it, so four bytes are left for it, which hold any length below 2^28.
 */
#include "export/protobuf.h"

#include <stdint.h>
#include <string.h>

#include "base/error.h"

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, LENGTH_BYTES = 4, NUMBER_BYTES = 10 };
enum { MOST_BYTES = (1 << 28) - 1 };

static int too_large(void)
{
    return tm__fail(TM_ELIMIT, "message larger than 256 MiB");
}

static int make_room(tm__message *message, size_t bytes)
{
    if (message->failure == TM_OK && bytes > MOST_BYTES)
        message->failure = too_large();
    if (message->failure == TM_OK)
        message->failure =
            tm__reserve(message->memory, &message->bytes, &message->capacity,
                        (size_t)message->length + bytes, 1);
    return message->failure == TM_OK;
}

static void put(tm__message *message, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        message->bytes[message->length++] = (char)(value | 0x80);
    message->bytes[message->length++] = (char)value;
}

static void put_key(tm__message *message, uint32_t field, uint32_t type)
{
    put(message, (uint64_t)field << 3 | type);
}

void tm__message_number(tm__message *message, uint32_t field, uint64_t value)
{
    if (!make_room(message, 2 * (size_t)NUMBER_BYTES))
        return;
    put_key(message, field, VARINT);
    put(message, value);
}

void tm__message_fixed64(tm__message *message, uint32_t field, uint64_t value)
{
    if (!make_room(message, 2 * (size_t)NUMBER_BYTES))
        return;
    put_key(message, field, FIXED64);
    for (int i = 0; i < 8; i++)
        message->bytes[message->length++] = (char)(value >> 8 * i);
}

void tm__message_text(tm__message *message, uint32_t field, const char *text)
{
    size_t bytes = text ? strlen(text) : 0;

    if (!text || !make_room(message, bytes + 2 * (size_t)NUMBER_BYTES))
        return;
    put_key(message, field, BYTES);
    put(message, bytes);
    memcpy(message->bytes + message->length, text, bytes);
    message->length += (uint32_t)bytes;
}

uint32_t tm__message_begin(tm__message *message, uint32_t field)
{
    if (!make_room(message, NUMBER_BYTES + LENGTH_BYTES))
        return 0;
    put_key(message, field, BYTES);
    message->length += LENGTH_BYTES;
    return message->length;
}

void tm__message_end(tm__message *message, uint32_t begin)
{
    uint32_t bytes = message->length - begin;

    if (message->failure == TM_OK && bytes > MOST_BYTES)
        message->failure = too_large();
    if (message->failure < 0)
        return;
    for (int i = 0; i < LENGTH_BYTES; i++)
        message->bytes[begin - LENGTH_BYTES + (uint32_t)i] =
            (char)((bytes >> 7 * i & 0x7f) | (i < LENGTH_BYTES - 1 ? 0x80 : 0));
}

void tm__message_free(tm__message *message)
{
    tm__free(message->memory, message->bytes, message->capacity);
}
