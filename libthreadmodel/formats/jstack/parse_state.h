/* SPDX-License-Identifier: Apache-2.0 */
/* A dump as text that is being read. */
#ifndef TM_FORMATS_JSTACK_PARSE_STATE_H
#define TM_FORMATS_JSTACK_PARSE_STATE_H

#include "base/map.h"
#include "base/strings.h"
#include "formats/dump/frame_text.h"

/** The statement of a stack's line about a lock. */
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
    tm__slice of_class;   ///< which class it is then; of native code its variable's
                          ///< name; else empty
    uint64_t address;     ///< 0: the JVM had none at hand; of a class made of its name
    uint32_t hash;        ///< identity hash, where there is no address
    uint32_t depth;       ///< of the frame that the line follows
    uint8_t kind;         ///< enum tm__jstack_lock_kind
    uint8_t is_hash;      ///< `address` is made of class and hash
} tm__jstack_lock;

/** The object that a thread waits for where no line has its number: a constant. */
typedef struct tm__jstack_wait {
    int kind;               ///< enum tm_object_kind
    const char *class_name; ///< or NULL
    const char *name;       ///< what it is shown as, "a channel"; NULL: by its kind
} tm__jstack_wait;

/* A tm__jstack_wait: for an object of a kind with a name, "a lock"; for I/O of a kind.
 */
#define TM__JSTACK_WAIT(kind, name)                                                    \
    {                                                                                  \
        TM_OBJECT_KIND_##kind, name, "a " name                                         \
    }
#define TM__JSTACK_IO(kind)                                                            \
    {                                                                                  \
        TM_OBJECT_KIND_##kind, NULL, NULL                                              \
    }

typedef struct tm__jstack_thread {
    tm__slice name;       ///< not escaped by the JVM; of a virtual thread empty
    tm__slice state;      ///< "TIMED_WAITING (parking)"; empty: none is given
    tm__slice owner;      ///< name of the thread that has what this one waits for
    uint64_t owner_id;    ///< the same by its id; 0: not given
    uint64_t id;          ///< Thread.threadId(); before JDK 8 2^63 and the tid
    uint64_t os_id;       ///< 0: unknown
    uint64_t carrier;     ///< id of the thread that a virtual one is mounted on
    uint64_t carries;     ///< id of the virtual thread that is mounted on this one
    uint64_t address;     ///< of the JVM's own structure, the tid; 0: unknown
    int64_t elapsed_ns;   ///< since its start; -1: unknown
    int64_t cpu_ns;       ///< on processors since then; -1: unknown
    int32_t priority;     ///< 0: unknown
    uint32_t flags;       ///< enum tm_thread_flag
    int is_waiting;       ///< in the VM, whatever Java's state is
    uint32_t known_state; ///< enum tm_state, where the writer itself names ours
    const tm__jstack_wait *waits_for;  ///< where no line has a number of it; or NULL
    uint32_t frame_first, frame_count; ///< dump.frames[], innermost first
    uint32_t lock_first, lock_count;   ///< dump.locks[], as they stand
} tm__jstack_thread;

/** A line of the JVM's own account of deadlocks. */
typedef struct tm__jstack_edge {
    tm__slice thread;
    tm__slice owner;      ///< empty: no Java thread
    tm__slice class_name; ///< of the object; empty: unknown
    uint64_t address;     ///< of the object that `thread` wants
    uint32_t deadlock;    ///< which one, from 0
    uint32_t kind;        ///< TM__JSTACK_WANTED or TM__JSTACK_PARKING
} tm__jstack_edge;

typedef struct tm__jstack_dump {
    tm__memory *memory;
    tm__strings texts; ///< of this dump and those before
    const struct tm__grammar *grammar;
    tm__slice vm; ///< "OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode, sharing)"
    tm__jstack_thread *threads;
    uint32_t thread_count, thread_capacity;
    uint32_t *frames; ///< texts[], without "at "
    uint32_t frame_count, frame_capacity;
    tm__jstack_lock *locks;
    uint32_t lock_count, lock_capacity;
    tm__jstack_edge *edges;
    uint32_t edge_count, edge_capacity;
    tm__map ids; ///< of threads: threads[]
    uint32_t deadlock_count;
    uint32_t account_threads;  ///< that only the account names
    uint32_t vm_threads;       ///< threads of the JVM that are none of Java: left out
    uint64_t listed;           ///< threads that the JVM says it has; 0: not said
    uint64_t process;          ///< process that the text names; 0: none
    int64_t time_ns;           ///< that the dump itself says; INT64_MIN: none
    int has_header;            ///< it began with the line that names the VM
    int reports_monitors;      ///< some line showed a lock that a thread has
    int reports_synchronizers; ///< -l
    int is_serviceability;     ///< of jhsdb, which shows the monitor that a thread is
                               ///< blocked for as its last one
    int has_hashes;            ///< "<0x1b2c>" is an identity hash, no address
    int has_end;               ///< what follows the last thread was seen
} tm__jstack_dump;

/* Functions with which grammars build a dump. Each returns TM_OK or TM_ENOMEM, and then
 * the dump is as it was. */

#endif
