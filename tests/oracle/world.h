/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small world of threads and locks that knows its own truth.
 *
 * It is a seeded discrete-event simulation of what a JVM does: monitors with a
 * wait set that is first in, first out, an entry queue that is handed over last
 * in or first in first, competition for a free monitor, synchronizers on top of
 * park and unpark with the permit, read-write locks, conditions and semaphores built
 * on them, time-outs, interrupts, joins, sleeps, starts, virtual threads. Beside what
 * it does, it keeps what really happened (struct span, hold, act, deadlock), and what a
 * producer would have reported (events). Nothing here knows how the model works.
 */
#ifndef ORACLE_WORLD_H
#define ORACLE_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <threadmodel/threadmodel.h>

enum { MAX_THREADS = 64, MAX_OBJECTS = 96, MAX_HELD = 8, NONE = -1 };

/* The parameters of a run, and the facts that its producer reports. */
struct config {
    uint64_t seed;
    int thread_count;
    int monitor_count;
    int synchronizer_count;
    int read_write_count;
    int semaphore_count;
    bool locks;     ///< threads do little but take locks; synchronizers have conditions
    int step_count; ///< steps of all programs together
    bool full;      ///< all is reported, nothing races: all must be known exactly
    bool terse;     ///< the same, but that optional fields may be left out

    bool lifo;         ///< a monitor goes to the last who queued (JDK 17)
    bool barging;      ///< a woken thread can find the monitor taken again
    bool spinning;     ///< some contended acquisitions never block
    bool races;        ///< time-outs and interrupts take effect late
    bool early_waited; ///< Waited of a notified waiter at its deadline, not at re-entry
    bool disorder;     ///< locks are taken in any order: deadlocks
    bool helper;       ///< thread 0 never blocks, and wakes others
    bool virtual_some; ///< every other thread is virtual
    bool virtual_entered; ///< a virtual thread's Entered follows Waited every time
    bool join_by_wait;    ///< join of a platform thread is a wait on its object
    bool late;            ///< the producer came in mid-run, with snapshots
    bool blind;           ///< the same, without snapshots
    bool loses;           ///< the producer loses a stretch of events and says so
    bool slow_notify;     ///< a notify takes effect later than its event says

    uint64_t kinds;     ///< bit k: events of kind k are reported
    bool kinds_known;   ///< and the run says so
    bool owners;        ///< peer of contended enter
    bool releasers;     ///< peer of contended entered
    bool notifiers;     ///< peer of waited
    bool starters;      ///< peer of thread start
    bool park_owners;   ///< peer of park
    bool owner_read;    ///< at an unpark and after it: what for, and who has that
    bool shares_read;   ///< and that nobody has it alone, but readers have it
    bool acquired_ends; ///< Acquired ends a block, and Entered is not reported
    bool posts;         ///< semaphores are reported by await and post, not by parks
    bool posts_named;   ///< and a post names the thread
    bool unparkers;     ///< peer of unparked
    bool held_sets;     ///< held facts at an event are said to be all
    bool asks;          ///< the VM is asked who has what others are blocked by
    bool names;         ///< threads and objects are defined
    bool stacks;
};

/* How a synchronizer is acquired. */
enum { UNINTERRUPTED, INTERRUPTIBLE, TIMED };

enum cause {
    CAUSE_NONE,
    CAUSE_RELEASE,
    CAUSE_NOTIFY,
    CAUSE_NOTIFY_ALL,
    CAUSE_TIMEOUT,
    CAUSE_INTERRUPT,
    CAUSE_DEATH,
    CAUSE_UNPARK,
    CAUSE_SPURIOUS
};

