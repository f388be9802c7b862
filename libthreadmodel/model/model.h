/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a model holds. Entities are dense arrays; an index is a number in one of
 * them, TM__NONE is none. Analyses read this and change nothing.
 */
#ifndef TM_MODEL_MODEL_H
#define TM_MODEL_MODEL_H

#include <threadmodel/deadlock.h>
#include <threadmodel/diagnostics.h>
#include <threadmodel/interaction.h>
#include <threadmodel/model.h>

#include "base/pool.h"
#include "base/error.h"
#include "base/histogram.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/strings.h"
#include "base/triples.h"
#include "model/tenure.h"
#include "table/builder.h"

/** Bits of tm__interval.flags. */
enum {
    TM__INTERVAL_CONTINUES = 1,   ///< the same hold-up as the interval before it
    TM__INTERVAL_TIMED_OUT = 2,   ///< ended because its time was up
    TM__INTERVAL_INTERRUPTED = 4, ///< ended by an interrupt
    TM__INTERVAL_SNAPSHOT = 8,    ///< had begun before it was first seen
    TM__INTERVAL_UNSPLIT = 16,    ///< a wait that may hide queueing for the monitor
    TM__INTERVAL_SAMPLED = 32,    ///< its stack is that of another hold-up like it
    TM__INTERVAL_END_UNSEEN = 64, ///< no event told its end: the next one came later
    TM__INTERVAL_NOT_OWNED = 128  ///< a wait for what no thread owns
};

/**
 * A thread is in `state` from start_ns to the start of its next interval; the
 * last one is open until the thread's next event.
 */
typedef struct tm__interval {
    int64_t start_ns;
    uint32_t object;    ///< objects[]: wanted, waited for or parked for
    uint32_t stack;     ///< stacks[]
    uint32_t peer;      ///< threads[]: owner when it began, or joined thread
    uint32_t cause;     ///< interactions, by number, that began it; TM__NONE
    uint8_t state;      ///< enum tm_state
    uint8_t provenance; ///< enum tm_provenance of peer
    uint8_t flags;
    uint8_t reserved;
    uint32_t tenure; ///< of a block: the object's last record when it began; 0: none
} tm__interval;

_Static_assert(sizeof(tm__interval) == 32, "an interval is 32 bytes");

/* Three cache lines, which are misses with a million threads: what every event of a
 * thread and every other's look at it touches, what its hold-ups need, the rest. */
typedef struct tm__thread {
    tm__interval *intervals;
    int64_t last_ns;  ///< its last event; INT64_MIN: none yet
    int64_t since_ns; ///< start of its last interval; INT64_MIN: it has none
    uint32_t interval_count;
    uint32_t interval_capacity;
    uint32_t interval_first; ///< number of intervals[0]: as many were folded
    uint32_t hold_up;        ///< number of the interval with which the present hold-up
                             ///< began; itself where the thread is not held up
    uint8_t state;           ///< enum tm_state of its last interval
    uint8_t hold_up_state;   ///< the same of that with which the hold-up began
    uint8_t fickle;          ///< its wait may end for no reason
    uint8_t permit_unseen;   ///< it may have a permit that no event told of
    uint32_t wants;          ///< objects[] that it cannot go on without, or TM__NONE
    uint32_t wanted;         ///< threads that want what it owns, or join it
    uint32_t owned;          ///< head of the list of objects that it is thought to own
    uint32_t deadlock;       ///< deadlocks[] that it stands in, or TM__NONE
    uint32_t losses;         ///< model->losses when it was last known what it did

    int64_t end_ns;      ///< INT64_MIN: not seen to end
    int64_t deadline_ns; ///< of the wait, join, sleep or park; INT64_MAX: none
    uint32_t joins;      ///< threads[] that it waits for, or TM__NONE
    uint32_t waits_in;   ///< objects[] in whose wait set it is, or TM__NONE
    uint32_t bound;      ///< interactions that took it out of the set, or TM__NONE
    uint32_t next;       ///< in the wait set that it is in
    uint32_t previous;
    uint32_t binding;     ///< bindings[]: of a bound that is in doubt, or TM__NONE
    uint32_t starter;     ///< interactions: start called and not yet begun
    uint32_t interrupt;   ///< interactions: interrupt called, not yet taken
    uint32_t permit;      ///< interactions: unpark called, not yet taken
    uint32_t interrupter; ///< threads[] that interrupted it last, or TM__NONE
    uint32_t flags;       ///< enum tm_thread_flag
    uint32_t carrier;     ///< threads[] that carries it; of a carrier, whom it
                          ///< carried last; TM__NONE

    int64_t interrupted_ns; ///< when that interrupt was called
    int64_t start_ns;       ///< INT64_MIN: not seen to start
    uint64_t id;
    uint64_t os_id;
    uint64_t samples;   ///< CPU samples seen
    uint32_t object;    ///< objects[]: the thread object; TM__NONE: unknown
    uint32_t end_group; ///< group of the rows that its end woke, or TM__NONE
    uint32_t fold;      ///< head of the list of its folds, or TM__NONE
    uint32_t name;      ///< strings; TM__NONE: unknown
    uint32_t group;     ///< strings; TM__NONE: unknown
    int32_t priority;
} tm__thread;

