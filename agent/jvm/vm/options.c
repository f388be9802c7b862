/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options are read once, before the VM is up, and refuse what they do not know:
 * a misspelt option that is taken for none costs somebody a whole recording.
 * To add one: a field in options.h, and a row of the table.
 */
#include "vm/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum type {
    PATH,    ///< char[TM__PATH_BYTES], %p and %% replaced
    ADDRESS, ///< char[TM__ADDRESS_BYTES]
    NUMBER,  ///< uint64_t within [least, most]
    KIB,     ///< the same in KiB, kept in bytes as a power of two
    MIB,     ///< the same in MiB, kept in bytes
    PERCENT, ///< double above 0 and up to 1, written as 1 or 0.5%
    SHARE,   ///< double within [0, 1]
    WORD,    ///< uint64_t: the place of a word in `words`
    FLAG,    ///< uint64_t 0 or 1: y or n
    BARE     ///< the same, and the name alone is a yes
};

typedef struct row {
    const char *name;
    enum type type;
    size_t offset;
    const char *initial; ///< read as if the user had given it; NULL: zero
    const char *value;   ///< as the help calls it
    const char *help;    ///< lines end by a line feed; NULL: not for people
    uint64_t least, most;
    const char *words[6];
} row;

tm__options tm__the_options;

#define AT(field) offsetof(tm__options, field)

/* What the file is called if nobody says, by format. */
static const char *const DEFAULT_FILES[] = {"threadmodel-%p.tmt", "threadmodel-%p.txt",
                                            "threadmodel-%p.hprof"};

static const row OPTIONS[] = {
    {"file", PATH, AT(file), .value = "PATH",
     .help = "where the trace goes; %p is the process id, %%\n"
             "a percent sign, ,, a comma\n"
             "(default threadmodel-%p.tmt, .txt or .hprof)"},
    {"net", ADDRESS, AT(net), .value = "ADDRESS",
     .help = "send the trace to HOST:PORT or unix:PATH of\n`threadmodel listen`; with "
             "file= to both"},
    {"token", PATH, AT(token), .value = "FILE",
     .help = "of net: the word that the listener requires, in a\nfile of mode 600"},
    {"format", WORD, AT(format), .initial = "tmt", .value = "tmt|a|b",
     .help = "a trace; HPROF's text: monitor times, CPU samples;\n"
             "or its binary: threads, stacks, CPU samples",
     .words = {"tmt", "a", "b"}},
    {"force", FLAG, AT(force), .initial = "y", .value = "y|n",
     .help = "replace a file of that name"},
    {"rings", PATH, AT(rings), .value = "DIR",
     .help = "keep the threads' buffers in a file there, with\n"
             "a link beside the trace (default: beside the\n"
             "trace); none: in memory, lost at kill -9"},
    {"buffer", KIB, AT(buffer_bytes), .initial = "512", .value = "KIB",
     .help = "of each thread; events without room are counted", .least = 64,
     .most = 1 << 20},
    {"depth", NUMBER, AT(depth), .initial = "16", .value = "N",
     .help = "frames of a stack, 0 to 256; 0: no stacks; a\n"
             "frame costs about 0.1 us an event",
     .least = 0, .most = TM__DEPTH_MAX},
    {"stacks", WORD, AT(stacks), .initial = "adaptive", .value = "adaptive|all|none",
     .help = "adaptive: those of long blocking intervals all, of short ones\n"
             "as many as cost 0.25 % of the processors",
     .words = {"adaptive", "all", "none"}},
    {"monitor", FLAG, AT(monitor), .initial = "y", .value = "y|n",
     .help = "report blocks and waits at monitors"},
    {"contanalysis", BARE, AT(contention_analysis), .initial = "y", .value = "y|n",
     .help = "report notify, park, sleep, start and interrupt"},
    {"gc", FLAG, AT(gc), .initial = "y", .value = "y|n",
     .help = "report pauses of the collector"},
    {"held", FLAG, AT(held), .initial = "n", .value = "y|n",
     .help = "report at each contended enter which monitors\nthe thread holds, for "
             "lock order; 3 to 40 us an\nenter"},
    {"cpu", WORD, AT(cpu), .initial = "none", .value = "samples|none",
     .help = "samples: the stacks of threads on a processor",
     .words = {"none", "samples"}},
    {"interval", NUMBER, AT(interval_ms), .initial = "10", .value = "MS",
     .help = "processor time from one sample of a thread to\n"
             "the next, in ms",
     .least = 1, .most = 10000},
    {"mount", FLAG, AT(mount), .initial = "n", .value = "y|n",
     .help = "report which carrier each virtual thread is on,\n"
             "two events whenever it parks"},
    {"doe", FLAG, AT(doe), .initial = "n", .value = "y|n",
     .help = "print a report on stderr when the VM ends"},
    {"cutoff", SHARE, AT(cutoff), .initial = "0.0001", .value = "SHARE",
     .help = "reports leave out rows of a smaller share, 0 to 1"},
    {"lineno", FLAG, AT(lineno), .initial = "y", .value = "y|n",
     .help = "reports name lines"},
    {"thread", FLAG, AT(thread), .initial = "n", .value = "y|n",
     .help = "formats a and b keep stacks apart by thread"},
    {"verbose", FLAG, AT(verbose), .initial = "n", .value = "y|n",
     .help = "print where the trace goes and how it ended"},
    {"budget", PERCENT, AT(budget), .value = "N%",
     .help = "of the processor time that the program uses:\n"
             "beyond it stacks are left out, then events, which\n"
             "are counted"},
    {"memory", MIB, AT(memory_bytes), .value = "MIB",
     .help = "limit, at least 16: rings are smaller, and\n"
             "threads without room are counted",
     .least = 16, .most = 1 << 20},
    {"stop_file", PATH, AT(stop_file), .value = "PATH",
     .help = "end the recording when this file exists"},
    {"seconds", NUMBER, AT(seconds), .initial = "0", .value = "N",
     .help = "end the recording then; 0: with the program", .least = 0,
     .most = 1000000000},
    /* These are how `threadmodel attach` and `control` talk to the agent. */
    {"reply", PATH, AT(reply), .value = "PATH"},
    {"control", WORD, AT(control), .value = "dump, pause, resume, stop",
     .words = {"", "dump", "pause", "resume", "stop"}},
    {"help", BARE, AT(help), .help = "print this and exit"},
};
enum { HELP_COLUMN = 20 };
enum { OPTION_COUNT = sizeof(OPTIONS) / sizeof(*OPTIONS) };

