/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From records to definitions. Callbacks copy what the VM says as it is; names
 * become readable here, on the writer thread.
 */

#include "writer/definition_emit.h"

#include <threadmodel/error.h>

#include "ring/buffer.h"
#include "ring/recording_state.h"
#include "writer/sampled_stacks.h"
#include "writer/stack_table.h"

int tm__definitions_emit(tm__buffer *buffer)
{
    uint64_t end = UINT64_MAX;
    tm__record *record;
    int rc = TM_OK;

    while (rc >= 0 && (record = tm__thread_ring_next_definition(&buffer->ring, &end))) {
        rc = record->kind == TM__RECORD_METHOD
                 ? tm__stack_table_method(record)
                 : tm__record_define(record, tm__the_recording.sink);
        if (record->kind == TM__RECORD_OBJECT)
            tm__sampled_stacks_register(record->object.id, record->object.class_id);
    }
    return rc;
}
