/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The grammar is that of Rust's RFC 2603. Generic arguments are parsed and left out, as
 * a function is one caller whatever it was instantiated for. A back reference is read
 * where it leads to, with a limit of depth and of steps, since a damaged name may lead
 * in a circle.
 */
#include "names/rust_name.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_MOST = 64, STEPS_MOST = 4096 };

typedef struct reading {
    const char *begin; ///< behind "_R", to which back references count
    const char *at;
    char *name;
    size_t room, length;
    int is_silent; ///< what is read is not written
    int depth, steps, has_failed;
} reading;

static void path(reading *it);
static void type(reading *it);

static void put_bytes(reading *it, const char *bytes, size_t count)
{
    if (it->is_silent || it->has_failed)
        return;
    if (count >= it->room - it->length)
        count = it->room - it->length - 1;
    memcpy(it->name + it->length, bytes, count);
    it->length += count;
}

static void put(reading *it, const char *text)
{
    put_bytes(it, text, strlen(text));
}

static int take(reading *it, char byte)
{
    if (*it->at != byte)
        return 0;
    it->at++;
    return 1;
}

/* "_" is 0, "0_" is 1; hashes of crates use all 64 bits. */
static uint64_t base_62(reading *it)
{
    uint64_t value = 0;

    if (take(it, '_'))
        return 0;
    while (*it->at && *it->at != '_') {
        char c = *it->at++;
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'z' ? c - 'a' + 10
                    : c >= 'A' && c <= 'Z' ? c - 'A' + 36
                                           : -1;

        if (digit < 0)
            it->has_failed = 1;
        value = value * 62 + (unsigned)(digit < 0 ? 0 : digit);
    }
    if (!take(it, '_'))
        it->has_failed = 1;
    return value + 1;
}

static uint64_t disambiguator(reading *it)
{
    return take(it, 's') ? base_62(it) + 1 : 0;
}

/* Letters beyond ASCII keep the bytes that encode them. */
static void identifier(reading *it, const char **bytes, size_t *count)
{
    size_t length = 0;

    take(it, 'u');
    if (*it->at < '0' || *it->at > '9')
        it->has_failed = 1;
    /* No number but 0 begins with 0. */
    if (!take(it, '0'))
        while (*it->at >= '0' && *it->at <= '9' && length < 10000)
            length = length * 10 + (size_t)(*it->at++ - '0');
    take(it, '_');
    if (strnlen(it->at, length) < length) {
        it->has_failed = 1;
        length = 0;
    }
    *bytes = it->at;
    *count = length;
    it->at += length;
}

static void put_identifier(reading *it)
{
    const char *bytes;
    size_t count;

    identifier(it, &bytes, &count);
    put_bytes(it, bytes, count);
}

static int enter(reading *it)
{
    if (it->depth >= DEPTH_MOST || ++it->steps > STEPS_MOST)
        it->has_failed = 1;
    it->depth++;
    return !it->has_failed;
}

static void back_reference(reading *it, void (*what)(reading *))
{
    uint64_t offset = base_62(it);
    const char *after = it->at;

    if (it->has_failed || offset >= (uint64_t)(after - it->begin)) {
        it->has_failed = 1;
        return;
    }
    it->at = it->begin + offset;
    what(it);
    it->at = after;
}

static void generic_arguments(reading *it)
{
    int was_silent = it->is_silent;

    it->is_silent = 1;
    while (!it->has_failed && !take(it, 'E')) {
        if (take(it, 'L'))
            base_62(it);
        else if (take(it, 'K')) {
            /* A constant: its type, and its value in hexadecimal. */
            type(it);
            if (!take(it, 'p'))
                while (*it->at && !take(it, '_'))
                    it->at++;
        } else
            type(it);
    }
    it->is_silent = was_silent;
}

static void impl_path(reading *it)
{
    int was_silent = it->is_silent;

    it->is_silent = 1;
    disambiguator(it);
    path(it);
    it->is_silent = was_silent;
}

