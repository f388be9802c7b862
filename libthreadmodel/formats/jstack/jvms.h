/* SPDX-License-Identifier: Apache-2.0 */
/* The JVM, of several, that a dump is of, and the time since the dump before. */
#ifndef TM_FORMATS_JSTACK_JVMS_H
#define TM_FORMATS_JSTACK_JVMS_H

#include "formats/jstack/parse_state.h"

/** A thread of a JVM's last dump. */
typedef struct tm__jvm_thread {
    uint64_t id;
    uint64_t address;
    int64_t elapsed_ns;
} tm__jvm_thread;

typedef struct tm__jvm {
    tm__slice vm;
    uint64_t process;
    int64_t time_ns; ///< of its last dump
    tm__jvm_thread *threads;
    uint32_t count, capacity;
} tm__jvm;

enum { TM__JVMS = 64 };

typedef struct tm__jvms {
    tm__memory *memory;
    tm__jvm list[TM__JVMS];
    uint32_t count;
} tm__jvms;

/** Find the JVM of a dump: the one in which most threads have the same addresses. One
 *  that is none of those known is added, as long as there is room.
 *  @return its number */
uint32_t tm__jvms_find(tm__jvms *jvms, const tm__jstack_dump *dump);

/**
 * How long after the last dump of its JVM a dump was taken, by the age of its threads.
 * @return 0: it is not known
 */
int64_t tm__jvms_elapsed(const tm__jvms *jvms, uint32_t jvm,
                         const tm__jstack_dump *dump);

/** The dump is the last of its JVM now. @return TM_OK or TM_ENOMEM */
int tm__jvms_note(tm__jvms *jvms, uint32_t jvm, const tm__jstack_dump *dump,
                  int64_t time_ns);

void tm__jvms_free(tm__jvms *jvms);

#endif