_Static_assert(sizeof(tm__thread) == 192, "a thread is three cache lines");

/** How far a thread's chain of blockers was found to lead, as long as none on it went.
 */
typedef struct tm__lead {
    uint64_t edges_gone; ///< model->edges_gone at that time
    uint32_t to;         ///< threads[]
    uint32_t reserved;
} tm__lead;

/** Whether a notify may have gone to another waiter than thought, the least first. */
enum tm__doubt {
    TM__DOUBT_NONE = 0,
    TM__DOUBT_LEFT = 1,  ///< one thought to wait may be gone; over when all that
                         ///< waited by then are back
    TM__DOUBT_STAYS = 2, ///< one thought to be gone may wait; over as that
    TM__DOUBT_LOSS = 3   ///< there may be waiters never seen; over with a notifyAll
};

/* One cache line; with a million objects each event misses it. */
typedef struct tm__object {
    uint32_t owner;           ///< threads[], or TM__NONE
    uint32_t wanted;          ///< threads whose `wants` it is
    int64_t owner_ns;         ///< since when
    uint32_t owner_interval;  ///< the owner's hold-up in which it cannot let go, by
                              ///< number; of a notified waiter, its wait
    uint32_t tenure;          ///< the object's last record; 0: none
    uint8_t owner_provenance; ///< enum tm_provenance, in owner_interval
    uint8_t doubt;            ///< enum tm__doubt
    uint8_t listed;           ///< bindings in the list at most, of reported ones
    uint8_t is_owned;     ///< a thread was once told to own it: no latch, no semaphore
    uint32_t losses;      ///< model->losses when it was last touched
    uint32_t class_index; ///< classes[]; TM__NONE: unknown
    uint32_t thread;      ///< threads[] whose thread object it is, or TM__NONE
    uint32_t flags;       ///< enum tm_object_flag
    uint32_t waiter_head; ///< wait set, oldest first
    uint32_t waiter_tail;
    uint32_t binding_head; ///< notifies that are not settled, oldest first; newest
                           ///< first where the producer itself names notifiers
    uint32_t pending;      ///< woken waiters that have not come back yet
    uint32_t useless;      ///< interactions[]: the last notify that woke nobody
} tm__object;

_Static_assert(sizeof(tm__object) == 64, "an object is a cache line");

/** An object's place in its owner's list. Apart from it, so that taking one from
 * between two others touches little memory. */
typedef struct tm__object_links {
    uint32_t next; ///< objects[] or TM__NONE
    uint32_t previous;
} tm__object_links;

/** What is seldom asked of an object. */
typedef struct tm__object_detail {
    uint64_t id;
    uint32_t binding_tail; ///< of the list that begins with its binding_head
    uint32_t hash;
    uint32_t doubtful;     ///< interactions: the last notify that was in doubt
    uint32_t first_tenure; ///< the first record that is kept; 0: none
    uint32_t post_head;    ///< posts that a waiter is thought to have got, oldest first
    uint32_t post_tail;
    uint32_t post_spare; ///< posts: the last that nobody waited for, or TM__NONE
} tm__object_detail;

typedef struct tm__class {
    uint64_t id;
    uint32_t name;       ///< strings
    uint32_t source;     ///< strings
    uint32_t name_waits; ///< methods[] to be named when it is, or TM__NONE
    uint32_t reserved;
} tm__class;

