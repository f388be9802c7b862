/* SPDX-License-Identifier: Apache-2.0 */
/* A barrier after which the stores of other threads are seen. */
#ifndef TM_RINGS_MEMBARRIER_H
#define TM_RINGS_MEMBARRIER_H

#include <stdint.h>

/** A younger write may still be on its way to being seen, at worst. */
enum { TM__MEMBARRIER_SLACK_MS = 1 };

/** Get ready, beside the VM's start, which would else wait for that. */
void tm__membarrier_open(void);

/**
 * Have all that other threads stored before now be seen when this returns, where the
 * kernel can.
 * @return 0; or what is so many nanoseconds old is seen, and the rest perhaps
 */
int64_t tm__membarrier(void);

/** The same, and certain: where the kernel cannot, this takes its time. */
void tm__membarrier_wait(void);

#endif
