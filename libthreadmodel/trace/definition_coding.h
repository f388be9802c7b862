/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that is not an event, as the body of a definition record. */
#ifndef TM_TRACE_DEFINITION_CODING_H
#define TM_TRACE_DEFINITION_CODING_H

#include <threadmodel/sink.h>

#include "trace/coding.h"

enum tm__definition_kind {
    TM__DEFINE_RUN = 1,
    TM__DEFINE_CAVEAT = 2,
    TM__DEFINE_CLASS = 3,
    TM__DEFINE_METHOD = 4,
    TM__DEFINE_STACK = 5,
    TM__DEFINE_THREAD = 6,
    TM__DEFINE_OBJECT = 7,
};

/* Append the body of a record. @return TM_OK; TM_ENOMEM, TM_ELIMIT: as it was */
int tm__run_put(tm__bytes *out, const tm_run *run);
int tm__caveat_put(tm__bytes *out, const char *sentence);
int tm__class_put(tm__bytes *out, const tm_class *definition);
int tm__method_put(tm__bytes *out, const tm_method *definition);
int tm__stack_put(tm__bytes *out, const tm_stack *definition);
int tm__thread_put(tm__bytes *out, const tm_thread *definition);
int tm__object_put(tm__bytes *out, const tm_object *definition);

/** Arrays that stacks and methods are unpacked into, kept from one to the next. */
typedef struct tm__definition_room {
    tm__memory *memory;
    tm_line *lines;
    tm_frame *frames;
    tm_monitor_range *monitors;
    uint32_t line_capacity;
    uint32_t monitor_capacity;
    uint32_t frame_capacity;
    uint64_t line_count; ///< of all that were unpacked
    uint64_t frame_count;
} tm__definition_room;

void tm__definition_room_free(tm__definition_room *room);

#endif
