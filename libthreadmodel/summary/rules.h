/* SPDX-License-Identifier: Apache-2.0 */
/* How the columns of each table merge. rules.c is made by ./dev describe from
 * tables.toml. */
#ifndef TM_SUMMARY_RULES_H
#define TM_SUMMARY_RULES_H

#include <stddef.h>

enum tm__merge {
    TM__MERGE_KEY,
    TM__MERGE_SUM,    ///< of what is above 0
    TM__MERGE_SIGNED, ///< a sum that may be below 0
    TM__MERGE_MIN,
    TM__MERGE_MAX
};

typedef struct tm__merge_rule {
    const char *column; ///< constant string
    int merge;          ///< enum tm__merge
    int type;           ///< of the result, enum tm_type
} tm__merge_rule;

typedef struct tm__merge_rules {
    const char *table; ///< constant string
    const tm__merge_rule *rules;
    size_t count;
} tm__merge_rules;

extern const tm__merge_rules tm__merge_tables[];
extern const size_t tm__merge_table_count;

/** More than any table has, with the two below. */
enum { TM__MOST_RULES = 64 };

/** Columns of every summary behind the columns of its rules. */
#define TM__ROWS "rows"
#define TM__RUNS "runs"

#endif
