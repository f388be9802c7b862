/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a writer of dumps writes: by which line a dump of it is known, and what its lines
 * say. One constant for each writer; grammars.c has the list.
 */
#ifndef TM_FORMATS_JSTACK_GRAMMAR_H
#define TM_FORMATS_JSTACK_GRAMMAR_H

#include "formats/jstack/parse_state.h"

/** The outcome of a line, besides TM_OK and TM_ENOMEM. */
enum {
    TM__LINE_OTHER = 1, ///< the line does not belong to the dump
    TM__LINE_NEXT = 2,  ///< another dump begins with it
    TM__LINE_LAST = 3   ///< it is the dump's last
};

enum { TM__PENDING_BYTES = 8192 };

/** The dump at hand, from line to line. */
typedef struct tm__jstack_parser {
    tm__jstack_dump *dump;
    int section;      ///< the grammar's own
    uint32_t thread;  ///< dump->threads[], whose lines these are; TM__NONE
    int is_closed;    ///< its stack is over
    int is_held;      ///< `held` may be a thread: the next line shows it
    int is_held_java; ///< it is one whatever the next line is
    tm__jstack_thread held;
    tm__slice function; ///< of a call whose place is on the next line
    uint32_t numbers;   ///< given to threads that have none
    uint64_t semaphore; ///< that a goroutine waits for
    int names_count;    ///< lines of the pending text
    size_t pending_length;
    int pending_kind;    ///< 0: none
    int is_carried;      ///< the pending text belongs to the dump that begins
    uint32_t word_state; ///< enum tm_state by the end of the thread's line
    char pending[TM__PENDING_BYTES]; ///< a line that goes on, or may
} tm__jstack_parser;

typedef struct tm__grammar {
    const char *name;   ///< of the format, "javacore"
    const char *writer; ///< in texts, "an OpenJ9 javacore"

    /**
     * Where in a line a dump begins.
     * @param line    as it stands in the file, without blanks at its end
     * @return bytes before the dump; line.length or more: nowhere
     */
    size_t (*find)(tm__slice line);

    /** Take a line, without blanks around it. @return TM_OK, TM_ENOMEM, TM__LINE_* */
    int (*line)(tm__jstack_parser *parser, tm__slice line);

    /** Take what is left. @return TM_OK or TM_ENOMEM; NULL: nothing is */
    int (*end)(tm__jstack_parser *parser);

    /** Whether a class, or what stands for one, is of a library; NULL: as of Java. */
    int (*is_library)(const char *class_name);

    uint8_t ends_visibly;   ///< a whole dump has a last line that shows it
    uint8_t reports_locks;  ///< which locks a thread has
    uint8_t is_one_instant; ///< threads stood still
    uint8_t is_vague;       ///< lines of a log may look like the first line of a dump
} tm__grammar;

extern const tm__grammar tm__grammar_java;
extern const tm__grammar tm__grammar_javacore;
extern const tm__grammar tm__grammar_go;
extern const tm__grammar tm__grammar_faulthandler;
extern const tm__grammar tm__grammar_pyspy;
extern const tm__grammar tm__grammar_tracebacks;
extern const tm__grammar tm__grammar_gdb;
extern const tm__grammar tm__grammar_coroutines;
extern const tm__grammar tm__grammar_blocked_loop;
extern const tm__grammar tm__grammar_hs_err;
extern const tm__grammar tm__grammar_hot_threads;
extern const tm__grammar tm__grammar_watchdog;
extern const tm__grammar tm__grammar_hadoop;
extern const tm__grammar tm__grammar_weblogic;
extern const tm__grammar tm__grammar_list;
extern const tm__grammar tm__grammar_hazelcast;
extern const tm__grammar tm__grammar_dropwizard;

#endif
