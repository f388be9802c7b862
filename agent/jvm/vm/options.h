/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's options, "file=run.tmt,depth=128". */
#ifndef TM_AGENT_VM_OPTIONS_H
#define TM_AGENT_VM_OPTIONS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "vm/option_values.h"

enum { TM__DEPTH_MAX = 256 };

/** Values of tm__options.cpu, in the order of their words. */
enum { TM__CPU_NONE, TM__CPU_SAMPLES };

/** Values of tm__options.stacks, in the order of their words. */
enum { TM__STACKS_ADAPTIVE, TM__STACKS_ALL, TM__STACKS_NONE };

enum tm__output_format {
    TM__FORMAT_TRACE,
    TM__FORMAT_TEXT,  ///< HPROF's: monitor times, CPU samples
    TM__FORMAT_BINARY ///< HPROF 1.0.2: threads, stacks, CPU samples
};

/** Fields of one kind of value each, by the table in options.c. */
typedef struct tm__options {
    char file[TM__PATH_BYTES];   ///< %p already replaced; "": none
    char net[TM__ADDRESS_BYTES]; ///< host:port or unix:path; "": none
    char token[TM__PATH_BYTES];  ///< file of what the listener asks for; "": none
    char rings[TM__PATH_BYTES];  ///< folder of the rings; "": beside the trace; "none"
    uint64_t format;             ///< enum tm__output_format
    uint64_t force;              ///< a file of that name is replaced
    uint64_t depth;              ///< frames of a stack; 0: no stacks
    uint64_t stacks;             ///< whose are taken, TM__STACKS_ADAPTIVE or so
    uint64_t buffer_bytes;       ///< of each thread's ring; a power of two
    char reply[TM__PATH_BYTES];  ///< of an attach: a file for the answer; "": none
    uint64_t control;            ///< of an attach: enum tm__control
    double budget;               ///< share of processor time; 0: no limit
    uint64_t memory_bytes;       ///< of the agent; 0: no limit
    char stop_file[TM__PATH_BYTES]; ///< recording ends when it is there; "": none
    uint64_t seconds;               ///< end the recording after so many; 0: never
    uint64_t stuck;   ///< report a program that stands still for so many seconds
    uint64_t monitor; ///< blocks and waits are reported
    uint64_t contention_analysis; ///< native methods are replaced, for notify and so on
    uint64_t gc;                  ///< pauses of the collector are reported
    uint64_t io;                  ///< waits in the kernel are reported
    uint64_t paths;               ///< files are named by their paths
    uint64_t switches;            ///< when threads have a processor is reported
    uint64_t held;        ///< monitors held are reported at each contended enter
    uint64_t cpu;         ///< TM__CPU_NONE or so
    uint64_t interval_ms; ///< of its samples
    uint64_t mount;       ///< carriers of virtual threads are reported
    uint64_t doe;         ///< a report is printed when the VM ends
    double cutoff;        ///< reports leave out rows of a smaller share
    uint64_t lineno;      ///< reports name lines
    uint64_t thread;      ///< HPROF files keep stacks apart by thread
    uint64_t verbose;     ///< say where it goes and what became of it
    uint64_t help;        ///< the table was asked for
} tm__options;

/** Those that the present recording was begun with. */
extern tm__options tm__the_options;

/**
 * Read an option list.
 *
 * @param[out] options  all defaults where the list says nothing
 * @param text          NULL or "": all defaults; ",," stands for a comma in a value
 * @param pid           what %p in the file name becomes
 * @param[out] error    one line, when it is not a list of our options
 * @return 0 or -1
 */
int tm__options_parse(tm__options *options, const char *text, uint64_t pid, char *error,
                      size_t error_bytes);

/** Print the table that `help` asks for. */
void tm__options_help(FILE *out);

#endif
