/* SPDX-License-Identifier: Apache-2.0 */
/* A lock that the modes of this program contend for. */
#ifndef TM_TEST_NATIVE_HARDSHIPS_H
#define TM_TEST_NATIVE_HARDSHIPS_H

#include "modes.h"
#include "program.h"

extern pthread_mutex_t the_mutex;
extern long the_count;

extern const mode SANDBOXES[], STACKS[];

/** 200 times, counted. */
void contend(void);

/** A thread that does so. */
void *contender(void *unused);

#endif
