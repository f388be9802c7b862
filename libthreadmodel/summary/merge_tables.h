/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of many runs as one: rows of equal keys become a row. */
#ifndef TM_SUMMARY_MERGE_TABLES_H
#define TM_SUMMARY_MERGE_TABLES_H

#include "summary/rules.h"

/** @return NULL when no table of that name merges, and the error text says so */
const tm__merge_rules *tm__merge_find(const char *table);

/** The rule of a column of a summary: of the table's own ones, or of the two. */
const tm__merge_rule *tm__merge_rule_at(const tm__merge_rules *rules, size_t column);

#endif
