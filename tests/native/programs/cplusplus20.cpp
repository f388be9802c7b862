/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits without a mutex in the library of C++20. Each wait is ended by this
 * thread; it prints for how long the thread was asleep at least, and that thread for
 * how long at most.
 */
#include "program.h"

#include <barrier>
#include <chrono>
#include <latch>
#include <semaphore>

static std::atomic<int> the_flag;
static std::latch the_latch(1);
static std::counting_semaphore<4> the_semaphore(0);
static std::barrier the_barrier(2);

static long long now_ns()
{
    return std::chrono::steady_clock::now().time_since_epoch().count();
}

static void *measure(const char *name, void (*wait)())
{
    long long begin = now_ns();

    about_to_block();
    wait();
    printf("%s most %lld\n", name, now_ns() - begin);
    return nullptr;
}

static void *wait_flag(void *)
{
    return measure("flag", [] { the_flag.wait(0); });
}

static void *wait_latch(void *)
{
    return measure("latch", [] { the_latch.wait(); });
}

static void *wait_semaphore(void *)
{
    return measure("semaphore", [] { the_semaphore.acquire(); });
}

static void *wait_barrier(void *)
{
    return measure("barrier", [] { the_barrier.arrive_and_wait(); });
}

static void run(const char *name, void *(*routine)(void *), void (*wake)())
{
    long long begin;

    start(name, routine);
    begin = now_ns();
    pause_ms(40);
    printf("%s least %lld\n", name, now_ns() - begin);
    wake();
    join();
}

int main()
{
    run("flag", wait_flag, [] {
        the_flag = 1;
        the_flag.notify_one();
    });
    run("latch", wait_latch, [] { the_latch.count_down(); });
    run("semaphore", wait_semaphore, [] { the_semaphore.release(); });
    run("barrier", wait_barrier, [] { the_barrier.arrive_and_wait(); });
    return 0;
}
