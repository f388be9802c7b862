# SPDX-License-Identifier: Apache-2.0
"""Stacks of native, Python and Go programs, as their tools print them."""

from pathlib import Path

import pytest

import threadmodel

GDB = """\
Thread 4 (Thread 0x7f4e4d0fe6c0 (LWP 104) "waiter"):
#0  __futex_abstimed_wait_common64 (private=0, cancel=true, abstime=0x0, op=393, \
futex_word=0x55e168 <ready+40>) at ./nptl/futex-internal.c:57
#1  0x00007f4e4f3306bb in __pthread_cond_wait_common (abstime=0x0, clockid=0, \
mutex=0x55e1a0 <gate>, cond=0x55e140 <ready>) at ./nptl/pthread_cond_wait.c:503
#2  ___pthread_cond_wait (cond=0x55e140 <ready>, mutex=0x55e1a0 <gate>) at \
./nptl/pthread_cond_wait.c:618
#3  0x000055e1758419 in waiter (x=0x0) at /srv/src/bank.c:15
        note = 0x7ffd "#4 (nothing)"
#4  0x00007f4e4f3311f5 in start_thread (arg=0x0) at ./nptl/pthread.c:442

Thread 3 (Thread 0x7f4e4d8ff6c0 (LWP 103) "timed"):
#0  __futex_abstimed_wait_common64 (private=0, abstime=0x7f4e4d8fe710, op=137) at \
./nptl/futex-internal.c:57
#1  __pthread_cond_wait_common (abstime=0x7f4e4d8fe710, cond=0x55e240 <later>) at \
./nptl/pthread_cond_wait.c:503
#2  0x000055e1758499 in timed (x=0x0) at bank.c:19

Thread 2 (Thread 0x7f4e4e1006c0 (LWP 102) "left"):
#0  futex_wait (private=0, expected=2, futex_word=0x55e1c0 <b>) at futex-internal.h:146
#1  __GI___lll_lock_wait (futex=futex@entry=0x55e1c0 <b>) at lowlevellock.c:49
#2  0x00007f4e4f334482 in lll_mutex_lock_optimized (mutex=0x55e1c0 <b>) at ./nptl/m.c:48
#3  ___pthread_mutex_lock (mutex=mutex@entry=0x55e1c0 <b>) at ./nptl/m.c:93
#4  0x000055e1758335 in left (x=0x0) at bank.c:10
#5  0x000055e1758399 in poll (x=0x0) at bank.c:11

Thread 1 (Thread 0x7f4e4f5ff740 (LWP 101) "bank"):
#0  __pthread_clockjoin_ex (threadid=139974293849792, abstime=0x0) at ./nptl/join.c:105
#1  0x000055e1758349 in main () at bank.c:20
"""

EU_STACK = """\
PID 101 - process
TID 101:
#0  0x00007f4e4f32df16 __pthread_clockjoin_ex
#1  0x00005641e175949f main
TID 102:
#0  0x00007f4e4f32e12b __GI___lll_lock_wait
#1  0x00007f4e4f334482 __pthread_mutex_lock@GLIBC_2.2.5
#2  0x00005641e175935e left
TID 103:
#0  0x00007f4e4f3a4b35 __poll - /usr/lib/x86_64-linux-gnu/libc.so.6
#1  0x00005641e1759400 - 1 poller - /srv/bin/bank
"""

LLDB = """\
(lldb) bt all
* thread #1, name = 'bank', stop reason = signal SIGSTOP
  * frame #0: 0x00007ffff7c87ed6 libc.so.6`__pthread_mutex_lock(\
mutex=0x0000555555558080) at pthread_mutex_lock.c:93:2
    frame #1: 0x0000555555555345 bank`main(argc=1) at bank.c:20:3
  thread #2, queue = 'com.apple.main-thread', name = 'poller'
    frame #0: 0x00000001a2b3 libsystem_kernel.dylib`kevent + 8
    frame #1: 0x0000000100003f bank`loop + 52
"""

GO = """\
SIGQUIT: quit
PC=0x4a6db m=0 sigcode=0

goroutine 1 [sync.RWMutex.RLock]:
sync.runtime_SemacquireRWMutexR(0xc00001204c, 0x0?, 0x0?)
\t/usr/local/go/src/runtime/sema.go:100 +0x25
sync.(*RWMutex).RLock(...)
\t/usr/local/go/src/sync/rwmutex.go:74
main.main()
\t/srv/main.go:7 +0x34

goroutine 6 [semacquire, 3 minutes]:
sync.runtime_SemacquireMutex(0xc000012345?, 0x0?, 0x1?)
\t/usr/local/go/src/runtime/sema.go:77 +0x25
sync.(*Mutex).Lock(...)
\t/usr/local/go/src/sync/mutex.go:90
main.sell()
\t/srv/main.go:31 +0x45

goroutine 7 [chan receive (nil chan)]:
main.recv(...)
\t/srv/main.go:9

goroutine 8 [IO wait]:
internal/poll.runtime_pollWait(0x7f72, 0x72)
\t/usr/local/go/src/runtime/netpoll.go:351 +0x85
internal/poll.(*FD).Accept(0xc0001a)
\t/usr/local/go/src/internal/poll/fd_unix.go:613 +0x295
net.(*netFD).accept(0xc0001a)
\t/usr/local/go/src/net/fd_unix.go:161 +0x29
main.serve()
\t/srv/main.go:50 +0x9
"""

