/* SPDX-License-Identifier: Apache-2.0 */
/* Calls into the kernel in which Java calls a thread RUNNABLE. */
#ifndef TM_FORMATS_DUMP_NATIVE_CALLS_H
#define TM_FORMATS_DUMP_NATIVE_CALLS_H

#include "formats/dump/dump_state.h"

/**
 * Define a thing that one thread alone is known to wait for, without a number in dumps.
 * @param object_kind  enum tm_object_kind
 * @param class_id     0: unknown
 * @param name         what it is shown as; lent until it is emitted
 * @param[out] id      the object's
 * @return TM_OK or TM_ENOMEM
 */
int tm__dump_own_object(tm__dump *dump, uint64_t thread, int object_kind,
                        uint32_t class_id, const char *name, uint64_t *id);

/** The words for a kind of I/O, "a socket". NULL: another kind of object */
const char *tm__dump_io_name(int object_kind);

/**
 * A thread that seems to run waits in the kernel if its innermost method says so: then
 * its state is IO, for an object of its own.
 * @return TM_OK or TM_ENOMEM
 */
int tm__dump_native_wait(tm__dump *dump, tm__dump_thread *thread);

#endif
