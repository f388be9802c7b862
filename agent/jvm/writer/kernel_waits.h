/* SPDX-License-Identifier: Apache-2.0 */
/* Calls into the kernel that last, reported while they do. */
#ifndef TM_AGENT_WRITER_KERNEL_WAITS_H
#define TM_AGENT_WRITER_KERNEL_WAITS_H

#include <stdint.h>

#include "ring/buffer.h"

/**
 * Claim the calls that have lasted, before a round finds how far it goes.
 *
 * @param now_ns   when the round began
 * @param last_ns  how far the last one went
 * @param final    no later round will
 * @return the time of the first call that is not claimed, up to which the round may go;
 * INT64_MAX: no such call
 */
int64_t tm__kernel_waits_claim(tm__buffer *first, int64_t now_ns, int64_t last_ns,
                               int final);

/**
 * The begin of the first wait before a time that is not in the trace yet, with its
 * object defined.
 * @return the buffer of its thread; NULL: no event is left
 */
tm__buffer *tm__kernel_waits_next(tm_event *event, int64_t until_ns);

void tm__kernel_waits_close(void);

#endif