static void nested(reading *it)
{
    char space = *it->at ? *it->at++ : 0, text[48];
    const char *bytes;
    uint64_t number;
    size_t count;

    path(it);
    number = disambiguator(it);
    identifier(it, &bytes, &count);
    if (space >= 'A' && space <= 'Z') {
        snprintf(text, sizeof(text), "::{%s",
                 space == 'C'   ? "closure"
                 : space == 'S' ? "shim"
                                : "item");
        put(it, text);
        if (count) {
            put(it, ":");
            put_bytes(it, bytes, count);
        }
        snprintf(text, sizeof(text), "#%llu}", (unsigned long long)number);
        put(it, text);
    } else if (count) {
        put(it, "::");
        put_bytes(it, bytes, count);
    }
}

static void path(reading *it)
{
    if (enter(it))
        switch (*it->at ? *it->at++ : 0) {
        case 'C':
            disambiguator(it);
            put_identifier(it);
            break;
        case 'N': nested(it); break;
        case 'M':
            impl_path(it);
            put(it, "<");
            type(it);
            put(it, ">");
            break;
        case 'X': impl_path(it); /* fall through */
        case 'Y':
            put(it, "<");
            type(it);
            put(it, " as ");
            path(it);
            put(it, ">");
            break;
        case 'I':
            path(it);
            generic_arguments(it);
            break;
        case 'B': back_reference(it, path); break;
        default: it->has_failed = 1;
        }
    it->depth--;
}

/* "name: type" in the bounds of a trait object, and its lifetime. */
static void bounds(reading *it)
{
    if (take(it, 'G'))
        base_62(it);
    while (!it->has_failed && !take(it, 'E')) {
        path(it);
        while (take(it, 'p')) {
            put_identifier(it);
            type(it);
        }
    }
    if (take(it, 'L'))
        base_62(it);
}

static void function(reading *it)
{
    if (take(it, 'G'))
        base_62(it);
    take(it, 'U');
    if (take(it, 'K') && !take(it, 'C'))
        put_identifier(it);
    while (!it->has_failed && !take(it, 'E'))
        type(it);
    type(it);
}

static const char *basic(char tag)
{
    static const char *const names[26] = {
        "i8",    "bool", "char", "f64", "str",  "f32",  NULL,  "u8", "isize",
        "usize", NULL,   "i32",  "u32", "i128", "u128", "_",   NULL, NULL,
        "i16",   "u16",  "()",   "...", NULL,   "i64",  "u64", "!"};

    return tag >= 'a' && tag <= 'z' ? names[tag - 'a'] : NULL;
}

static void sequence(reading *it, const char *open, const char *close)
{
    put(it, open);
    for (int i = 0; !it->has_failed && !take(it, 'E'); i++) {
        put(it, i ? ", " : "");
        type(it);
    }
    put(it, close);
}

static void type(reading *it)
{
    const char *name = basic(*it->at);

    if (!enter(it)) {
        it->depth--;
        return;
    }
    if (name) {
        it->at++;
        put(it, name);
    } else if (strchr("CNMXYI", *it->at) && *it->at) {
        path(it);
    } else
        switch (*it->at ? *it->at++ : 0) {
        case 'A':
            put(it, "[");
            type(it);
            put(it, "]");
            it->is_silent++;
            type(it);
            if (!take(it, 'p'))
                while (*it->at && !take(it, '_'))
                    it->at++;
            it->is_silent--;
            break;
        case 'S':
            put(it, "[");
            type(it);
            put(it, "]");
            break;
        case 'T': sequence(it, "(", ")"); break;
        case 'R':
        case 'Q':
            if (take(it, 'L'))
                base_62(it);
            put(it, "&");
            type(it);
            break;
        case 'P':
        case 'O':
            put(it, "*");
            type(it);
            break;
        case 'F':
            put(it, "fn");
            it->is_silent++;
            function(it);
            it->is_silent--;
            break;
        case 'D':
            put(it, "dyn ");
            bounds(it);
            break;
        case 'B': back_reference(it, type); break;
        default: it->has_failed = 1;
        }
    it->depth--;
}

int tm__rust_name(const char *mangled, char *name, size_t room)
{
    reading it = {.name = name, .room = room};

    if (strncmp(mangled, "_R", 2) != 0 || room == 0)
        return 0;
    it.begin = it.at = mangled + 2;
    /* A number of the mangling's version would come first. */
    if (*it.at < 'A' || *it.at > 'Z')
        return 0;
    path(&it);
    if (it.has_failed || it.length == 0)
        return 0;
    name[it.length] = 0;
    return 1;
}
