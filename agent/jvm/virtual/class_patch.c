/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass over a class file: the constants, to see under which numbers the methods
 * go that are looked for; a few constants more behind them, which moves no number; and
 * the code of each method, instruction by instruction, since an operand may look like
 * an instruction.
 *
 * The classes are the JDK's own, three of them, once a VM. A class that cannot be read
 * is left unchanged.
 */
#include "virtual/class_patch.h"

#include <string.h>

#include "vm/class_file.h"

enum { LOOKUPSWITCH = 171, TABLESWITCH = 170, WIDE = 196, IINC = 132 };
enum { INVOKEVIRTUAL = 182, INVOKESTATIC = 184, INVOKEINTERFACE = 185, NOP = 0 };
/* Two texts and four entries of the constants for each patch, and one class more. */
enum { CONSTANTS_A_PATCH = 6, CONSTANT_BYTES = 8 };

static void put2(unsigned char **to, size_t value)
{
    *(*to)++ = (unsigned char)(value >> 8);
    *(*to)++ = (unsigned char)value;
}

static int is_method(const tm__constants *c, uint32_t number,
                     const tm__method_name *name)
{
    const unsigned char *method = tm__constant_method(c, number);
    const unsigned char *class, *pair;

    if (!method)
        return 0;
    class = tm__constant(c, tm__class_u2(method), TM__CONSTANT_CLASS);
    pair = tm__constant(c, tm__class_u2(method + 2), TM__CONSTANT_NAME_AND_TYPE);
    return class && pair && tm__constant_is_text(c, tm__class_u2(class), name->class) &&
           tm__constant_is_text(c, tm__class_u2(pair), name->name) &&
           tm__constant_is_text(c, tm__class_u2(pair + 2), name->descriptor);
}

static void put_text(unsigned char **to, const char *text)
{
    size_t length = strlen(text);

    *(*to)++ = TM__CONSTANT_TEXT;
    put2(to, length);
    memcpy(*to, text, length);
    *to += length;
}

/* Six constants that name a method; the last is the method's own. */
static void put_method(unsigned char **to, uint32_t first, const tm__method_name *name)
{
    put_text(to, name->class);
    put_text(to, name->name);
    put_text(to, name->descriptor);
    *(*to)++ = TM__CONSTANT_CLASS;
    put2(to, first);
    *(*to)++ = TM__CONSTANT_NAME_AND_TYPE;
    put2(to, first + 1);
    put2(to, first + 2);
    *(*to)++ = TM__CONSTANT_METHOD;
    put2(to, first + 3);
    put2(to, first + 4);
}

/* Length of the instruction at `at`; 0 where there is none. */
static size_t instruction_bytes(const unsigned char *code, size_t size, size_t at)
{
    /* Lengths of all opcodes up to `last`, from the entry before. */
    static const struct {
        unsigned char last, bytes;
    } LENGTHS[] = {{15, 1},  {16, 2},  {17, 3},  {18, 2},  {20, 3},  {25, 2},  {53, 1},
                   {58, 2},  {131, 1}, {132, 3}, {152, 1}, {168, 3}, {169, 2}, {177, 1},
                   {184, 3}, {186, 5}, {187, 3}, {188, 2}, {189, 3}, {191, 1}, {193, 3},
                   {195, 1}, {197, 4}, {199, 3}, {201, 5}};
    size_t table = (at + 4) & ~(size_t)3;
    tm__class_reader r = {code, size, table < size ? table : size, 0};
    uint32_t low, high;

    switch (code[at]) {
    case TABLESWITCH:
        tm__class_skip(&r, 4);
        low = tm__class_read(&r, 4);
        high = tm__class_read(&r, 4);
        if ((int32_t)high < (int32_t)low)
            return 0;
        tm__class_skip(&r, 4 * (size_t)((int64_t)(int32_t)high - (int32_t)low + 1));
        return r.failed ? 0 : r.at - at;
    case LOOKUPSWITCH:
        tm__class_skip(&r, 4);
        tm__class_skip(&r, 8 * (size_t)tm__class_read(&r, 4));
        return r.failed ? 0 : r.at - at;
    case WIDE: return at + 1 < size && code[at + 1] == IINC ? 6 : 4;
    default: break;
    }
    for (size_t i = 0; i < sizeof(LENGTHS) / sizeof(*LENGTHS); i++)
        if (code[at] <= LENGTHS[i].last)
            return LENGTHS[i].bytes;
    return 0;
}

/* The search of one method's code. */
typedef struct search {
    const tm__constants *constants;
    const tm__patch *patches;
    size_t count;
    uint32_t first; ///< number of the first constant of ours
    unsigned *found;
} search;

