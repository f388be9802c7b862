/* SPDX-License-Identifier: Apache-2.0 */
/* threadmodel/event.h: one fact about one thread at one instant. */
#ifndef THREADMODEL_EVENT_H
#define THREADMODEL_EVENT_H

#include <threadmodel/common.h>

TM_BEGIN_DECLS

/**
 * Events that happened to `thread`, or its actions. Any subset of these is a legal
 * stream: facts that a producer does not report stay unknown in the answers. The stack
 * of a blocking interval may come with its beginning, its end, or a snapshot in
 * between.
 *
 * "object" and "peer" say what those fields hold for the kind; a field that is
 * not named is ignored and should be 0. Numbers are part of the trace format.
 */
enum tm_event_kind {
    TM_EVENT_THREAD_START_CALLED = 1, ///< calls Thread.start; peer: the new thread
    TM_EVENT_THREAD_START = 2,        ///< begins to run; peer: its starter
    TM_EVENT_THREAD_END = 3,          ///< ends; wakes all joiners; peer: the
                                      ///< carrier that a virtual thread was on
    TM_EVENT_CONTENDED_ENTER = 4,     ///< blocks on object, a lock; peer: its owner
    TM_EVENT_CONTENDED_ENTERED = 5,   ///< acquired object; peer: the releaser
    TM_EVENT_WAIT = 6,                ///< Object.wait on object, which it owns; timeout
    TM_EVENT_WAITED = 7,              ///< left the wait set; peer: the notifier
    TM_EVENT_NOTIFY = 8,              ///< calls object.notify(), owning object
    TM_EVENT_NOTIFY_ALL = 9,          ///< calls object.notifyAll(), owning object
    TM_EVENT_INTERRUPT_CALLED = 10,   ///< calls peer.interrupt()
    TM_EVENT_INTERRUPTED = 11,        ///< a wait, sleep or join ended by interrupt
    TM_EVENT_SLEEP = 12,              ///< Thread.sleep; timeout
    TM_EVENT_SLEPT = 13,              ///< the sleep is over
    TM_EVENT_JOIN = 14,          ///< waits for peer to end; object: peer's, where peer
                                 ///< was defined without; timeout
    TM_EVENT_JOINED = 15,        ///< the join is over
    TM_EVENT_PARK = 16,          ///< parks; object: blocker, peer: its owner; timeout
    TM_EVENT_UNPARKED = 17,      ///< the park is over; peer: the unparker
    TM_EVENT_UNPARK_CALLED = 18, ///< calls LockSupport.unpark(peer); object: what
                                 ///< peer is parked for, where that was read
    TM_EVENT_VIRTUAL_MOUNT = 19, ///< a virtual thread is on a carrier; peer: carrier
    TM_EVENT_VIRTUAL_UNMOUNT = 20, ///< a virtual thread left its carrier
    TM_EVENT_HELD = 21,            ///< holds object, also one that others have been
                                   ///< blocked by for long; object 0: the monitors
                                   ///< held are just those reported at this time,
                                   ///< with Confirmed synchronizers, too; stack:
                                   ///< where the thread acquired it
    TM_EVENT_SNAPSHOT = 22,        ///< is at this instant in state `value` (tm_state)
    TM_EVENT_LOST = 23,            ///< value: events lost; object: time_ns of the first
    TM_EVENT_CPU_SAMPLE = 24,      ///< was seen on a processor at `stack`
    TM_EVENT_GC_PAUSE = 25,        ///< threads run again after a pause of `value` ns;
                                   ///< thread 0: all of them
    TM_EVENT_PINNED = 26,          ///< a virtual thread did not leave its carrier in a
                                   ///< blocking interval of `value` ns, which is over
    TM_EVENT_SUBMIT_FAILED = 27,   ///< the scheduler refused a virtual thread
    TM_EVENT_INFLATED = 28,        ///< object's monitor was inflated; value:
                                   ///< enum tm_inflation
    TM_EVENT_ACQUIRED = 29, ///< owns object from now on, after a block or without one;
                            ///< if it is blocked by that object: ends the block
    TM_EVENT_RELEASED = 30, ///< releases object now
    TM_EVENT_AWAIT = 31,    ///< blocks for object, which no thread owns: a semaphore,
                            ///< channel, barrier, future or futex, or a socket, file
                            ///< or other object of I/O; timeout
    TM_EVENT_AWAITED = 32,  ///< got what it awaited; peer: the poster; object: of
                            ///< I/O, where its name was known only by then
    TM_EVENT_POST = 33,     ///< adds `value` permits of object (0: one); peer: to whom
    TM_EVENT_RUNNABLE = 34, ///< may run, and is not on a processor yet; peer: who
                            ///< made it so
    TM_EVENT_ON_CPU = 35,   ///< runs on a processor; value: its number, from 1
    TM_EVENT_OFF_CPU = 36,  ///< left its processor: preempted, or Voluntary
    TM_EVENT_SHUTDOWN = 37, ///< the program's work is over: the runtime begins to end,
                            ///< at this thread's wish or because no other was left
    TM_EVENT_CPU_TIME = 38, ///< was on processors for `value` ns so far
    TM_EVENT_CPU_WAIT = 39, ///< could run for `value` ns so far, and had no processor
    TM_EVENT_UNIT_BEGIN = 40, ///< begins a unit of work: a request, task or message;
                              ///< object: its class names the kind, its name is the
                              ///< label; value: the unit's id, 0: none; peer: the id of
                              ///< the unit that submitted it, not a thread
    TM_EVENT_UNIT_END = 41,   ///< the unit is over; value: its id, 0: the thread's
                              ///< innermost; object: a label known by now, 0: as before
    TM_EVENT_UNIT_RESUME = 42, ///< works on the unit `value` from now on, which another
                               ///< thread began
    TM_EVENT_UNIT_LEAVE = 43,  ///< no longer works on the unit `value`, 0: the thread's
                               ///< innermost, which another thread will resume
    TM_EVENT_NESTED = 44,      ///< acquires a lock, or begins to queue for it, while it
                               ///< owns others: at one time an event for each of
                               ///< these, and the last for the lock itself; object:
                               ///< the lock; stack: where the thread acquires it;
                               ///< value: how many of these events follow
    TM_EVENT_KIND_END = 45     ///< one more than the last kind
};

