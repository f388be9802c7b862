/* SPDX-License-Identifier: Apache-2.0 */
#include "record/own_thread.h"

#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const uint64_t NO_IMAGE;

__thread tm__self tm__the_self __attribute__((tls_model("initial-exec")));
const uint64_t *tm__the_image = &NO_IMAGE;
tm__control *tm__the_control;
uint32_t tm__the_ring_bytes;

atomic_int tm__is_sandboxed;
uint32_t tm__the_process;
int tm__is_fork;
uint32_t tm__the_forker;

void tm__let_others_run(void)
{
    /* As the kernel has it. The C library's would end a thread that was cancelled. */
    const long moment[2] = {0, 20000};
    int error = errno;

    if (atomic_load(&tm__is_sandboxed))
        return;
#ifdef SYS_nanosleep
    syscall(SYS_nanosleep, moment, NULL);
#else
    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, moment, NULL);
#endif
    errno = error;
}
