/* SPDX-License-Identifier: Apache-2.0 */
/* Processes and threads that may not ask the kernel for everything any more. */
#include "hardships.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

#ifndef SYS_readlink
#define SYS_readlink SYS_readlinkat
#endif

/* From now on the kernel kills a process that makes a call which this program does
 * not make itself. */
static int enter_sandbox(int is_by_call)
{
    enum { FIRST = 1, REFUSED = 6 };
    static const unsigned refused[REFUSED] = {SYS_openat, SYS_readlinkat, SYS_readlink,
                                              SYS_prctl,  SYS_gettid,     SYS_getpid};
    struct sock_filter code[FIRST + REFUSED + 2] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    struct sock_fprog filter = {FIRST + REFUSED + 2, code};

    for (unsigned i = 0; i < REFUSED; i++)
        code[FIRST + i] = (struct sock_filter)BPF_JUMP(
            BPF_JMP | BPF_JEQ | BPF_K, refused[i], (unsigned char)(REFUSED - i), 0);
    code[FIRST + REFUSED] =
        (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    code[FIRST + REFUSED + 1] =
        (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
           (is_by_call ? syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter)
                       : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) != 0;
}

static void *contend_only(void *unused)
{
    contend();
    return unused;
}

/* As start() and join() do, which also ask the kernel for the number of the thread. */
static void start_unseen(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, contend_only, NULL);
    contend();
    pthread_join(thread, NULL);
}

static void *writes_late(void *end)
{
    pause_ms(100);
    return write(*(int *)end, "", 1) == 1 ? NULL : end;
}

static int sandbox(int is_by_call)
{
    pthread_t threads[4];

    prctl(PR_SET_NAME, "in a box");
    if (enter_sandbox(is_by_call) != 0)
        return 1;
    for (int i = 0; i < 4; i++)
        if (pthread_create(&threads[i], NULL, contend_only, NULL) != 0)
            return 2;
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return the_count != 4L * 200;
}

static int sandboxes(void)
{
    return sandbox(0);
}

static int sandboxes_by_call(void)
{
    /* As libraries ask whether there is such a call at all. */
    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL);
    return sandbox(1);
}

/* A server that needs no more rights renounces them; the kernel refuses it no call. */
static int renounces(void)
{
    int ends[2];
    pthread_t thread;

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || pipe(ends) != 0 ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL) == 0 ||
        pthread_create(&thread, NULL, writes_late, &ends[1]) != 0)
        return 1;
    return read(ends[0], ends, 1) != 1 || pthread_join(thread, NULL) != 0;
}

static void *lock_strictly(void *unused)
{
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
        return unused;
    contend();
    syscall(SYS_exit, 0);
    return unused;
}

/* A thread may do nothing but read, write and end; its processor counter is refused. */
static int sandboxes_strictly(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, lock_strictly, NULL);
    pthread_join(thread, NULL);
    return the_count != 200;
}

static void *lock_without_counter(void *unused)
{
    pthread_t thread;

    if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) != 0) {
        the_count = 400;
        return unused;
    }
    contend();
    /* It may not read the counter, either. */
    pthread_create(&thread, NULL, contend_only, NULL);
    pthread_join(thread, NULL);
    return unused;
}

static int refuses_counter(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, lock_without_counter, NULL);
    pthread_join(thread, NULL);
    return the_count != 400;
}

static pid_t fork_and_contend(void)
{
    pid_t child = fork();

    if (child == 0) {
        start_unseen();
        _exit(the_count == 400 ? 0 : 1);
    }
    return child;
}

/* A fork of a process that is in a sandbox, whose child may not ask for its number. */
static int forks_in_sandbox(void)
{
    int status = 0;
    pid_t child;

    if (enter_sandbox(0) != 0)
        return 1;
    child = fork_and_contend();
    return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

const mode SANDBOXES[] = {
    {"sandboxes", sandboxes},
    {"sandboxes_by_call", sandboxes_by_call},
    {"renounces", renounces},
    {"sandboxes_strictly", sandboxes_strictly},
    {"refuses_counter", refuses_counter},
    {"forks_in_sandbox", forks_in_sandbox},
    {NULL, NULL},
};
