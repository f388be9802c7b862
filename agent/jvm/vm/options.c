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

#include "vm/option_values.h"

tm__options tm__the_options;

#define AT(field) offsetof(tm__options, field)

/* The default names of the file, by format. */
static const char *const DEFAULT_FILES[] = {"threadmodel-%p.tmt", "threadmodel-%p.txt",
                                            "threadmodel-%p.hprof"};

static const tm__option OPTIONS[] = {
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
    {"depth", NUMBER, AT(depth), .initial = "128", .value = "N",
     .help = "frames of a stack, 0 to 256; 0: no stacks; a\n"
             "frame costs about 0.1 us an event",
     .least = 0, .most = TM__DEPTH_MAX},
    {"stacks", WORD, AT(stacks), .initial = "adaptive", .value = "adaptive|all|none",
     .help = "adaptive: those of long blocking intervals all, of short ones\n"
             "as many as cost 0.25 % of the program",
     .words = {"adaptive", "all", "none"}},
    {"monitor", FLAG, AT(monitor), .initial = "y", .value = "y|n",
     .help = "report blocks and waits at monitors"},
    {"contanalysis", BARE, AT(contention_analysis), .initial = "y", .value = "y|n",
     .help = "report notify, park, sleep, start and interrupt"},
    {"gc", FLAG, AT(gc), .initial = "y", .value = "y|n",
     .help = "report pauses of the collector"},
    {"io", FLAG, AT(io), .initial = "y", .value = "y|n",
     .help = "report waits for sockets, files, selectors, names\nand processes"},
    {"paths", FLAG, AT(paths), .initial = "n", .value = "y|n",
     .help = "name files by their paths, and not by a hash"},
    {"switches", FLAG, AT(switches), .initial = "y", .value = "y|n",
     .help = "report when threads have a processor, where the\nkernel lets an ordinary "
             "user know"},
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
    {"stuck", NUMBER, AT(stuck), .initial = "5", .value = "N",
     .help = "report that no thread can go on after N seconds; 0: never", .least = 0,
     .most = 1000000000},
    /* These are how `threadmodel attach` and `control` talk to the agent. */
    {"reply", PATH, AT(reply), .value = "PATH"},
    {"control", WORD, AT(control), .value = "dump, pause, resume, stop",
     .words = {"", "dump", "pause", "resume", "stop"}},
    {"help", BARE, AT(help), .help = "print this and exit"},
};
enum { HELP_COLUMN = 20 };
enum { OPTION_COUNT = sizeof(OPTIONS) / sizeof(*OPTIONS) };

/* Options of HPROF that have no place here. */
static const char *const GONE[][2] = {
    {"heap", "the heap is not recorded: `jcmd PID GC.heap_dump` dumps it"},
    {"msa", "it was for Solaris"},
    {"gc_okay", "it has had no effect since JDK 5"},
};

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

static int unknown(const char *key, const tm__complaint *problem)
{
    const tm__option *nearest = NULL;
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
                       uint64_t pid, const tm__complaint *problem)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (strcmp(key, OPTIONS[i].name) != 0)
            continue;
        if (!value && OPTIONS[i].type != BARE) {
            snprintf(problem->text, problem->bytes, "option \"%s\" has no value", key);
            return -1;
        }
        return tm__option_read((char *)options + OPTIONS[i].offset, &OPTIONS[i],
                               value ? value : "y", pid, problem);
    }
    return unknown(key, problem);
}

int tm__options_parse(tm__options *options, const char *text, uint64_t pid, char *error,
                      size_t error_bytes)
{
    tm__complaint problem = {error, error_bytes};
    int rc = 0;
    char *item;

    *options = (tm__options){0};
    for (int i = 0; i < OPTION_COUNT; i++)
        if (OPTIONS[i].initial)
            tm__option_read((char *)options + OPTIONS[i].offset, &OPTIONS[i],
                            OPTIONS[i].initial, pid, &problem);
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
        rc = tm__option_expand(options->file, sizeof(options->file),
                               DEFAULT_FILES[options->format], pid);
    return rc;
}

void tm__options_help(FILE *out)
{
    fputs("libthreadmodel agent: -agentpath:libthreadmodel-agent.so=key=value,...\n\n",
          out);
    for (int i = 0; i < OPTION_COUNT; i++) {
        const tm__option *option = &OPTIONS[i];
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
