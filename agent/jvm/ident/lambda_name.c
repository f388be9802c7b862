/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The VM makes a class for each lambda expression and method reference, whose one
 * method calls what the compiler made of the expression, or the method referred to.
 * The name of that method is the same in every run, and says more than a number. Such a
 * class also calls its parent's constructor, methods that box numbers, and method
 * handles where the method may not be called; where more than one other is left, none
 * is named.
 *
 * Once for each lambda that stands on a stack or is locked.
 */
#include "ident/lambda_name.h"

#include <stdio.h>
#include <string.h>

#include "vm/class_file.h"

/* Such a class has some forty. */
enum { CONSTANTS = 512, NAME_BYTES = 512 };

static const char MARK[] = "$$Lambda";

typedef struct text {
    const char *bytes;
    size_t length;
} text;

typedef struct method {
    text class;
    text name;
} method;

int tm__lambda_is(const char *signature)
{
    return strstr(signature, MARK) != NULL;
}

static int read_method(method *out, const tm__constants *c, uint32_t number)
{
    const unsigned char *it = tm__constant_method(c, number);
    const unsigned char *class, *pair;

    if (!it)
        return 0;
    class = tm__constant(c, tm__class_u2(it), TM__CONSTANT_CLASS);
    pair = tm__constant(c, tm__class_u2(it + 2), TM__CONSTANT_NAME_AND_TYPE);
    if (!class || !pair)
        return 0;
    out->class.bytes = tm__constant_text(c, tm__class_u2(class), &out->class.length);
    out->name.bytes = tm__constant_text(c, tm__class_u2(pair), &out->name.length);
    return out->class.bytes && out->name.bytes;
}

static int is(const text *it, const char *other)
{
    return it->length == strlen(other) && memcmp(it->bytes, other, it->length) == 0;
}

static int begins(const text *it, const char *with)
{
    return it->length >= strlen(with) && memcmp(it->bytes, with, strlen(with)) == 0;
}

/* Integer.valueOf, Integer.intValue and the like. */
static int is_boxing(const method *it)
{
    static const char *const BOXES[] = {"Boolean", "Byte",   "Character",
                                        "Double",  "Float",  "Integer",
                                        "Long",    "Number", "Short"};
    static const char LANG[] = "java/lang/", VALUE[] = "Value";
    text box = {it->class.bytes + sizeof(LANG) - 1,
                it->class.length - (sizeof(LANG) - 1)};
    size_t value = sizeof(VALUE) - 1;

    if (!begins(&it->class, LANG))
        return 0;
    for (size_t i = 0; i < sizeof(BOXES) / sizeof(*BOXES); i++)
        if (is(&box, BOXES[i]))
            return is(&it->name, "valueOf") ||
                   (it->name.length > value &&
                    memcmp(it->name.bytes + it->name.length - value, VALUE, value) ==
                        0);
    return 0;
}

/* The one method that a lambda is there for. @return 0: there is no saying */
static int find_method(method *out, const tm__constants *c)
{
    int count = 0;

    for (uint32_t i = 1; i < c->count; i++) {
        method it;

        if (!read_method(&it, c, i) || is(&it.name, "<init>") || is_boxing(&it) ||
            begins(&it.class, "java/lang/invoke/"))
            continue;
        *out = it;
        count++;
    }
    return count == 1;
}

/* The class without its package. */
static text simple_name(text class)
{
    for (size_t i = class.length; i-- > 0;)
        if (class.bytes[i] == '/')
            return (text){class.bytes + i + 1, class.length - i - 1};
    return class;
}

int tm__lambda_signature(char *out, size_t out_bytes, const char *signature,
                         const unsigned char *constants, size_t bytes, uint32_t count)
{
    uint32_t places[CONSTANTS];
    tm__constants all = {.count = count, .at = places};
    tm__class_reader reader = {.bytes = constants, .size = bytes};
    const char *mark = strstr(signature, MARK);
    const char *address = mark ? strpbrk(mark, "./+") : NULL;
    method it;
    text host, class;
    int length;

    if (!address || count > CONSTANTS)
        return -1;
    tm__constants_find(&all, &reader);
    if (reader.failed || !find_method(&it, &all) || it.name.length > NAME_BYTES ||
        it.class.length > NAME_BYTES)
        return -1;
    host = (text){signature + 1, (size_t)(mark - signature) - 1};
    class = simple_name(it.class);
    mark += sizeof(MARK) - 1;
    if (it.class.length == host.length &&
        memcmp(it.class.bytes, host.bytes, host.length) == 0)
        class.length = 0;
    length =
        snprintf(out, out_bytes, "%.*s(%.*s%s%.*s)%s", (int)(mark - signature),
                 signature, (int)class.length, class.bytes, class.length ? "::" : "",
                 (int)it.name.length, it.name.bytes, address);
    return length > 0 && (size_t)length < out_bytes ? 0 : -1;
}
