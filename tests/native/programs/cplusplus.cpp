/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The locks and waits of C++'s own library, which the compiler inlines. This thread
 * holds each until the other is blocked.
 */
#include "program.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

class Account
{
  public:
    [[gnu::always_inline]] inline void deposit()
    {
        std::lock_guard<std::mutex> guard(lock);
        money++;
    }

    std::mutex lock;

  private:
    volatile int money = 0;
};

static Account the_account;
static std::shared_mutex the_shared;
static std::mutex the_mutex;
static std::condition_variable the_condition;
static bool is_set;

[[gnu::noinline]] static void put_money()
{
    about_to_block();
    the_account.deposit();
}

[[gnu::noinline]] static void lock_unique()
{
    about_to_block();
    std::unique_lock<std::mutex> unique(the_account.lock);
}

[[gnu::noinline]] static void read_shared()
{
    about_to_block();
    std::shared_lock<std::shared_mutex> reader(the_shared);
}

[[gnu::noinline]] static void write_shared()
{
    about_to_block();
    std::unique_lock<std::shared_mutex> writer(the_shared);
}

[[gnu::noinline]] static void wait_plain()
{
    std::unique_lock<std::mutex> lock(the_mutex);
    about_to_block();
    the_condition.wait(lock, [] { return is_set; });
}

[[gnu::noinline]] static void wait_timed()
{
    std::unique_lock<std::mutex> lock(the_mutex);
    about_to_block();
    the_condition.wait_for(lock, std::chrono::minutes(1), [] { return is_set; });
}

/* A thread that has come as far as it can. */
static std::thread blocked_thread(const char *name, void (*routine)())
{
    the_blocker = 0;
    std::thread thread(routine);
    pthread_setname_np(thread.native_handle(), name);
    wait_until_blocked();
    return thread;
}

static void set(bool value)
{
    std::lock_guard<std::mutex> guard(the_mutex);
    is_set = value;
}

int main()
{
    std::thread thread;

    the_account.lock.lock();
    thread = blocked_thread("put_money", put_money);
    the_account.lock.unlock();
    thread.join();

    the_account.lock.lock();
    thread = blocked_thread("lock_unique", lock_unique);
    the_account.lock.unlock();
    thread.join();

    the_shared.lock();
    thread = blocked_thread("read_shared", read_shared);
    the_shared.unlock();
    thread.join();

    the_shared.lock_shared();
    thread = blocked_thread("write_shared", write_shared);
    the_shared.unlock_shared();
    thread.join();

    thread = blocked_thread("wait_plain", wait_plain);
    set(true);
    the_condition.notify_one();
    thread.join();

    set(false);
    thread = blocked_thread("wait_timed", wait_timed);
    set(true);
    the_condition.notify_all();
    thread.join();
    return 0;
}
