/* SPDX-License-Identifier: Apache-2.0 */
#include "record/lock_marks.h"

_Atomic uint16_t tm__the_lock_marks[TM__LOCK_MARKS];
_Atomic uintptr_t tm__the_lock_lives[TM__LOCK_LIVES];
