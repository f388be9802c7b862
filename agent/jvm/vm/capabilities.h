/* SPDX-License-Identifier: Apache-2.0 */
/* What this VM lets an agent do. */
#ifndef TM_AGENT_VM_CAPABILITIES_H
#define TM_AGENT_VM_CAPABILITIES_H

#include <jvmti.h>

/** What is to be asked for, and what follows from what there is not. */
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

/** What is not recorded, a sentence; NULL: nothing is lacking. */
const char *tm__capabilities_lacking(void);

#endif
