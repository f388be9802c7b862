/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which frame of a stack is the caller: who asked to be blocked, as a person means it.
 *
 *     Unsafe.park                 LockSupport.park ...       how it is done: primitive
 *     LinkedBlockingQueue.take    library
 *     app.Queue.next              <- the caller: the innermost that is no library
 *     app.Main.run
 *
 * Where a thread has nothing to do, the frame that waits for work is the caller,
 * whatever lies within: a pool's worker is idle, not slow. Answers go over all stacks,
 * thousands of them, so each method is judged once, when it is named.
 */
#include <string.h>

#include "model/caller_frame.h"
#include "model/entity_names.h"
#include "model/methods.h"
#include "model/model.h"

/* What is part of the JDK 8 to 25. Not all of com.sun. is: javac and others are
 * programs that people record, and com.sun.jna, .mail or .faces are in the class path.
 */
static const char *const default_libraries[] = {
    "java.",
    "javax.",
    "jdk.",
    "sun.",
    "com.sun.accessibility.",
    "com.sun.beans.",
    "com.sun.corba.",
    "com.sun.crypto.provider.",
    "com.sun.imageio.",
    "com.sun.java.",
    "com.sun.jdi.",
    "com.sun.jmx.",
    "com.sun.jndi.",
    "com.sun.management.",
    "com.sun.media.sound.",
    "com.sun.naming.",
    "com.sun.net.httpserver.",
    "com.sun.net.ssl.",
    "com.sun.nio.",
    "com.sun.org.",
    "com.sun.proxy.",
    "com.sun.rmi.",
    "com.sun.rowset.",
    "com.sun.security.",
    "com.sun.swing.",
    "com.sun.tools.attach.",
    "com.sun.tools.jdi.",
    "com.sun.xml.internal.",
};

/* Packages of Go by which a goroutine is blocked. */
static const char *const go_packages[] = {"runtime", "sync", "syscall"};
static const char *const go_folders[] = {"internal/", "runtime/"};

/* Where threads go to be blocked: never what a person means by the caller. */
static const char *const primitives[] = {
    "java.lang.Object.",
    "java.lang.Thread.",
    "java.lang.VirtualThread.",
    "java.lang.System$",                   /* $2, through which virtual threads park */
    "java.lang.ref.NativeReferenceQueue.", /* in JDK 21 to 24 */
    "java.lang.ref.ReferenceQueue.",
    "java.util.concurrent.ForkJoinPool.compensatedBlock",
    "java.util.concurrent.ForkJoinPool.managedBlock",
    "java.util.concurrent.ForkJoinPool.unmanagedBlock",
    "java.util.concurrent.locks.",
    "jdk.internal.misc.Unsafe.",
    "jdk.internal.misc.VirtualThreads.", /* JDK 21 */
    "jdk.internal.vm.",
    "sun.misc.Unsafe.",
};

/* A queue's own lock: who waits for that is not idle, though it wants work. */
static const char *const locks[] = {
    "java.util.concurrent.locks.ReentrantLock",
    "java.util.concurrent.locks.ReentrantReadWriteLock",
    "java.util.concurrent.locks.StampedLock",
};

/* Methods that do nothing but wait for work, whatever queue they wait at. */
static const char *const takers[] = {
    "java.util.concurrent.ThreadPoolExecutor.getTask",
    "java.util.concurrent.ForkJoinPool.awaitWork",
    "jdk.jfr.internal.PlatformRecorder.takeNap",
    "org.apache.tomcat.util.threads.ThreadPoolExecutor.getTask",
    "org.eclipse.jetty.util.thread.QueuedThreadPool$Runner.idleJobPoll",
    "org.eclipse.jetty.util.thread.QueuedThreadPool.idleJobPoll",
    "io.netty.util.concurrent.GlobalEventExecutor.takeTask",
    "io.netty.util.concurrent.SingleThreadEventExecutor.takeTask",
    "io.netty.util.HashedWheelTimer$Worker.waitForNextTick",
    "kotlinx.coroutines.scheduling.CoroutineScheduler$Worker.park",
    "runtime.bgscavenge", /* goroutines of Go's runtime */
    "runtime.bgsweep",
    "runtime.forcegchelper",
    "runtime.gcBgMarkWorker",
    "runtime.runCleanups",
    "runtime.runFinalizers",
    "runtime.runfinq",
    "runtime.traceStartReadCPU.func1",
    "runtime.(*traceAdvancerState).start.func1",
    "runtime/trace.(*traceMultiplexer).startLocked.func1",
};

/* Loops that wait for work and do it: idle where nothing but a primitive lies within.
 */
static const char *const loops[] = {
    "java.lang.ref.Finalizer$FinalizerThread.run",
    "java.lang.ref.Reference$ReferenceHandler.run",
    "java.util.TimerThread.mainLoop",
    "java.util.concurrent.DelayScheduler.loop",
    "jdk.internal.ref.CleanerImpl.run",
    "sun.java2d.Disposer.run",
    "sun.net.www.http.KeepAliveCache.run",
};

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

