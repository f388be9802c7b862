/* SPDX-License-Identifier: Apache-2.0 */
/* The native half of Mixed.java. */
#include <jni.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int is_locked;

JNIEXPORT void JNICALL Java_Mixed_lockAndEnter(JNIEnv *jni, jclass class,
                                               jobject monitor)
{
    struct timespec a_moment = {.tv_nsec = 50000000};

    (void)class;
    pthread_mutex_lock(&table_lock);
    atomic_store(&is_locked, 1);
    nanosleep(&a_moment, NULL); /* for the other to come by its lock */
    (*jni)->MonitorEnter(jni, monitor);
    (*jni)->MonitorExit(jni, monitor);
    pthread_mutex_unlock(&table_lock);
}

JNIEXPORT void JNICALL Java_Mixed_lock(JNIEnv *jni, jclass class)
{
    (void)jni, (void)class;
    pthread_mutex_lock(&table_lock);
    pthread_mutex_unlock(&table_lock);
}

JNIEXPORT jboolean JNICALL Java_Mixed_isLocked(JNIEnv *jni, jclass class)
{
    (void)jni, (void)class;
    return (jboolean)atomic_load(&is_locked);
}
