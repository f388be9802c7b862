/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building an answer row by row: put the columns of a row in their order, then
 * the next row. A failure sticks, so only the end needs a check.
 *
 *     tm__builder_start(&b, &tm__caveats_table, 0, &model->memory.hook);
 *     for (...)
 *         tm__put_string(&b, sentence);
 *     return tm__builder_finish(&b, out);
 */
#ifndef TM_TABLE_BUILDER_H
#define TM_TABLE_BUILDER_H

#include <threadmodel/table.h>

#include "base/memory.h"
#include "table/table_spec.h"

typedef struct tm__builder {
    tm_table *table;   ///< NULL after a failure
    uint32_t column;   ///< the one that the next put fills
    uint32_t capacity; ///< rows that fit now
    int failed;        ///< TM_OK or the first error
} tm__builder;

/**
 * Begin a table.
 * @param spec  lent until the start returns, but for the names in it
 * @param keys  that are asked for: which columns there are
 * @param hook  memory, copied into the table; NULL: malloc
 */
void tm__builder_start(tm__builder *builder, const tm__table_spec *spec, uint32_t keys,
                       const tm_allocator *hook);

/**
 * Say, before the first row, which columns are wanted. The others are null in every
 * row, and what is put there is passed over. A name that there is not is TM_ENOTFOUND.
 */
void tm__builder_want(tm__builder *builder, const char *const *names, size_t count);

/**
 * Pass over the next columns of a row if none of them is wanted, to spare the work for
 * what would be put there.
 * @return 1; 0: put them
 */
int tm__pass_unwanted(tm__builder *builder, uint32_t count);

/** Make room at once for rows that are known to come. */
void tm__builder_expect(tm__builder *builder, size_t rows);

void tm__put_int32(tm__builder *builder, int32_t value);
void tm__put_int64(tm__builder *builder, int64_t value);
void tm__put_uint64(tm__builder *builder, uint64_t value);
void tm__put_double(tm__builder *builder, double value);
void tm__put_bool(tm__builder *builder, int value);

/**
 * Put a string, copied into the column's dictionary; NULL is null. The same
 * address is taken to be the same text within one table, so interned strings
 * and constants cost one look-up of their address, and changing buffers must
 * go through tm__put_text.
 */
void tm__put_string(tm__builder *builder, const char *text);

/** Put a string from a buffer that changes: found by its text. */
void tm__put_text(tm__builder *builder, const char *text);

/** Put null into a column of any type. */
void tm__put_null(tm__builder *builder);

/**
 * Make a column zero (of numbers), or null, in every row, before the first one: it
 * takes no memory of its own, and rows pass over it.
 */
void tm__builder_blank(tm__builder *builder, size_t column, int is_null);

/** Pass over so many columns of the row, all of them blank. */
void tm__pass_blank(tm__builder *builder, uint32_t count);

/** Say, once a table, a sentence on what the answer cannot show; copied. */
void tm__builder_caveat(tm__builder *builder, const char *sentence);

/**
 * End it.
 * @param[out] out  the table, the caller's; NULL on failure, and all is freed
 * @return TM_OK or the first failure
 */
int tm__builder_finish(tm__builder *builder, tm_table **out);

/**
 * End it after rows whose making had a result of its own.
 * @param rc  of the rows: a failure gives the table up
 * @return rc if it is a failure, else as tm__builder_finish()
 */
int tm__builder_close(tm__builder *builder, tm_table **out, int rc);

#endif
