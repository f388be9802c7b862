/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two locks in memory of the heap, in two orders. usage: lives CASE
 *   reused       each is another kind of object by the time of the second order
 *   once         the same objects, each order once: nothing shows that they are these
 *   in_turn      the same objects, each order many times, in turn
 *   initialised  each order once, of mutexes that calls begin and end
 */
#include "program.h"

#include <mutex>
#include <new>
#include <thread>

struct request {
    std::mutex lock;
};

struct connection {
    std::mutex lock;
};

static std::atomic<int> the_turn;

static void wait_for(int turn)
{
    while (the_turn != turn)
        pause_ms(1);
}

template <class outer, class inner> static void nest(outer &first, inner &second)
{
    std::lock_guard<std::mutex> own(first.lock);
    std::lock_guard<std::mutex> more(second.lock);
}

static void handle(request &asked, connection &given)
{
    nest(asked, given);
}

static void reuse(void *one, void *other)
{
    std::thread first([=] {
        request *asked = new (one) request;
        connection *given = new (other) connection;

        handle(*asked, *given);
        asked->~request();
        given->~connection();
        the_turn = 1;
        wait_for(2);
    });
    std::thread second([=] {
        wait_for(1);
        handle(*new (other) request, *new (one) connection);
        the_turn = 2;
    });

    first.join();
    second.join();
}

static void alternate(void *one, void *other, int rounds)
{
    request *left = new (one) request, *right = new (other) request;
    std::thread first([=] {
        for (int i = 0; i < rounds; i++) {
            wait_for(2 * i);
            nest(*left, *right);
            the_turn++;
        }
        wait_for(2 * rounds);
    });
    std::thread second([=] {
        for (int i = 0; i < rounds; i++) {
            wait_for(2 * i + 1);
            nest(*right, *left);
            the_turn++;
        }
    });

    first.join();
    second.join();
}

struct c_lock {
    pthread_mutex_t it;
    c_lock()
    {
        pthread_mutex_init(&it, nullptr);
    }
    ~c_lock()
    {
        pthread_mutex_destroy(&it);
    }
    void lock()
    {
        pthread_mutex_lock(&it);
    }
    void unlock()
    {
        pthread_mutex_unlock(&it);
    }
};

static void initialised()
{
    c_lock *left = new c_lock, *right = new c_lock;
    auto in_order = [](c_lock *outer, c_lock *inner) {
        std::lock_guard<c_lock> own(*outer);
        std::lock_guard<c_lock> more(*inner);
    };
    std::thread first([=] {
        in_order(left, right);
        the_turn = 1;
        wait_for(2);
    });
    std::thread second([=] {
        wait_for(1);
        in_order(right, left);
        the_turn = 2;
    });

    first.join();
    second.join();
    delete left;
    delete right;
}

int main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "";
    void *one = malloc(sizeof(request)), *other = malloc(sizeof(request));

    if (strcmp(which, "reused") == 0)
        reuse(one, other);
    else if (strcmp(which, "once") == 0)
        alternate(one, other, 1);
    else if (strcmp(which, "in_turn") == 0)
        alternate(one, other, 20);
    else
        initialised();
    return 0;
}
