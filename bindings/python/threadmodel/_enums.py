# SPDX-License-Identifier: Apache-2.0
"""Numbers of the C library by name. Made by ./dev describe from the public headers."""

from enum import IntEnum, IntFlag

#: States that statistics sum up by any keys.
STATES = {
    "blocked": 3,
    "waiting": 4,
    "reentering": 5,
    "joining": 6,
    "parked": 8,
    "io": 12,
}


class EventKind(IntEnum):
    """Events that happened to ``thread``, or its actions.

    Any subset of these is a legal stream: facts that a producer does not report stay
    unknown in the answers. The stack of a blocking interval may come with its
    beginning, its end, or a snapshot in between. "object" and "peer" say what those
    fields hold for the kind; a field that is not named is ignored and should be 0.
    Numbers are part of the trace format.
    """

    #: calls Thread.start; peer: the new thread
    THREAD_START_CALLED = 1
    #: begins to run; peer: its starter
    THREAD_START = 2
    #: ends; wakes all joiners; peer: the carrier that a virtual thread was on
    THREAD_END = 3
    #: blocks on object, a lock; peer: its owner
    CONTENDED_ENTER = 4
    #: acquired object; peer: the releaser
    CONTENDED_ENTERED = 5
    #: Object.wait on object, which it owns; timeout
    WAIT = 6
    #: left the wait set; peer: the notifier
    WAITED = 7
    #: calls object.notify(), owning object
    NOTIFY = 8
    #: calls object.notifyAll(), owning object
    NOTIFY_ALL = 9
    #: calls peer.interrupt()
    INTERRUPT_CALLED = 10
    #: a wait, sleep or join ended by interrupt
    INTERRUPTED = 11
    #: Thread.sleep; timeout
    SLEEP = 12
    #: the sleep is over
    SLEPT = 13
    #: waits for peer to end; object: peer's, where peer was defined without; timeout
    JOIN = 14
    #: the join is over
    JOINED = 15
    #: parks; object: blocker, peer: its owner; timeout
    PARK = 16
    #: the park is over; peer: the unparker
    UNPARKED = 17
    #: calls LockSupport.unpark(peer); object: what peer is parked for, where that was
    #: read
    UNPARK_CALLED = 18
    #: a virtual thread is on a carrier; peer: carrier
    VIRTUAL_MOUNT = 19
    #: a virtual thread left its carrier
    VIRTUAL_UNMOUNT = 20
    #: holds object, also one that others have been blocked by for long; object 0: the
    #: monitors held are just those reported at this time, with Confirmed
    #: synchronizers, too; stack: where the thread acquired it
    HELD = 21
    #: is at this instant in state ``value`` (``State``)
    SNAPSHOT = 22
    #: value: events lost; object: time_ns of the first
    LOST = 23
    #: was seen on a processor at ``stack``
    CPU_SAMPLE = 24
    #: threads run again after a pause of ``value`` ns; thread 0: all of them
    GC_PAUSE = 25
    #: a virtual thread did not leave its carrier in a blocking interval of ``value``
    #: ns, which is over
    PINNED = 26
    #: the scheduler refused a virtual thread
    SUBMIT_FAILED = 27
    #: object's monitor was inflated; value: enum ``Inflation``
    INFLATED = 28
    #: owns object from now on, after a block or without one; if it is blocked by that
    #: object: ends the block
    ACQUIRED = 29
    #: releases object now
    RELEASED = 30
    #: blocks for object, which no thread owns: a semaphore, channel, barrier, future
    #: or futex, or a socket, file or other object of I/O; timeout
    AWAIT = 31
    #: got what it awaited; peer: the poster; object: of I/O, where its name was known
    #: only by then
    AWAITED = 32
    #: adds ``value`` permits of object (0: one); peer: to whom
    POST = 33
    #: may run, and is not on a processor yet; peer: who made it so
    RUNNABLE = 34
    #: runs on a processor; value: its number, from 1
    ON_CPU = 35
    #: left its processor: preempted, or Voluntary
    OFF_CPU = 36
    #: the program's work is over: the runtime begins to end, at this thread's wish or
    #: because no other was left
    SHUTDOWN = 37
    #: was on processors for ``value`` ns so far
    CPU_TIME = 38
    #: could run for ``value`` ns so far, and had no processor
    CPU_WAIT = 39
    #: begins a unit of work: a request, task or message; object: its class names the
    #: kind, its name is the label; value: the unit's id, 0: none; peer: the id of the
    #: unit that submitted it, not a thread
    UNIT_BEGIN = 40
    #: the unit is over; value: its id, 0: the thread's innermost; object: a label
    #: known by now, 0: as before
    UNIT_END = 41
    #: works on the unit ``value`` from now on, which another thread began
    UNIT_RESUME = 42
    #: no longer works on the unit ``value``, 0: the thread's innermost, which another
    #: thread will resume
    UNIT_LEAVE = 43
    #: acquires a lock, or begins to queue for it, while it owns others: at one time an
    #: event for each of these, and the last for the lock itself; object: the lock;
    #: stack: where the thread acquires it; value: how many of these events follow
    NESTED = 44