typedef struct tm__method {
    uint64_t id;
    uint32_t class_index; ///< classes[]
    uint32_t name;        ///< strings
    uint32_t full_name;   ///< strings: package.Class.method
    uint32_t line_first;  ///< lines[]
    uint32_t line_count;
    uint32_t next; ///< in its class's name_waits; itself: in none
    uint32_t previous;
} tm__method;

typedef struct tm__frame {
    uint32_t method; ///< methods[]
    int32_t line;    ///< 0: unknown or not yet looked up
    int64_t location;
} tm__frame;

typedef struct tm__stack {
    uint32_t id;
    uint32_t frame_first; ///< frames[]
    uint32_t frame_count;
    uint32_t flags;
    uint32_t defined;
    uint64_t samples; ///< CPU samples seen at it
} tm__stack;

/** What a from-side did, and what came of it for one to-thread; 64 bytes. */
typedef struct tm__interaction {
    int64_t from_ns; ///< INT64_MIN: not seen
    int64_t to_ns;   ///< INT64_MIN: not (yet) taken up
    uint32_t from_thread;
    uint32_t to_thread;
    uint32_t object;
    uint32_t from_stack;
    uint32_t to_stack;
    uint32_t to_interval; ///< of to_thread, by number: the hold-up that it ended
    uint32_t group;       ///< number shared by the rows of one act, or TM__NONE
    uint32_t candidates;
    uint8_t kind;       ///< enum tm_interaction_kind
    uint8_t provenance; ///< enum tm_provenance of "from woke to"
    uint8_t effect;     ///< enum tm__effect
    uint8_t settles;    ///< becomes exact when the waiter comes back notified
    uint8_t doubted;    ///< others may have been in the wait set, see tm__object.doubt
    uint8_t may_wait;   ///< its to-thread may still be in the wait set
    uint8_t reserved[2];
} tm__interaction;

_Static_assert(sizeof(tm__interaction) <= 64, "an interaction is 64 bytes at most");

enum tm__effect {
    TM__EFFECT_PENDING = 0, ///< nothing came of it yet
    TM__EFFECT_WOKE = 1,
    TM__EFFECT_USELESS = 2, ///< there was nobody to wake
    TM__EFFECT_PERMIT = 3,  ///< an unpark or interrupt that a later park or wait took
    TM__EFFECT_VOID = 4     ///< was not so after all: not listed
};

typedef struct tm__deadlock {
    int64_t time_ns;
    int64_t resolved_ns;   ///< INT64_MIN: it stands
    uint32_t member_first; ///< deadlock_members[]
    uint32_t member_count;
    uint8_t suspected; ///< an owner in it was inferred
    uint8_t confirmed; ///< the VM was asked and agreed
    uint8_t withdrawn; ///< it was not so; not listed
    uint8_t reserved[5];
} tm__deadlock;

typedef struct tm__deadlock_member {
    uint32_t thread;
    uint32_t object;
    uint32_t stack;
    uint8_t state; ///< what it was before DEADLOCKED
    uint8_t provenance;
    uint8_t seen_again; ///< a later snapshot found it so
    uint8_t reserved;
} tm__deadlock_member;

/** A notify and the waiter that it is thought to have woken, while in doubt. */
typedef struct tm__binding {
    uint32_t interaction; ///< interactions[]; TM__NONE: a waiter without a notify
    uint32_t waiter;      ///< threads[]; TM__NONE: a notify without a waiter
    uint32_t interval;    ///< of a waiter without a notify: the wait's number
    uint32_t next;        ///< in the object's list, or the list of free ones
    uint8_t doubtful;     ///< the waiter may have left before the notify
    uint8_t settled;      ///< the waiter came back
    uint8_t tainted; ///< never exact: it, or one before it, left at an unknown time
    uint8_t all;     ///< a notifyAll, which may wake many
} tm__binding;

/** Permits of an object that were given and not yet seen to be taken. */
typedef struct tm__post {
    int64_t time_ns;
    int64_t permits; ///< that are left, where nobody waited for them; else 1
    uint32_t thread; ///< threads[]: who gave it
    uint32_t stack;  ///< stacks[] or TM__NONE
    uint32_t object;
    uint32_t waiter; ///< threads[] that is thought to have got it, or TM__NONE
    uint32_t next;   ///< in the object's list, or the list of free ones
    uint32_t previous;
    uint32_t group; ///< of the rows of one post, or TM__NONE
    uint8_t is_named;
    uint8_t candidates; ///< posts that may have let the waiter go, as far as is known
    uint8_t reserved[2];
} tm__post;