/* One time that a thread was blocked. */
struct hold {
    int thread;
    int object; ///< NONE for sleeps and parks without blocker
    int target; ///< the thread that is joined, or NONE
    int state;  ///< enum tm_state
    enum cause cause;
    int waker; ///< thread; NONE
    int64_t begin_ns;
    int64_t waker_ns; ///< when the waker acted
    int64_t end_ns;   ///< of the event that reports its end; -1: not yet
    int64_t done_ns;  ///< went on, owning the monitor again; -1: not yet
    bool begin_seen;  ///< the producer reported its begin
    bool end_seen;
    bool interrupted; ///< the interrupt bit was set when its end was reported
    bool waker_seen;
    unsigned right; ///< the judge: bit k: an interaction of kind k says what happened
    unsigned sure;  ///< the judge: the same, and says that it is certain
    bool bound;     ///< the judge: some notify is said to have ended it
};

/* How far the events show a span. */
enum showing {
    SHOWN,          ///< an event reported its begin
    HIDDEN,         ///< nothing did: the thread seems to run
    NOTIFIED,       ///< queues again since a notify: known through the binding only
    SILENT_REENTRY, ///< queues again after its Waited, and no event says so
    ENTER_REENTRY,  ///< the same, with a contended enter
    LATE_REENTRY    ///< the same, reported afterwards by Entered without Enter
};

struct span {
    int64_t start_ns;
    int state;    ///< enum tm_state, never DEADLOCKED
    int deadlock; ///< deadlocks[], or NONE
    enum showing showing;
    int hold; ///< holds[], or NONE
};

/* A notify, interrupt or unpark. */
struct act {
    int64_t time_ns;
    int kind; ///< enum tm_event_kind
    int thread;
    int target; ///< object of a notify, thread of the others
    int hits;   ///< how many it woke
    bool seen;
};

/** A lock had by a thread among others, from when to when. */
struct sharing {
    int object;
    int thread;
    int64_t start_ns;
    int64_t end_ns; ///< -1: has it still
};

struct ownership {
    int64_t time_ns;
    int owner;
};

struct deadlock {
    int64_t time_ns;
    int64_t resolved_ns; ///< -1: it stands
    int count;
    int threads[MAX_THREADS];
    int objects[MAX_THREADS];
    int owners[MAX_THREADS];
    bool timed;      ///< a member waits for a time only
    bool determined; ///< every edge follows from what was reported
    bool certain;    ///< and was so when the last member was blocked
};

struct thread {
    uint64_t id;
    bool is_virtual;
    bool interrupted;
    bool permit;
    bool waking; ///< its wake-up is on the way
    int life;    ///< steps that its program has left
    int state;   ///< enum tm_state
    int wants;   ///< object, or NONE
    int target;  ///< thread that it joins, or NONE
    int hold;    ///< what it is in, or NONE
    int depth;   ///< recursion to restore after a wait
    int sync;    ///< synchronizer that it queues for, or NONE
    int sync_mode;
    bool sync_shared;
    int condition; ///< that it awaits, or NONE
    int64_t sync_deadline_ns;
    int64_t deadline_ns; ///< when what it is in ends by itself; 0: never
    int deadlock;
    bool notified;   ///< left the wait set by a notify
    bool is_doubted; ///< in an instant in which another left it: events tell no order
    bool waited_reported; ///< Waited was emitted, the monitor is not yet its own
    bool entering;        ///< Enter was emitted
    bool requeued;        ///< virtual: had to queue after Waited
    bool timed_out;       ///< its deadline passed
    uint64_t token;       ///< timers of an earlier one are void
    int held[MAX_HELD];
    int held_count;
    int unparker;
    int64_t unparker_ns;
    bool unparker_seen;
    int64_t first_ns; ///< first event that was reported; -1
    struct span *spans;
    size_t span_count, span_capacity;
};

enum lock_kind { MONITOR, SYNCHRONIZER, READ_WRITE, SEMAPHORE, CONDITION };

struct object {
    uint64_t id;
    enum lock_kind kind;
    bool is_synchronizer; ///< no monitor
    int condition;        ///< of a synchronizer: the object of its condition, or NONE
    int lock;             ///< of a condition
    int permits;          ///< of a semaphore, that nobody has
    int all_permits;
    int reader_count;
    int thread; ///< whose thread object it is, or NONE
    int owner;
    int depth;
    int releaser;
    int64_t released_ns; ///< when it was given up last
    int stated;          ///< owner by what was reported last
    int queue[MAX_THREADS];
    int queue_count;
    int waiters[MAX_THREADS];
    int waiter_count;
    struct ownership *owners;
    size_t owner_count, owner_capacity;
};

