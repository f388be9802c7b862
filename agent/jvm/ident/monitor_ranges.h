/* SPDX-License-Identifier: Apache-2.0 */
/* Between which instructions a method holds the monitors that it enters. */
#ifndef TM_AGENT_IDENT_MONITOR_RANGES_H
#define TM_AGENT_IDENT_MONITOR_RANGES_H

#include <stddef.h>
#include <stdint.h>

/** From the instruction that enters a monitor to the end of its last exit. */
typedef struct tm__code_range {
    uint16_t enter;
    uint16_t end;
} tm__code_range;

/**
 * Find the ranges of a method's code.
 * @param code          the bytecode, of a class that the VM has verified
 * @param[out] ranges   by rising enter
 * @return how many; -1: more than max, or code that no compiler of Java makes
 */
int tm__monitor_ranges(const unsigned char *code, size_t size, tm__code_range *ranges,
                       int max);

#endif
