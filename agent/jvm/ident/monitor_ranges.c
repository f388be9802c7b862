/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A compiler puts what it synchronizes on into a variable, and a block's code into one
 * piece, with the exit for exceptions behind it:
 *
 *      4 dup            the monitor goes into variable 2
 *      5 astore_2
 *      6 monitorenter   the range begins
 *        ...
 *     14 aload_2
 *     15 monitorexit    on the way out
 *     16 goto 24
 *     19 astore_3
 *     20 aload_2
 *     21 monitorexit    on the way out of an exception: the range ends behind it
 *
 * So the exits of a monitor are those of the variable that was stored or loaded just
 * before its enter. Code between an exit and the end of the range counts as holding the
 * monitor, though it may not; code outside of the range does not. Nothing is stated of
 * code in another form.
 */
#include "ident/monitor_ranges.h"

enum {
    ALOAD = 0x19,
    ALOAD_0 = 0x2a,
    ASTORE = 0x3a,
    ASTORE_0 = 0x4b,
    IINC = 0x84,
    TABLESWITCH = 0xaa,
    LOOKUPSWITCH = 0xab,
    MONITORENTER = 0xc2,
    MONITOREXIT = 0xc3,
    WIDE = 0xc4,
    LAST_OPCODE = 0xc9
};

/** Bytes of each instruction; 0: it has as many as it needs. */
static const uint8_t bytes_of[LAST_OPCODE + 1] = {
    /* 00 constants */ 1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    /* 10 */ 2,
    3,
    2,
    3,
    3,
    /* 15 loads */ 2,
    2,
    2,
    2,
    2,
    1,
    1,
    1,
    1,
    1,
    1,
    /* 20 */ 1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    /* 30 */ 1,
    1,
    1,
    1,
    1,
    1,
    /* 36 stores */ 2,
    2,
    2,
    2,
    2,
    1,
    1,
    1,
    1,
    1,
    /* 40 */ 1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    /* 50 */ 1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    /* 60 arithmetic */ 1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    /* 70 */ 1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    /* 80 */ 1,
    1,
    1,
    1,
    3,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    /* 90 */ 1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    /* 99 branches */ 3,
    3,
    3,
    3,
    3,
    3,
    3,
    /* a0 */ 3,
    3,
    3,
    3,
    3,
    3,
    3,
    3,
    3,
    2,
    0,
    0,
    1,
    1,
    1,
    1,
    /* b0 */ 1,
    1,
    3,
    3,
    3,
    3,
    3,
    3,
    3,
    5,
    5,
    3,
    2,
    3,
    1,
    1,
    /* c0 */ 3,
    3,
    1,
    1,
    0,
    4,
    3,
    3,
    5,
    5};

static int64_t word(const unsigned char *at)
{
    return (int32_t)((uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 |
                     (uint32_t)at[2] << 8 | at[3]);
}

/* @return bytes of the instruction; 0: no whole one is there */
static size_t length_at(const unsigned char *code, size_t size, size_t at)
{
    size_t words = (at | 3) + 1, length;
    int64_t count;

    if (code[at] > LAST_OPCODE)
        return 0;
    length = bytes_of[code[at]];
    if (code[at] == WIDE) {
        length = at + 1 < size && code[at + 1] == IINC ? 6 : 4;
    } else if (code[at] == TABLESWITCH) {
        if (words + 12 > size)
            return 0;
        count = word(code + words + 8) - word(code + words + 4) + 1;
        if (count < 0 || count > (int64_t)size)
            return 0;
        length = words + 12 + 4 * (size_t)count - at;
    } else if (code[at] == LOOKUPSWITCH) {
        if (words + 8 > size)
            return 0;
        count = word(code + words + 4);
        if (count < 0 || count > (int64_t)size)
            return 0;
        length = words + 8 + 8 * (size_t)count - at;
    }
    return length <= size - at ? length : 0;
}

/* The variable that an instruction loads an object from, or stores one into; -1: it
 * does neither. */
static int variable_at(const unsigned char *code, size_t at, int *is_store)
{
    int instruction = code[at];

    *is_store = instruction == ASTORE ||
                (instruction >= ASTORE_0 && instruction < ASTORE_0 + 4);
    if (instruction == ALOAD || instruction == ASTORE)
        return code[at + 1];
    if (instruction >= ALOAD_0 && instruction < ALOAD_0 + 4)
        return instruction - ALOAD_0;
    if (*is_store)
        return instruction - ASTORE_0;
    return -1;
}

typedef struct search {
    tm__code_range *ranges;
    int *variables;
    int count;
} search;

/* The last enter of the variable ends here, as far as is known. @return 0: there is
 * none */
static int end_at(search *s, int variable, size_t end)
{
    for (int i = s->count - 1; i >= 0; i--)
        if (s->variables[i] == variable) {
            s->ranges[i].end = (uint16_t)end;
            return 1;
        }
    return 0;
}

static int are_ended(const search *s)
{
    for (int i = 0; i < s->count; i++)
        if (s->ranges[i].end == 0)
            return 0;
    return 1;
}

int tm__monitor_ranges(const unsigned char *code, size_t size, tm__code_range *ranges,
                       int max)
{
    int variables[64], variable = -1, is_store = 0;
    search s = {.ranges = ranges, .variables = variables};
    size_t length;

    if (size > UINT16_MAX || max > (int)(sizeof(variables) / sizeof(*variables)))
        return -1;
    for (size_t at = 0; at < size; at += length) {
        length = length_at(code, size, at);
        if (length == 0)
            return -1;
        if (code[at] == MONITORENTER) {
            if (variable < 0 || s.count == max)
                return -1;
            variables[s.count] = variable;
            ranges[s.count++] = (tm__code_range){.enter = (uint16_t)at};
        } else if (code[at] == MONITOREXIT) {
            if (variable < 0 || is_store || !end_at(&s, variable, at + 1))
                return -1;
        }
        variable = variable_at(code, at, &is_store);
    }
    return are_ended(&s) ? s.count : -1;
}
