/* SPDX-License-Identifier: Apache-2.0 */
/* Units of work that the program states, by io.github.threadmodel.Unit. */
#ifndef TM_AGENT_CAPTURE_STATED_UNITS_H
#define TM_AGENT_CAPTURE_STATED_UNITS_H

#include <jvmti.h>

/**
 * Make it known to the program's class that units are recorded, where it was loaded
 * before the agent was.
 */
void tm__units_announce(JNIEnv *jni);

#endif
