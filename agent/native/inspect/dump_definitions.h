/* SPDX-License-Identifier: Apache-2.0 */
/* The entities that the events of a dump refer to, defined once each: frames, locks,
 * threads. */
#ifndef TM_NATIVE_INSPECT_DUMP_DEFINITIONS_H
#define TM_NATIVE_INSPECT_DUMP_DEFINITIONS_H

#include <uthash.h>

#include <threadmodel/error.h>
#include <threadmodel/sink.h>
#include <threadmodel/writer.h>

#include "inspect/target_state.h"

/** A class, method, stack or object that has a number in the trace, by its text. */
typedef struct tm__dump_named {
    uint64_t id;
    UT_hash_handle hh;
    char text[];
} tm__dump_named;

typedef struct tm__dump_definitions {
    tm_writer *writer;
    tm__dump_named *classes, *methods, *stacks, *objects;
    int has_failed;
} tm__dump_definitions;

#define TM__DUMP_DEFINE(it, what, definition)                                          \
    do {                                                                               \
        const tm_sink *sink_ = tm_writer_sink((it)->writer);                           \
                                                                                       \
        if (sink_->what(sink_->payload, definition) != TM_OK)                          \
            (it)->has_failed = 1;                                                      \
    } while (0)

/** @return its number, 0: there are no frames */
uint32_t tm__dump_define_stack(tm__dump_definitions *it, tm__target *target,
                               const tm__task *task);

/** Define the object that a thread waits for. @return its number, 0: it is not an
 * object */
uint64_t tm__dump_define_object(tm__dump_definitions *it, tm__target *target,
                                const tm__thread_wait *wait);

void tm__dump_define_thread(tm__dump_definitions *it, uint64_t tid, const char *name);

/** "mutex accounts+0x40"; without a name its address. */
void tm__object_describe(tm__target *target, const tm__thread_wait *wait, char *text,
                         size_t room);

/** enum tm_state of a thread that waits so. */
int tm__dump_state_of(const tm__thread_wait *wait);

/** Whether it is a lock that one thread at a time owns. */
int tm__dump_is_lock(const tm__thread_wait *wait);

/** All but the writer. */
void tm__dump_definitions_free(tm__dump_definitions *it);

#endif
