/* SPDX-License-Identifier: Apache-2.0 */
/* No output is longer than its input, so that a copy needs no more room. */
#include "formats/text/escape.h"

#include <string.h>

static size_t put_utf8(char *to, uint32_t code)
{
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        to[0] = (char)(0xc0 | code >> 6);
        to[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        to[0] = (char)(0xe0 | code >> 12);
        to[1] = (char)(0x80 | (code >> 6 & 0x3f));
        to[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    to[0] = (char)(0xf0 | code >> 18);
    to[1] = (char)(0x80 | (code >> 12 & 0x3f));
    to[2] = (char)(0x80 | (code >> 6 & 0x3f));
    to[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

/* "u00e9" behind a backslash. @return 1 */
static int read_unit(tm__slice text, uint32_t *unit)
{
    tm__slice digits = tm__slice_from(text, 1);
    uint64_t value;

    if (text.length < 5 || text.bytes[0] != 'u')
        return 0;
    digits.length = 4;
    if (!tm__slice_number(&digits, 16, &value) || digits.length)
        return 0;
    *unit = (uint32_t)value;
    return 1;
}

/* The character of "u....", or of two of them. @return bytes of the text */
static size_t read_code(tm__slice text, uint32_t *code)
{
    uint32_t low;

    if (!read_unit(text, code))
        return 0;
    if (*code < 0xd800 || *code > 0xdfff)
        return 5;
    if (*code < 0xdc00 && text.length >= 11 && text.bytes[5] == '\\' &&
        read_unit(tm__slice_from(text, 6), &low) && low >= 0xdc00 && low <= 0xdfff) {
        *code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
        return 11;
    }
    *code = 0xfffd;
    return 5;
}

/* A character of a string; within another one a backslash stands before its quotes and
 * backslashes. */
static char take(tm__slice text, size_t *at, tm__quoting quoting)
{
    char c = text.bytes[(*at)++];

    if (quoting == TM__QUOTED_TWICE && c == '\\' && *at < text.length &&
        (text.bytes[*at] == '\\' || text.bytes[*at] == '"'))
        c = text.bytes[(*at)++];
    return c;
}

char tm__unescape(char *to, tm__slice text, tm__quoting quoting, size_t *length,
                  size_t *taken)
{
    size_t at = 0, out = 0, bytes;
    uint32_t code;

    while (at < text.length) {
        char c = take(text, &at, quoting);

        if ((c == '"' && quoting != TM__UNQUOTED) || c == '\n') {
            *length = out;
            *taken = at;
            return c == '"' ? c : '\r';
        }
        if (c != '\\' || at == text.length) {
            to[out++] = c;
            continue;
        }
        c = take(text, &at, quoting);
        switch (c) {
        case 'n':
            *length = out;
            *taken = at;
            return 'n';
        case 't': to[out++] = '\t'; break;
        case 'r': break;
        case 'b':
        case 'f': to[out++] = ' '; break;
        case 'u':
            bytes = read_code(tm__slice_from(text, at - 1), &code);
            if (bytes) {
                at += bytes - 1;
                out += put_utf8(to + out, code ? code : 0xfffd);
                break;
            }
            /* fallthrough */
        default: to[out++] = c; break;
        }
    }
    *length = out;
    *taken = at;
    return 0;
}

static const struct {
    const char *name;
    char c;
} entities[] = {
    {"&quot;", '"'},  {"&#34;", '"'},  {"&lt;", '<'},    {"&#60;", '<'},
    {"&gt;", '>'},    {"&#62;", '>'},  {"&amp;", '&'},   {"&#38;", '&'},
    {"&apos;", '\''}, {"&#39;", '\''}, {"&#x27;", '\''}, {"&nbsp;", ' '},
    {"&#160;", ' '},  {"&#9;", '\t'},  {"&#x9;", '\t'},  {"&#x22;", '"'},
    {"&#x3c;", '<'},  {"&#x3e;", '>'}, {"&#x3C;", '<'},  {"&#x3E;", '>'},
    {"&#36;", '$'},   {"&#40;", '('},  {"&#41;", ')'},   {"&#x2F;", '/'},
    {"&#x2f;", '/'},  {"&#47;", '/'},
};

static const char *const tags[] = {
    "br",   "p",    "pre",   "code", "div", "span", "td",      "tr", "table",
    "body", "html", "tbody", "li",   "ul",  "ol",   "samp",    "a",  "b",
    "i",    "em",   "font",  "tt",   "th",  "head", "details", "h1",
};

size_t tm__html_tag(tm__slice text)
{
    size_t first = text.length > 1 && text.bytes[1] == '/' ? 2 : 1, length, end;
    tm__slice name;

    if (text.length < 3 || text.bytes[0] != '<')
        return 0;
    name = tm__slice_from(text, first);
    for (length = 0; length < name.length && name.bytes[length] != '>' &&
                     name.bytes[length] != ' ' && name.bytes[length] != '/';)
        length++;
    end = tm__slice_find(text, ">");
    if (end == text.length)
        return 0;
    for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++)
        if (strlen(tags[i]) == length && memcmp(name.bytes, tags[i], length) == 0)
            return end + 1;
    return 0;
}

size_t tm__unescape_html(char *to, tm__slice text)
{
    size_t out = 0, at = 0;

    while (at < text.length) {
        tm__slice rest = tm__slice_from(text, at);
        size_t bytes = tm__html_tag(rest);

        if (rest.bytes[0] == '&')
            for (size_t i = 0; !bytes && i < sizeof(entities) / sizeof(*entities); i++)
                if (tm__slice_begins(rest, entities[i].name)) {
                    to[out++] = entities[i].c;
                    bytes = strlen(entities[i].name);
                }
        if (!bytes) {
            to[out++] = rest.bytes[0];
            bytes = 1;
        }
        at += bytes;
    }
    return out;
}

/* U+00A0 in UTF-8. */
size_t tm__unescape_blanks(char *to, tm__slice text)
{
    size_t out = 0;

    for (size_t at = 0; at < text.length; at++) {
        if (text.bytes[at] == '\xc2' && at + 1 < text.length &&
            text.bytes[at + 1] == '\xa0') {
            to[out++] = ' ';
            at++;
        } else {
            to[out++] = text.bytes[at];
        }
    }
    return out;
}

/* A text processor makes quotes and dashes of its own: in UTF-8 U+201C to U+201E, and
 * U+2010 to U+2014. A name within straight quotes may have them. */
size_t tm__unescape_typed(char *to, tm__slice text)
{
    int is_typed = tm__slice_find(text, "\"") == text.length;
    size_t out = 0, at = 0;

    while (at < text.length) {
        tm__slice rest = tm__slice_from(text, at);
        int is_mark = tm__slice_begins(rest, "\xe2\x80") && rest.length > 2;

        if (is_mark && is_typed && rest.bytes[2] >= '\x9c' && rest.bytes[2] <= '\x9e')
            to[out++] = '"';
        else if (is_mark && rest.bytes[2] >= '\x90' && rest.bytes[2] <= '\x94' &&
                 tm__slice_begins(tm__slice_from(rest, 3), " "))
            to[out++] = '-';
        else {
            to[out++] = text.bytes[at++];
            continue;
        }
        at += 3;
    }
    return out;
}

size_t tm__unescape_record(char *to, tm__slice text)
{
    size_t out = 0;

    for (size_t at = 1; at < text.length; at++) {
        if (text.bytes[at] == '"' && (++at == text.length || text.bytes[at] != '"'))
            break;
        to[out++] = text.bytes[at];
    }
    return out;
}

size_t tm__unescape_terminal(char *to, tm__slice text)
{
    size_t out = 0, at = 0;

    while (at < text.length) {
        char c = text.bytes[at++];

        if (c != '\x1b') {
            to[out++] = c;
            continue;
        }
        if (at == text.length || text.bytes[at] != '[')
            continue;
        /* Parameters, and the letter that ends them. */
        for (at++; at < text.length; at++)
            if (text.bytes[at] >= '@' && text.bytes[at] <= '~') {
                at++;
                break;
            }
    }
    return out;
}