static int has_prefix(const char *text, const char *const *prefixes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(text, prefixes[i], strlen(prefixes[i])) == 0)
            return 1;
    return 0;
}

static int is_among(const char *text, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(text, list[i]) == 0)
            return 1;
    return 0;
}

/* A package itself, or one of its functions, which has no class: "runtime.gopark",
 * "sync.(*Mutex).Lock". */
static int is_of_package(const char *name, const char *package)
{
    size_t length = strlen(package);

    if (strncmp(name, package, length) != 0)
        return 0;
    name += length;
    return *name == '\0' ||
           (*name == '.' && (name[1] == '(' || strchr(name + 1, '.') == NULL));
}

static int is_of_go(const char *name)
{
    for (size_t i = 0; i < COUNT(go_packages); i++)
        if (is_of_package(name, go_packages[i]))
            return 1;
    return has_prefix(name, go_folders, COUNT(go_folders));
}

int tm__is_library(const char *name)
{
    return has_prefix(name, default_libraries, COUNT(default_libraries)) ||
           is_of_go(name);
}

int tm__is_idle(const char *method)
{
    return is_among(method, takers, COUNT(takers)) ||
           is_among(method, loops, COUNT(loops));
}

uint8_t tm__role(const char *class_name, const char *name,
                 const tm__libraries *libraries)
{
    int is_default = !libraries || !libraries->prefixes;
    uint8_t role;

    if (!class_name || !name)
        return TM__ROLE_NAMELESS;
    role = is_default ? tm__is_library(class_name)
                      : has_prefix(class_name, libraries->prefixes, libraries->count);
    if (has_prefix(name, primitives, COUNT(primitives)))
        role |= TM__ROLE_PRIMITIVE;
    if (has_prefix(name, locks, COUNT(locks)))
        role |= TM__ROLE_LOCKS;
    /* Whoever chose what a library is wants to see the rest as it is. */
    if (is_default || role & TM__ROLE_LIBRARY) {
        if (is_among(name, takers, COUNT(takers)))
            role |= TM__ROLE_IDLES;
        if (is_among(name, loops, COUNT(loops)))
            role |= TM__ROLE_LOOPS;
    }
    return role;
}

/* @param roles  of each method, or NULL: by the default libraries */
static uint8_t role_of(const tm_model *model, uint32_t method, const uint8_t *roles)
{
    if (method == TM__NONE)
        return TM__ROLE_NAMELESS;
    return roles ? roles[method] : model->methods[method].role;
}

static uint32_t find_caller(const tm_model *model, uint32_t stack, const uint8_t *roles)
{
    uint32_t caller = TM__NONE, past_primitives = TM__NONE, first, end;
    int for_lock = 0;

    if (stack == TM__NONE || !model->stacks[stack].frame_count)
        return TM__NONE;
    first = model->stacks[stack].frame_first;
    end = first + model->stacks[stack].frame_count;
    for (uint32_t i = first; i < end; i++) {
        uint8_t role = role_of(model, model->frames[i].method, roles);

        if (role & TM__ROLE_NAMELESS)
            continue;
        for_lock |= role & TM__ROLE_LOCKS;
        if (!for_lock && (role & TM__ROLE_IDLES ||
                          (role & TM__ROLE_LOOPS && past_primitives == TM__NONE)))
            return i;
        if (caller == TM__NONE && !(role & TM__ROLE_LIBRARY))
            caller = i;
        if (past_primitives == TM__NONE && !(role & TM__ROLE_PRIMITIVE))
            past_primitives = i;
    }
    if (caller != TM__NONE)
        return caller;
    return past_primitives == TM__NONE ? first : past_primitives;
}

uint32_t tm__stack_caller(const tm_model *model, uint32_t stack)
{
    return find_caller(model, stack, NULL);
}

/* @return NULL: there is no memory */
static uint8_t *find_roles(const tm_model *model, tm__memory *memory,
                           const tm__libraries *libraries)
{
    uint8_t *roles = tm__resize(memory, NULL, 0, (size_t)model->methods_count + 1);

    for (uint32_t i = 0; roles && i < model->methods_count; i++)
        roles[i] = tm__role(tm__class_name(model, model->methods[i].class_index),
                            tm__method_name(model, i), libraries);
    return roles;
}

uint32_t *tm__stack_callers(const tm_model *model, tm__memory *memory,
                            const tm__libraries *libraries)
{
    size_t bytes = ((size_t)model->stacks_count + 1) * sizeof(uint32_t);
    int is_default = !libraries || !libraries->prefixes;
    uint8_t *roles = is_default ? NULL : find_roles(model, memory, libraries);
    uint32_t *callers;

    if (!is_default && !roles)
        return NULL;
    callers = tm__resize(memory, NULL, 0, bytes);
    if (callers) {
        for (uint32_t i = 0; i < model->stacks_count; i++)
            callers[i] = find_caller(model, i, roles);
        callers[model->stacks_count] = TM__NONE; /* so that [count] is an answer */
    }
    tm__free(memory, roles, (size_t)model->methods_count + 1);
    return callers;
}
