/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a class file as the JVM specification has it: bytes, and the constants. */
#ifndef TM_AGENT_VM_CLASS_FILE_H
#define TM_AGENT_VM_CLASS_FILE_H

#include <stddef.h>
#include <stdint.h>

/** Tags of constants. */
enum {
    TM__CONSTANT_TEXT = 1,
    TM__CONSTANT_LONG = 5,
    TM__CONSTANT_DOUBLE = 6,
    TM__CONSTANT_CLASS = 7,
    TM__CONSTANT_METHOD = 10,
    TM__CONSTANT_INTERFACE_METHOD = 11,
    TM__CONSTANT_NAME_AND_TYPE = 12,
    TM__CONSTANT_METHOD_HANDLE = 15
};

enum { TM__CONSTANTS_MAX = 65535 };

/** Reads past the end give zeros and note that. */
typedef struct tm__class_reader {
    const unsigned char *bytes;
    size_t size;
    size_t at;
    int failed;
} tm__class_reader;

/** @return the next number of 1, 2 or 4 bytes */
uint32_t tm__class_read(tm__class_reader *reader, size_t bytes);
void tm__class_skip(tm__class_reader *reader, size_t bytes);

static inline uint32_t tm__class_u2(const unsigned char *at)
{
    return (uint32_t)at[0] << 8 | at[1];
}

/** The constants: where each begins. */
typedef struct tm__constants {
    const unsigned char *bytes;
    uint32_t count; ///< one more than there are, as the file has it
    uint32_t *at;   ///< of its tag; 0: none. Room for `count` is the caller's
} tm__constants;

/** Find the constants from where the reader stands, and leave it behind them. */
void tm__constants_find(tm__constants *constants, tm__class_reader *reader);

/** The data after the tag of this constant, if it is of that kind; NULL: it is not. */
const unsigned char *tm__constant(const tm__constants *constants, uint32_t number,
                                  int tag);

/** A method by its number, of a class or of an interface; NULL: not a method. */
const unsigned char *tm__constant_method(const tm__constants *constants,
                                         uint32_t number);

/** The text that a number stands for, not ended by a zero; NULL: not a text. */
const char *tm__constant_text(const tm__constants *constants, uint32_t number,
                              size_t *length);

int tm__constant_is_text(const tm__constants *constants, uint32_t number,
                         const char *text);

#endif
