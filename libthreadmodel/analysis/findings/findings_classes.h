/* SPDX-License-Identifier: Apache-2.0 */
/* Classes that are loaded and initialised, apart from the program's own locks. */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_CLASSES_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_CLASSES_H

#include "analysis/findings/finding.h"

/** Tell all stacks' class work. @return TM_OK or TM_ENOMEM */
int tm__class_work_open(tm__findings *findings);
/** @return enum tm__class_work of a stack, which may be TM__NONE */
int tm__class_work_of(const tm__findings *findings, uint32_t stack);
/** Whether who is blocked by an object at a stack waits for the VM to load or
 * initialise a class. */
int tm__is_class_work(const tm__findings *findings, uint32_t object, uint32_t stack);
void tm__class_work_close(tm__findings *findings);
int tm__find_class_work(tm__findings *findings);

#endif
