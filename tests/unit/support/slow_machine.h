/* SPDX-License-Identifier: Apache-2.0 */
/* Where every instruction takes long, as under valgrind, tests repeat less. */
#ifndef TM_TESTS_SLOW_MACHINE_H
#define TM_TESTS_SLOW_MACHINE_H

#include <stdint.h>
#include <stdlib.h>

static inline int is_slow_machine(void)
{
    return getenv("TM_TEST_SLOW_MACHINE") != NULL;
}

/** @return so many, or a tenth of them */
static inline uint64_t as_many_as(uint64_t many)
{
    return is_slow_machine() ? many / 10 : many;
}

/** @return from one place that is damaged to the next: 1, or 7, so that every bit of a
 *   byte has its turn */
static inline size_t stride(void)
{
    return is_slow_machine() ? 7 : 1;
}

#endif
