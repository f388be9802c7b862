/* SPDX-License-Identifier: Apache-2.0 */
/* Pauses of the VM's collector. */
#ifndef TM_AGENT_COLLECTOR_H
#define TM_AGENT_COLLECTOR_H

#include "agent.h"

/** Ask for what they need, where the VM has it, and name our functions. */
void tm__collector_want(jvmtiCapabilities *wanted, const jvmtiCapabilities *able,
                        jvmtiEventCallbacks *callbacks);

/** Have the VM tell of them, or not any more. */
void tm__collector_enable(int on);

#endif
