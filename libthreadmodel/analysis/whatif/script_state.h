/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a thread in a replay. */
#ifndef TM_ANALYSIS_WHATIF_SCRIPT_STATE_H
#define TM_ANALYSIS_WHATIF_SCRIPT_STATE_H

#include "analysis/path/path_state.h"
#include "analysis/whatif/hold_state.h"
#include "analysis/whatif/method_samples.h"
#include "analysis/whatif/processors.h"
#include "analysis/whatif/served_state.h"
#include "model/entities/object.h"
#include "model/ownership/wakeup_latency.h"
#include "model/state/model.h"

enum tm__step_kind {
    TM__STEP_WORK,    ///< runs, or is in a state that nothing is known of
    TM__STEP_REST,    ///< sleeps, or waits until its time is up
    TM__STEP_AWAIT,   ///< waits for the signal of a row
    TM__STEP_UNTIL,   ///< waits for an unknown thread: until the recorded time
    TM__STEP_HIDDEN,  ///< has a lock that another seems to have had, unseen
    TM__STEP_SIGNAL,  ///< lets a thread go on
    TM__STEP_ACQUIRE, ///< enters a lock, or takes a permit
    TM__STEP_RELEASE, ///< gives it up
    TM__STEP_ENTER,   ///< a use begins
    TM__STEP_LEAVE,
};

/** Bits of tm__step.flags. */
enum {
    TM__STEP_QUEUED = 1,  ///< TAKE: it was blocked; AWAIT: the signal had not come yet
    TM__STEP_SHARED = 2,  ///< TAKE, GIVE: as one of several owners
    TM__STEP_IDLE = 4,    ///< UNTIL: waits for work, which may come from outside
    TM__STEP_METHOD = 8,  ///< REST, UNTIL: in the method that is asked about
    TM__STEP_SERVICE = 16 ///< REST: what a server does for who waits
};

typedef struct tm__step {
    int64_t length_ns;   ///< as it was; of an AWAIT, the wait; where no time passes in
                         ///< the step, of the work before it
    int64_t until_ns;    ///< TAKE, AWAIT, UNTIL: when it was over, since the begin
    uint32_t what;       ///< AWAIT, SIGNAL: signal, a row from 0 or after these a join;
                         ///< TAKE, GIVE: number of the lock
    uint32_t place;      ///< TAKE, GIVE, HIDDEN, ENTER, LEAVE: which holds it is of;
                         ///< TM__NONE: a TAKE or GIVE beside an ENTER or LEAVE
    uint32_t latency_ns; ///< TAKE, AWAIT: from being released to going on
    uint8_t kind;        ///< enum tm__step_kind
    uint8_t flags;
    uint16_t part; ///< of the work, in the method that is asked about: 0 to TM__WHOLE
} tm__step;

_Static_assert(sizeof(tm__step) == 32, "a step is 32 bytes");

/** What ended a pause, or started a thread. */
typedef struct tm__ender {
    int64_t from_ns; ///< when it was given
    uint32_t signal; ///< a row from 0, or after these a join; TM__NONE: nothing tells
} tm__ender;

/** A row that a thread of the run awaited. */
typedef struct tm__given_signal {
    int64_t from_ns;
    uint32_t row;    ///< from 0
    uint32_t thread; ///< that gave it
} tm__given_signal;

/** The threads that ended waits: the same at every bound. */
typedef struct tm__signals {
    uint8_t *rows; ///< interactions: which are signals that a thread awaits
    size_t rows_bytes;
    size_t first_bytes;
    TM__ARRAY(tm__given_signal, given); ///< those of rows[], but for what a resource
                                        ///< changes in these
    TM__ARRAY(tm__ender, enders); ///< of each thread's pauses in turn, after the one
                                  ///< that started it
    uint32_t *first;              ///< of each thread in enders[]
    TM__ARRAY(uint32_t, joins); ///< threads that had ended before they were joined: no
                                ///< row tells of that, and each counts as one more
} tm__signals;

typedef struct tm__script {
    const tm_model *model;
    tm__memory *memory;
    const tm__holds *holds;
    const tm__signals *signals;
    const tm__processors *processors;
    const tm__run_slice *slice; ///< whose steps are written, or NULL: all threads'
    const tm__served *served;   ///< what is known of the resource asked about, or NULL
    const uint8_t *stacks;      ///< those in the method that is asked about, or NULL
    const uint32_t *endpoint;   ///< objects in a group are asked about, or NULL
    const tm__method_samples *samples; ///< of running in it, or NULL
    const uint8_t *idle;               ///< a stack is where threads wait for work
    int64_t begin_ns;
    int64_t end_ns;
    TM__ARRAY(tm__step, steps);
    uint32_t *first;   ///< of each thread in steps[], one more than threads
    int64_t *ended_ns; ///< of each thread, as recorded, since the begin
    int64_t wakeups_ns[TM__WAKEUP_END]; ///< the run's medians
    int64_t scaled_ns;                  ///< of steps in the method, and of work
    uint32_t scaled;                    ///< how many
    struct tm__script_room *room;       ///< what the next writing uses again
} tm__script;

/** How many signals there can be: the rows, and the ends of joined threads. */
static inline uint32_t tm__script_signal_count(const tm__script *script)
{
    return script->model->intervals.interactions_count + script->signals->joins_count;
}

/** The number of things to take: the objects of the model, and the resource. */
static inline uint32_t tm__script_lock_count(const tm__script *script)
{
    return script->model->entities.objects_count + 1;
}

/** How many can have it at once, in the recording. Where no use of a resource is known,
 * its permits are those that were given, and none to begin with. */
static inline int64_t tm__script_capacity(const tm__script *script, uint32_t number)
{
    if (number < script->model->entities.objects_count)
        return 1;
    if (!script->served)
        return 0;
    return script->served->servers ? script->served->servers : script->served->permits;
}

/** Whether it is of those objects, or the resource, that a question is about. */
static inline int tm__script_is_asked(const tm__script *script, uint32_t number,
                                      uint32_t group)
{
    if (number < script->model->entities.objects_count)
        return script->holds->groups && script->holds->groups[number] == group;
    return 1;
}

/** How long a wake-up takes, of a thread that was not blocked there in the recording.
 */
static inline int64_t tm__script_wakeup_ns(const tm__script *script,
                                           const tm__step *step)
{
    int is_monitor =
        step->kind == TM__STEP_ACQUIRE &&
        step->what < script->model->entities.objects_count &&
        !(script->model->entities.objects[step->what].flags & TM_OBJECT_SYNCHRONIZER);

    return script->wakeups_ns[is_monitor ? TM__WAKEUP_MONITOR : TM__WAKEUP_PARK];
}

/** Whether no time passes in a step, so that its length is that of the work before. */
static inline int tm__step_follows_work(const tm__step *step)
{
    return step->kind >= TM__STEP_SIGNAL;
}

/** A run with more steps is not replayed. */
enum { TM__STEPS_MAX = 1 << 25 };

#endif
