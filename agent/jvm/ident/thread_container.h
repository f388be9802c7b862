/* SPDX-License-Identifier: Apache-2.0 */
/* Containers of threads: executors and scopes, from JDK 21 on. */
#ifndef TM_AGENT_IDENT_THREAD_CONTAINER_H
#define TM_AGENT_IDENT_THREAD_CONTAINER_H

#include <jvmti.h>
#include <stddef.h>

/**
 * The name of the container that a thread was started in.
 * @return 1; 0: it is in none, or in that of all which are in no other
 */
int tm__container_name(char *out, size_t bytes, JNIEnv *jni, jthread thread);

#endif
