/* SPDX-License-Identifier: Apache-2.0 */
/* Units of work of a run, as they are found. */
#ifndef TM_ANALYSIS_UNITS_UNIT_STATE_H
#define TM_ANALYSIS_UNITS_UNIT_STATE_H

#include <threadmodel/unit.h>

#include "analysis/listing/listing.h"
#include "analysis/listing/selection.h"
#include "base/triple_map.h"
#include "model/state/model.h"

/** A stretch of a thread's time that a unit has. */
typedef struct tm__unit_span {
    int64_t start_ns;
    int64_t end_ns;
    uint32_t thread;   ///< threads[]
    uint32_t unit;     ///< items[]
    uint32_t interval; ///< of the thread, at the start; TM__NONE: before its first
} tm__unit_span;

typedef struct tm__unit {
    int64_t start_ns;    ///< on the model's clock
    int64_t end_ns;      ///< the last event's time where it has not ended
    int64_t queued_ns;   ///< -1: not known
    uint64_t id;         ///< 0: none
    uint32_t kind;       ///< kinds[]
    uint32_t thread;     ///< threads[] on which it began
    uint32_t label;      ///< strings or TM__NONE
    uint32_t parent;     ///< items[] or TM__NONE
    uint32_t span_first; ///< spans[]
    uint32_t span_count;
    uint8_t is_stated;
    uint8_t is_finished;
} tm__unit;

typedef struct tm__unit_kind {
    uint32_t name;   ///< strings or TM__NONE
    uint32_t group;  ///< of threads, of an inferred one; TM__NONE
    uint32_t thread; ///< threads[]: one of them
    uint32_t threads;
    uint8_t is_stated;
    uint8_t is_main;
    uint64_t count; ///< that ended
    uint64_t unfinished;
    int64_t total_ns;
    int64_t queued_ns;
    uint64_t queued_count;
    uint32_t submitter; ///< kinds[] or TM__NONE
    uint32_t waker;     ///< threads[] that most often gave an idle worker one; TM__NONE
    uint64_t woken;     ///< so often it did at least
    uint64_t wakings;   ///< so often any thread did that does none itself meanwhile
    uint8_t is_dispatched;   ///< an event loop calls what it does
    uint8_t is_of_library;   ///< its name is a method of a library
    uint64_t steady_count;   ///< that end in the steady time; 0: there is none
    int64_t steady_total_ns; ///< of their durations, in the steady time alone
    int64_t steady_from_ns;
    int64_t steady_to_ns;
    uint32_t order_first; ///< by_kind[]: its finished units, by rising duration
} tm__unit_kind;

typedef struct tm__units {
    const tm_model *model;
    const tm__scope *scope;
    tm__memory *memory;
    const uint32_t *callers; ///< frames[] of each stack
    uint32_t stated_only;
    int is_lent;                ///< by the model, which keeps it
    TM__ARRAY(tm__unit, items); ///< by rising start
    TM__ARRAY(tm__unit_span, spans);
    TM__ARRAY(tm__unit_kind, kinds);
    tm__triple_map kind_map; ///< (name, group, is stated): kinds[] + 1
    uint32_t *by_kind;       ///< items[], finished ones of a kind side by side
    uint32_t by_kind_count;
    uint32_t kinds_total; ///< by_kind[]: where those of several main kinds begin
    tm__unit_kind main;   ///< what the program is measured by; count 0: nothing
} tm__units;

/** Whether a unit is of a kind, or of one of those that the main one sums up. */
static inline int tm__unit_is_of(const tm__units *units, const tm__unit *unit,
                                 const tm__unit_kind *kind)
{
    const tm__unit_kind *own = &units->kinds[unit->kind];

    return kind == &units->main ? own->is_main : own == kind;
}

static inline int64_t tm__unit_length_ns(const tm__unit *unit)
{
    return unit->end_ns - unit->start_ns;
}

/** A part of a span in which its thread was in one state, waiting for one thing. */
typedef struct tm__unit_part {
    int64_t start_ns;
    int64_t end_ns;
    uint32_t interval; ///< intervals[] of the thread; TM__NONE: before its first
    int state;         ///< enum tm_state
} tm__unit_part;

/** Go through the parts of a span, which tile it. */
typedef struct tm__unit_walk {
    const tm_model *model;
    const tm__unit_span *span;
    int64_t at_ns;
    uint32_t next; ///< intervals[], or TM__NONE before the first
} tm__unit_walk;

/** Where a part's time went, so that those of many units can be added up. */
typedef struct tm__unit_cause {
    uint32_t state;      ///< enum tm_state; TM_STATE_END: on no thread that is known
    uint32_t class_name; ///< strings or TM__NONE
    uint32_t method;     ///< strings or TM__NONE
} tm__unit_cause;

/** @return kinds[] of a name, a group and where it is from; TM__NONE: no memory */
uint32_t tm__unit_kind_of(tm__units *units, uint32_t name, uint32_t group,
                          int is_stated);
/** A unit of one span, of a thread. @return items[] or TM__NONE: no memory */
uint32_t tm__unit_add(tm__units *units, const tm__unit *unit);
int tm__unit_span_add(tm__units *units, uint32_t unit, uint32_t thread,
                      int64_t start_ns, int64_t end_ns);
/** The units by which the program is measured, of one kind or several; NULL: none */
const tm__unit_kind *tm__unit_main_kind(const tm__units *units);

#endif
