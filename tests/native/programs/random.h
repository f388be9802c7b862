/* SPDX-License-Identifier: Apache-2.0 */
/* The counts of the operations, and of those of processes. */
#ifndef TM_TEST_NATIVE_RANDOM_H
#define TM_TEST_NATIVE_RANDOM_H

#include "program.h"

enum count {
    LOCKED,
    SHARED,
    TIMED_OUT,
    POSTED,
    SIGNALLED,
    CANCELLED,
    JOINED,
    CHILDREN,
    STATUSES,
    WRITTEN,
    ONCE,
    ERRNO_CHANGED,
    FAILED,
    COUNTS
};

/** So much more of it. */
void count(enum count what, long more);

/** A failure is counted. */
void check(int is_true);

/** @return a number below the bound; the state goes on */
uint64_t below(uint64_t *random, uint64_t bound);

/** Starts a child, which locks, starts threads, and ends somehow. */
void start_process(uint64_t *random);

/** Writes to a pipe and reads. */
void use_descriptors(uint64_t *random);

/** Closes descriptors, and lowers limits. */
void limit_oneself(uint64_t *random);

/** Ends the process in one of many ways, or returns its status. */
int end(uint64_t *random, const char *self);

#endif
