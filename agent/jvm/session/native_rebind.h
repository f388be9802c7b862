/* SPDX-License-Identifier: Apache-2.0 */
/* Native methods of a VM that is up: ours put in their place, and the originals back
 * where that costs the VM nothing. */
#ifndef TM_AGENT_SESSION_NATIVE_REBIND_H
#define TM_AGENT_SESSION_NATIVE_REBIND_H

#include <jvmti.h>

/**
 * Put ours in place in a VM that is up. No call is lost: one that comes before its
 * original is known waits for that, some 60 us.
 * @return 0; -1: some native methods stay what they were, and tm__the_recording.kinds
 * says which events are missing
 */
int tm__natives_rebind(JNIEnv *jni);

/**
 * At the start of a VM: those natives that were bound before methods had names, when
 * another agent had put its own in their place, so that their address did not identify
 * them.
 */
void tm__natives_bind_missed(JNIEnv *jni);

/** Put the originals back; from JDK 20 on ours stay, and call them. Calls that are in
 * ours go on there. */
void tm__natives_restore(JNIEnv *jni);

#endif
