/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where HotSpot keeps what, by its own tables for the serviceability agent: they are
 * made along with the library that they are in, and are in step with it.
 */
#ifndef TM_AGENT_VM_VM_STRUCTS_H
#define TM_AGENT_VM_VM_STRUCTS_H

#include <stdint.h>

/** @return the VM's library, for dlsym() and dlclose(); NULL: not found */
void *tm__vm_library(void);

/**
 * Where a field is in a structure, a multiple of 4 below 64 KiB.
 * @return its type, "" where it is not stated; NULL: the VM has no such field
 */
const char *tm__vm_field(uint64_t *offset, void *library, const char *structure,
                         const char *name);

/** A constant. @return 0: the VM has none of that name */
int tm__vm_constant(uint64_t *value, void *library, const char *name);

/** Whether one of the VM's options, a switch, is on. @return 0: it has no such switch
 */
int tm__vm_switch(int *is_on, void *library, const char *name);

#endif
