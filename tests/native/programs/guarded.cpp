/* SPDX-License-Identifier: Apache-2.0 */
/* A library with a static variable that is initialised once, for long. */
#include <ctime>

namespace
{
int count;

int slowly()
{
    timespec length = {0, 300000000};

    nanosleep(&length, nullptr);
    return ++count;
}
} // namespace

/** @return how often it was initialised */
extern "C" int initialised()
{
    static int it = slowly();

    return it;
}
