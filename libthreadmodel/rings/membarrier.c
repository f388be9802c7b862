/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that begins an event says so with a plain store, which may sit in a
 * processor's store buffer for a while, some nanoseconds in truth. The kernel can have
 * those of all threads emptied. To be allowed to ask for it takes a process with more
 * than one thread 5 to 15 ms of waiting, so a thread of its own does that while the VM
 * starts. Until then, and where the kernel cannot, age alone tells what is seen.
 */
#include "rings/membarrier.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STACK_BYTES = 64 * 1024 };

/* The kernel's commands. A C library need not have the kernel's headers beside it. */
enum { PRIVATE_EXPEDITED = 1 << 3, REGISTER_PRIVATE_EXPEDITED = 1 << 4 };

static _Atomic int64_t slack_ns = TM__MEMBARRIER_SLACK_MS * INT64_C(1000000);

static void *ask(void *payload)
{
    (void)payload;
    if (syscall(SYS_membarrier, REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0)
        atomic_store(&slack_ns, 0);
    return NULL;
}

/* Signals are the VM's and the program's: none is to be handled on a thread that they
 * know nothing of. */
void tm__membarrier_open(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;

    if (pthread_attr_init(&attributes) != 0)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0 &&
        pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0)
        pthread_create(&thread, &attributes, ask, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

int64_t tm__membarrier(void)
{
    int64_t slack = atomic_load(&slack_ns);

    if (slack == 0)
        syscall(SYS_membarrier, PRIVATE_EXPEDITED, 0, 0);
    return slack;
}

void tm__membarrier_wait(void)
{
    if (tm__membarrier() > 0)
        poll(NULL, 0, 2 * TM__MEMBARRIER_SLACK_MS);
}
