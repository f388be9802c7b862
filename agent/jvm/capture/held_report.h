/* SPDX-License-Identifier: Apache-2.0 */
/* The locks that the calling thread holds, by its own report. */
#ifndef TM_AGENT_CAPTURE_HELD_REPORT_H
#define TM_AGENT_CAPTURE_HELD_REPORT_H

#include <jni.h>

#include "capture/event_in_work.h"

/** Whether nobody else can ask the VM what the calling thread holds: it is a virtual
 * one, of a JDK before 25. */
int tm__held_is_self_reported(const tm__event_report *report);

/** Report all monitors that it holds, as of now, behind the event that blocks it.
 * @param waited_on  this it will not hold any more; 0: none */
void tm__held_add(tm__event_report *report, JNIEnv *jni, uint64_t waited_on);

#endif
