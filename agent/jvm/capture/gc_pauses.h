/* SPDX-License-Identifier: Apache-2.0 */
/* Pauses of the VM's collector. */
#ifndef TM_AGENT_CAPTURE_GC_PAUSES_H
#define TM_AGENT_CAPTURE_GC_PAUSES_H

#include <jvmti.h>

/** Name our functions, where the VM has these events and they are wanted. */
void tm__gc_pauses_set(jvmtiCapabilities *wanted, jvmtiEventCallbacks *callbacks);

/** Have the VM tell of them, or not any more. */
void tm__gc_pauses_enable(int on);

#endif
