/* SPDX-License-Identifier: Apache-2.0 */
/* The capabilities of an agent in this VM. */
#ifndef TM_AGENT_VM_CAPABILITIES_H
#define TM_AGENT_VM_CAPABILITIES_H

#include <jvmti.h>

/** The capabilities to request, and the consequences of those that are missing. */
typedef struct tm__capabilities {
    jvmtiCapabilities able;
    jvmtiCapabilities wanted;
    int hooks; ///< native methods may be replaced
} tm__capabilities;

/**
 * Look what this VM can do, and say in one line what it cannot.
 * @return 0; -1: not what we cannot do without, which was said
 */
int tm__capabilities_find(tm__capabilities *out, int is_late);

/** Whether the VM is HotSpot, by the name that it gives itself. */
int tm__vm_is_hotspot(void);

/** A sentence on what is not recorded; NULL: nothing is lacking. */
const char *tm__capabilities_lacking(void);

#endif