/* What HPROF knew and has no place here. */
static const char *const GONE[][2] = {
    {"heap", "the heap is not recorded: `jcmd PID GC.heap_dump` dumps it"},
    {"msa", "it was for Solaris"},
    {"gc_okay", "it has had no effect since JDK 5"},
};

typedef struct complaint {
    char *text;
    size_t bytes;
} complaint;

static int complain(const complaint *problem, const row *option, const char *format,
                    const char *value)
{
    int used = snprintf(problem->text, problem->bytes, "option %s: ", option->name);

    if (used > 0 && (size_t)used < problem->bytes)
        snprintf(problem->text + used, problem->bytes - (size_t)used, format, value);
    return -1;
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

/* A whole decimal number within [least, most]. */
static int number(uint64_t *out, const char *text, uint64_t least, uint64_t most)
{
    char *end;

    if (*text < '0' || *text > '9' || strlen(text) > 10)
        return -1;
    *out = strtoull(text, &end, 10);
    return *end || *out < least || *out > most ? -1 : 0;
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

static uint64_t power_of_two(uint64_t least)
{
    uint64_t bytes = 1;

    while (bytes < least)
        bytes *= 2;
    return bytes;
}

static int read_number(uint64_t *out, const row *option, const char *value,
                       const complaint *problem)
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

static int read_share(double *out, const row *option, const char *value,
                      const complaint *problem)
{
    char *end;

    /* strtod() would take spaces, signs, nan, inf and hexadecimals, too. */
    *out = strtod(value, &end);
    if (*value && strspn(value, "0123456789.e-") == strlen(value) && !*end &&
        *value != '-' && *out >= 0 && *out <= 1)
        return 0;
    return complain(problem, option, "\"%.100s\" is not a share from 0 to 1", value);
}

/* "1%" or "0.5": so many hundredths. */
static int read_percent(double *out, const row *option, const char *value,
                        const complaint *problem)
{
    char *end;

    *out = strtod(value, &end) / 100;
    if (*value >= '0' && *value <= '9' &&
        strspn(value, "0123456789.") == (size_t)(end - value) &&
        (!*end || strcmp(end, "%") == 0) && *out > 0 && *out <= 1)
        return 0;
    return complain(problem, option, "\"%.100s\" is not a percentage up to 100", value);
}

static int read_word(uint64_t *out, const row *option, const char *value,
                     const complaint *problem)
{
    for (uint64_t i = 0; option->words[i]; i++)
        if (strcmp(value, option->words[i]) == 0) {
            *out = i;
            return 0;
        }
    complain(problem, option, "\"%.100s\" is none of ", value);
    strncat(problem->text, option->value, problem->bytes - strlen(problem->text) - 1);
    return -1;
}

static int read_flag(uint64_t *out, const row *option, const char *value,
                     const complaint *problem)
{
    static const char *const ANSWERS[] = {"n", "y", "no", "yes", "false", "true"};

    for (uint64_t i = 0; i < sizeof(ANSWERS) / sizeof(*ANSWERS); i++)
        if (strcmp(value, ANSWERS[i]) == 0) {
            *out = i & 1;
            return 0;
        }
    return complain(problem, option, "\"%.100s\" is neither y nor n", value);
}

static int read_path(char *out, const row *option, const char *value, uint64_t pid,
                     const complaint *problem)
{
    if (!*value)
        return complain(problem, option, "the path is empty", value);
    if (expand(out, TM__PATH_BYTES, value, pid) != 0)
        return complain(problem, option, "the path is too long", value);
    return 0;
}

/* "host:port", "[::1]:port", "unix:/path". */
static int read_address(char *out, const row *option, const char *value,
                        const complaint *problem)
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

static int set(tm__options *options, const row *option, const char *value, uint64_t pid,
               const complaint *problem)
{
    void *field = (char *)options + option->offset;
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

/* How many letters one has to add, drop or change to get from one to the other. */
static size_t distance(const char *a, const char *b)
{
    size_t costs[32];
    size_t columns = strlen(b);

    if (columns >= sizeof(costs) / sizeof(*costs) || strlen(a) > 2 * columns)
        return SIZE_MAX;
    for (size_t j = 0; j <= columns; j++)
        costs[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = costs[0];

        costs[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            size_t changed = diagonal + (a[i - 1] != b[j - 1]);
            size_t least = costs[j] < costs[j - 1] ? costs[j] : costs[j - 1];

            diagonal = costs[j];
            costs[j] = changed < least + 1 ? changed : least + 1;
        }
    }
    return costs[columns];
}

static int unknown(const char *key, const complaint *problem)
{
    const row *nearest = NULL;
    size_t least = 3;
    int used;

    for (size_t i = 0; i < sizeof(GONE) / sizeof(*GONE); i++)
        if (strcmp(key, GONE[i][0]) == 0) {
            snprintf(problem->text, problem->bytes,
                     "option \"%s\" is HPROF's alone: %s", key, GONE[i][1]);
            return -1;
        }
    for (int i = 0; i < OPTION_COUNT; i++) {
        size_t far = distance(key, OPTIONS[i].name);

        if (OPTIONS[i].help && far < least && 2 * far < strlen(OPTIONS[i].name)) {
            least = far;
            nearest = &OPTIONS[i];
        }
    }
    if (nearest) {
        snprintf(problem->text, problem->bytes,
                 "option \"%.100s\" is not known; nearest is \"%s\"", key,
                 nearest->name);
        return -1;
    }
    used = snprintf(problem->text, problem->bytes, "option \"%.100s\" is not known (",
                    key);
    for (int i = 0; i < OPTION_COUNT && (size_t)used < problem->bytes; i++)
        if (OPTIONS[i].help)
            used +=
                snprintf(problem->text + used, problem->bytes - (size_t)used, "%s%s",
                         OPTIONS[i].name, i < OPTION_COUNT - 1 ? ", " : " are)");
    return -1;
}

static int read_option(tm__options *options, const char *key, const char *value,
                       uint64_t pid, const complaint *problem)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (strcmp(key, OPTIONS[i].name) != 0)
            continue;
        if (!value && OPTIONS[i].type != BARE) {
            snprintf(problem->text, problem->bytes, "option \"%s\" has no value", key);
            return -1;
        }
        return set(options, &OPTIONS[i], value ? value : "y", pid, problem);
    }
    return unknown(key, problem);
}

int tm__options_parse(tm__options *options, const char *text, uint64_t pid, char *error,
                      size_t error_bytes)
{
    complaint problem = {error, error_bytes};
    int rc = 0;
    char *item;

    *options = (tm__options){0};
    for (int i = 0; i < OPTION_COUNT; i++)
        if (OPTIONS[i].initial)
            set(options, &OPTIONS[i], OPTIONS[i].initial, pid, &problem);
    item = malloc((text ? strlen(text) : 0) + 1);
    if (!item) {
        snprintf(error, error_bytes, "no memory to read the options");
        return -1;
    }
    while (text && *text && rc == 0) {
        char *value;

        text = next_item(item, text);
        value = strchr(item, '=');
        if (value)
            *value++ = 0;
        rc = read_option(options, item, value, pid, &problem);
    }
    free(item);
    if (rc == 0 && !options->file[0] && !options->net[0])
        rc = expand(options->file, sizeof(options->file),
                    DEFAULT_FILES[options->format], pid);
    return rc;
}

void tm__options_help(FILE *out)
{
    fputs("libthreadmodel agent: -agentpath:libthreadmodel-agent.so=key=value,...\n\n",
          out);
    for (int i = 0; i < OPTION_COUNT; i++) {
        const row *option = &OPTIONS[i];
        int used;

        if (!option->help)
            continue;
        used = fprintf(out, "  %s%s%s", option->name, option->value ? "=" : "",
                       option->value ? option->value : "");

        if (used > HELP_COLUMN - 2) {
            fputc('\n', out);
            used = 0;
        }
        for (const char *at = option->help; *at;) {
            int length = (int)strcspn(at, "\n");

            fprintf(out, "%*s%.*s", HELP_COLUMN - used, "", length, at);
            at += length;
            if (*at == '\n')
                fputc(*at++, out);
            used = 0;
        }
        if (option->initial)
            fprintf(out, " (default %s)", option->initial);
        fputc('\n', out);
    }
}