/** Why a monitor was inflated. */
enum tm_inflation {
    TM_INFLATION_UNKNOWN = 0, ///< not known
    TM_INFLATION_ENTER = 1,   ///< contended enter
    TM_INFLATION_WAIT = 2,    ///< Object.wait
    TM_INFLATION_NOTIFY = 3,  ///< Object.notify or notifyAll
    TM_INFLATION_HASH = 4,    ///< an identity hash, of a monitor that was locked
    TM_INFLATION_JNI = 5,     ///< an enter or exit by native code
    TM_INFLATION_VM = 6,      ///< the VM's own purpose
    TM_INFLATION_END = 7      ///< one more than the last
};

/** Bits of tm_event.flags. */
enum tm_event_flag {
    TM_EVENT_TIMED_OUT = 1,     ///< Waited, Slept, Joined, Unparked: time was up
    TM_EVENT_BY_INTERRUPT = 2,  ///< the same: an interrupt ended it
    TM_EVENT_PEER_REPORTED = 4, ///< peer is a fact that the VM stated
    TM_EVENT_PEER_INFERRED = 8, ///< peer was inferred by the producer
    TM_EVENT_CONFIRMED = 16,    ///< Held, Contended enter: the VM was asked for it
    TM_EVENT_SAMPLED = 32, ///< its stack is that of another like it, drawn at random
    TM_EVENT_PAUSED = 64,  ///< Lost: none was, but what follows is not recorded
    TM_EVENT_INITIALISATION = 128, ///< Waited: for a class that another thread
                                   ///< initialised; its begin may not be reported.
                                   ///< Snapshot: waits for that since then; peer: the
                                   ///< initialiser
    TM_EVENT_SHARED = 256, ///< Contended enter and entered, Acquired, Released, Held,
                           ///< Nested:
                           ///< as one of several owners, a reader for instance;
                           ///< beside Owner read with value 0: others may share it.
                           ///< Park, Snapshot of a park: the thread itself is one of
                           ///< the owners, so that it waits for itself
    TM_EVENT_NOT_OWNED = 512,   ///< Wait, Waited, Notify, Notify all: object is a
                                ///< condition apart from its mutex, whose events are
                                ///< Released and Acquired; nobody owns it
    TM_EVENT_OWNER_READ = 1024, ///< Unpark called, Unparked: value is the thread that
                                ///< owned object at this instant, 0: nobody did
    TM_EVENT_TIMED = 2048,      ///< Snapshot: its wait, join or park has a timeout
    TM_EVENT_IDLE = 4096,       ///< Await, Awaited: for what others begin of their own
                          ///< accord, the next request on a connection for instance
    TM_EVENT_VOLUNTARY = 8192 ///< Off cpu: the thread gave its processor up to wait,
                              ///< where no event has begun a block: for what is unknown
};

