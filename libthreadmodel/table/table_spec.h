/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of each table: a constant for each table, in tables.c. */
#ifndef TM_TABLE_TABLE_SPEC_H
#define TM_TABLE_TABLE_SPEC_H

#include <stddef.h>
#include <stdint.h>

/** A column; tables.h has them all. */
typedef struct tm__column_spec {
    const char *name; ///< constant string
    int type;         ///< enum tm_type
    uint32_t keys;    ///< it is there if one of these is asked for; 0: always
    uint32_t without; ///< but not beside one of these
} tm__column_spec;

/** A table that can be built. */
typedef struct tm__table_spec {
    const char *name; ///< constant string
    const tm__column_spec *columns;
    size_t count; ///< of columns
} tm__table_spec;

#endif