/** How a thread was woken, which only some producers report. */
typedef struct tm__wake {
    int64_t runnable_ns; ///< it may go on since then; INT64_MIN: not reported
    int64_t on_cpu_ns;   ///< and runs since; INT64_MIN: not yet
    uint32_t waker;      ///< threads[] that made it runnable, or TM__NONE
    uint32_t post;       ///< posts[] that it is thought to have got, or TM__NONE
} tm__wake;

/** array, count, capacity of one kind of thing */
#define TM__ARRAY(type, name)                                                          \
    type *name;                                                                        \
    uint32_t name##_count;                                                             \
    uint32_t name##_capacity

/**
 * Hold-ups of one thread, alike in object, stack and state, that a memory limit
 * has folded into a sum; alike in class only where objects were too many.
 */
typedef struct tm__fold {
    uint32_t object;      ///< objects[] or TM__NONE
    uint32_t class_index; ///< classes[] or TM__NONE
    uint32_t stack;       ///< stacks[] or TM__NONE
    uint32_t state;       ///< enum tm_state as which they began
    uint32_t next;        ///< folds[] of the same thread, or TM__NONE
    tm__histogram durations;
} tm__fold;

/** A fact beside the states of threads, told when it was over; see context.h. */
typedef struct tm__context {
    int64_t start_ns;
    int64_t end_ns;
    uint32_t thread; ///< threads[]; TM__NONE: all
    uint32_t object; ///< objects[] or TM__NONE
    uint32_t stack;  ///< stacks[] or TM__NONE
    uint16_t kind;   ///< enum tm_event_kind
    uint16_t cause;  ///< enum tm_inflation, of an inflation
} tm__context;

/** From an exact release to the instant at which the next one had it: counts by
 * length, four to an octave. */
typedef struct tm__latency {
    uint32_t counts[4 * 42];
    uint32_t count;
} tm__latency;

/** Which wake-ups are alike. */
enum {
    TM__WAKEUP_MONITOR, ///< of a thread that queues for a monitor
    TM__WAKEUP_PARK,    ///< of a parked thread
    TM__WAKEUP_END
};

void tm__latency_add(tm__latency *latency, int64_t ns);
/** The median of a run's wake-ups; of the other kind's where there is none; 0. */
int64_t tm__wakeup_ns(const tm_model *model, int kind);

/** A stretch of time of which events were lost. */
typedef struct tm__loss {
    int64_t from_ns;
    int64_t to_ns;
} tm__loss;

/** All facts of a kind, also of those that a memory limit dropped. */
typedef struct tm__context_sum {
    uint64_t count;
    int64_t total_ns;
    int64_t max_ns;
} tm__context_sum;

/** Whether who got a lock at one stack must have left it at another; a cache. */
typedef struct tm__inside {
    uint32_t held;   ///< stacks[] + 1; 0: the slot is free
    uint32_t wanted; ///< stacks[]
    int verdict;
} tm__inside;

enum { TM__INSIDE_SLOTS = 256 };

/** A lock that a thread held while it was blocked by another. */
typedef struct tm__held {
    uint32_t object;    ///< objects[], or a tm__class_key() in a coarse nesting
    uint32_t stack;     ///< stacks[]: where it was got, or TM__NONE
    uint8_t provenance; ///< enum tm_provenance of "it was held"
} tm__held;

/** How many locks that a blocked thread holds are looked at. */
enum { TM__HELD_AT_ONCE = 8 };

/** A block that has ended, with the locks that its thread held. */
typedef struct tm__noted {
    int64_t start_ns;
    uint32_t wanted; ///< objects[]
    uint32_t thread;
    uint32_t stack; ///< stacks[] or TM__NONE
    uint32_t held_count;
    tm__held held[TM__HELD_AT_ONCE];
} tm__noted;

/** So many blocks are put into the nestings together. */
enum { TM__NOTED_AT_ONCE = 32 };

/**
 * Blocks of one thread at one stack for one object, with the same locks held: what
 * is known of the order in which a program takes its locks. Once there are many, of
 * objects of one class.
 */
