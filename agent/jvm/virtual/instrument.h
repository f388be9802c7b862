/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual threads: what the VM has no events for. */
#ifndef TM_AGENT_VIRTUAL_INSTRUMENT_H
#define TM_AGENT_VIRTUAL_INSTRUMENT_H

#include "capture/thread_event.h"

/* life_cycle.c */

/** Ask for what virtual threads need, where the VM has them, before AddCapabilities. */
void tm__virtual_want(jvmtiCapabilities *wanted, const jvmtiCapabilities *able);

/** Have the VM call these, and ours. */
jvmtiError tm__virtual_callbacks(const jvmtiEventCallbacks *known);

/** Have it tell of begins, ends and mounts, or not any more. */
void tm__virtual_enable(int on);

/* instrument.c */

/** Add our function to those that the VM is going to be told of. */
void tm__virtual_set(jvmtiEventCallbacks *callbacks);

/** Tell the VM which functions are the native methods of our class: it looks only into
 * agents that it began with. From a class of the boot loader, or it warns. */
void tm__virtual_register(JNIEnv *jni);

/** Have virtual threads tell of themselves from now on, or once the VM is up. */
void tm__virtual_install(JNIEnv *jni);

/** The VM is up. */
void tm__virtual_begin(JNIEnv *jni);

/** Whether they could not be made to. */
int tm__virtual_has_failed(void);

/** Let them be as they were. */
void tm__virtual_remove(JNIEnv *jni);

/** Whether the event in work is of a virtual thread whose parks, sleeps and joins are
 * told from where it calls them, or of one inside a join, which parks. */
int tm__virtual_tells(const tm__report *report);

/** Whether a thread is in a join of a virtual thread, whose end unparks it. */
int tm__virtual_joins(uint64_t thread);

#endif
