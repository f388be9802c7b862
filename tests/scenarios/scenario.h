/* SPDX-License-Identifier: Apache-2.0 */
/* A scenario file in memory; FORMAT.md says what it may hold. */
#ifndef SCENARIO_H
#define SCENARIO_H

#include <stdbool.h>
#include <stddef.h>

#include <threadmodel/threadmodel.h>

enum {
    SCENARIO_WORDS = 24,   ///< in a line
    SCENARIO_THINGS = 96,  ///< of each kind
    SCENARIO_FRAMES = 16,  ///< in a stack
    SCENARIO_EVENTS = 512, ///< in all
    SCENARIO_ROWS = 64,    ///< in an expected table
    SCENARIO_TABLES = 16
};

typedef struct scenario_line {
    const char *words[SCENARIO_WORDS];
    size_t count;
    int number; ///< in the file, from 1
} scenario_line;

/* Name and id of what the file calls by a name. */
typedef struct scenario_name {
    const char *name;
    uint64_t id;
} scenario_name;

typedef struct scenario_names {
    scenario_name items[SCENARIO_THINGS];
    size_t count;
} scenario_names;

typedef struct scenario_table {
    scenario_line title; ///< expect TABLE of ... where ... at ...
    scenario_line columns;
    scenario_line rows[SCENARIO_ROWS];
    size_t row_count;
} scenario_table;

typedef struct scenario {
    const char *path;
    char *text; ///< cut into words in place
    int failures;

    tm_run run;
    int32_t forced_policy;
    bool kinds_seen;
    scenario_names threads, objects, classes, methods, stacks;
    tm_class class_list[SCENARIO_THINGS];
    tm_method method_list[SCENARIO_THINGS];
    tm_thread thread_list[SCENARIO_THINGS];
    tm_object object_list[SCENARIO_THINGS];
    tm_stack stack_list[SCENARIO_THINGS];
    tm_frame frames[SCENARIO_THINGS][SCENARIO_FRAMES];
    tm_event events[SCENARIO_EVENTS];
    size_t event_count;
    scenario_table tables[SCENARIO_TABLES];
    size_t table_count;

    const char *labels[SCENARIO_THINGS]; ///< what the library calls an object
} scenario;

/** Say what is wrong in a line, and count it. */
void scenario_fail(scenario *scenario, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Read a file; what is wrong with it is a failure of the scenario. */
scenario *scenario_open(const char *path);
void scenario_close(scenario *scenario);

/** @return the value of a "key=value" word, NULL when the key is another */
const char *scenario_value(const char *word, const char *key);

/* Names and numbers; 0 where there is none, which the file is then blamed for. */
uint64_t scenario_id_of(const scenario_names *names, const char *name);
uint64_t scenario_add_name(scenario *s, scenario_names *names, const char *name,
                           int line);
uint64_t scenario_number_of(scenario *s, const char *text, int line);
uint64_t scenario_thing(scenario *s, const scenario_names *names, const char *name,
                        int line);

/** @return the number that has a name; -1: none below `end` has it */
int scenario_named(const char *name, const char *(*names)(int), int end);

/** Take one line of the section "define". */
void scenario_define(scenario *s, const scenario_line *line);

/**
 * Ask the question that a title names.
 * @return what the library does; TM_ENOTFOUND where it has no such table
 */
int scenario_ask(tm_table **out, const tm_model *model, scenario *scenario,
                 const scenario_line *title);

/** Ask a fresh model every question of the file and compare the answers. */
void scenario_check(scenario *scenario);

#endif
