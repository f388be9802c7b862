/* SPDX-License-Identifier: Apache-2.0 */
/* The packages of Go itself. */
#include "formats/go/go_packages.h"

#include <string.h>

/* The first element of their paths. Those of other modules have a dot in it, or stand
 * where they were built. */
static const char *const own[] = {
    "archive",  "bufio",    "bytes",   "cmp",     "compress", "container", "context",
    "crypto",   "database", "debug",   "embed",   "encoding", "errors",    "expvar",
    "flag",     "fmt",      "go",      "hash",    "html",     "image",     "index",
    "internal", "io",       "iter",    "log",     "maps",     "math",      "mime",
    "net",      "os",       "path",    "plugin",  "reflect",  "regexp",    "runtime",
    "slices",   "sort",     "strconv", "strings", "sync",     "syscall",   "testing",
    "text",     "time",     "unicode", "unique",  "unsafe",   "vendor",    "weak",
};

int tm__go_is_own_package(tm__go_text package)
{
    uint32_t length = 0;

    while (length < package.length && package.bytes[length] != '/')
        length++;
    for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
        if (strlen(own[i]) == length && memcmp(own[i], package.bytes, length) == 0)
            return 1;
    return 0;
}

uint32_t tm__go_package_length(tm__go_text name)
{
    uint32_t start = 0;

    for (uint32_t i = 0; i < name.length && name.bytes[i] != '['; i++)
        if (name.bytes[i] == '/')
            start = i + 1;
    for (uint32_t i = start; i < name.length; i++)
        if (name.bytes[i] == '.')
            return i;
    return 0;
}

int tm__go_begins_with(tm__go_text text, const char *start)
{
    size_t length = strlen(start);

    return text.length >= length && memcmp(text.bytes, start, length) == 0;
}
