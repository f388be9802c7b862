/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Static variables of C++ that are initialised by the thread that comes first. The
 * argument chooses: `once`, one thread initialises and two queue; `thrown`, the first
 * fails and another one tries again; `crossed`, two variables need each other, so that
 * two threads cannot go on; `itself`, a variable needs itself.
 */
#include "program.h"

#include <string>
#include <thread>

static atomic_int has_begun, has_failed;

struct Table {
    explicit Table(int ms)
    {
        has_begun = 1;
        pause_ms(ms);
        size = ms;
    }

    int size;
};

static int table()
{
    static Table it(200);

    return it.size;
}

[[gnu::noinline]] static Table load()
{
    has_begun = 1;
    pause_ms(120);
    if (has_failed++ == 0)
        throw 1;
    return Table(60);
}

static int retried()
{
    static Table it = load();

    return it.size;
}

static void try_it()
{
    try {
        retried();
    } catch (int) {
    }
}

static int right();

static int left()
{
    static int it = (has_begun++, pause_ms(100), right() + 1);

    return it;
}

static int right()
{
    static int it = (has_begun++, pause_ms(100), left() + 1);

    return it;
}

/* The library does not notice that its own thread initialises it. */
static int again(int depth)
{
    static int it = depth ? 1 : again(1);

    return it;
}

static std::thread named(const char *name, void (*routine)())
{
    std::thread thread(routine);

    pthread_setname_np(thread.native_handle(), name);
    return thread;
}

static void await_begin()
{
    while (has_begun == 0)
        pause_ms(1);
    pause_ms(20);
}

int main(int count, char **arguments)
{
    std::string mode = count > 1 ? arguments[1] : "once";

    if (mode == "crossed") {
        std::thread one = named("left", [] { left(); });
        std::thread other = named("right", [] { right(); });

        one.join();
        other.join();
    } else if (mode == "itself") {
        std::thread one = named("again", [] { again(0); });

        one.join();
    } else {
        void (*routine)() = mode == "once" ? [] { table(); } : try_it;
        std::thread one = named("first", routine);

        await_begin();
        std::thread other = named("second", routine), third = named("third", routine);

        one.join();
        other.join();
        third.join();
    }
    return 0;
}
