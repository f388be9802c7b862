/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/summary.h: answers of many runs as one.
 *
 *     run 1: callers ─┐
 *     run 2: callers ─┼─ tm_summary_merge ─▶ callers of all three
 *     run 3: callers ─┘
 *
 * docs/tables.md says of each column how it merges: as a key, a sum, the smallest or
 * the largest. Columns without such a rule are dropped, since a percentile, a
 * thread's number or a share of one run means nothing in another. Two columns are
 * added: `rows`, how many rows of the runs' answers a row stands for, and `runs`, how
 * many runs have such a row.
 *
 * Rows come in the order of their keys, so that any order and any grouping of merges
 * makes the same table, byte for byte. Distinct threads and objects add up: those of
 * two processes are never the same.
 */
#ifndef THREADMODEL_SUMMARY_H
#define THREADMODEL_SUMMARY_H

#include <threadmodel/allocator.h>
#include <threadmodel/arrow.h>
#include <threadmodel/common.h>
#include <threadmodel/table.h>

TM_BEGIN_DECLS

/**
 * Merge tables of one name: answers of one run each, and results of this function.
 *
 * Sums count what is above 0 and stop at INT64_MAX; those of gains, which may be below
 * 0, go on at the other end of 64 bits. A null adds nothing; where all are null, so is
 * the result. Every column but the keys is int64.
 *
 * @param[out] out  yours; NULL on failure. Its name is that of the tables.
 * @param tables    may be freed afterwards; one alone is brought into this form
 * @param count     of them, at least one
 * @return TM_OK; TM_EINVAL: names differ, no such table can be merged, a column is of
 *         another type; TM_ELIMIT: more than 2^32 rows; TM_ENOMEM
 * @since 0.1
 */
TM_API int tm_summary_merge(tm_table **out, const tm_table *const *tables,
                            size_t count);

/**
 * Copy an Arrow struct array, such as a summary that was stored, into a table that
 * tm_summary_merge() accepts. Columns that do not merge are passed over.
 *
 * Strings are "u", or dictionaries of it by "i"; numbers and bool are as
 * tm_table_export_arrow() has them. Codes and offsets are checked; whether buffers are
 * as long as they must be, only their producer knows.
 *
 * @param[out] out   yours; NULL on failure
 * @param name       of the table, "callers" for instance
 * @param schema     yours still, as is the array
 * @param array      of that schema
 * @param allocator  NULL: malloc
 * @return TM_OK; TM_EINVAL: no such table can be merged, or the array is none of the
 *         above; TM_ELIMIT, TM_ENOMEM
 * @since 0.1
 */
TM_API int tm_summary_import(tm_table **out, const char *name,
                             const struct ArrowSchema *schema,
                             const struct ArrowArray *array,
                             const tm_allocator *allocator);

TM_END_DECLS

#endif
