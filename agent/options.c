/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options are read once, before the VM is up, and refuse what they do not know:
 * a misspelt option that is taken for none costs somebody a whole recording.
 */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char DEFAULT_FILE[] = "threadmodel-%p.tmt";
enum { DEFAULT_DEPTH = 16, DEFAULT_BUFFER_KIB = 512 };
enum { BUFFER_KIB_MIN = 64, BUFFER_KIB_MAX = 1 << 20 };

const char *tm__options_help(void)
{
    return "libthreadmodel agent: -agentpath:libthreadmodel-agent.so=key=value,...\n"
           "\n"
           "  file=PATH    where the trace goes; %p is the process id, %% a percent\n"
           "               sign, ,, a comma          (default threadmodel-%p.tmt)\n"
           "  depth=N      frames of a stack, 0 to 256; 0 takes no stacks, and a\n"
           "               frame costs about 0.1 us an event         (default 16)\n"
           "  buffer=KIB   of each thread's ring, 64 to 1048576; what does not fit\n"
           "               until the writer comes by is counted as lost (default 512)\n"
           "  help         print this and exit\n";
}

/* Replace %p and %%; any other percent sign stands for itself. */
static int expand(char *out, size_t bytes, const char *pattern, uint64_t pid)
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

/* A whole decimal number within [min, max]. */
static int number(uint64_t *out, const char *text, uint64_t min, uint64_t max)
{
    char *end;

    if (*text < '0' || *text > '9' || strlen(text) > 10)
        return -1;
    *out = strtoull(text, &end, 10);
    return *end || *out < min || *out > max ? -1 : 0;
}

/* The next item, up to a comma that is not doubled; `item` has room for all. */
static const char *next_item(char *item, const char *text)
{
    while (*text && !(text[0] == ',' && text[1] != ',')) {
        if (*text == ',')
            text++;
        *item++ = *text++;
    }
    *item = 0;
    return *text ? text + 1 : text;
}

static size_t power_of_two(size_t least)
{
    size_t bytes = 1;

    while (bytes < least)
        bytes *= 2;
    return bytes;
}

static int set(tm__options *options, const char *key, const char *value, uint64_t pid,
               char *error, size_t error_bytes)
{
    uint64_t n;

    if (strcmp(key, "help") == 0) {
        options->help = 1;
    } else if (!value) {
        snprintf(error, error_bytes, "option \"%s\" %s", key,
                 strcmp(key, "file") && strcmp(key, "depth") && strcmp(key, "buffer")
                     ? "is not known (file, depth, buffer, help are)"
                     : "has no value");
        return -1;
    } else if (strcmp(key, "file") == 0) {
        if (!*value || expand(options->file, sizeof(options->file), value, pid)) {
            snprintf(error, error_bytes, "option file: %s",
                     *value ? "the path is too long" : "the path is empty");
            return -1;
        }
    } else if (strcmp(key, "depth") == 0) {
        if (number(&n, value, 0, TM__DEPTH_MAX)) {
            snprintf(error, error_bytes,
                     "option depth: \"%s\" is not a number from 0 to %d", value,
                     TM__DEPTH_MAX);
            return -1;
        }
        options->depth = (uint32_t)n;
    } else if (strcmp(key, "buffer") == 0) {
        if (number(&n, value, BUFFER_KIB_MIN, BUFFER_KIB_MAX)) {
            snprintf(error, error_bytes,
                     "option buffer: \"%s\" is not a number of KiB from %d to %d",
                     value, BUFFER_KIB_MIN, BUFFER_KIB_MAX);
            return -1;
        }
        options->buffer_bytes = power_of_two((size_t)n * 1024);
    } else {
        snprintf(error, error_bytes,
                 "option \"%s\" is not known (file, depth, buffer, help are)", key);
        return -1;
    }
    return 0;
}

int tm__options_parse(tm__options *options, const char *text, uint64_t pid, char *error,
                      size_t error_bytes)
{
    int rc = 0;
    char *item;

    *options = (tm__options){
        .depth = DEFAULT_DEPTH,
        .buffer_bytes = (size_t)DEFAULT_BUFFER_KIB * 1024,
    };
    expand(options->file, sizeof(options->file), DEFAULT_FILE, pid);
    if (!text || !*text)
        return 0;
    item = malloc(strlen(text) + 1);
    if (!item) {
        snprintf(error, error_bytes, "no memory to read the options");
        return -1;
    }
    while (*text && rc == 0) {
        char *value;

        text = next_item(item, text);
        value = strchr(item, '=');
        if (value)
            *value++ = 0;
        rc = set(options, item, value, pid, error, error_bytes);
    }
    free(item);
    return rc;
}
