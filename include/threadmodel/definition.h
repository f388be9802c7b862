/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/definition.h: what the numbers in events stand for.
 *
 * Ids are the producer's own 64-bit numbers (32 bits for stacks), never 0. To
 * define an id again replaces what was known; fields that are 0 or NULL then
 * keep their old value. Strings are UTF-8, ended by a zero byte, and lent for the call;
 * bytes that are not UTF-8 are replaced by U+FFFD where they are shown.
 *
 * A definition carries its size, see common.h. The elements of its arrays, tm_line and
 * tm_frame, do not, and never grow.
 */
#ifndef THREADMODEL_DEFINITION_H
#define THREADMODEL_DEFINITION_H

#include <threadmodel/common.h>

TM_BEGIN_DECLS

/** Bits of tm_class.flags. */
enum tm_class_flag {
    TM_CLASS_LIBRARY = 1 ///< of a runtime or a library: not shown as a caller
};

/** A class, by its name in source code: "java.util.HashMap", "int[]". The address that
 * a VM appends to the name of a hidden class, "a.B$$Lambda/0x00007f3a5c000c28", is not
 * shown in answers: it differs in the next run. Which classes are libraries is known of
 * Java, Go and C++; a producer of another runtime reports it. */
typedef struct tm_class {
    size_t size; ///< sizeof(tm_class)
    uint64_t id;
    const char *name;
    const char *source; ///< file name without folders; NULL: unknown
    uint64_t flags;     ///< bits of enum tm_class_flag, given along with the first name
    const char *build_id; ///< of native code: hexadecimal, of the executable or library
                          ///< that the class is named after; NULL: none
} tm_class;

/** A tm_class with nothing in it but its size. */
#define TM_CLASS_INIT                                                                  \
    {                                                                                  \
        sizeof(tm_class), 0, NULL, NULL, 0, NULL                                       \
    }

/** From bytecode `location` on, up to the next entry, the source line is `line`. */
typedef struct tm_line {
    int64_t location; ///< bytecode index
    int32_t line;     ///< from 1
    int32_t reserved; ///< 0
} tm_line;

/** A part of a method in which a thread may hold a monitor that it entered there. */
typedef struct tm_monitor_range {
    int64_t enter; ///< bytecode index of the instruction that enters it; 0 of a
                   ///< synchronized method
    int64_t end;   ///< from here on it has exited, up to the next enter
} tm_monitor_range;

/** Bits of tm_method.flags. */
enum tm_method_flag {
    TM_METHOD_IDLES = 1 ///< a thread that is blocked in it waits for work: it is idle
};

/** A method of a class. */
typedef struct tm_method {
    size_t size; ///< sizeof(tm_method)
    uint64_t id;
    uint64_t class_id;
    const char *name;
    const char *signature; ///< as the VM writes it, "(ILjava/lang/String;)V"; or NULL
    const tm_line *lines;  ///< by rising location; NULL: no line table
    size_t line_count;
    uint64_t flags;                   ///< bits of enum tm_method_flag
    const tm_monitor_range *monitors; ///< all of it; NULL: not known
    size_t monitor_count;             ///< 0, and a pointer: it enters none
} tm_method;

/** A tm_method with nothing in it but its size. */
#define TM_METHOD_INIT                                                                 \
    {                                                                                  \
        sizeof(tm_method), 0, 0, NULL, NULL, NULL, 0, 0, NULL, 0                       \
    }

/** One frame of a stack. */
typedef struct tm_frame {
    uint64_t method;  ///< tm_method.id; 0: unknown
    int64_t location; ///< bytecode index; -1: native or unknown
    int32_t line;     ///< source line where it is known without a table; 0: look it up
    int32_t reserved; ///< 0
} tm_frame;

/** Bits of tm_stack.flags. */
enum tm_stack_flag {
    TM_STACK_TRUNCATED = 1 ///< the producer cut it: there are more frames below
};

/** A call stack, innermost frame first. */
typedef struct tm_stack {
    size_t size; ///< sizeof(tm_stack)
    uint32_t id;
    uint32_t flags; ///< bits of enum tm_stack_flag
    const tm_frame *frames;
    size_t frame_count;
} tm_stack;

/** A tm_stack with nothing in it but its size. */
#define TM_STACK_INIT                                                                  \
    {                                                                                  \
        sizeof(tm_stack), 0, 0, NULL, 0                                                \
    }

