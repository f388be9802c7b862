/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From records to definitions. Callbacks copy what the VM says as it is; names
 * become readable here, on the writer thread.
 */

#include "writer/definition_emit.h"

#include <stdatomic.h>

#include <threadmodel/error.h>

#include "ring/buffer.h"
#include "ring/recording_state.h"
#include "writer/sampled_stacks.h"
#include "writer/stack_table.h"

int tm__definitions_emit(tm__buffer *buffer)
{
    uint64_t end = atomic_load_explicit(&buffer->ring->head, memory_order_acquire);
    tm__record *record;
    int rc = TM_OK;

    /* Nearly all records are events, and are not looked at twice. */
    if (atomic_load_explicit(&buffer->defined, memory_order_relaxed) <= buffer->scanned)
        buffer->scanned = end;
    while (rc >= 0 && (record = tm__buffer_at(buffer, &buffer->scanned, end))) {
        if (record->kind == TM__RECORD_METHOD)
            rc = tm__stack_table_method(record);
        else if (!tm__record_is_event(record))
            rc = tm__record_define(record, tm__the_recording.sink);
        if (record->kind == TM__RECORD_OBJECT)
            tm__sampled_stacks_register(record->object.id, record->object.class_id);
        buffer->scanned += record->bytes;
    }
    return rc;
}