typedef struct tm__nesting {
    int64_t first_ns; ///< when the first of these blocks began
    int64_t last_ns;
    uint32_t wanted; ///< objects[], or a tm__class_key() where it is coarse
    uint32_t thread;
    uint32_t stack;      ///< stacks[] or TM__NONE
    uint32_t held_first; ///< helds[], by rising object
    uint32_t held_count;
    uint32_t next; ///< nestings[] of the same thread, stack and wanted, or TM__NONE
    uint32_t count;
    uint32_t is_coarse;
} tm__nesting;

struct tm_model {
    tm__memory memory;
    tm_sink sink;
    tm__strings strings;
    tm__map thread_map, object_map, class_map, method_map, stack_map;
    TM__ARRAY(tm__thread, threads);
    tm__pool first_intervals; ///< arrays of TM__FIRST_INTERVALS
    TM__ARRAY(tm__object, objects);
    tm__object_links *links; ///< as many as objects, as are details
    uint32_t links_capacity;
    tm__object_detail *details;
    uint32_t details_capacity;
    TM__ARRAY(tm__class, classes);
    TM__ARRAY(tm__method, methods);
    TM__ARRAY(tm_line, lines);
    TM__ARRAY(tm__stack, stacks);
    TM__ARRAY(tm__frame, frames);
    TM__ARRAY(tm__interaction, interactions);
    uint32_t interactions_first; ///< number of interactions[0]: as many were dropped
    TM__ARRAY(tm__fold, folds);
    tm__triples fold_map; ///< (object or class, stack, thread and state): folds[] + 1
    size_t memory_limit_bytes;     ///< 0: none
    size_t fold_at_bytes;          ///< fold when more is in use
    size_t fold_bytes;             ///< that the sums take
    size_t definition_bytes;       ///< that definitions take
    uint64_t definitions_left_out; ///< they took their share of the limit
    int64_t folded_ns;             ///< what ended before is folded; INT64_MIN: nothing
    TM__ARRAY(tm__nesting, nestings);
    TM__ARRAY(tm__held, helds);
    tm__triples nesting_map;    ///< (wanted, thread, stack): nestings[] + 1
    uint32_t nestings_max;      ///< there are never more
    uint32_t nestings_coarse;   ///< half of them are in use: what is new is coarse
    uint64_t nestings_left_out; ///< blocks whose held locks were not kept
    uint64_t nestings_unproven; ///< blocks of which stacks do not show what was held
    tm__noted noted[TM__NOTED_AT_ONCE]; ///< to be put into nestings
    uint32_t noted_count;               ///< 0 except inside ingest
    tm__inside inside[TM__INSIDE_SLOTS];
    TM__ARRAY(tm__deadlock, deadlocks);
    TM__ARRAY(tm__deadlock_member, deadlock_members);
    TM__ARRAY(int64_t, dumps); ///< times of the dumps that the run is made of
    TM__ARRAY(tm__loss, gaps); ///< when events were lost, by rising time
    TM__ARRAY(tm__binding, bindings);
    TM__ARRAY(uint32_t, limits); ///< strings
    uint64_t limits_left_out;
    uint32_t policy_changes;
    TM__ARRAY(tm__context, contexts);
    tm__context_sum context_sums[TM_EVENT_KIND_END];
    TM__ARRAY(tm__tenure, tenures);
    uint32_t tenures_first; ///< as many were dropped: the number before tenures[0]'s
    tm__latency wakeups[TM__WAKEUP_END]; ///< from a release to who got it
    TM__ARRAY(tm__post, posts);
    TM__ARRAY(tm__wake, wakes); ///< by thread, once a producer reports any
    uint32_t free_binding;
    uint32_t free_post;
    uint32_t group_count;
    TM__ARRAY(tm__lead, leads); ///< of threads in long chains
    uint64_t edges_gone;        ///< times that a link in somebody's chain went; from 1
    uint64_t search_steps;      ///< that deadlock searches may still take
    uint64_t searches_given_up;
    uint32_t held_up_count;  ///< threads that want an object or join another
    uint32_t losses;         ///< loss markers seen
    int64_t loss_ns;         ///< time of the last one; INT64_MIN: none
    int64_t nameless_end_ns; ///< a thread whose object is not known ended; INT64_MIN
    int64_t shutdown_ns;     ///< the first Shutdown; INT64_MIN: none
    uint32_t shutdown_by;    ///< threads[] that it is of, or TM__NONE

