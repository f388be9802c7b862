/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that cannot go on though no circle of owners shows it, on stderr, at once:
 * the object that each waits for, its owner as far as the VM knows, and the place. */
#include "blocked/standstill_message.h"

#include "blocked/class_wait.h"
#include "blocked/thread_report.h"
#include "capture/park_facts.h"
#include "ident/thread_id.h"
#include "vm/java_fields.h"
#include "vm/message.h"
#include "vm/vm.h"

/* Another thread, by its number, and what it does with what is waited for. */
static void put_other(tm__report *out, JNIEnv *jni, uint64_t id, const char *does)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    char name[TM__REPORT_NAME_BYTES];
    jthread *all = NULL;
    jint count = 0;

    if (!id || (*jvmti)->GetAllThreads(jvmti, &count, &all) != JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < count; i++) {
        if (tm__thread_id(jni, all[i]) == id) {
            tm__report_thread_name(name, jni, all[i]);
            tm__report_put(out, ", which \"%s\" %s", name, does);
        }
        (*jni)->DeleteLocalRef(jni, all[i]);
    }
    tm__deallocate((char *)all);
}

/* Append whether the thread itself reads the read-write lock that it waits to write, or
 * who else reads it. */
static void put_reader(tm__report *out, JNIEnv *jni, jthread thread, jobject lock)
{
    uint64_t id = tm__thread_id(jni, thread);
    uint64_t reader = tm__reader_before(jni, lock, id);

    if (reader && reader == id)
        tm__report_put(out, ", which it reads itself");
    else
        put_other(out, jni, reader, "reads");
}

static void put_waiting(tm__report *out, JNIEnv *jni, jthread thread)
{
    const tm__class_wait *class_wait = tm__class_wait_of(tm__thread_id(jni, thread));
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    char name[TM__REPORT_NAME_BYTES], wanted[TM__REPORT_NAME_BYTES];
    jobject object = NULL;

    tm__report_thread_name(name, jni, thread);
    if (class_wait) {
        tm__report_put(out, "  \"%s\" waits for the initialisation of %s", name,
                       class_wait->class_name);
        put_other(out, jni, class_wait->owner, "runs");
        tm__report_put(out, "\n");
        tm__report_stack(out, jni, thread);
        return;
    }
    if ((*jvmti)->GetCurrentContendedMonitor(jvmti, thread, &object) !=
        JVMTI_ERROR_NONE)
        object = NULL;
    if (!object && tm__the_java.thread_blocker)
        object = (*jni)->GetObjectField(jni, thread, tm__the_java.thread_blocker);
    tm__report_put(out, "  \"%s\" waits", name);
    if (object) {
        tm__report_object_name(wanted, jni, object);
        tm__report_put(out, " for %s", wanted);
        put_reader(out, jni, thread, object);
        (*jni)->DeleteLocalRef(jni, object);
    }
    tm__report_put(out, "\n");
    tm__report_stack(out, jni, thread);
}

void tm__standstill_message_print(JNIEnv *jni, const jthread *threads, size_t shown,
                                  size_t count, int64_t for_ns)
{
    tm__report out;

    if (tm__report_open(&out) < 0) {
        tm__message("stuck: no thread can go on, and no memory to name them");
        return;
    }
    tm__report_put(
        &out,
        "threadmodel: stuck for at least %lld s: no thread of the program can go on; "
        "%zu thread%s\n",
        (long long)(for_ns / 1000000000), count, count == 1 ? " waits" : "s wait");
    for (size_t i = 0; i < shown; i++)
        put_waiting(&out, jni, threads[i]);
    if (shown < count)
        tm__report_put(&out, "  and %zu more\n", count - shown);
    tm__report_print(&out);
}

void tm__class_circle_message_print(JNIEnv *jni, const jthread *threads, size_t count,
                                    int64_t for_ns)
{
    tm__report out;

    if (tm__report_open(&out) < 0) {
        tm__message("deadlock of %zu threads that initialise classes, and no memory to "
                    "name them",
                    count);
        return;
    }
    tm__report_put(
        &out,
        "threadmodel: deadlock of %zu threads that initialise classes, for at least "
        "%lld s\n",
        count, (long long)(for_ns / 1000000000));
    for (size_t i = 0; i < count; i++)
        put_waiting(&out, jni, threads[i]);
    tm__report_print(&out);
}