static int patch_code(const search *s, unsigned char *code, size_t size,
                      uint32_t method)
{
    for (size_t at = 0, step; at < size; at += step) {
        step = instruction_bytes(code, size, at);
        if (step == 0 || step > size - at)
            return -1;
        if (code[at] != INVOKEVIRTUAL && code[at] != INVOKEINTERFACE)
            continue;
        for (size_t i = 0; i < s->count; i++) {
            const tm__patch *patch = &s->patches[i];
            unsigned char *operand = code + at + 1;

            if (!is_method(s->constants, tm__class_u2(operand), &patch->callee) ||
                (patch->in && !tm__constant_is_text(s->constants, method, patch->in)))
                continue;
            code[at] = INVOKESTATIC;
            put2(&operand, s->first + CONSTANTS_A_PATCH * (i + 1) - 1);
            memset(operand, NOP, step - 3);
            s->found[i]++;
            break;
        }
    }
    return 0;
}

/* Go over the attributes of a method; its code is one of them. `to` is the place in
 * the copy that corresponds to the reader's beginning. */
static int patch_method(const search *s, tm__class_reader *r, unsigned char *to)
{
    uint32_t name, attributes;

    tm__class_skip(r, 2);
    name = tm__class_read(r, 2);
    tm__class_skip(r, 2);
    attributes = tm__class_read(r, 2);
    while (attributes-- > 0 && !r->failed) {
        int is_code = tm__constant_is_text(s->constants, tm__class_read(r, 2), "Code");
        size_t size = tm__class_read(r, 4);
        tm__class_reader in = {r->bytes, r->size, r->at, r->failed};

        tm__class_skip(r, size);
        if (!is_code || r->failed)
            continue;
        tm__class_skip(&in, 4);
        size = tm__class_read(&in, 4);
        /* An attribute may say that it is shorter than what it begins with. */
        if (in.failed || in.at > r->at || size > r->at - in.at ||
            patch_code(s, to + in.at, size, name) != 0)
            return -1;
    }
    return r->failed ? -1 : 0;
}

static void skip_fields(tm__class_reader *r)
{
    uint32_t fields;

    tm__class_skip(r, 6);
    tm__class_skip(r, 2 * (size_t)tm__class_read(r, 2));
    fields = tm__class_read(r, 2);
    while (fields-- > 0 && !r->failed) {
        uint32_t attributes;

        tm__class_skip(r, 6);
        attributes = tm__class_read(r, 2);
        while (attributes-- > 0 && !r->failed) {
            tm__class_skip(r, 2);
            tm__class_skip(r, tm__class_read(r, 4));
        }
    }
}

size_t tm__patch_class(unsigned char *out, const unsigned char *class, size_t bytes,
                       const tm__patch *patches, size_t count, unsigned *found)
{
    static uint32_t places[TM__CONSTANTS_MAX + 1]; /* one class after the other */
    tm__constants names = {.at = places};
    tm__class_reader r = {class, bytes, 0, 0};
    search s = {&names, patches, count, 0, found};
    unsigned char *to = out;
    size_t constants_end, added;
    unsigned all = 0;

    memset(found, 0, count * sizeof(*found));
    tm__class_skip(&r, 8);
    names.count = tm__class_read(&r, 2);
    tm__constants_find(&names, &r);
    constants_end = r.at;
    s.first = names.count;
    if (r.failed || names.count + CONSTANTS_A_PATCH * count > TM__CONSTANTS_MAX)
        return 0;
    memcpy(to, class, constants_end);
    to += 8;
    put2(&to, names.count + CONSTANTS_A_PATCH * count);
    to = out + constants_end;
    for (size_t i = 0; i < count; i++)
        put_method(&to, s.first + (uint32_t)(CONSTANTS_A_PATCH * i), &patches[i].ours);
    added = (size_t)(to - out) - constants_end;
    memcpy(to, class + constants_end, bytes - constants_end);

    skip_fields(&r);
    for (uint32_t methods = tm__class_read(&r, 2); methods > 0; methods--)
        if (r.failed || patch_method(&s, &r, out + added) != 0)
            return 0;
    for (size_t i = 0; i < count; i++)
        all += found[i];
    return all && !r.failed ? bytes + added : 0;
}

size_t tm__patch_bytes(const tm__patch *patches, size_t count)
{
    size_t bytes = 0;

    for (size_t i = 0; i < count; i++)
        bytes += CONSTANTS_A_PATCH * CONSTANT_BYTES + strlen(patches[i].ours.class) +
                 strlen(patches[i].ours.name) + strlen(patches[i].ours.descriptor);
    return bytes;
}
