/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a table while it is built. */
#ifndef TM_TABLE_TABLE_ROOM_H
#define TM_TABLE_TABLE_ROOM_H

#include "table/table.h"
#include "table/table_spec.h"

/** @return a table without rows, with the columns that the keys ask for; NULL: no
 * memory */
tm_table *tm__table_new(const tm__table_spec *spec, uint32_t keys,
                        const tm_allocator *hook);

/** Make the bits that say "not null". @return TM_OK or TM_ENOMEM */
int tm__column_grow_validity(tm__column *column, tm__memory *memory, uint32_t rows);

/** Make memory for so many rows of a column. @return TM_OK or TM_ENOMEM */
int tm__column_grow(tm__column *column, tm__memory *memory, uint32_t rows);

/** Bytes of so many rows, all columns together. */
size_t tm__rows_bytes(const tm_table *table, size_t rows);

#endif
