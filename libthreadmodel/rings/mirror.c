/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store to a page of a mapped file that the file no longer has is a SIGBUS, which
 * ends the process. Anybody who may write to the file can make it so, by mistake too
 * (a log rotation, a full disk under a hole), and nothing prevents it: only files
 * without a name can be sealed, and those do not outlive the process. So the signal is
 * taken while a thread is in the copy below, and there alone: the rest of that mirror
 * becomes memory of no file, and the store is made again. Any other SIGBUS goes to who
 * took it before us. The VM takes it for files that the program maps.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#endif
#include "rings/mirror.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>

enum { PAGE_BYTES = 4096 };

/* The one that the thread is copying to. */
static __thread const tm__mirror *volatile working_on
    __attribute__((tls_model("initial-exec")));
static struct sigaction before; /* us; without a handler: none was asked for */
static int is_guarded;
static int opened; /* how often more than closed */
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;

/* @return 0; -1: the fault is not in a mirror, or cannot be repaired */
static int repair(const siginfo_t *info)
{
    const tm__mirror *mirror = working_on;
    uintptr_t at = (uintptr_t)info->si_addr;
    uintptr_t page = at / PAGE_BYTES * PAGE_BYTES;
    uintptr_t end;

    if (!mirror || info->si_code <= 0 || at < (uintptr_t)mirror->bytes)
        return -1;
    end = (uintptr_t)mirror->bytes + mirror->length;
    if (at >= end || mmap((void *)page, end - page, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
                          0) == MAP_FAILED)
        return -1;
    atomic_store(mirror->was_cut, 1);
    return 0;
}

/* A fault comes again when this returns, a signal that somebody sent does not. */
static void fall_back(const siginfo_t *info)
{
    struct sigaction initial = {.sa_handler = SIG_DFL};

    if (before.sa_handler == SIG_IGN && info->si_code <= 0)
        return;
    sigaction(SIGBUS, &initial, NULL);
    if (info->si_code <= 0)
        raise(SIGBUS);
}

static void fault(int number, siginfo_t *info, void *context)
{
    int error = errno;

    if (repair(info) == 0)
        errno = error;
    else if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(number, info, context);
    else if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN)
        fall_back(info);
    else
        before.sa_handler(number);
}

static void guard(void)
{
    struct sigaction ours;

    if (is_guarded || sigaction(SIGBUS, NULL, &before) < 0)
        return;
    /* The earlier handler runs with the same signals blocked, and on the same stack. */
    ours = before;
    ours.sa_sigaction = fault;
    ours.sa_flags |= SA_SIGINFO | SA_ONSTACK;
    ours.sa_flags &= ~(int)SA_RESETHAND;
    is_guarded = sigaction(SIGBUS, &ours, NULL) == 0;
}

static void unguard(void)
{
    struct sigaction now;

    /* A handler installed after ours calls ours, which must then still exist. */
    if (!is_guarded || sigaction(SIGBUS, NULL, &now) < 0 ||
        !(now.sa_flags & SA_SIGINFO) || now.sa_sigaction != fault)
        return;
    is_guarded = sigaction(SIGBUS, &before, NULL) < 0;
}

void tm__mirrors_open(void)
{
    pthread_mutex_lock(&open_lock);
    if (opened++ == 0)
        guard();
    pthread_mutex_unlock(&open_lock);
}

void tm__mirrors_close(void)
{
    pthread_mutex_lock(&open_lock);
    if (opened > 0 && --opened == 0)
        unguard();
    pthread_mutex_unlock(&open_lock);
}

void tm__mirror_put(const tm__mirror *mirror, size_t offset, const void *from,
                    size_t bytes)
{
    const uint64_t *words = from;
    uint64_t *to;

    if (!mirror->bytes)
        return;
    to = (uint64_t *)(mirror->bytes + offset);
    working_on = mirror;
    atomic_signal_fence(memory_order_seq_cst);
    for (size_t i = 0; i < bytes / sizeof(*words); i++)
        to[i] = words[i];
    atomic_signal_fence(memory_order_seq_cst);
    working_on = NULL;
}
