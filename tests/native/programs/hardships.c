/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a recorder must survive. The argument chooses; the program prints "fine" when
 * all went as it would without one.
 */
#include "program.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <link.h>
#include <setjmp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>

static pthread_mutex_t the_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t the_condition = PTHREAD_COND_INITIALIZER;
static sem_t the_semaphore;
static long the_count;

static void contend(void)
{
    for (int i = 0; i < 200; i++) {
        pthread_mutex_lock(&the_mutex);
        the_count++;
        pthread_mutex_unlock(&the_mutex);
    }
}

static void *contender(void *unused)
{
    about_to_block();
    contend();
    return unused;
}

/* More threads than processors, in waves, so that rings are used again. */
static int storm(void)
{
    pthread_t threads[100];

    for (int wave = 0; wave < 30; wave++) {
        for (int i = 0; i < 100; i++)
            if (pthread_create(&threads[i], NULL, contender, NULL) != 0)
                return 1;
        for (int i = 0; i < 100; i++)
            pthread_join(threads[i], NULL);
    }
    return the_count != 30L * 100 * 200;
}

/* The child has a lock of the parent's, threads of its own, and locks on. */
static int forks(void)
{
    pthread_t thread;
    int status;
    pid_t child;

    pthread_mutex_lock(&the_mutex);
    child = fork();
    if (child == 0) {
        pthread_mutex_unlock(&the_mutex);
        start("contender", contender);
        contend();
        join();
        exit(the_count == 400 ? 0 : 1);
    }
    pthread_mutex_unlock(&the_mutex);
    pthread_create(&thread, NULL, contender, NULL);
    contend();
    pthread_join(thread, NULL);
    waitpid(child, &status, 0);
    return status != 0 || the_count != 400;
}

static void unlock(void *mutex)
{
    pthread_mutex_unlock(mutex);
}

static void *wait_for_ever(void *unused)
{
    pthread_mutex_lock(&the_mutex);
    pthread_cleanup_push(unlock, &the_mutex);
    about_to_block();
    for (;;)
        pthread_cond_wait(&the_condition, &the_mutex);
    pthread_cleanup_pop(1);
    return unused;
}

static int cancels(void)
{
    void *result;

    start("wait_for_ever", wait_for_ever);
    pthread_cancel(the_thread);
    pthread_join(the_thread, &result);
    contend();
    return result != PTHREAD_CANCELED || the_count != 200;
}

static void on_signal(int number)
{
    int error = errno;

    (void)number;
    sem_post(&the_semaphore);
    errno = error;
}

static void *post_by_signals(void *target)
{
    for (int i = 0; i < 2000; i++)
        pthread_kill(*(pthread_t *)target, SIGUSR1);
    return NULL;
}

static int signals(void)
{
    pthread_t self = pthread_self(), thread;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

    sem_init(&the_semaphore, 0, 0);
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, post_by_signals, &self);
    for (int i = 0; i < 2000; i++)
        contend();
    pthread_join(thread, NULL);
    return sem_trywait(&the_semaphore) != 0;
}

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

/* The child has the loader's lock of a thread that it does not have. */
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

/* A thread that is cancelled forks, which is no point of cancellation, while others
 * look at their stacks. */
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

/* A handler on a stack of its own, which is as small as some programs have it, and ends
 * at a page that is not there. */
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

/* A handler jumps out of whatever is in work, a look at the stack for instance; then
 * another thread forks. */
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

static int closes(void)
{
    for (int i = 3; i < 1024; i++)
        close(i);
    prctl(PR_SET_NAME, "renamed");
    start("contender", contender);
    contend();
    join();
    return open("/dev/null", O_RDONLY) != 3;
}

#ifndef SYS_readlink
#define SYS_readlink SYS_readlinkat
#endif

/* From now on the kernel kills who asks it for something that this program does not. */
static int enter_sandbox(void)
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
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0;
}

static void *contend_only(void *unused)
{
    contend();
    return unused;
}

/* As start() and join(), which ask the kernel who they are. */
static void start_unseen(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, contend_only, NULL);
    contend();
    pthread_join(thread, NULL);
}

static int sandboxes(void)
{
    pthread_t threads[4];

    prctl(PR_SET_NAME, "in a box");
    if (enter_sandbox() != 0)
        return 1;
    for (int i = 0; i < 4; i++)
        if (pthread_create(&threads[i], NULL, contend_only, NULL) != 0)
            return 2;
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return the_count != 4L * 200;
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

    if (enter_sandbox() != 0)
        return 1;
    child = fork_and_contend();
    return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

static int replaces(char *program)
{
    char *arguments[] = {program, "storm", NULL};

    execv(program, arguments);
    return 1;
}

static int errors(void)
{
    pthread_mutexattr_t attributes;
    struct timespec past = {1, 0};
    pthread_mutex_t checked;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checked, &attributes);
    errno = 77;
    if (pthread_mutex_unlock(&checked) != EPERM || pthread_mutex_lock(&checked) != 0 ||
        pthread_mutex_lock(&checked) != EDEADLK || pthread_mutex_unlock(&checked) != 0)
        return 1;
    sem_init(&the_semaphore, 0, 1);
    if (sem_wait(&the_semaphore) != 0 || errno != 77 ||
        sem_timedwait(&the_semaphore, &past) != -1 || errno != ETIMEDOUT)
        return 2;
    if (pthread_cond_wait(&the_condition, &checked) != EPERM ||
        pthread_cond_timedwait(&the_condition, &checked, &past) != EPERM)
        return 4;
    pthread_mutex_lock(&the_mutex);
    if (pthread_mutex_timedlock(&the_mutex, &past) != ETIMEDOUT ||
        pthread_mutex_trylock(&the_mutex) != EBUSY ||
        pthread_cond_timedwait(&the_condition, &the_mutex, &past) != ETIMEDOUT)
        return 3;
    return pthread_mutex_unlock(&the_mutex);
}

/* Contends until it is killed. */
static void goes_on(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, contender, NULL);
    puts("goes on");
    fflush(stdout);
    for (;;) {
        contend();
        pause_ms(1);
    }
}

int main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "";
    int rc;

    if (strcmp(which, "goes_on") == 0)
        goes_on();
    rc = strcmp(which, "storm") == 0                 ? storm()
         : strcmp(which, "sandboxes") == 0           ? sandboxes()
         : strcmp(which, "forks") == 0               ? forks()
         : strcmp(which, "cancels") == 0             ? cancels()
         : strcmp(which, "signals") == 0             ? signals()
         : strcmp(which, "closes") == 0              ? closes()
         : strcmp(which, "sandboxes_strictly") == 0  ? sandboxes_strictly()
         : strcmp(which, "refuses_counter") == 0     ? refuses_counter()
         : strcmp(which, "forks_in_sandbox") == 0    ? forks_in_sandbox()
         : strcmp(which, "naps_on_small_stack") == 0 ? naps_on_small_stack()
         : strcmp(which, "jumps") == 0               ? jumps()
         : strcmp(which, "forks_cancelled") == 0     ? forks_cancelled()
         : strcmp(which, "forks_beside_loader") == 0 ? forks_beside_loader()
         : strcmp(which, "replaces") == 0            ? replaces(argv[0])
         : strcmp(which, "errors") == 0              ? errors()
                                                     : 99;

    if (rc == 0)
        puts("fine");
    return rc;
}
