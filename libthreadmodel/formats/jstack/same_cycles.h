/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An object is known by its address, which changes when the collector moves it. That
 * would make two deadlocks of one, the first of them resolved. But threads that are
 * deadlocked cannot move: a cycle of the same threads at the same stacks as in the
 * dump before is the same cycle, of the same objects, wherever they are now.
 */
#ifndef TM_FORMATS_JSTACK_SAME_CYCLES_H
#define TM_FORMATS_JSTACK_SAME_CYCLES_H

#include "formats/jstack/fill_state.h"

/** Give the objects of cycles that stand since the last dump the ids of then.
 * @return TM_OK, TM_ENOMEM */
int tm__jstack_recognise_cycles(tm__jstack_fill *fill, const tm__jstack_dump *parsed);

/** The next dump is compared with this one. */
void tm__jstack_turn_members(tm__jstack_fill *fill);

#endif
