/* SPDX-License-Identifier: Apache-2.0 */
/* The line table and the monitors in a method's record. */
#ifndef TM_RINGS_RECORD_TABLES_H
#define TM_RINGS_RECORD_TABLES_H

#include <threadmodel/definition.h>

#include "trace/ring_record.h"

/** Room for both tables. */
enum {
    TM__LINES_BYTES = 6 << 10,
    TM__TABLES_BYTES =
        TM__LINES_BYTES + TM__METHOD_MONITORS * (int)sizeof(tm__record_line)
};

/** Put both behind the texts, whose lengths the record has. @return entries
 */
size_t tm__record_put_tables(tm__record *record, const tm_method *given);

#endif
