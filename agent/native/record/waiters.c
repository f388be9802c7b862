/* SPDX-License-Identifier: Apache-2.0 */
#include "record/waiters.h"

#include <string.h>

_Atomic uint32_t tm__the_waiters[TM__WAITERS];

void tm__waiters_reset(void)
{
    memset((void *)tm__the_waiters, 0, sizeof(tm__the_waiters));
}
