/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The roles of methods of runtimes and libraries, by their names: every name that the
 * model, the analysis and the agent know is in these tables. A method is judged once,
 * when it is named.
 */
#include <string.h>

#include "roles/method_roles.h"

/* Names that belong to the libraries of C, C++ and Rust and to allocators, as their
 * files and the native recorder name them, and to the JDK 8 to 25. Not all of com.sun.
 * does: javac and others are programs that people record, and com.sun.jna, .mail or
 * .faces are in the class path.
 */
static const char *const default_libraries[] = {
    "ld-musl-",
    "libc++",
    "libc.so.",
    "libjemalloc.so.",
    "libmimalloc.so.",
    "libpthread.so.",
    "libstdc++",
    "libtcmalloc",
    "rust-std",
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

/* The JDK's pools, whose workers call tasks. */
static const char *const pools[] = {
    "java.util.concurrent.ForkJoin",
    "java.util.concurrent.ThreadPoolExecutor",
};

static const char *const conditions[] = {"java.util.concurrent.locks."};

/* The callers of a program's handlers, between the pool and them: servers and
 * frameworks.
 */
static const char *const servers[] = {
    "akka.",
    "io.grpc.",
    "io.helidon.",
    "io.micronaut.",
    "io.netty.",
    "io.quarkus.",
    "io.undertow.",
    "io.vertx.",
    "jakarta.",
    "kotlin.",
    "kotlinx.coroutines.",
    "org.apache.catalina.",
    "org.apache.coyote.",
    "org.apache.cxf.",
    "org.apache.pekko.",
    "org.apache.tomcat.",
    "org.eclipse.jetty.",
    "org.glassfish.",
    "org.jboss.",
    "org.springframework.",
    "reactor.",
    "scala.",
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
    "runtime.updateMaxProcsGoroutine",
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

/* Waits in these are ended from outside of the program: by a file or socket, a child
 * process, the collector. */
static const char *const outside[] = {
    "java.lang.ProcessImpl.waitFor",
    "java.lang.ref.NativeReferenceQueue.", /* in JDK 21 to 24 */
    "java.lang.ref.ReferenceQueue.",
    "sun.nio.ch.",
    "sun.nio.fs.",
};
/* Queues of timers: a worker that waits there with a timeout will run a task. */
static const char *const delays[] = {
    "java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue.",
};

/* The role of a method, by the beginning and end of its name. */
static const struct {
    const char *begin;
    const char *end;
    uint16_t role;
} patterns[] = {
    {"", ".<clinit>", TM__ROLE_INITIALISES},
    {"", ".loadClass", TM__ROLE_LOADS},
    {"", ".getClassLoadingLock", TM__ROLE_LOADS},
    {"jdk.internal.loader.", "", TM__ROLE_LOADS},
    {"java.lang.Thread.", ".sleep", TM__ROLE_SLEEPS},
    {"java.util.concurrent.TimeUnit.", ".sleep", TM__ROLE_SLEEPS},
    {"java.lang.Thread.", ".join", TM__ROLE_JOINS},
    {"java.util.concurrent.", ".join", TM__ROLE_JOINS},
    {"java.util.concurrent.", ".get", TM__ROLE_JOINS},
    /* Netty: the callers of handlers in an event loop; the outermost may be cut off a
     * stack. Handlers in an executor of their own have no such caller. */
    {"io.netty.channel.", "Unsafe.read", TM__ROLE_DISPATCHES},
    {"io.netty.channel.", "EventLoop.run", TM__ROLE_DISPATCHES},
    {"io.netty.channel.", "EventLoop.processSelectedKey", TM__ROLE_DISPATCHES},
};

/* How people name a helper that only sleeps, or waits for the end of something: what
 * such a name begins with, or what it is. */
static const char *const sleep_names[] = {"sleep", "pause", "nap", "snooze", "delay"};
static const char *const join_names[] = {
    "join",  "joinAll",    "joinQuietly",  "joinUnchecked", "joinSilently",
    "get",   "getQuietly", "getUnchecked", "getSilently",   "getUninterruptibly",
    "await", "awaitAll",   "awaitQuietly",
};

/* Functions of C libraries, in whatever module, that wait for what their caller names:
 * APR's, CPython's, GLib's, libuv's, MariaDB's, nginx's, Ruby's. */
static const char *const wrappers[] = {
    "PyCOND_TIMEDWAIT",
    "PyCOND_WAIT",
    "PyMUTEX_LOCK",
    "PyThread_acquire_lock",
    "PyThread_acquire_lock_timed",
    "apr_thread_cond_timedwait",
    "apr_thread_cond_wait",
    "apr_thread_mutex_lock",
    "g_cond_wait",
    "g_cond_wait_until",
    "g_mutex_lock",
    "inline_mysql_cond_timedwait",
    "inline_mysql_cond_wait",
    "inline_mysql_mutex_lock",
    "my_cond_timedwait",
    "my_cond_wait",
    "ngx_thread_cond_wait",
    "ngx_thread_mutex_lock",
    "rb_native_cond_timedwait",
    "rb_native_cond_wait",
    "rb_native_mutex_lock",
    "safe_cond_timedwait",
    "safe_cond_wait",
    "safe_mutex_lock",
    "uv__sem_wait",
    "uv_barrier_wait",
    "uv_cond_timedwait",
    "uv_cond_wait",
    "uv_mutex_lock",
    "uv_rwlock_rdlock",
    "uv_rwlock_wrlock",
    "uv_sem_wait",
};

/* The object that HotSpot up to 21 locks while a class is initialised. No program
 * synchronizes on an array of numbers but by mistake. */
static const char initialisation_lock[] = "int[]";

/* CPython's, as recordings and dumps of native programs name it. */
static const char interpreter_lock[] = "GIL";

/* Functions of Ruby, up to 3.1, 3.2 and later, that wait for its lock. A thread waits
 * for a condition of its own, which lies on the heap and has other uses. */
static const char *const interpreter_waits[] = {
    "do_gvl_timer",
    "gvl_acquire_common",
    "thread_sched_to_running_common",
    "thread_sched_wait_running_turn",
};

/* Where a program begins, before its own first function. */
static const char entry_point[] = "_start";

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

static uint16_t role_by_pattern(const char *name)
{
    size_t length = strlen(name);
    uint16_t role = 0;

    for (size_t i = 0; i < COUNT(patterns); i++) {
        size_t end = strlen(patterns[i].end);

        if (length >= end && strcmp(name + length - end, patterns[i].end) == 0 &&
            strncmp(name, patterns[i].begin, strlen(patterns[i].begin)) == 0)
            role |= patterns[i].role;
    }
    return role;
}

static uint16_t role_by_simple_name(const char *name)
{
    const char *dot = strrchr(name, '.');
    const char *simple = dot ? dot + 1 : name;
    uint16_t role = 0;

    if (has_prefix(simple, sleep_names, COUNT(sleep_names)))
        role |= TM__ROLE_NAMED_SLEEP;
    if (is_among(simple, join_names, COUNT(join_names)))
        role |= TM__ROLE_NAMED_JOIN;
    if (is_among(simple, wrappers, COUNT(wrappers)))
        role |= TM__ROLE_LIBRARY | TM__ROLE_PRIMITIVE;
    if (strcmp(simple, entry_point) == 0)
        role |= TM__ROLE_LIBRARY;
    return role;
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

static int is_library(const char *name)
{
    return has_prefix(name, default_libraries, COUNT(default_libraries)) ||
           is_of_go(name);
}

uint16_t tm__role(const char *class_name, const char *name,
                  const tm__libraries *libraries)
{
    int is_default = !libraries || !libraries->prefixes;
    uint16_t role;

    if (!class_name || !name)
        return TM__ROLE_NAMELESS;
    role = (uint16_t)(is_default ? is_library(class_name)
                                 : has_prefix(class_name, libraries->prefixes,
                                              libraries->count));
    role |= role_by_pattern(name);
    if (strstr(name, "$$Lambda"))
        role |= TM__ROLE_LAMBDA;
    if (!(role & TM__ROLE_LIBRARY))
        role |= role_by_simple_name(name);
    if (has_prefix(name, primitives, COUNT(primitives)))
        role |= TM__ROLE_PRIMITIVE;
    if (has_prefix(name, locks, COUNT(locks)))
        role |= TM__ROLE_LOCKS;
    if (has_prefix(name, outside, COUNT(outside)))
        role |= TM__ROLE_OUTSIDE;
    if (has_prefix(name, delays, COUNT(delays)))
        role |= TM__ROLE_DELAYS;
    /* A user who chose which methods are libraries wants to see the rest as it is. */
    if (is_default || role & TM__ROLE_LIBRARY) {
        if (is_among(name, takers, COUNT(takers)))
            role |= TM__ROLE_IDLES;
        if (is_among(name, loops, COUNT(loops)))
            role |= TM__ROLE_LOOPS;
    }
    return role;
}

int tm__is_initialisation_lock(const char *class_name)
{
    return strcmp(class_name, initialisation_lock) == 0;
}

int tm__is_of_server(const char *name)
{
    return has_prefix(name, servers, COUNT(servers));
}

int tm__is_interpreter_lock(const char *class_name, const char *method)
{
    const char *dot = method ? strrchr(method, '.') : NULL;

    return (class_name && strcmp(class_name, interpreter_lock) == 0) ||
           (method && is_among(dot ? dot + 1 : method, interpreter_waits,
                               COUNT(interpreter_waits)));
}

int tm__runs_tasks(const char *name)
{
    return has_prefix(name, pools, COUNT(pools)) || tm__is_of_server(name);
}

int tm__is_condition_class(const char *class_name)
{
    const char *nested = class_name ? strrchr(class_name, '$') : NULL;

    return nested && strcmp(nested, "$ConditionObject") == 0 &&
           has_prefix(class_name, conditions, COUNT(conditions));
}
