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
 * thousands of them, so each method is judged once.
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

/** Bits of what a method is. */
enum role {
    LIBRARY = 1,
    PRIMITIVE = 2,
    TAKES = 4,
    LOOPS = 8,
    LOCKS = 16,
    NAMELESS = 32,
};

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

static uint8_t role_of(const tm_model *model, uint32_t method,
                       const tm__libraries *libraries)
{
    const char *name = tm__method_name(model, method);
    const char *class_name =
        method == TM__NONE ? NULL
                           : tm__class_name(model, model->methods[method].class_index);
    int is_default = !libraries || !libraries->prefixes;
    uint8_t role;

    if (!class_name || !name)
        return NAMELESS;
    role = is_default ? tm__is_library(class_name)
                      : has_prefix(class_name, libraries->prefixes, libraries->count);
    if (has_prefix(name, primitives, COUNT(primitives)))
        role |= PRIMITIVE;
    if (has_prefix(name, locks, COUNT(locks)))
        role |= LOCKS;
    /* Whoever chose what a library is wants to see the rest as it is. */
    if (is_default || role & LIBRARY) {
        if (is_among(name, takers, COUNT(takers)))
            role |= TAKES;
        if (is_among(name, loops, COUNT(loops)))
            role |= LOOPS;
    }
    return role;
}

/* @param roles  of each method, or NULL: found here */
static uint32_t find_caller(const tm_model *model, uint32_t stack,
                            const tm__libraries *libraries, const uint8_t *roles)
{
    uint32_t caller = TM__NONE, past_primitives = TM__NONE, first, end;
    int for_lock = 0;

    if (stack == TM__NONE || !model->stacks[stack].frame_count)
        return TM__NONE;
    first = model->stacks[stack].frame_first;
    end = first + model->stacks[stack].frame_count;
    for (uint32_t i = first; i < end; i++) {
        uint32_t method = model->frames[i].method;
        uint8_t role = roles && method != TM__NONE ? roles[method]
                                                   : role_of(model, method, libraries);

        if (role & NAMELESS)
            continue;
        for_lock |= role & LOCKS;
        if (!for_lock &&
            (role & TAKES || (role & LOOPS && past_primitives == TM__NONE)))
            return i;
        if (caller == TM__NONE && !(role & LIBRARY))
            caller = i;
        if (past_primitives == TM__NONE && !(role & PRIMITIVE))
            past_primitives = i;
    }
    if (caller != TM__NONE)
        return caller;
    return past_primitives == TM__NONE ? first : past_primitives;
}

uint32_t tm__stack_caller(const tm_model *model, uint32_t stack,
                          const tm__libraries *libraries)
{
    return find_caller(model, stack, libraries, NULL);
}

uint32_t *tm__stack_callers(const tm_model *model, tm__memory *memory,
                            const tm__libraries *libraries)
{
    size_t count = (size_t)model->methods_count + 1;
    uint32_t *callers = tm__resize(
        memory, NULL, 0, ((size_t)model->stacks_count + 1) * sizeof(*callers));
    uint8_t *roles = callers ? tm__resize(memory, NULL, 0, count) : NULL;

    if (!roles) {
        tm__free(memory, callers, ((size_t)model->stacks_count + 1) * sizeof(*callers));
        return NULL;
    }
    for (uint32_t i = 0; i < model->methods_count; i++)
        roles[i] = role_of(model, i, libraries);
    for (uint32_t i = 0; i < model->stacks_count; i++)
        callers[i] = find_caller(model, i, libraries, roles);
    callers[model->stacks_count] = TM__NONE; /* so that callers[count] is an answer */
    tm__free(memory, roles, count);
    return callers;
}