PY_SPY = """\
Process 101: python3 bank.py
Python v3.13.1 (/usr/bin/python3.13)

Thread 101 (idle): "MainThread"
    Thread.join (threading.py:1092)
        Arguments:
            self: <Thread at 0x7f68165adc10>
            rest: (1, 2)
    <module> (bank.py:20)
Thread 102 (idle): "left"
    clock_nanosleep (libc.so.6)
    time_sleep (libpython3.13.so.1.0)
    left (bank.py:7)
Thread 103 (idle): "worker"
    0x7f6816aa3f16 (libc.so.6)
    PyThread_acquire_lock_timed (libpython3.13.so.1.0)
    Condition.wait (threading.py:359)
    Queue.get (queue.py:202)
    worker (bank.py:12)
Thread 104 (idle): "right"
    0x7f6816aa3f16 (libc.so.6)
    PyThread_acquire_lock_timed (libpython3.13.so.1.0)
    right (bank.py:11)
Thread 105 (active+gil): "spin"
    spin (bank.py:16)
Thread 106 (idle): "unknown"
    send (client.py:4)
"""

FAULTHANDLER = """\
Timeout (0:00:30)!
Thread 0x00007f2d3c7f8700 [mover] (most recent call first):
  File "/usr/lib/python3.14/selectors.py", line 452 in select
  File "/srv/app/stock.py", line 31 in move

Current thread 0x00007f2d41b3a740 [MainThread] (most recent call first):
  File "/usr/lib/python3.14/threading.py", line 373 in wait
  File "/srv/app/main.py", line 12 in <module>
"""

# Text, and for each thread its state, the object, the owner, and the place.
FORMS = {
    "gdb": (
        GDB,
        {
            "waiter": ("waiting", "ready", None, "waiter", 15),
            "timed": ("waiting", "later", None, "timed", 19),
            "left": ("blocked", "b", None, "left", 10),
            "bank": ("joining", None, "left", "main", 20),
        },
    ),
    "eu-stack": (
        EU_STACK,
        {
            "TID 101": ("joining", None, None, "main", None),
            "TID 102": ("blocked", "a mutex", None, "left", None),
            "TID 103": ("io", "a selector", None, "poller", None),
        },
    ),
    "lldb": (
        LLDB,
        {
            "bank": ("blocked", "mutex@0x555555558080", None, "main", 20),
            "poller": ("io", "a selector", None, "loop", None),
        },
    ),
    "go": (
        GO,
        {
            "goroutine 1": ("blocked", "sync.RWMutex@0xc000012040", None, "main", 7),
            "goroutine 6": ("blocked", "a sync.Mutex", None, "sell", 31),
            "goroutine 7": ("waiting", "a nil channel", None, "recv", 9),
            "goroutine 8": ("io", "a connection", None, "serve", 50),
        },
    ),
    "py-spy": (
        PY_SPY,
        {
            "MainThread": ("joining", None, None, "<module>", 20),
            "left": ("sleeping", None, None, "left", 7),
            "worker": ("waiting", "a condition", None, "worker", 12),
            "right": ("blocked", "a lock", None, "right", 11),
            "spin": ("running", None, None, "spin", 16),
            "unknown": ("native", None, None, "send", 4),
        },
    ),
    "faulthandler": (
        FAULTHANDLER,
        {
            "mover": ("io", "a selector", None, "move", 31),
            "MainThread": ("waiting", "a condition", None, "<module>", 12),
        },
    ),
}


def read(text: str, folder: Path) -> threadmodel.Model:
    path = folder / "dump.txt"
    path.write_text(text)
    return threadmodel.open(path)


@pytest.mark.parametrize("form", FORMS)
def test_a_thread_is_shown_where_the_program_waits(form: str, tmp_path: Path):
    text, wanted = FORMS[form]
    keys = ("state", "object", "peer", "function", "line")
    seen = {}
    for row in read(text, tmp_path).timeline():
        row["function"] = row["method"].rpartition(".")[2]
        seen[row["thread"]] = tuple(row[key] for key in keys)
    assert seen == wanted


WAITS_FOR_EVER = """\
goroutine 1 [chan receive]:
main.pay(0xc00001c0c0)
\t/srv/main.go:44 +0x37
"""


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("SIGQUIT: quit\n\n" + WAITS_FOR_EVER, "stuck"),
        (
            "fatal error: all goroutines are asleep - deadlock!\n" + WAITS_FOR_EVER,
            "stuck",
        ),
        # One goroutine of how many?
        (WAITS_FOR_EVER, "cannot_tell"),
        (GDB.split("\n\n")[0], "cannot_tell"),
        # A watchdog prints the thread that it watches.
        (
            "Current Thread: Server thread\nPID: 18 | State: BLOCKED\nStack:\n"
            "org.example.Market.sell(Market.java:31)\n",
            "cannot_tell",
        ),
        (
            '"pool-1" #9 prio=5 os_prio=0 tid=0x1 nid=0x2 waiting on condition\n'
            "   java.lang.Thread.State: WAITING (parking)\n"
            "\tat sun.misc.Unsafe.park(Native Method)\n"
            "\tat shop.Pool.take(Pool.java:1)\n",
            "cannot_tell",
        ),
    ],
)
def test_a_program_is_stuck_only_where_no_thread_may_be_missing(
    text: str, verdict: str, tmp_path: Path
):
    model = read(text, tmp_path)
    (row,) = model.verdict()
    assert row["kind"] == verdict
    assert ("may be missing" in row["examined"]) == (verdict == "cannot_tell")
