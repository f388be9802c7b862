/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual threads' begin and end, and their carriers. */
#ifndef TM_AGENT_VIRTUAL_LIFE_CYCLE_H
#define TM_AGENT_VIRTUAL_LIFE_CYCLE_H

#include <jvmti.h>

/** Ask for what virtual threads need, where the VM has them, before AddCapabilities. */
void tm__virtual_want(jvmtiCapabilities *wanted, const jvmtiCapabilities *able);

/** Have the VM call these, and ours. */
jvmtiError tm__virtual_callbacks(const jvmtiEventCallbacks *known);

/** Have it tell of begins, ends and mounts, or not any more. */
void tm__virtual_enable(int on);

#endif
