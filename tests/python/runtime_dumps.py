# SPDX-License-Identifier: Apache-2.0
"""Dumps as runtimes and debuggers write them, each after a public report, with a text
of our own.

The source of each form stands beside it, as owner/repository#number on GitHub.
"""

STATE = "   java.lang.Thread.State: "
# Source, text, and by thread its state and the thread that blocks it.
OF_RUNTIMES: dict[str, tuple[str, int, dict[str, tuple[str, str | None]]]] = {
    "jenkinsci/support-core-plugin#51, a deadlock found by ThreadMXBean": (
        """==============
Deadlock Found
==============
"left" Id=45 BLOCKED on shop.Lock@7c60aaa5 owned by "right" Id=44
\tat shop.Test$2.run(Test.java:78)
\t-  blocked on shop.Lock@7c60aaa5
\tat java.lang.Thread.run(Thread.java:745)


"right" Id=44 BLOCKED on shop.Lock@72a74b59 owned by "left" Id=45
\tat shop.Test$1.second(Test.java:69)
\t-  blocked on shop.Lock@72a74b59
""",
        2,
        {"left": ("deadlocked", "right"), "right": ("deadlocked", "left")},
    ),
    "jruby/jruby#469, jstack -F": (
        """Attaching to process ID 77, please wait...
Thread 7862: (state = BLOCKED)
- shop.Hash.get(shop.Object) @bci=44, line=540 (Compiled frame; information may be \
imprecise)

Thread 29747: (state = BLOCKED)
- sun.misc.Unsafe.park(boolean, long) @bci=0 (Compiled frame; information may be \
imprecise)

Thread 29586: (state = BLOCKED)

""",
        3,
        {"29747": ("parked", None)},
    ),
    "i-m-c/jenkins-inheritance-plugin#30, jhsdb jstack": (
        """Attaching to process ID 8590, please wait...
Deadlock Detection:

Found one Java-level deadlock:
=============================

"ba":
  waiting to lock Monitor@0x00007fe4900015a0 (Object@0x00000006, a shop/Lock),
  which is held by "ab"
"ab":
  waiting to lock Monitor@0x00007fe494066be0 (Object@0x00000007, a shop/Lock),
  which is held by "ba"

Found a total of 1 deadlock.

"ab" #12 prio=5 tid=0x00007fe530118870 nid=0x21a4 waiting for monitor entry [0x3f]
   java.lang.Thread.State: BLOCKED (on object monitor)
   JavaThread state: _thread_blocked
 - shop.Hang.ab() @bci=18, line=4 (Interpreted frame)
\t- locked <0x00000006> (a shop.Lock)
\t- locked <0x00000007> (a shop.Lock)
 - java.lang.Thread.run() @bci=11, line=840 (Interpreted frame)


"ba" #13 prio=5 tid=0x00007fe530119840 nid=0x21a5 waiting for monitor entry [0x3e]
   java.lang.Thread.State: BLOCKED (on object monitor)
   JavaThread state: _thread_blocked
 - shop.Hang.ba() @bci=18, line=4 (Interpreted frame)
\t- locked <0x00000007> (a shop.Lock)
\t- locked <0x00000006> (a shop.Lock)
 - java.lang.Thread.run() @bci=11, line=840 (Interpreted frame)
""",
        2,
        {"ab": ("deadlocked", "ba"), "ba": ("deadlocked", "ab")},
    ),
    "apache/geode#3114, owner in the line of the thread": (
        """"two" Id=22 BLOCKED on shop.Lock@7ca48474 owned by "one" Id=21 (in native)
\tat shop.Rule.wait(Rule.java:212)

\tNumber of locked synchronizers = 1
\t- java.util.concurrent.ThreadPoolExecutor$Worker@153f5a29

"one" Id=21 TIMED_WAITING
\tat java.lang.Thread.sleep(Native Method)
\tat shop.Rule.hold(Rule.java:202)
\t-  locked shop.Lock@7ca48474
""",
        2,
        {"two": ("blocked", "one"), "one": ("sleeping", None)},
    ),
    "eclipse-openj9/openj9#4858, ThreadInfo behind a log's prefix": (
        """[Test] [DEBUG] "main" prio=5 Id=1 RUNNABLE
\tat sun.management.ThreadImpl.dumpThreads0(Native Method)
\tat shop.Monitors.test(Monitors.java:143)
\t-  locked java.lang.Object@3551a94

"Thread-1" prio=5 Id=13 BLOCKED on java.lang.Object@3551a94 owned by "main" Id=1
\tat shop.Monitors.sync(Monitors.java:182)
\t-  blocked on java.lang.Object@3551a94
""",
        2,
        {"Thread-1": ("blocked", "main"), "main": ("running", None)},
    ),
    "i-m-c/jenkins-inheritance-plugin#30, a time and no first line": (
        f"""2014-10-07 16:02:28
"taker" daemon prio=10 tid=0x66c79400 nid=0x68f waiting on condition [0x61dfe000]
{STATE}TIMED_WAITING (parking)
        at sun.misc.Unsafe.park(Native Method)
        - parking to wait for  <0x737a7120> (a java.util.concurrent.Exchanger)
        at java.util.concurrent.locks.LockSupport.parkNanos(LockSupport.java:226)

"giver" daemon prio=10 tid=0x66c79000 nid=0x68d runnable [0x61d5c000]
{STATE}RUNNABLE
        at shop.Giver.give(Giver.java:1)
""",
        2,
        {"taker": ("parked", None), "giver": ("running", None)},
    ),
    "krasa/EditorGroups#19, eight blanks for a tab": (
        f"""2020-08-16 21:53:49
Full thread dump OpenJDK 64-Bit Server VM (11.0.7+10-b944.20 mixed mode):

"main" #1 prio=5 os_prio=0 cpu=546.88ms elapsed=828.85s tid=0x2982000 nid=0x3580 w
{STATE}BLOCKED (on object monitor)
        at shop.A.b(A.java:1)
        - waiting to lock <0x0000000622a0c1d8> (a shop.Lock)

"other" #9 prio=5 os_prio=0 cpu=0.00ms elapsed=828.79s tid=0x19d34800 nid=0xafc w
{STATE}RUNNABLE
        at shop.C.d(C.java:2)
        - locked <0x0000000622a0c1d8> (a shop.Lock)

JNI global refs: 3
""",
        2,
        {"main": ("blocked", "other")},
    ),
    "cryostatio/cryostat#135, jstack -l -e": (
        f"""Full thread dump OpenJDK 64-Bit Server VM (17.0.12+7 mixed mode, sharing):

"main" #1 prio=5 os_prio=0 cpu=362.74ms elapsed=757.67s allocated=50568K \
defined_classes=2034 tid=0x00007f13bc0278e0 nid=0x3a5528 waiting on condition  [0x1]
{STATE}TIMED_WAITING (sleeping)
\tat java.lang.Thread.sleep(java.base@17.0.12/Native Method)

JNI global refs: 3
""",
        1,
        {"main": ("sleeping", None)},
    ),
    "BranchMetrics/android-branch-deep-linking-attribution#872, ART": (
        """"main" prio=5 tid=1 Blocked
  | group="main" sCount=1 dsCount=0 flags=1 obj=0x71f4d2d0 self=0x7b4e723c00
  | sysTid=23843 nice=0 cgrp=default sched=0/0 handle=0x7b4fc98ed8
  | held mutexes=
  at shop.App.trim (App.java:5670)
- waiting to lock <0x0734e62f> (a shop.Resources) held by thread 50
  at android.os.Handler.handleCallback (Handler.java:883)

"loader" prio=5 tid=50 Native
  | group="main" sCount=1 dsCount=0 flags=1 obj=0x12e42808 self=0x793c469800
  native: #00 pc 00000000000d49cc  /apex/libc.so (__epoll_pwait+12)
  at shop.Loader.load (Native method)
- locked <0x0734e62f> (a shop.Resources)
""",
        2,
        {"main": ("blocked", "loader"), "loader": ("running", None)},
    ),
    "mousebird-consulting-inc/WhirlyGlobe#902, Dalvik": (
        """----- pid 3754 at 2015-03-01 10:00:00 -----
Cmd line: org.example

DALVIK THREADS:
"main" prio=5 tid=1 MONITOR
  | group="main" sCount=1 dsCount=0 obj=0x41f97e40 self=0x66f76988
  at shop.View.draw(View.java:10)
  - waiting to lock <0x41f935e0> (a shop.Scene) held by tid=17 (loader)
"loader" prio=5 tid=17 TIMED_WAIT
  | sysTid=3754 nice=10 sched=0/0 cgrp=apps/bg_non_interactive handle=1727491552
  at java.lang.Object.wait(Native Method)
  - waiting on <0x41f73ee8> (a java.lang.VMThread) held by tid=17 (loader)
  at shop.Scene.load(Scene.java:4)

----- end 3754 -----
""",
        2,
        {"main": ("blocked", "loader"), "loader": ("waiting", None)},
    ),
    "cl-6666/serialPort#22, ART with an exclamation mark": (
        """"WM.task-1" prio=5 tid=12 Waiting
  | group="main" sCount=1 dsCount=0 obj=0x12cbf8b0 self=0x76c0bae000
  at java.lang.Object.wait!(Native method)
  - waiting on <0x085f1fbb> (a java.lang.Object)
  at java.lang.Thread.parkFor$(Thread.java:2127)
  - locked <0x085f1fbb> (a java.lang.Object)
  at sun.misc.Unsafe.park(Unsafe.java:325)
""",
        1,
        {"WM.task-1": ("parked", None)},
    ),
    "dgraph-io/dgraph#4750, Go with blanks for tabs": (
        """goroutine 57723 [semacquire]:
sync.runtime_SemacquireMutex(0xc0006f04d4, 0x0, 0x1)
        /usr/local/go/src/runtime/sema.go:71 +0x4e
sync.(*Mutex).lockSlow(0xc0006f04d0)
        /usr/local/go/src/sync/mutex.go:138 +0x103
sync.(*Mutex).Lock(...)
        /usr/local/go/src/sync/mutex.go:81
shop.(*Store).commit(0xc0006f04d0, 0xc060a0c7e0)
        /tmp/go/src/shop/store.go:113 +0x54
""",
        1,
        {"goroutine 57723": ("blocked", None)},
    ),
    "9fans/go#85, minutes and created by": (
        """SIGQUIT: quit
PC=0x4a6db

goroutine 11 [chan receive, 5 minutes]:
main.xfidctl(0xc00009e940)
\t/home/x/acme/xfid.go:69 +0x37
created by main.xfidallocthread
\t/home/x/acme/acme.go:726 +0x176

goroutine 20 [IO wait, 40 minutes]:
internal/poll.runtime_pollWait(0x7f729c716f78, 0x72)
\t/home/x/go/src/runtime/netpoll.go:233 +0x89
""",
        2,
        {"goroutine 11": ("waiting", None), "goroutine 20": ("io", None)},
    ),
    "golang/go#10077, Lock with its receiver": (
        """goroutine 7997 [semacquire, 96 minutes]:
sync.runtime_Semacquire(0xb55e0c)
\t/home/b/go/src/runtime/sema.go:43 +0x2d
sync.(*Mutex).Lock(0xb55e08)
\t/home/b/go/src/sync/mutex.go:82 +0x1c3
main.status(0x7f77b5f65570)
\t/home/b/src/status.go:388 +0x98
""",
        1,
        {"goroutine 7997": ("blocked", None)},
    ),
    "qtile/qtile#4721, faulthandler with an indent": (
        """    Thread 0x00007f5e1bfff640 (most recent call first):
      File "/usr/lib/python3.10/concurrent/futures/thread.py", line 81 in _worker
      File "/usr/lib/python3.10/threading.py", line 953 in run

    Thread 0x00007f5e2892a640 (most recent call first):
      File "/usr/lib/python3.10/threading.py", line 320 in wait
""",
        2,
        {"Thread 0x7f5e2892a640": ("waiting", None)},
    ),
    "DamZiobro/gdb-automatic-deadlock-detector#1, gdb without symbols": (
        """(gdb) thread apply all bt

Thread 3 (Thread 0x7fc513d65700 (LWP 32036)):
#0  0x00007fc51414254d in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x00007fc51413de9b in _L_lock_883 () from /lib64/libpthread.so.0
#2  0x00007fc51413dd68 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  0x0000000000400927 in writeTest (temp=0x0) at deadlockExample.c:15

Thread 2 (Thread 0x7fc513564700 (LWP 32037)):
#0  0x00007fc51414254d in nanosleep () from /lib64/libc.so.6
""",
        2,
        {
            "Thread 3": ("blocked", None),
            "Thread 2": ("sleeping", None),
        },
    ),
    "apache/trafficserver#10129, gdb with symbols, indented": (
        """  Thread 1 (Thread 0x7ffbf651d340 (LWP 55858) "traffic_server"):
  #0  futex_wait (private=0, expected=2, futex_word=0x28c29b0) at futex-internal.h:146
  #1  __GI___lll_lock_wait (futex=futex@entry=0x28c29b0, private=0) at lowlevellock.c:49
  #3  ___pthread_mutex_lock (mutex=0x28c29b0) at pthread_mutex_lock.c:93
  #5  0x000000000086e868 in std::mutex::lock (this=0x28c29b0) at std_mutex.h:113
""",
        1,
        {"traffic_server": ("blocked", None)},
    ),
    "adoptium/adoptium-support#102, hs_err": (
        """#
# A fatal error has been detected by the Java Runtime Environment:
#
# Java VM: OpenJDK 64-Bit Server VM (11.0.9+11, mixed mode)
Current thread (0x00000211da312800):  JavaThread "main" [_thread_in_native, id=3160]

Java frames: (J=compiled Java code, j=interpreted, Vv=VM code)
j  shop.Native.call(I)V+0
j  shop.Main.main([Ljava/lang/String;)V+4

Java Threads: ( => current thread )
=>0x00000211da312800 JavaThread "main" [_thread_in_native, id=3160, stack(0x1,0x2)]
  0x00000211f89c7800 JavaThread "Reference Handler" daemon [_thread_blocked, id=30024]

END.
""",
        2,
        {"main": ("unknown", None), "Reference Handler": ("unknown", None)},
    ),
}