/* Events that can happen to a thread at a time. */
enum timer {
    STEP,
    BEGIN,
    RETRY,
    WAKE,
    DEADLINE,
    INTERRUPT,
    STALE, ///< the wake-up of an interrupt that was spent before it arrived
    TELL,
    UNPARK,
    JOINEE,
    TAKE
};

struct timer_entry {
    int64_t time_ns;
    uint64_t order;
    uint64_t token;
    int thread;
    int argument;
    enum timer timer;
};

struct world {
    struct config config;
    uint64_t random;
    int place;       ///< stack of what is called of a semaphore, or 0
    uint64_t asking; ///< the chance of questions, which change nothing of the world
    int64_t now_ns;
    int64_t attach_ns;
    int64_t loss_from_ns, loss_to_ns, lost_first_ns;
    int lost_count;
    uint64_t order;
    int steps_left;
    struct thread threads[MAX_THREADS];
    struct object objects[MAX_OBJECTS];
    int thread_count, object_count;
    int lock_count; ///< objects before the conditions, which are not locks
    struct timer_entry *heap;
    size_t heap_count, heap_capacity;
    tm_event *events;
    size_t event_count, event_capacity;
    struct hold *holds;
    size_t hold_count, hold_capacity;
    struct act *acts;
    size_t act_count, act_capacity;
    struct sharing *sharings;
    size_t sharing_count, sharing_capacity;
    struct deadlock *deadlocks;
    size_t deadlock_count, deadlock_capacity;
};

