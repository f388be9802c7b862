/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Futexes by system calls of the program's own. Each thread knows how often it slept
 * and for how long at most; the thread that wakes it knows for how long at least. The
 * kernel's answers are checked here: a wrong one ends the program with its line's
 * number.
 */
#include "own_mutex.h"

#include <sys/mman.h>

#define CHECK(condition)                                                               \
    do {                                                                               \
        if (!(condition))                                                              \
            _exit(__LINE__ % 200 + 1);                                                 \
    } while (0)

enum { TURNS = 400, RIVALS = 4, CROWD = 2000 };

/* Apart from one another: their addresses show on which word a call woke a thread. */
static _Alignas(64) atomic_int the_word;
static _Alignas(64) atomic_int the_first;
static _Alignas(64) atomic_int the_second;
static atomic_int the_lock, the_timed, the_busy, the_interrupted, the_crowd, the_gate,
    the_handled, has_begun;
static int turns_slept[RIVALS];
static volatile int the_sum;

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- a lock ---- */

static void *take_turns(void *payload)
{
    int *slept = payload;

    for (int i = 0; i < TURNS; i++) {
        *slept += own_lock(&the_lock);
        for (int j = 0; j < 2000; j++)
            the_sum++;
        if (i % 50 == 0)
            pause_ms(1);
        own_unlock(&the_lock);
    }
    return NULL;
}

static void contend(void)
{
    pthread_t rivals[RIVALS];
    char name[16];

    for (int i = 0; i < RIVALS; i++) {
        pthread_create(&rivals[i], NULL, take_turns, &turns_slept[i]);
        snprintf(name, sizeof(name), "rival-%d", i);
        pthread_setname_np(rivals[i], name);
    }
    for (int i = 0; i < RIVALS; i++) {
        pthread_join(rivals[i], NULL);
        printf("rival-%d %d\n", i, turns_slept[i]);
    }
}

/* ---- waits, each ended by main or by nobody ---- */

static void *wait_once(void *payload)
{
    int64_t begin = now_ns();

    about_to_block();
    CHECK(futex(payload, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) == 0);
    printf("most %lld\n", (long long)(now_ns() - begin));
    return NULL;
}

static void *wait_first(void *unused)
{
    return wait_once(unused ? unused : &the_first);
}

static void *wait_word(void *unused)
{
    return wait_once(unused ? unused : &the_word);
}

static void *time_out(void *unused)
{
    struct timespec length = {0, 30000000}, until;

    CHECK(futex(&the_timed, FUTEX_WAIT_PRIVATE, 0, &length, NULL, 0) == -1);
    CHECK(errno == ETIMEDOUT);
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec++;
    until.tv_nsec = 0;
    CHECK(futex(&the_timed, FUTEX_WAIT_BITSET_PRIVATE, 0, &until, NULL,
                (int)FUTEX_BITSET_MATCH_ANY) == -1);
    CHECK(errno == ETIMEDOUT);
    return unused;
}

/* A handler asks for other system calls, and for futexes. */
static void handle(int number)
{
    int error = errno;

    CHECK(syscall(SYS_gettid) > 0 && number == SIGUSR1);
    CHECK(futex(&the_gate, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) >= 0);
    CHECK(futex(&the_gate, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0) == -1 &&
          errno == EAGAIN);
    atomic_fetch_add(&the_handled, 1);
    errno = error;
}

static void *get_interrupted(void *unused)
{
    about_to_block();
    CHECK(futex(&the_interrupted, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) == -1 &&
          errno == EINTR);
    return unused;
}

/* Never asleep: the word has another value. */
static void *never_sleep(void *unused)
{
    atomic_store(&the_busy, 1);
    for (int i = 0; i < 20000; i++)
        CHECK(futex(&the_busy, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) == -1 &&
              errno == EAGAIN);
    return unused;
}