/*
 * Questions of producers, each with its scenario in tests/scenarios:
 *
 * REPORTED AND CONFIRMED differ. Peer reported and Peer inferred say how the producer
 * knows `peer`. Neither is the same as reported; conclusions from an inferred peer are
 * inferred. Confirmed says that the runtime was asked for what the event states. It
 * does not make a peer more certain. In a run of thread dumps, Held with object 0 and
 * Confirmed says that the synchronizers that came before it are all.
 * (owner-reported-or-confirmed.txt)
 *
 * HELD BEFORE A CONTENDED ENTER, even in the same instant, is of a thread that ran on:
 * it may have released the object before it blocked, so that owner is inferred. After
 * the enter it is reported, until the block ends: a blocked thread releases nothing.
 * Deadlocks need the second. (held-before-and-after-an-enter.txt)
 *
 * A THREAD'S NUMBER is one thread's for the whole run. Where the program uses its own
 * numbers again, the producer numbers threads itself. A second Thread start of a number
 * begins another life of the same thread, counted as `started_twice`. Any other event
 * after Thread end is counted as `after_end`.
 * (thread-number-used-again.txt, diagnostics-backward-and-twice.txt)
 *
 * A UNIT of work is nested in the open unit of its thread, if there is one. It is
 * reported by Unit begin and Unit end of one thread, or, with an id, of two. Between
 * Unit leave and Unit resume no thread works on it. An id may be used again once its
 * unit has ended. (units-stated.txt)
 *
 * NESTED states a lock order and no owner. One nesting of a thread need not be
 * stated each time; the first time counts, and the last one shows that it was not over
 * before another thread began. A lock that is only tried, or for a limited time, is not
 * stated as the last of these events, as nobody waits for it for ever.
 * (order-stated.txt)
 *
 * A JOIN OF A DEAD THREAD has a begin and an end, and no waker, though peer is named.
 * (join-of-a-dead-thread.txt)
 */

/**
 * One event, 48 bytes. Ids are the producer's own numbers; 0 means none or not
 * known. Ids of threads, objects and stacks are separate number spaces. An
 * event may come before what it names is defined, or without it.
 */
typedef struct tm_event {
    int64_t time_ns; ///< on the producer's monotonic clock, see tm_run.start_ns
    uint64_t thread; ///< whose event this is; 0 for Lost: any thread's; GC pause: all
    uint64_t object; ///< monitor, mutex, park blocker; 0: none or unknown
    uint64_t peer;   ///< the other thread of the kind's comment; 0: unknown
    int64_t value;   ///< timeout in ns (0: none), or what the kind's comment says
    uint32_t stack;  ///< where, by tm_stack.id; 0: unknown
    uint16_t kind;   ///< enum tm_event_kind
    uint16_t flags;  ///< bits of enum tm_event_flag
} tm_event;

/**
 * The name of a kind of event, "contended_enter" for instance.
 *
 * @param kind  a value of enum tm_event_kind
 * @return a constant string; NULL for any other number
 * @since 0.1
 */
TM_API const char *tm_event_kind_name(int kind);

/**
 * The name of a cause of inflation, "enter" for instance.
 *
 * @param cause  a value of enum tm_inflation
 * @return a constant string; NULL for any other number
 * @since 0.1
 */
TM_API const char *tm_inflation_name(int cause);

TM_END_DECLS

#endif
