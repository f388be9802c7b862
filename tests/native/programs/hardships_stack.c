/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks that are walked while something interrupts, forks or has the loader's lock. */
#include "hardships.h"

#include <link.h>
#include <setjmp.h>
#include <sys/mman.h>

static sigjmp_buf the_way_out;
static atomic_int may_jump, has_enough;

static void jump(int number)
{
    (void)number;
    if (atomic_exchange(&may_jump, 0))
        siglongjmp(the_way_out, 1);
}

static void *interrupt(void *target)
{
    while (!atomic_load(&has_enough))
        pthread_kill(*(pthread_t *)target, SIGUSR1);
    return NULL;
}

static __attribute__((noinline)) void nap(int depth)
{
    struct timespec moment = {0, 1};

    if (depth > 0)
        nap(depth - 1);
    else
        nanosleep(&moment, NULL);
    atomic_signal_fence(memory_order_seq_cst);
}

static void *nap_on(void *unused)
{
    for (int i = 0; !atomic_load(&has_enough); i++)
        nap(i % 300);
    return unused;
}

static void *fork_cancelled(void *unused)
{
    int status = 1;
    pid_t child;

    pthread_cancel(pthread_self());
    child = fork();
    if (child == 0)
        _exit(0);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    waitpid(child, &status, 0);
    the_count += status == 0;
    return unused;
}

static int hold_loader(struct dl_phdr_info *unused, size_t bytes, void *held)
{
    (void)unused, (void)bytes;
    atomic_store((atomic_int *)held, 1);
    usleep(300000);
    return 1;
}

static void *loads(void *held)
{
    dl_iterate_phdr(hold_loader, held);
    return NULL;
}

/* In the child the loader's lock is owned by a thread that is not in the child. */
static int forks_beside_loader(void)
{
    static atomic_int held;
    pthread_t thread, other;
    int status;
    pid_t child;

    if (pthread_create(&thread, NULL, loads, &held) != 0)
        return 1;
    while (!atomic_load(&held))
        sched_yield();
    child = fork();
    if (child == 0) {
        if (pthread_create(&other, NULL, contender, NULL) == 0)
            pthread_join(other, NULL);
        contend();
        _exit(the_count == 400 ? 3 : 4);
    }
    waitpid(child, &status, 0);
    pthread_join(thread, NULL);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 3;
}

/* A cancelled thread forks, which is not a cancellation point, while the stacks of
 * others are walked. */
static int forks_cancelled(void)
{
    enum { FORKS = 100 };
    pthread_t threads[4], thread;

    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, nap_on, NULL);
    for (int i = 0; i < FORKS; i++) {
        pthread_create(&thread, NULL, fork_cancelled, NULL);
        pthread_join(thread, NULL);
    }
    atomic_store(&has_enough, 1);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return the_count != FORKS;
}

static void nap_in_handler(int number)
{
    (void)number;
    nap(0);
}

/* A handler on an alternate stack as small as some programs have, below which there is
 * an inaccessible page. */
static int naps_on_small_stack(void)
{
    enum { BYTES = 8192 };
    struct sigaction action = {.sa_handler = nap_in_handler, .sa_flags = SA_ONSTACK};
    char *memory = mmap(NULL, 2 * BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack_t stack = {.ss_sp = memory + BYTES, .ss_size = BYTES};

    if (memory == MAP_FAILED || mprotect(memory, BYTES, PROT_NONE) != 0 ||
        sigaltstack(&stack, NULL) != 0)
        return 1;
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    nap(1);
    return 0;
}

static void *fork_once(void *unused)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        contend();
        _exit(0);
    }
    return child < 0 || waitpid(child, &status, 0) != child || status != 0 ? &the_count
                                                                           : unused;
}

/* A handler jumps out of whatever runs, the walk of a stack for instance; then another
 * thread forks. */
static int jumps(void)
{
    pthread_t self = pthread_self(), thread;
    struct sigaction action = {.sa_handler = jump};
    void *result;

    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, interrupt, &self);
    for (volatile int i = 0; i < 3000; i++)
        if (sigsetjmp(the_way_out, 1) == 0) {
            atomic_store(&may_jump, 1);
            nap(i % 300);
            atomic_store(&may_jump, 0);
        }
    atomic_store(&has_enough, 1);
    pthread_join(thread, NULL);
    /* Records of all that may have found no room. */
    pause_ms(1000);
    pthread_create(&thread, NULL, fork_once, NULL);
    pthread_setname_np(thread, "forks");
    pthread_join(thread, &result);
    return result != NULL;
}

const mode STACKS[] = {
    {"naps_on_small_stack", naps_on_small_stack},
    {"jumps", jumps},
    {"forks_cancelled", forks_cancelled},
    {"forks_beside_loader", forks_beside_loader},
    {NULL, NULL},
};