static void *in_crowd(void *unused)
{
    atomic_fetch_add(&has_begun, 1);
    while (!atomic_load(&the_crowd))
        futex(&the_crowd, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    return unused;
}

static void crowd(void)
{
    static pthread_t threads[CROWD];
    pthread_attr_t small;

    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    for (int i = 0; i < CROWD; i++) {
        CHECK(pthread_create(&threads[i], &small, in_crowd, NULL) == 0);
        /* Not more at once than the ring has room to record. */
        if (i % 20 == 0)
            pause_ms(2);
    }
    while (atomic_load(&has_begun) < CROWD)
        pause_ms(1);
    pause_ms(50);
    atomic_store(&the_crowd, 1);
    futex(&the_crowd, FUTEX_WAKE_PRIVATE, CROWD, NULL, NULL, 0);
    for (int i = 0; i < CROWD; i++)
        pthread_join(threads[i], NULL);
}

/* ---- refused calls, and words of another process ---- */

static void refused(void)
{
    atomic_int *nowhere =
        mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK(futex(nowhere, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) == -1 &&
          errno == EFAULT);
    CHECK(futex(NULL, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) == -1 && errno == EFAULT);
    CHECK(futex(&the_word, FUTEX_WAIT_PRIVATE, 0, nowhere, NULL, 0) == -1 &&
          errno == EFAULT);
    CHECK(futex((atomic_int *)((char *)&the_word + 1), FUTEX_WAIT_PRIVATE, 0, NULL,
                NULL, 0) == -1 &&
          errno == EINVAL);
    CHECK(futex(&the_word, 99, 0, NULL, NULL, 0) == -1 && errno == ENOSYS);
    munmap(nowhere, 4096);
    CHECK(futex(nowhere, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) <= 0);
    errno = EDOM;
    CHECK(futex(&the_word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) == 0 && errno == EDOM);
    CHECK(syscall(SYS_getpid) == getpid());
    CHECK(syscall(SYS_mmap, NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                  0) != -1);
    CHECK(syscall(-1) == -1 && errno == ENOSYS);
}

static void *wait_shared(void *word)
{
    CHECK(futex(word, FUTEX_WAIT, 0, NULL, NULL, 0) == 0);
    return NULL;
}

static void shared(void)
{
    atomic_int *word =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_t thread;
    pid_t child;

    pthread_create(&thread, NULL, wait_shared, word);
    pthread_setname_np(thread, "shared");
    child = fork();
    if (child == 0) {
        while (futex(word, FUTEX_WAKE, 1, NULL, NULL, 0) != 1)
            pause_ms(1);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    pthread_join(thread, NULL);
}

/* Wakes the thread that was started last.
 * @return for how long it has slept at least */
static void wake(atomic_int *word, int64_t since)
{
    pause_ms(40);
    printf("least %lld\n", (long long)(now_ns() - since));
    CHECK(futex(word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) == 1);
    join();
}

int main(void)
{
    struct sigaction action = {.sa_handler = handle};
    int64_t since;

    sigaction(SIGUSR1, &action, NULL);
    refused();
    start("woken", wait_word);
    since = now_ns();
    wake(&the_word, since);
    start("moved", wait_first);
    since = now_ns();
    CHECK(syscall(SYS_futex, &the_first, FUTEX_CMP_REQUEUE_PRIVATE, 0, 1L, &the_second,
                  0) == 1);
    wake(&the_second, since);
    start("woken-op", wait_first);
    since = now_ns();
    pause_ms(40);
    printf("least %lld\n", (long long)(now_ns() - since));
    CHECK(syscall(SYS_futex, &the_word, FUTEX_WAKE_OP_PRIVATE, 1, 1L, &the_first,
                  FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0)) == 1);
    join();
    start("interrupted", get_interrupted);
    pthread_kill(the_thread, SIGUSR1);
    join();
    CHECK(atomic_load(&the_handled) == 1);
    pthread_create(&the_thread, NULL, time_out, NULL);
    pthread_setname_np(the_thread, "timed");
    join();
    pthread_create(&the_thread, NULL, never_sleep, NULL);
    pthread_setname_np(the_thread, "busy");
    join();
    shared();
    contend();
    crowd();
    return 0;
}