/* random.c: chance and growing arrays */
uint64_t chance_next(uint64_t *state);
/** The next numbers are these, two bytes each, and only then the seed's. Not copied. */
void chance_decide(const uint8_t *bytes, size_t count);
int64_t chance_below(struct world *w, int64_t bound);
bool chance(struct world *w, int percent);
void *grown(void *items, size_t count, size_t *capacity, size_t item_bytes);
#define APPEND(w, list, value)                                                         \
    ((w)->list##s = grown((w)->list##s, (w)->list##_count, &(w)->list##_capacity,      \
                          sizeof(*(w)->list##s)),                                      \
     (w)->list##s[(w)->list##_count++] = (value))

/* config.c: what worlds are like */
struct config config_random(uint64_t seed);
/** Nothing races and every kind is reported, but of the optional fields only some. */
struct config config_terse(uint64_t seed);
/** Many threads that do little but take locks of all kinds. */
struct config config_locks(uint64_t seed);

/* emit.c: what a producer would report */
/** Stacks of the calls that take a permit and give it back; others are not defined. */
enum { TAKES = 6, GIVES };
bool emit(struct world *w, int t, int kind, int object, int peer, int64_t value,
          int flags);
bool emit_enter(struct world *w, int t, int object);
/** Acquired or Released, as a reader where readers have it. */
bool emit_tenure(struct world *w, int t, int kind, int object);
/** The facts that a producer reads of a lock: the exclusive owner. @return flags and
 * the value */
int owner_read(const struct world *w, int object, int64_t *value);
void emit_snapshots(struct world *w);
/** Now and then the VM says who owns something that others want. */
void emit_owner(struct world *w);
void emit_definitions(const struct world *w, const tm_sink *sink, int policy);

/* truth.c: what really happened */
void truth_state(struct world *w, int t, int state, enum showing showing);
void truth_own(struct world *w, int object, int owner);
/** The book alone: a wait that an interrupt ends at once gives the lock up to nobody.
 */
void truth_note_owner(struct world *w, int object, int owner);
/** A reader has a lock from now on, or has given it up. */
void truth_share(struct world *w, int object, int t, bool has);
/** The same of a permit; a thread may have one of each semaphore. */
void truth_permit(struct world *w, int object, int t, bool has);
/** For how long a thread had one, and for how long it had none and one was free. */
int64_t truth_permit_ns(const struct world *w, int object, int t, int64_t from_ns,
                        int64_t to_ns, int64_t *free_ns);
bool truth_reads(const struct world *w, int object, int t);
/** One time that a thread had a lock. */
struct stretch_held {
    int64_t start_ns;
    int64_t end_ns; ///< -1: has it still
};
/** The tenure around an instant, alone or among others. @return false: there is none */
bool truth_tenure(const struct world *w, int object, int t, int64_t time_ns,
                  struct stretch_held *held);
/** Whether a thread that had it gave it up at an instant, and took it again. */
bool truth_retook_at(const struct world *w, int object, int t, int64_t time_ns);
/** How much of a stretch nobody had it. */
int64_t truth_free_ns(const struct world *w, int object, int64_t from_ns,
                      int64_t to_ns);
bool truth_owned_at(const struct world *w, int object, int owner, int64_t time_ns);
bool truth_owned_within(const struct world *w, int object, int owner, int64_t from_ns,
                        int64_t to_ns);
int truth_releaser(const struct world *w, int object, int owner, int64_t time_ns);
/** Whether a thread was the first to have it, or one of them, from an instant on. */
bool truth_is_next(const struct world *w, int object, int t, int64_t from_ns);
int truth_hold(struct world *w, int t, int object, int state, bool seen);
void truth_cause(struct world *w, int t, enum cause cause, int waker, bool seen);
/** A stretch of a thread's time begins, in the deadlock that the thread is in. */
void truth_span(struct world *w, int t, int state, enum showing showing);

/* truth_deadlocks.c: cycles of threads that want what the next one has */
void truth_wants(struct world *w, int t);
void truth_got_away(struct world *w, int t);
void truth_stated(struct world *w);

/* locks.c: monitors, wait sets, synchronizers */
int64_t lag(struct world *w);
void go_on(struct world *w, int t);
void monitor_enter(struct world *w, int t, int object, bool may_spin);
void monitor_exit(struct world *w, int t, int object);
void monitor_wait(struct world *w, int t, int object, int64_t timeout_ns, int joined);
void monitor_notify(struct world *w, int t, int object, bool all);
void monitor_timer(struct world *w, int t, enum timer timer, int argument);
void monitor_death(struct world *w, int t);
bool monitor_interrupt(struct world *w, int t);

/* parks.c: parks, sleeps, joins */
void park_begin(struct world *w, int t, int object, int64_t timeout_ns);
void park_end(struct world *w, int t, enum cause cause);
void park_unpark(struct world *w, int t, int target);
/** A thread that awaits a semaphore gets a permit. */
void park_post(struct world *w, int t, int target, bool seen);
/** Whether waits for an object are reported by await: a semaphore's may be. */
bool is_await(const struct world *w, int object);
/** Whether a thread stands in such a wait, and nobody woke it yet. */
bool awaits(const struct world *w, int t, int object);
void sleep_begin(struct world *w, int t, int64_t ns);
void sleep_end(struct world *w, int t, enum cause cause);
void join_begin(struct world *w, int t, int target, int64_t timeout_ns);
void join_end(struct world *w, int t, enum cause cause);

/* sync.c: synchronizers, read-write locks, semaphores, conditions */
void sync_acquire(struct world *w, int t, int object, int mode);
void sync_release(struct world *w, int t, int object);
void sync_await(struct world *w, int t, int object, int64_t timeout_ns);
void sync_signal(struct world *w, int t, int object);
/** Goes on with what it was parked for. @return false: for nothing */
bool sync_go_on(struct world *w, int t);

/* program.c: what the threads do */
void program_step(struct world *w, int t);

/* run.c: the clock, and a world from its beginning to its end */
/** Something happens to a thread after a delay. */
void at(struct world *w, int t, enum timer timer, int64_t delay_ns, int argument);
/** The event that a timer was set for happens now. */
void world_dispatch(struct world *w, const struct timer_entry *e);
void world_run(struct world *w, struct config c);
void world_free(struct world *w);

#endif
