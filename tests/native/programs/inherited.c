/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lock with priority inheritance of the program's own: its word is 0 or the number of
 * the thread that owns it, and the kernel's mark while others queue. Main owns it until
 * a thread has queued for a time; with an argument, until the program is ended, and
 * another thread waits for two words at once.
 */
#include "own_mutex.h"

#include <time.h>

enum { WAIT_FOR_SEVERAL = 449, WORD_OF_32_BITS = 2 };

static atomic_int the_inherited, the_either, the_other;

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static long inherit(const struct timespec *until)
{
    int unowned = 0;

    if (atomic_compare_exchange_strong(&the_inherited, &unowned,
                                       (int)syscall(SYS_gettid)))
        return 0;
    return futex(&the_inherited, FUTEX_LOCK_PI_PRIVATE, 0, until, NULL, 0);
}

static void leave(void)
{
    int own = (int)syscall(SYS_gettid);

    if (!atomic_compare_exchange_strong(&the_inherited, &own, 0))
        futex(&the_inherited, FUTEX_UNLOCK_PI_PRIVATE, 0, NULL, NULL, 0);
}

static void *queue(void *unused)
{
    int64_t begin = now_ns();

    about_to_block();
    if (inherit(NULL) != 0)
        _exit(1);
    printf("most %lld\n", (long long)(now_ns() - begin));
    leave();
    return unused;
}

static void *time_out(void *unused)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    about_to_block();
    if (inherit(&until) != -1 || errno != ETIMEDOUT)
        _exit(2);
    return unused;
}

static void *wait_for_either(void *unused)
{
    const struct {
        uint64_t value, address;
        uint32_t flags, reserved;
    } words[] = {{0, (uintptr_t)&the_either, WORD_OF_32_BITS, 0},
                 {0, (uintptr_t)&the_other, WORD_OF_32_BITS, 0}};

    about_to_block();
    if (syscall(WAIT_FOR_SEVERAL, words, 2, 0, NULL, 0) != (unused ? 1 : 0))
        _exit(4);
    return unused;
}

int main(int count, char **arguments)
{
    pthread_t either;
    int64_t since;

    (void)arguments;
    if (inherit(NULL) != 0)
        return 3;
    if (count > 1) {
        pthread_create(&either, NULL, wait_for_either, NULL);
        pthread_setname_np(either, "either");
        start("queues", queue);
        for (;;)
            pause_ms(1000);
    }
    /* Nobody has them where the kernel is older. */
    if (syscall(WAIT_FOR_SEVERAL, NULL, 0, 0, NULL, 0) == -1 && errno != ENOSYS) {
        atomic_store(&the_blocker, 0);
        pthread_create(&the_thread, NULL, wait_for_either, &the_other);
        pthread_setname_np(the_thread, "either");
        wait_until_blocked();
        futex(&the_other, FUTEX_WAKE, 1, NULL, NULL, 0);
        join();
        puts("either 1");
    }
    start("times-out", time_out);
    join();
    start("queues", queue);
    since = now_ns();
    pause_ms(40);
    printf("least %lld\n", (long long)(now_ns() - since));
    leave();
    join();
    return 0;
}
