/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program as the system knows it. It knows its own number, which in another PID
 * namespace is not the one that it has here.
 */
#ifndef TM_NATIVE_RECORDER_PROCESS_H
#define TM_NATIVE_RECORDER_PROCESS_H

#include <stddef.h>
#include <stdint.h>

/** @return whether a process shares the memory of that inode; -1: there is none of that
 * number, or it does not show */
int tm__process_shares(uint32_t pid, uint64_t inode);

/** Processes that know themselves by another number than they have here. */
typedef struct tm__nested {
    size_t count;
    struct {
        uint32_t own_pid, pid;
    } all[64];
} tm__nested;

/** Look through all processes for those that share the memory of an inode. */
void tm__nested_find(tm__nested *nested, uint64_t inode);

/** @return the number that it has here; 0: none is known by that number */
uint32_t tm__nested_pid(const tm__nested *nested, uint32_t own_pid);

/** The file that a process runs. @return 0: nobody may know */
int tm__process_program(uint32_t pid, char *path, size_t room);

/** The processes that its first thread started. @return how many of them there are */
size_t tm__process_children(uint32_t pid, uint32_t *children, size_t most);

/** @return whether a process has our memory in its environment, by that path */
int tm__process_inherits(uint32_t pid, const char *memory);

/** @return the process that started a process; 0: unknown */
uint32_t tm__process_parent(uint32_t pid);

/** @return a descriptor of a process, -1: there is none */
int tm__process_open(uint32_t pid);

/** @return whether the process of a descriptor has ended, all of its threads */
int tm__process_is_over(int descriptor);

/**
 * How a process ended.
 * @param descriptor  of it, -1: none
 * @param[out] status  as of waitpid()
 * @return 0: the system does not say
 */
int tm__process_status(uint32_t pid, int descriptor, int *status);

/** The state of a task: 'R' where it runs or wants to, 'S' where it sleeps; 0: unknown.
 */
char tm__process_task_state(uint32_t pid, uint32_t task);

/** The state of a process: of its first thread, or if that has ended, of another. */
char tm__process_state(uint32_t pid);

/** A process whose first thread has ended is a zombie, and goes on with the others. */
int tm__process_has_died(uint32_t pid);

#endif