class EventFlag(IntFlag):
    """Bits of ``Event.flags``."""

    #: Waited, Slept, Joined, Unparked: time was up
    TIMED_OUT = 1
    #: the same: an interrupt ended it
    BY_INTERRUPT = 2
    #: peer is a fact that the VM stated
    PEER_REPORTED = 4
    #: peer was inferred by the producer
    PEER_INFERRED = 8
    #: Held, Contended enter: the VM was asked for it
    CONFIRMED = 16
    #: its stack is that of another like it, drawn at random
    SAMPLED = 32
    #: Lost: none was, but what follows is not recorded
    PAUSED = 64
    #: Waited: for a class that another thread initialised; its begin may not be
    #: reported. Snapshot: waits for that since then; peer: the initialiser
    INITIALISATION = 128
    #: Contended enter and entered, Acquired, Released, Held, Nested: as one of several
    #: owners, a reader for instance; beside Owner read with value 0: others may share
    #: it. Park, Snapshot of a park: the thread itself is one of the owners, so that it
    #: waits for itself
    SHARED = 256
    #: Wait, Waited, Notify, Notify all: object is a condition apart from its mutex,
    #: whose events are Released and Acquired; nobody owns it
    NOT_OWNED = 512
    #: Unpark called, Unparked: value is the thread that owned object at this instant,
    #: 0: nobody did
    OWNER_READ = 1024
    #: Snapshot: its wait, join or park has a timeout
    TIMED = 2048
    #: Await, Awaited: for what others begin of their own accord, the next request on a
    #: connection for instance
    IDLE = 4096
    #: Off cpu: the thread gave its processor up to wait, where no event has begun a
    #: block: for what is unknown
    VOLUNTARY = 8192


class Policy(IntEnum):
    """How a woken waiter is bound to the notify that woke it."""

    #: as HOTSPOT, but that a condition apart from its mutex may wake any waiter; every
    #: binding is inferred
    UNKNOWN = 0
    #: wait set is first in, first out; notify needs the lock
    HOTSPOT = 1
    #: the rule of the TPTP 4.5 design, by wake order
    TPTP = 2
    #: only what the producer itself names
    REPORTED = 3


class Identity(IntEnum):
    """How sure it is that one object id is one object."""

    UNKNOWN = 0
    #: ids were issued by the producer, one an object
    EXACT = 1
    #: class and identity hash: rarely two objects share one
    HASH = 2
    #: addresses, which the VM may reuse for another object
    ADDRESS = 3


class Ending(IntEnum):
    """How the recorded process ended."""

    UNKNOWN = 0
    #: the recording ended before the process
    WENT_ON = 1
    #: it exited, with the status ``Run.ending_status``
    EXITED = 2
    #: the signal ``Run.ending_status`` ended it
    SIGNALLED = 3


