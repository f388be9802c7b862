/* SPDX-License-Identifier: Apache-2.0 */
/* One value of one option: read whole, or refused by a line that says what it may be.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* strtod_l() */
#endif
#include "vm/option_values.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int complain(const tm__complaint *problem, const tm__option *option,
                    const char *format, const char *value)
{
    int used = snprintf(problem->text, problem->bytes, "option %s: ", option->name);

    if (used > 0 && (size_t)used < problem->bytes)
        snprintf(problem->text + used, problem->bytes - (size_t)used, format, value);
    return -1;
}

/* Replace %p and %%; any other percent sign stands for itself. */
int tm__option_expand(char *out, size_t bytes, const char *pattern, uint64_t pid)
{
    size_t used = 0;

    for (const char *at = pattern; *at; at++) {
        char text[24] = {*at, 0};
        size_t length;

        if (at[0] == '%' && at[1] == 'p') {
            snprintf(text, sizeof(text), "%llu", (unsigned long long)pid);
            at++;
        } else if (at[0] == '%' && at[1] == '%') {
            at++;
        }
        length = strlen(text);
        if (used + length >= bytes)
            return -1;
        memcpy(out + used, text, length);
        used += length;
    }
    out[used] = 0;
    return 0;
}

/* A whole decimal number within [least, most]. */
static int number(uint64_t *out, const char *text, uint64_t least, uint64_t most)
{
    char *end;

    if (*text < '0' || *text > '9' || strlen(text) > 10)
        return -1;
    *out = strtoull(text, &end, 10);
    return *end || *out < least || *out > most ? -1 : 0;
}

static uint64_t power_of_two(uint64_t least)
{
    uint64_t bytes = 1;

    while (bytes < least)
        bytes *= 2;
    return bytes;
}

static int read_number(uint64_t *out, const tm__option *option, const char *value,
                       const tm__complaint *problem)
{
    char format[96];

    if (number(out, value, option->least, option->most) == 0)
        return 0;
    snprintf(format, sizeof(format), "\"%%.100s\" is not a number%s from %llu to %llu",
             option->type == KIB   ? " of KiB"
             : option->type == MIB ? " of MiB"
                                   : "",
             (unsigned long long)option->least, (unsigned long long)option->most);
    return complain(problem, option, format, value);
}

/* A JVM sets its locale, in which a fraction may begin with a comma. */
static double decimal(const char *text, char **end)
{
    static locale_t plain;

    if (!plain)
        plain = newlocale(LC_ALL_MASK, "C", NULL);
    return plain ? strtod_l(text, end, plain) : strtod(text, end);
}

static int read_share(double *out, const tm__option *option, const char *value,
                      const tm__complaint *problem)
{
    char *end;

    /* strtod() would take spaces, signs, nan, inf and hexadecimals, too. */
    *out = decimal(value, &end);
    if (*value && strspn(value, "0123456789.e-") == strlen(value) && !*end &&
        *value != '-' && *out >= 0 && *out <= 1)
        return 0;
    return complain(problem, option, "\"%.100s\" is not a share from 0 to 1", value);
}

/* "1%" or "0.5": so many hundredths. */
static int read_percent(double *out, const tm__option *option, const char *value,
                        const tm__complaint *problem)
{
    char *end;

    *out = decimal(value, &end) / 100;
    if (*value >= '0' && *value <= '9' &&
        strspn(value, "0123456789.") == (size_t)(end - value) &&
        (!*end || strcmp(end, "%") == 0) && *out > 0 && *out <= 1)
        return 0;
    return complain(problem, option, "\"%.100s\" is not a percentage up to 100", value);
}

static int read_word(uint64_t *out, const tm__option *option, const char *value,
                     const tm__complaint *problem)
{
    for (uint64_t i = 0; option->words[i]; i++)
        if (strcmp(value, option->words[i]) == 0) {
            *out = i;
            return 0;
        }
    complain(problem, option, "\"%.100s\" is not one of ", value);
    strncat(problem->text, option->value, problem->bytes - strlen(problem->text) - 1);
    return -1;
}

static int read_flag(uint64_t *out, const tm__option *option, const char *value,
                     const tm__complaint *problem)
{
    static const char *const ANSWERS[] = {"n", "y", "no", "yes", "false", "true"};

    for (uint64_t i = 0; i < sizeof(ANSWERS) / sizeof(*ANSWERS); i++)
        if (strcmp(value, ANSWERS[i]) == 0) {
            *out = i & 1;
            return 0;
        }
    return complain(problem, option, "\"%.100s\" is neither y nor n", value);
}

static int read_path(char *out, const tm__option *option, const char *value,
                     uint64_t pid, const tm__complaint *problem)
{
    if (!*value)
        return complain(problem, option, "the path is empty", value);
    if (tm__option_expand(out, TM__PATH_BYTES, value, pid) != 0)
        return complain(problem, option, "the path is too long", value);
    return 0;
}

/* "host:port", "[::1]:port", "unix:/path". */
static int read_address(char *out, const tm__option *option, const char *value,
                        const tm__complaint *problem)
{
    const char *port = strrchr(value, ':');
    uint64_t n;

    if (strlen(value) >= TM__ADDRESS_BYTES)
        return complain(problem, option, "the address is too long", value);
    memcpy(out, value, strlen(value) + 1);
    if (strncmp(value, "unix:", 5) == 0)
        return value[5] ? 0 : complain(problem, option, "\"%s\" has no path", value);
    if (!port || port == value || number(&n, port + 1, 1, 65535) != 0)
        return complain(problem, option,
                        "\"%.100s\" is neither HOST:PORT nor unix:PATH", value);
    return 0;
}

int tm__option_read(void *field, const tm__option *option, const char *value,
                    uint64_t pid, const tm__complaint *problem)
{
    int rc;

    switch (option->type) {
    case PATH: return read_path(field, option, value, pid, problem);
    case ADDRESS: return read_address(field, option, value, problem);
    case NUMBER: return read_number(field, option, value, problem);
    case KIB:
        rc = read_number(field, option, value, problem);
        if (rc == 0)
            *(uint64_t *)field = power_of_two(*(uint64_t *)field * 1024);
        return rc;
    case MIB:
        rc = read_number(field, option, value, problem);
        if (rc == 0)
            *(uint64_t *)field <<= 20;
        return rc;
    case PERCENT: return read_percent(field, option, value, problem);
    case SHARE: return read_share(field, option, value, problem);
    case WORD: return read_word(field, option, value, problem);
    case FLAG:
    case BARE: break;
    }
    return read_flag(field, option, value, problem);
}
