/* SPDX-License-Identifier: Apache-2.0 */
/* Rings of an agent. */
#ifndef TEST_AGENT_RINGS_H
#define TEST_AGENT_RINGS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <threadmodel/error.h>

#include "ring/buffer.h"
#include "rings/clock.h"
#include "ring/slow_clock.h"
#include "rings/mirror.h"
#include "writer/model_tee.h"
#include "vm/options.h"
#include "rings/ring_file.h"

enum { RING_BYTES = 64 * 1024 };

static int wake_fd;

static inline int open_rings(void **state)
{
    char error[128];

    (void)state;
    wake_fd = eventfd(0, EFD_NONBLOCK);
    tm__rings_open(&tm__the_rings, RING_BYTES, NULL, "", 1, 0, error, sizeof(error));
    tm__buffers_open(wake_fd);
    return wake_fd < 0;
}

/* The rings stay for the life of the process; here it is ending. */
static inline int close_rings(void **state)
{
    tm__buffer *next;

    (void)state;
    for (tm__buffer *b = tm__buffer_first(); b; b = next) {
        next = tm__buffer_next(b);
        munmap(b->ring.page, TM__RING_PAGE_BYTES + b->ring.capacity);
        free(b);
    }
    close(wake_fd);
    return 0;
}

#endif
