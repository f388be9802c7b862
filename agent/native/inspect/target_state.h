/* SPDX-License-Identifier: Apache-2.0 */
/* A process that is looked at: its threads, what each waits for, its memory. */
#ifndef TM_NATIVE_INSPECT_TARGET_STATE_H
#define TM_NATIVE_INSPECT_TARGET_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "names/symbols.h"

enum { TM__CALL_RUNNING = -1, TM__CALL_UNKNOWN = -2 };

enum { TM__DUMP_FRAMES_MOST = 64 };

enum tm__libc { TM__LIBC_UNKNOWN, TM__LIBC_GLIBC, TM__LIBC_MUSL };

typedef struct tm__mapped {
    uint64_t begin, end; ///< of all its parts
    uint64_t bias;       ///< of its addresses
    char path[4096];     ///< as the process has it
} tm__mapped;

/** How what a thread waits for lies in memory. */
enum tm__wait_layout {
    TM__LAYOUT_GLIBC,
    TM__LAYOUT_MUSL,
    TM__LAYOUT_WORD ///< the number of the owner, as the kernel's locks with priority
                    ///< inheritance demand
};

/** The kind of object that a thread waits for. */
enum tm__wait_kind {
    TM__WAIT_NONE, ///< for nothing that other threads of the process do
    TM__WAIT_MUTEX,
    TM__WAIT_RWLOCK_READ,
    TM__WAIT_RWLOCK_WRITE,
    TM__WAIT_CONDITION,
    TM__WAIT_SEMAPHORE,
    TM__WAIT_PYTHON_LOCK, ///< a semaphore with another name
    TM__WAIT_BARRIER,
    TM__WAIT_ONCE,
    TM__WAIT_JOIN,
    TM__WAIT_LOCK_OF_LIBC, ///< a lock of the C library's own, of a stream for instance
    TM__WAIT_GIL,          ///< Python's
    TM__WAIT_FUTEX,        ///< a word of memory; what it stands for is not known
    TM__WAIT_KIND_END
};

typedef struct tm__thread_wait {
    int kind;         ///< enum tm__wait_kind
    uint64_t object;  ///< address of the lock, condition and so on; 0: none
    uint32_t owner;   ///< number of the thread that owns it, or is joined, as the
                      ///< process itself has it; 0: nobody, or not known
    int is_timed;     ///< it has a limit
    int layout;       ///< enum tm__wait_layout
    int is_confirmed; ///< thread and lock were seen the same twice, with no step
                      ///< between
    char type[48];    ///< "recursive, robust"; "": as usual, or not known
    char detail[160]; ///< what else is known: "3 readers", "2 of 3 came"
} tm__thread_wait;

/** A thread. */
typedef struct tm__task {
    uint32_t tid;      ///< as the system has it here
    uint32_t inner;    ///< and as the process itself has it
    char name[64];     ///< "": not known
    char state;        ///< of /proc: R, S, D, T, Z
    uint64_t switches; ///< from and to the thread so far
    long call;         ///< number of the system call, or TM__CALL_...
    uint64_t arguments[6], stack_pointer, program_counter;
    char in_kernel[64]; ///< function of the kernel that it waits in; "": not known
    tm__thread_wait wait;
    uint64_t frames[TM__DUMP_FRAMES_MOST]; ///< return addresses, innermost first
    size_t frame_count;
    int is_cut;      ///< more frames are there
    int has_moved;   ///< since it was looked at, or it was not looked at before
    int was_stopped; ///< for its stack
} tm__task;

typedef struct tm__target {
    uint32_t pid;
    char program[4096]; ///< the file that it runs; "": not known
    char command[4096];
    tm__task *tasks;
    size_t task_count, task_room;
    tm__mapped *modules;
    size_t module_count;
    int is_readable;      ///< its memory is
    int libc;             ///< enum tm__libc
    int libc_minor;       ///< 36 of glibc 2.36; 0: not known
    char runtime[64];     ///< "Go", "Python 3.11": what more is known of its threads
    char refusal[256];    ///< why not all could be read; "": all was
    tm__symbols *symbols; ///< NULL: no names
    uint32_t stopped;     ///< threads that were
    uint64_t stopped_ns;  ///< in all
    int is_attached;      ///< elfutils reads it
    uint32_t gone;        ///< threads that ended while they were looked at
} tm__target;

/** Read memory. @return whether all of it was there */
int tm__target_read(const tm__target *it, uint64_t address, void *to, size_t bytes);

uint32_t tm__target_word(const tm__target *it, uint64_t address);

/** The thread with a number of its own; NULL: none */
tm__task *tm__target_inner(const tm__target *it, uint32_t inner);

#endif