    tm_run run; ///< strings in it are interned
    int32_t forced_policy;
    int64_t first_ns; ///< of the first event; INT64_MIN: none yet
    int64_t last_ns;  ///< the latest time of any event
    uint64_t event_count;
    uint64_t diagnostics[TM_DIAGNOSTIC_END];
    uint64_t kind_counts[TM_EVENT_KIND_END];

    tm_deadlock_fn deadlock_found;
    void *deadlock_payload;
};

/* Indexes of ids, made on first sight. @return TM_OK or TM_ENOMEM */
int tm__model_thread(tm_model *model, uint64_t id, uint32_t *index);
int tm__model_object(tm_model *model, uint64_t id, uint32_t *index);
int tm__model_class(tm_model *model, uint64_t id, uint32_t *index);
int tm__model_method(tm_model *model, uint64_t id, uint32_t *index);
int tm__model_stack(tm_model *model, uint32_t id, uint32_t *index);

/** The time from which answers count. */
int64_t tm__model_origin_ns(const tm_model *model);

/** @return 1: the run is made of thread dumps alone, which tell of no event */
int tm__model_is_of_dumps(const tm_model *model);

/** A class in place of an object where either may be the key. */
static inline uint32_t tm__class_key(uint32_t class_index)
{
    return class_index == TM__NONE ? TM__NONE : TM__NONE - 1 - class_index;
}

/** Note that events of this time were lost. @return TM_OK or TM_ENOMEM */
int tm__loss_note(tm_model *model, int64_t from_ns, int64_t to_ns);

/** Whether events were lost within a stretch of time. */
int tm__lost_between(const tm_model *model, int64_t from_ns, int64_t to_ns);

/** Whether the producer reports events of a kind, as far as is known. */
int tm__model_reports(const tm_model *model, int kind);

/** Whether events were lost between a time and now. */
static inline int tm__lost_since(const tm_model *model, int64_t time_ns)
{
    return model->loss_ns >= time_ns && model->losses;
}

/** A record by its number; NULL for 0 and for one that a memory limit dropped. */
static inline tm__tenure *tm__tenure_at(const tm_model *model, uint32_t number)
{
    return number > model->tenures_first
               ? &model->tenures[number - model->tenures_first - 1]
               : NULL;
}

/** The records of a lock by rising number, NULL after the last. */
static inline const tm__tenure *tm__tenure_next(const tm_model *model,
                                                const tm__tenure *record)
{
    return tm__tenure_at(model, record->next);
}

/**
 * What follows for a record of an object from its neighbours and from what its owner
 * did meanwhile.
 * @param next    the record after it, or NULL
 * @param end_ns  until when to look
 */
void tm__tenure_bounds(tm__bounds *bounds, const tm_model *model, uint32_t object,
                       const tm__tenure *record, const tm__tenure *next,
                       int64_t end_ns);

/** Whether the producer tells of every acquisition and every release. */
int tm__owners_are_told(const tm_model *model);

/** Since when the owner of a record that was handed to it had been queueing for it;
 * INT64_MIN: not known. */
int64_t tm__tenure_queued_ns(const tm_model *model, const tm__tenure *record);

/**
 * The peer of an interval; of a block that goes on, and of which none was known when it
 * began, who was said to be the owner since.
 * @param provenance  of that; as it was where it is the interval's own
 */
uint32_t tm__stated_owner(const tm_model *model, const tm__thread *thread,
                          uint32_t interval, int *provenance);

/** A row of the interactions by its number, which no fold has dropped. */
static inline tm__interaction *tm__row(const tm_model *model, uint32_t number)
{
    return &model->interactions[number - model->interactions_first];
}

/** Whether a useless notify, by its number, is one after which somebody waits without
 * end: it was lost. */
int tm__notify_is_lost(const tm_model *model, uint32_t interaction);

/** A thread's timeline begins with room for these, as much as most threads need where
 * there are very many. */
enum { TM__FIRST_INTERVALS = 12 };

/** Nestings that are kept where no memory limit leaves less. */
enum { TM__NESTINGS_MAX = 1 << 16 };

/** How many records an event may add. */
enum { TM__TENURES_AN_EVENT = 4 };