/** Bits of tm_thread.flags. */
enum tm_thread_flag {
    TM_THREAD_VIRTUAL = 1,
    TM_THREAD_DAEMON = 2,
    TM_THREAD_CARRIER = 4,    ///< runs virtual threads
    TM_THREAD_AGENT = 8,      ///< belongs to the producer or the VM, not to the program
    TM_THREAD_NOT_FORKED = 16 ///< of the process that forked this one, where it is not:
                              ///< no thread will release what it owned at the fork
};

/** A thread. Defining it again is how a producer reports a new name or group. */
typedef struct tm_thread {
    size_t size;       ///< sizeof(tm_thread)
    uint64_t id;       ///< for Java, Thread.threadId()
    uint64_t object;   ///< the thread object's own id, for joins on it; 0: unknown
    uint64_t os_id;    ///< the operating system's number; 0: unknown
    const char *name;  ///< NULL: unknown; "" is a name
    const char *group; ///< thread group or container; NULL: unknown
    int32_t priority;  ///< 0: unknown
    uint32_t flags;    ///< bits of enum tm_thread_flag
    uint64_t pid;      ///< process that it is of, in a run of several, of
                       ///< 32 bits; 0: tm_run.pid
} tm_thread;

/** A tm_thread with nothing in it but its size. */
#define TM_THREAD_INIT                                                                 \
    {                                                                                  \
        sizeof(tm_thread), 0, 0, 0, NULL, NULL, 0, 0, 0                                \
    }

/** Bits of tm_object.flags. */
enum tm_object_flag {
    TM_OBJECT_HAS_HASH = 1,    ///< hash holds the identity hash code
    TM_OBJECT_MAYBE_MANY = 2,  ///< id made from a hash or address: two may share it
    TM_OBJECT_SYNCHRONIZER = 4 ///< a j.u.c. lock or other park blocker, no monitor
};

/** The kinds of objects that threads wait for. */
enum tm_object_kind {
    TM_OBJECT_KIND_UNKNOWN = 0, ///< a synchronizer by its flag, else a monitor
    TM_OBJECT_KIND_MONITOR = 1,
    TM_OBJECT_KIND_SYNCHRONIZER = 2, ///< of java.util.concurrent
    TM_OBJECT_KIND_MUTEX = 3,
    TM_OBJECT_KIND_RWLOCK = 4,
    TM_OBJECT_KIND_SPIN_LOCK = 5,
    TM_OBJECT_KIND_CONDITION = 6,
    TM_OBJECT_KIND_SEMAPHORE = 7,
    TM_OBJECT_KIND_BARRIER = 8,
    TM_OBJECT_KIND_ONCE = 9,
    TM_OBJECT_KIND_CHANNEL = 10,
    TM_OBJECT_KIND_SOCKET = 11,  ///< a connection; from here to a process: waits for
                                 ///< it are I/O
    TM_OBJECT_KIND_FILE = 12,    ///< a file, pipe or device
    TM_OBJECT_KIND_POLL = 13,    ///< any of several descriptors: a selector, an epoll
    TM_OBJECT_KIND_ACCEPT = 14,  ///< a socket that listens
    TM_OBJECT_KIND_NAME = 15,    ///< the address of a name, of a host for instance
    TM_OBJECT_KIND_PROCESS = 16, ///< another process, its end
    TM_OBJECT_KIND_FUTEX = 17,   ///< a word that the program itself gives a meaning,
                                 ///< of a lock, condition or counter of its own
    TM_OBJECT_KIND_END = 18      ///< one more than the last
};

/** An object that threads lock, wait on or park for. */
typedef struct tm_object {
    size_t size; ///< sizeof(tm_object)
    uint64_t id;
    uint64_t class_id; ///< 0: unknown
    uint64_t thread;   ///< tm_thread.id where it is a thread object; else 0
    uint32_t hash;     ///< identity hash code, with TM_OBJECT_HAS_HASH
    uint32_t flags;    ///< bits of enum tm_object_flag
    const char *name;  ///< its name in answers: "orders.lock"; NULL: class and number
    uint64_t kind;     ///< enum tm_object_kind
} tm_object;

/** A tm_object with nothing in it but its size. */
#define TM_OBJECT_INIT                                                                 \
    {                                                                                  \
        sizeof(tm_object), 0, 0, 0, 0, 0, NULL, 0                                      \
    }

/**
 * The name of a kind of object, "mutex" for instance.
 *
 * @param kind  a value of enum tm_object_kind
 * @return a constant string; NULL for any other number
 * @since 0.1
 */
TM_API const char *tm_object_kind_name(int kind);

TM_END_DECLS

#endif
