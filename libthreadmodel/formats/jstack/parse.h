/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of one thread dump, as jstack, `jcmd Thread.print`, SIGQUIT and the
 * jdk.ThreadDump event write it, taken apart in memory.
 *
 *     tm__jstack_dump dump;
 *     tm__jstack_init(&dump, memory);
 *     tm__jstack_parse(&dump, text, length);    // as often as there are dumps
 *     ... dump.threads[i], with dump.frames, dump.locks ...
 *     tm__jstack_free(&dump);
 */
#ifndef TM_FORMATS_JSTACK_PARSE_H
#define TM_FORMATS_JSTACK_PARSE_H

#include "base/memory.h"
#include "formats/dump/frame_text.h"

/** What a line of a stack says of a lock. */
enum tm__jstack_lock_kind {
    TM__JSTACK_LOCKED,       ///< "- locked": holds it, but for the one it waits on
    TM__JSTACK_WANTED,       ///< "- waiting to lock"
    TM__JSTACK_WAITING_ON,   ///< "- waiting on"
    TM__JSTACK_RELOCKING,    ///< "- waiting to re-lock in wait()"
    TM__JSTACK_PARKING,      ///< "- parking to wait for"
    TM__JSTACK_INITIALIZING, ///< "- waiting on the Class initialization monitor for"
    TM__JSTACK_SYNCHRONIZER  ///< of "Locked ownable synchronizers"
};

typedef struct tm__jstack_lock {
    tm__slice class_name; ///< "java.lang.Class" for that of a class
    tm__slice of_class;   ///< the class whose java.lang.Class it is; empty: none
    uint64_t address;     ///< 0: the JVM had none at hand; of a class made of its name
    uint32_t depth;       ///< of the frame that the line follows
    uint32_t kind;        ///< enum tm__jstack_lock_kind
} tm__jstack_lock;

typedef struct tm__jstack_thread {
    tm__slice name;     ///< not escaped by the JVM; of a virtual thread empty
    tm__slice state;    ///< "TIMED_WAITING (parking)"; empty: none is given
    uint64_t id;        ///< Thread.threadId(); before JDK 8 2^63 and the tid
    uint64_t os_id;     ///< 0: unknown
    uint64_t carrier;   ///< id of the thread that a virtual one is mounted on
    uint64_t carries;   ///< id of the virtual thread that is mounted on this one
    int64_t cpu_ns;     ///< on processors so far; -1: not stated
    int64_t elapsed_ns; ///< since it was started; -1: not stated
    int32_t priority;   ///< 0: unknown
    uint32_t flags;     ///< enum tm_thread_flag
    uint32_t frame_first, frame_count; ///< dump.frames[], innermost first
    uint32_t lock_first, lock_count;   ///< dump.locks[], as they stand
} tm__jstack_thread;

/** A line of the JVM's own account of deadlocks. */
typedef struct tm__jstack_edge {
    tm__slice thread;
    tm__slice owner;      ///< empty: no Java thread
    tm__slice class_name; ///< of the object that `thread` wants; empty: unknown
    uint64_t address;     ///< of that object
    uint32_t deadlock;    ///< which one, from 0
} tm__jstack_edge;

typedef struct tm__jstack_dump {
    tm__memory *memory;
    tm__slice vm; ///< "OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode, sharing)"
    tm__jstack_thread *threads;
    uint32_t thread_count, thread_capacity;
    tm__slice *frames; ///< without "at "
    uint32_t frame_count, frame_capacity;
    tm__jstack_lock *locks;
    uint32_t lock_count, lock_capacity;
    tm__jstack_edge *edges;
    uint32_t edge_count, edge_capacity;
    uint32_t deadlock_count;
    uint32_t account_threads;  ///< threads[] that only the account names, the last ones
    uint32_t vm_threads;       ///< threads of the JVM that are none of Java: left out
    uint64_t listed;           ///< threads that the JVM says it has; 0: not said
    int reports_synchronizers; ///< -l
    int has_end;               ///< what follows the last thread was seen
} tm__jstack_dump;

void tm__jstack_init(tm__jstack_dump *dump, tm__memory *memory);

/**
 * Parse one dump; lines that are none of it are passed over. What was parsed before is
 * replaced.
 * @param text  stays the caller's, and is pointed into
 * @return TM_OK or TM_ENOMEM
 */
int tm__jstack_parse(tm__jstack_dump *dump, const char *text, size_t length);

/** @return a number for a name that the dump gives none for: above all real ones */
uint64_t tm__jstack_made_number(tm__slice name);

/** @return 1: a dump begins with this line */
int tm__jstack_is_start(tm__slice line);

/** @return 1: the JVM's account of a deadlock begins with this line */
int tm__jstack_is_account(tm__slice line);

void tm__jstack_free(tm__jstack_dump *dump);

#endif