/** Whether a thread is still in the method in which it took a monitor. */
enum tm__inside_verdict {
    TM__LEFT,     ///< it is not, and has let go
    TM__INSIDE,   ///< it is, and may have
    TM__UNPROVEN, ///< stacks do not tell
};

/**
 * Compare where a thread took a monitor, or waited on it, with where it is now.
 * @param taken, now  stacks[] or TM__NONE
 * @return enum tm__inside_verdict
 */
int tm__stacks_compare(const tm_model *model, uint32_t taken, uint32_t now);

/**
 * The locks that a thread which is blocked now holds, by rising index: it was said so
 * of, or its stack shows that it is inside of where it got them.
 * @param cache            model->inside of a model that may be changed, or NULL
 * @param[out] held        room for TM__HELD_AT_ONCE
 * @param[in,out] unproven added to: locks that it may have, which no stack shows
 * @return how many there are; 0 for a thread that is not blocked
 */
uint32_t tm__held_by(const tm_model *model, tm__inside *cache, uint32_t thread,
                     tm__held *held, uint32_t *unproven);

/** When an interval ends; the last event's time for an open one. */
int64_t tm__interval_end_ns(const tm_model *model, const tm__thread *thread,
                            uint32_t interval);

/* Names for answers: interned or constant, NULL where not known. */
const char *tm__class_name(const tm_model *model, uint32_t class_index);
const char *tm__thread_name(const tm_model *model, uint32_t thread);
const char *tm__method_name(const tm_model *model, uint32_t method);
const char *tm__frame_source(const tm_model *model, const tm__frame *frame);
/** @return source line; 0: unknown */
int32_t tm__frame_line(const tm_model *model, const tm__frame *frame);
/** "class@1b2c3d" or "class#17", written to a buffer. */
void tm__object_label(const tm_model *model, uint32_t object, char *buffer,
                      size_t bytes);

/** The label of each object that one answer names, made once. */
typedef struct tm__labels {
    tm__memory memory;
    tm__strings strings;
    uint32_t *by_object; ///< strings; TM__NONE: not made yet
    uint32_t count;
    int failed; ///< TM_OK, or TM_ENOMEM: a label could not be made
} tm__labels;

/** @return TM_OK or TM_ENOMEM, and then nothing is to be closed */
int tm__labels_open(tm__labels *labels, const tm_model *model);
/** @return lent until close; NULL for TM__NONE; empty when there is no memory, and
 * then `failed` says so, which whoever finishes the answer asks */
const char *tm__label(tm__labels *labels, const tm_model *model, uint32_t object);
void tm__labels_close(tm__labels *labels);

/** Which class names count as library; see tm_statistics_options. */
typedef struct tm__libraries {
    const char *const *prefixes; ///< NULL: the default ones
    size_t count;
} tm__libraries;

/** Whether a class or method, package.Class.method, is one of the default libraries. */
int tm__is_library(const char *name);

/** Whether a caller's method (as above) is where a thread waits for work. */
int tm__is_idle(const char *method);

/** @return frames[] index of the caller of a stack, TM__NONE where unknown */
uint32_t tm__stack_caller(const tm_model *model, uint32_t stack,
                          const tm__libraries *libraries);

/**
 * The callers of all stacks, for questions that touch many intervals.
 * @return frames[] index or TM__NONE a stack, model->stacks_count + 1 of them, for
 *         tm__free(memory, ...); NULL when there is no memory
 */
uint32_t *tm__stack_callers(const tm_model *model, tm__memory *memory,
                            const tm__libraries *libraries);

/**
 * A selection against a model: sets as bitmaps, the window on the model's clock.
 * threads and classes are NULL for all, else a byte an index.
 */
typedef struct tm__scope {
    uint8_t *threads;
    uint8_t *classes;
    int64_t from_ns;
    int64_t to_ns;
    uint32_t thread_count; ///< sizes of the arrays above
    uint32_t class_count;
} tm__scope;

/** @return TM_OK, TM_ENOMEM, TM_EINVAL, TM_ENOTFOUND */
int tm__scope_open(tm__scope *scope, const tm_model *model,
                   const tm_selection *selection);
void tm__scope_close(tm__scope *scope, const tm_model *model);

/** Add every sentence on what the data cannot show that answers must carry. */
void tm__model_put_limits(const tm_model *model, tm__builder *builder);

#endif
