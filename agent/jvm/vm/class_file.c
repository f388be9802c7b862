/* SPDX-License-Identifier: Apache-2.0 */
/* Every position is checked against the end: data that cannot be read is treated as
 * absent. */
#include "vm/class_file.h"

#include <string.h>

uint32_t tm__class_read(tm__class_reader *r, size_t count)
{
    uint32_t value = 0;

    if (r->size - r->at < count) {
        r->failed = 1;
        r->at = r->size;
        return 0;
    }
    for (size_t i = 0; i < count; i++)
        value = value << 8 | r->bytes[r->at++];
    return value;
}

void tm__class_skip(tm__class_reader *r, size_t count)
{
    if (r->size - r->at < count) {
        r->failed = 1;
        count = r->size - r->at;
    }
    r->at += count;
}

void tm__constants_find(tm__constants *c, tm__class_reader *r)
{
    c->bytes = r->bytes;
    memset(c->at, 0, c->count * sizeof(*c->at));
    for (uint32_t i = 1; i < c->count && !r->failed; i++) {
        uint32_t tag;

        c->at[i] = (uint32_t)r->at;
        tag = tm__class_read(r, 1);
        switch (tag) {
        case TM__CONSTANT_TEXT: tm__class_skip(r, tm__class_read(r, 2)); break;
        case TM__CONSTANT_LONG:
        case TM__CONSTANT_DOUBLE:
            tm__class_skip(r, 8);
            i++;
            break;
        case TM__CONSTANT_CLASS:
        case 8:  /* String */
        case 16: /* MethodType */
        case 19: /* Module */
        case 20: /* Package */ tm__class_skip(r, 2); break;
        case TM__CONSTANT_METHOD_HANDLE: tm__class_skip(r, 3); break;
        default: tm__class_skip(r, 4); break;
        }
    }
}

const unsigned char *tm__constant(const tm__constants *c, uint32_t number, int tag)
{
    if (number == 0 || number >= c->count || !c->at[number] ||
        c->bytes[c->at[number]] != tag)
        return NULL;
    return c->bytes + c->at[number] + 1;
}

const unsigned char *tm__constant_method(const tm__constants *c, uint32_t number)
{
    const unsigned char *method = tm__constant(c, number, TM__CONSTANT_METHOD);

    return method ? method : tm__constant(c, number, TM__CONSTANT_INTERFACE_METHOD);
}

const char *tm__constant_text(const tm__constants *c, uint32_t number, size_t *length)
{
    const unsigned char *text = tm__constant(c, number, TM__CONSTANT_TEXT);

    *length = text ? tm__class_u2(text) : 0;
    return text ? (const char *)text + 2 : NULL;
}

int tm__constant_is_text(const tm__constants *c, uint32_t number, const char *text)
{
    size_t length;
    const char *there = tm__constant_text(c, number, &length);

    return there && length == strlen(text) && memcmp(there, text, length) == 0;
}
