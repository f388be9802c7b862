/* SPDX-License-Identifier: Apache-2.0 */
/* Callbacks of the VM. */
#ifndef TM_AGENT_CAPTURE_JVMTI_EVENTS_H
#define TM_AGENT_CAPTURE_JVMTI_EVENTS_H

#include <jvmti.h>

/** Add our functions to those that are registered with the VM. */
void tm__events_set(jvmtiEventCallbacks *callbacks);

/** Have the VM call us for every event, or not any more. @return 0, or its error */
jvmtiError tm__events_enable(int on);

#endif