class ObjectKind(IntEnum):
    """The kinds of objects that threads wait for."""

    #: a synchronizer by its flag, else a monitor
    UNKNOWN = 0
    MONITOR = 1
    #: of java.util.concurrent
    SYNCHRONIZER = 2
    MUTEX = 3
    RWLOCK = 4
    SPIN_LOCK = 5
    CONDITION = 6
    SEMAPHORE = 7
    BARRIER = 8
    ONCE = 9
    CHANNEL = 10
    #: a connection; from here to a process: waits for it are I/O
    SOCKET = 11
    #: a file, pipe or device
    FILE = 12
    #: any of several descriptors: a selector, an epoll
    POLL = 13
    #: a socket that listens
    ACCEPT = 14
    #: the address of a name, of a host for instance
    NAME = 15
    #: another process, its end
    PROCESS = 16
    #: a word that the program itself gives a meaning, of a lock, condition or counter
    #: of its own
    FUTEX = 17


class WriterFormat(IntEnum):
    """The format of the file."""

    #: Our trace, .tmt, which holds everything; see docs/trace-format.md. Events may
    #: come in any order within a block's worth of them; they are sorted by time. One
    #: that comes later than that is still written, and read back, out of order
    TRACE = 1
    #: A contention log, with metadata in two files beside it, whose names end in
    #: .classtable and .method instead of its own extension; see docs/formats.md. It
    #: cannot hold everything: events that are left out are counted
    CONTENTION = 2
    #: TPTP XML, which cannot hold everything either
    TPTP = 3


class ExportFormat(IntEnum):
    """The format of the file."""

    #: Perfetto's trace, protobuf: a track a thread with its states as slices,
    #: interactions as flows, the critical path and pauses on tracks of their own
    PERFETTO = 1
    #: The same as a Chrome trace, JSON
    CHROME = 2
    #: For flame graphs: a line a stack, outermost frame first, with the nanoseconds
    #: that threads were blocked there. The sum is that of ``StatisticsSum``()
    COLLAPSED = 3
    #: Graphviz: the threads that wait for one another when the run ends, and the order
    #: in which locks were acquired
    DOT = 4
    #: HPROF's text, "JAVA PROFILE 1.0.1": threads, and the time blocked on monitors
    #: and on a processor by stack
    HPROF = 5
    #: A profile of pprof, for ``go tool pprof``: how often and for how long threads
    #: were blocked, by stack, with the labels state and class. Sums as COLLAPSED
    PPROF = 6
    #: Profiles of OpenTelemetry (OTLP, profiles v1development), protobuf: the same of
    #: both sides, four profiles in one message
    OTLP = 7


class ExportSide(IntEnum):
    """The threads whose stacks COLLAPSED and PPROF hold."""

    #: where threads were blocked: ``StatisticsSum``()
    WAITERS = 0
    #: Where the owners of the locks acquired them, with the time for which others were
    #: blocked by them: ``BlameList``(). States that no owner ends are left out
    OWNERS = 1


class BlameKey(IntFlag):
    """Keys to group shares of blame by; any combination."""

    #: the blocked thread
    THREAD = 1
    #: where it was blocked
    CALLER = 2
    #: of the lock
    CLASS = 4
    #: the single lock
    OBJECT = 8
    #: the owner
    OWNER = 16
    #: where the owner acquired it
    OWNER_METHOD = 32
    #: the same as a whole stack
    OWNER_STACK = 64


class HoldKey(IntFlag):
    """Keys to group holds by; any combination."""

    #: of the lock
    CLASS = 1
    #: where the owner acquired it
    CALLER = 2
    #: the single lock
    OBJECT = 4
    #: who owned it
    OWNER = 8


class PathKey(IntFlag):
    """Keys to sum a path up by; any combination."""

    #: which one the path was in
    THREAD = 1
    #: the caller
    METHOD = 2
    #: of the lock
    CLASS = 4
    #: of that thread
    STATE = 8


class StatisticsKey(IntFlag):
    """Keys to group by; any combination."""

    #: of the lock or joined thread
    CLASS = 1
    #: where it was called: method and line
    CALLER = 2
    #: the single lock
    OBJECT = 4
    #: the blocked thread
    THREAD = 8
    #: its thread group or container
    GROUP = 16
    #: the whole of it
    STACK = 32
    #: where it was called, without the line
    METHOD = 64
    #: the line, whatever the method
    LINE = 128
    #: no further groups: how much of the time nobody had the lock, as in table
    #: ``blame``
    LATENCY = 256
