/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hidden classes, those of lambdas above all. The VM puts an address behind the name
 * that they were defined by, and release 17 a serial number before that:
 *
 *      a.B$$Lambda/0x00007f3a5c000c28      in a thread dump of 25, and in JVM TI
 *      a.B$$Lambda$14+0x0000000800c03000   in a heap dump of 17
 *      a.B$$Lambda$14/1057941451           of old; with a dot in JVM TI of 11
 *
 * The next run has others. So that rows of two runs are of one class, as they are of
 * one line of the program, answers leave both out; a trace keeps what it was given.
 */
#include <ctype.h>
#include <string.h>

#include "model/entities/hidden_class_name.h"

static const char LAMBDA[] = "$$Lambda";

/* Where the digits at the end of a text begin; its end where there are none. */
static const char *digits_before(const char *text, const char *end, int are_hex)
{
    while (end > text && (are_hex ? isxdigit((unsigned char)end[-1])
                                  : isdigit((unsigned char)end[-1])))
        end--;
    return end;
}

/* @return the end of the name without its address; `end` where it has none */
static const char *without_address(const char *name, const char *end)
{
    const char *hex = digits_before(name, end, 1);
    const char *decimal = digits_before(name, end, 0);

    if (hex < end && hex - name > 3 && hex[-1] == 'x' && hex[-2] == '0' &&
        strchr("/+.", hex[-3]))
        return hex - 3;
    /* "x" is not a digit, "0" is: 0x0 and the like have been found by now. */
    if (decimal < end && decimal - name > 1 &&
        (decimal[-1] == '/' || (decimal[-1] == '.' && strstr(name, LAMBDA))))
        return decimal - 1;
    return end;
}

size_t tm__hidden_name(const char *name, const char **suffix)
{
    const char *whole = name + strlen(name);
    const char *end = without_address(name, whole);
    const char *lambda, *serial;

    *suffix = "";
    if (end == whole)
        return (size_t)(whole - name);
    /* A heap dump may have one of each kind. */
    end = without_address(name, end);
    lambda = strstr(name, LAMBDA);
    if (!lambda || lambda >= end) {
        *suffix = "/hidden";
        return (size_t)(end - name);
    }
    lambda += sizeof(LAMBDA) - 1;
    serial = digits_before(lambda, end, 0);
    if (serial == lambda + 1 && *lambda == '$' && serial < end)
        end = lambda;
    return (size_t)(end - name);
}
