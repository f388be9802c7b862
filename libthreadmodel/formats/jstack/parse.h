/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads of one text dump, built up line by line by the grammar of its writer:
 *
 *     tm__jstack_dump dump;
 *     tm__jstack_init(&dump, memory);
 *     tm__jstack_parse(&dump, text, length);    // as often as there are dumps
 *     ... dump.threads[i], with dump.frames, dump.locks ...
 *     tm__jstack_free(&dump);
 *
 * Texts are interned: they stay where they are until tm__jstack_free().
 */
#ifndef TM_FORMATS_JSTACK_PARSE_H
#define TM_FORMATS_JSTACK_PARSE_H

#include "base/map.h"
#include "base/strings.h"
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
    tm__slice of_class;   ///< which class it is then; of native code its variable's
                          ///< name; else empty
    uint64_t address;     ///< 0: the JVM had none at hand; of a class made of its name
    uint32_t hash;        ///< identity hash, where there is no address
    uint32_t depth;       ///< of the frame that the line follows
    uint8_t kind;         ///< enum tm__jstack_lock_kind
    uint8_t is_hash;      ///< `address` is made of class and hash
} tm__jstack_lock;

/** What a thread waits for, where no line has a number for it: a constant. */
typedef struct tm__jstack_wait {
    int kind;               ///< enum tm_object_kind
    const char *class_name; ///< or NULL
    const char *name;       ///< what it is shown as, "a channel"; NULL: by its kind
} tm__jstack_wait;

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

void tm__jstack_init(tm__jstack_dump *dump, tm__memory *memory);

/** A dump begins: what was parsed before is replaced. */
void tm__jstack_start(tm__jstack_dump *dump, const struct tm__grammar *grammar);

/**
 * Parse one dump of HotSpot; lines that are none of it are passed over. What was parsed
 * before is replaced.
 * @param text  lent for the call
 * @return TM_OK or TM_ENOMEM
 */
int tm__jstack_parse(tm__jstack_dump *dump, const char *text, size_t length);

/** @return the text of dump->frames[index] */
tm__slice tm__jstack_frame(const tm__jstack_dump *dump, uint32_t index);

/** @return 1: that a thread has no more monitors than it shows */
int tm__jstack_reports_monitors(const tm__jstack_dump *dump);

/** @return 1: its threads have HotSpot's numbers for them */
int tm__jstack_has_tids(const tm__jstack_dump *dump);

void tm__jstack_free(tm__jstack_dump *dump);

/* What grammars build a dump with. Each returns TM_OK or TM_ENOMEM, and then the dump
 * is as it was. */

/** Keep a text: `*text` then stands in the dump's own memory. */
int tm__jstack_keep(tm__jstack_dump *dump, tm__slice *text);

/** Keep the name of a class, with dots where a tool writes slashes. */
int tm__jstack_keep_class(tm__jstack_dump *dump, tm__slice *name);

/** Add a thread; its frames and locks come next. */
int tm__jstack_add_thread(tm__jstack_dump *dump, const tm__jstack_thread *thread);

/** Add the next frame outward to a thread, the last one. */
int tm__jstack_add_frame(tm__jstack_dump *dump, tm__slice text);

/** The same as "place.function(file:line)", of languages that write it otherwise. */
int tm__jstack_add_call(tm__jstack_dump *dump, tm__slice place, tm__slice function,
                        tm__slice file, uint64_t line);

/** Add a lock to the last thread; its depth is set. */
int tm__jstack_add_lock(tm__jstack_dump *dump, const tm__jstack_lock *lock);

int tm__jstack_add_edge(tm__jstack_dump *dump, const tm__jstack_edge *edge);

/** What stands for the address of an object that only class and hash identify. */
void tm__jstack_lock_by_hash(tm__jstack_lock *lock, uint64_t hash);

/** FNV-1a, not 0. */
uint64_t tm__jstack_hash(tm__slice text);

/** @return the last thread; NULL: there is none */
tm__jstack_thread *tm__jstack_last(tm__jstack_dump *dump);

#endif
