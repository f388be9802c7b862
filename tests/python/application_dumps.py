# SPDX-License-Identifier: Apache-2.0
"""Dumps as applications and libraries write them, each after a public report, with a
text of our own.

The source of each form stands beside it, as owner/repository#number on GitHub.
"""

STATE = "   java.lang.Thread.State: "
# Source, text, and by thread its state and the thread that blocks it.
OF_APPLICATIONS: dict[str, tuple[str, int, dict[str, tuple[str, str | None]]]] = {
    "codecentric/spring-boot-admin#235, ThreadInfo as JSON": (
        """[{"threadName": "one", "threadId": 4, "threadState": "BLOCKED",
"lockOwnerId": 5,
"lockInfo": {"className": "shop.Lock", "identityHashCode": 77}, "stackTrace": [
{"className": "shop.A", "methodName": "b", "fileName": "A.java", "lineNumber": 3,
"nativeMethod": false}]}, {"threadName": "two", "threadId": 5,
"threadState": "RUNNABLE", "lockOwnerId": -1, "lockInfo": null, "stackTrace": []}]
""",
        2,
        {"one": ("blocked", "two"), "two": ("running", None)},
    ),
    "quarkusio/quarkus#197, Native Image": (
        """Full thread dump:

"main" #1 thread=0x00007f20540178f0 state=TIMED_WAITING
    A  SP 0x00007ffc IP 0x0000 size=64    shop.Main.main(Main.java:4)

"pool" #12 daemon thread=0x00007f20540178f1 state=RUNNABLE
""",
        2,
        {"pool": ("running", None)},
    ),
    "apache/geode#3114, tid and owner": (
        """"pool-8-thread-2" tid=0x16 owned by "pool-8-thread-1" tid=0x15
   - locked synchronizer <0x153f5a29> (a java.util.concurrent.ThreadPoolExecutor$Worker)
   java.lang.Thread.State: BLOCKED
	at shop.Rule.second(Rule.java:212)
	- waiting to lock <0x7ca48474> (a java.lang.Object)
	- locked <0x13a57a3b> (a java.lang.Object)
	at java.lang.Thread.run(Thread.java:748)

"pool-8-thread-1" tid=0x15 owned by "pool-8-thread-2" tid=0x16
   - locked synchronizer <0x3dd3bcd> (a java.util.concurrent.ThreadPoolExecutor$Worker)
   java.lang.Thread.State: BLOCKED
	at shop.Rule.first(Rule.java:202)
	- waiting to lock <0x13a57a3b> (a java.lang.Object)
	- locked <0x7ca48474> (a java.lang.Object)
	at java.lang.Thread.run(Thread.java:748)
""",
        2,
        {
            "pool-8-thread-2": ("deadlocked", "pool-8-thread-1"),
            "pool-8-thread-1": ("deadlocked", "pool-8-thread-2"),
        },
    ),
    "dropwizard/metrics, ThreadDump": (
        """"worker" id=12 state=BLOCKED
    - waiting to lock <0x1a6c5a9e> (a shop.Till)
     owned by holder id=13
    at shop.Desk.pay(Desk.java:31)

"holder" id=13 state=TIMED_WAITING
    at java.lang.Thread.sleep(Native Method)
    at shop.Desk.slow(Desk.java:40)
      - locked shop.Till@1a6c5a9e

    Locked synchronizers: count = 1
      - java.util.concurrent.ThreadPoolExecutor$Worker@153f5a29
""",
        2,
        {"worker": ("blocked", "holder"), "holder": ("sleeping", None)},
    ),
    "apache/tomcat, Diagnostics": (
        """OK - JVM thread dump
2026-01-01 10:00:00.123
Full thread dump OpenJDK 64-Bit Server VM (17.0.12+7):

"http-nio-8080-exec-1" Id=31 cpu=3 ns usr=2 ns blocked 1 for -1 ms \
waited 5 for -1 ms
   java.lang.Thread.State: BLOCKED
  at shop.A.b(A.java:1)
  - waiting on (a shop.Lock@1b2c) owned by main Id=1

"main" Id=1 cpu=3 ns usr=2 ns blocked 0 for -1 ms \
waited 5 for -1 ms (running in native)
   java.lang.Thread.State: TIMED_WAITING
  locks java.util.concurrent.ThreadPoolExecutor$Worker@153f5a29
  at java.lang.Thread.sleep(Native Method)
  at shop.A.c(A.java:2)
  - locked (a shop.Lock@1b2c) index 1 frame shop.A.c(A.java:2)

""",
        2,
        {"http-nio-8080-exec-1": ("blocked", "main"), "main": ("sleeping", None)},
    ),
    "apache/hadoop, ReflectionUtils": (
        """Process Thread Dump: jsp requested
3 active threads
Thread 97 (IPC Server handler 3 on 8020):
  State: WAITING
  Blocked count: 10
  Waited count: 3393
  Waiting on shop.Queue@3c4a8af8
  Stack:
    java.lang.Object.wait(Native Method)
    shop.Queue.take(Queue.java:44)
Thread 12 (writer):
  State: TIMED_WAITING
  Stack:
    java.lang.Thread.sleep(Native Method)
Thread 13 (reader (a)):
  State: BLOCKED
  Blocked on shop.Store@5f3a4b84
  Blocked by 12 (writer)
  Stack:
    shop.Store.get(Store.java:175)
""",
        3,
        {
            "reader (a)": ("blocked", "writer"),
            "IPC Server handler 3 on 8020": ("waiting", None),
        },
    ),
    "eclipse-ee4j/jersey#3619, WebLogic's console": (
        """"Thread-13" waiting for lock shop.Timer$Impl@b190e2c5 BLOCKED
	shop.Timer.run(Timer.java:250)

"dtcontroller" RUNNABLE
null

"reader" RUNNABLE native
	java.net.SocketInputStream.socketRead0(Native Method)
""",
        3,
        {"Thread-13": ("blocked", None), "reader": ("io", None)},
    ),
    "the JDK's sample of FullThreadDump": (
        """"taker" Id=40 in WAITING on lock=shop.Queue@60f3b5f1
    at java.lang.Object.wait(Native Method)
"giver" Id=41 in BLOCKED on lock=shop.Till@60f3b5f2
     owned by main Id=1
    at shop.Till.give(Till.java:2)
"main" Id=1 in RUNNABLE (running in native)
    at shop.Main.main(Main.java:4)
      - locked shop.Till@60f3b5f2
""",
        3,
        {"taker": ("waiting", None), "giver": ("blocked", "main")},
    ),
    "spotify/threaddump-analyzer#37, JDK 8 without a first line": (
        f""""Timer-0" #16 prio=5 os_prio=0 tid=0x7fcd851 nid=0xd51c in Object.wait()
{STATE}TIMED_WAITING (on object monitor)
\tat java.lang.Object.wait(Native Method)
\tat java.util.TimerThread.mainLoop(Timer.java:552)
\t- locked <0x00000006c91c8750> (a java.util.TaskQueue)

   Locked ownable synchronizers:
\t- None

"container-0" #15 prio=5 os_prio=0 tid=0x00007fcd8535d800 nid=0xd51b waiting on c
{STATE}TIMED_WAITING (sleeping)
\tat java.lang.Thread.sleep(Native Method)
""",
        2,
        {"Timer-0": ("waiting", None), "container-0": ("sleeping", None)},
    ),
}
