/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What detectors share: a place to put findings, and sums to find them by. A detector
 * is one function, listed in findings.c.
 */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_H

#include <threadmodel/findings.h>
#include <threadmodel/whatif.h>

#include "analysis/grouping/callers.h"
#include "analysis/listing/selection.h"
#include "analysis/whatif/gain.h"
#include "base/printf.h"
#include "base/triple_map.h"
#include "model/entities/entity_names.h"
#include "model/state/model.h"

enum { TM__PART_BYTES = 700, TM__WHERE_BYTES = 800, TM__FINDINGS_A_KIND = 5 };

/** The parts of a card, each a sentence or two. */
enum tm__part {
    TM__TITLE,  ///< at most twelve words
    TM__WAITS,  ///< who waits where, for how long, how often
    TM__HOLDS,  ///< who holds or uses it where, for how long
    TM__GAIN,   ///< by how much shorter the run would be without it
    TM__ADVICE, ///< what to try
    TM__CAVEAT, ///< what the data cannot tell
    TM__PARTS
};

typedef struct tm__finding {
    const char *kind; ///< constant
    const char *evidence;
    int64_t impact_ns;      ///< of all threads together
    int64_t bound_ns;       ///< the most that one thread lost: nothing gains more
    uint32_t class_name;    ///< strings or TM__NONE
    uint32_t place;         ///< places or TM__NONE: where to look
    uint32_t blocked_place; ///< places or TM__NONE: where threads wait
    uint32_t thread;        ///< threads[] or TM__NONE
    uint32_t inner_method;  ///< strings: in which the time was spent, told within it
    uint32_t lock_group;    ///< of lock_group_of[], or TM__NONE
    uint32_t change;        ///< enum tm_whatif_change to ask about; END: none
    uint32_t change_method; ///< strings: the method that the change is of, or TM__NONE
    int is_asked;           ///< what-if was
    int has_gain;
    int64_t gain_ns;
    int64_t gain_low_ns;
    int64_t gain_high_ns;
    tm__gain_requests requests;
    int is_of_requests; ///< the gain is given for these, and not for the run
    int suspected;
    int stands;         ///< a deadlock that is not over
    int minor;          ///< nothing is gained from it
    int merged;         ///< another tells of it
    int is_on_path;     ///< the run was longer by it: no part of anything else
    int explains;       ///< what else is said of the same waits is a part of it
    enum tm__part part; ///< that words go to
    size_t lengths[TM__PARTS];
    char texts[TM__PARTS][TM__PART_BYTES];
    size_t where_length;
    char where[TM__WHERE_BYTES]; ///< which rows of `evidence` it rests on
    char *long_where;            ///< the same where it names many objects, or NULL
    size_t long_where_bytes;
} tm__finding;

typedef struct tm__findings {
    const tm_model *model;
    tm__memory memory;
    tm__callers places;
    tm__labels labels;
    tm__scope whole; ///< the whole run
    int64_t run_ns;
    int is_length_given;     ///< one wait decides how long the run is
    uint32_t unmet;          ///< what the data lacks, see findings_kinds.c
    uint8_t *class_work;     ///< of each stack: enum tm__class_work
    uint32_t *lock_group_of; ///< of each object, which group of locks it is in; NULL
    TM__ARRAY(tm__finding, items);
} tm__findings;

/** @return a finding that names nothing yet, its title to be written; NULL: no memory
 */
tm__finding *tm__finding_new(tm__findings *findings, const char *kind,
                             const char *evidence, int64_t impact_ns);

/** What findings rest on that a run's data lacks, a bit each. */
uint32_t tm__unmet_needs(const tm_model *model);
/** Whether the data supports findings of a kind. */
int tm__is_looked_for(const tm__findings *findings, const char *kind);

/** What is said from now on goes there. */
void tm__part(tm__finding *finding, enum tm__part part);

/* Conditions on the rows of the evidence, all of which hold: column = value, in SQL.
 * Too long a text makes the condition empty, which is all of the table. */
void tm__where_text(tm__finding *finding, const char *column, const char *text);
void tm__where_number(tm__finding *finding, const char *column, int64_t number);
void tm__where_thread(tm__finding *finding, const char *column, const tm_model *model,
                      uint32_t thread);
/** The column `method`, by another name perhaps; and `line` where by_line is 1. */
void tm__where_caller(tm__finding *finding, const tm__findings *findings,
                      const char *column, uint32_t place, int by_line);
/** The column `state`, one of a few. */
void tm__where_states(tm__finding *finding, const int *states, uint32_t count);
/** One of so many numbers, at least one. So many that no report could hold them make
 * the condition empty for good: ask last. @return TM_OK or TM_ENOMEM */
int tm__where_in(tm__finding *finding, tm__findings *findings, const char *column,
                 const uint64_t *numbers, uint32_t count);
/** The same of the column `thread_id`: of the threads that are chosen. */
typedef int tm__is_chosen(const void *context, uint32_t thread);
int tm__where_threads(tm__finding *finding, tm__findings *findings,
                      tm__is_chosen *is_chosen, const void *context);
/** The column `class`. */
void tm__where_class(tm__finding *finding, const tm_model *model, uint32_t class_name);

/** What a stack is in the midst of. */
enum tm__class_work { TM__NO_CLASS_WORK, TM__CLASS_LOADING, TM__CLASS_INITIALISATION };

/** Tell all stacks' class work. @return TM_OK or TM_ENOMEM */
int tm__class_work_open(tm__findings *findings);
/** @return enum tm__class_work of a stack, which may be TM__NONE */
int tm__class_work_of(const tm__findings *findings, uint32_t stack);
/** Whether who is blocked by an object at a stack waits for the VM to load or
 * initialise a class. */
int tm__is_class_work(const tm__findings *findings, uint32_t object, uint32_t stack);
void tm__class_work_close(tm__findings *findings);

/** Ask what-if of those by which a thread lost most. @return TM_OK or TM_ENOMEM */
int tm__findings_ask_gains(tm__findings *findings);
/** Ask what sleeps at a place cost, if that is what a thread is blocked by there. */
void tm__ask_without_sleeps(tm__finding *finding, const tm__findings *findings,
                            int state, uint32_t place);

/** What an object or a class is called in a text. */
typedef struct tm__object_name {
    char text[256];
} tm__object_name;
/** "Account#7" of demo.Account#7, "class Feed" of "class demo.Feed" */
tm__object_name tm__object_name_of(tm__findings *findings, uint32_t object);
/** "Account" of demo.Account, or "an unknown class". */
tm__object_name tm__class_name_of(const tm__findings *findings, uint32_t class_name);

/** Say what a thread did in the last dump: "driver was asleep in Depot.nap:6". */
void tm__finding_add_doing(tm__finding *finding, const tm__findings *findings,
                           uint32_t thread);

/** Whether a finding tells already of the time spent in a method, strings. */
int tm__is_covered(const tm__findings *findings, uint32_t method);

/** Find the method, strings or TM__NONE, in which a thread was stopped longest, and its
 * state there. @return TM_OK or TM_ENOMEM */
int tm__most_blocked_in(uint32_t *method, uint32_t *state, tm__findings *findings,
                        uint32_t thread);

/** Whether so little was lost that little can be gained: of all threads, or of each. */
int tm__is_minor(const tm__findings *findings, int64_t impact_ns, int64_t bound_ns);

/** A part in percent, rounded; 0 of nothing. */
int tm__percent(int64_t part, int64_t whole);

/** strings of the class of an object, which may be TM__NONE */
uint32_t tm__class_name_of_object(const tm_model *model, uint32_t object);

/** The few candidates with most impact, so that words are found for those alone. */
typedef struct tm__top {
    int64_t keys[TM__FINDINGS_A_KIND]; ///< the largest first
    uint32_t numbers[TM__FINDINGS_A_KIND];
    uint32_t count;
} tm__top;

void tm__top_add(tm__top *top, int64_t key, uint32_t number);

/** A sum of times under up to three keys. */
typedef struct tm__tally_item {
    uint32_t a, b, c;
    int64_t total_ns;
    int64_t count;
    int64_t worst_ns;      ///< the largest that was added
    uint32_t worst_thread; ///< whose it was
    uint32_t first_thread; ///< whose the first one was
    int is_of_many;        ///< others are not that one's
} tm__tally_item;

typedef struct tm__tally {
    tm__triple_map map;
    TM__ARRAY(tm__tally_item, items);
} tm__tally;

/** @return the sum, after adding; valid until the next call. NULL: no memory */
tm__tally_item *tm__tally_add(tm__tally *tally, tm__memory *memory, uint32_t a,
                              uint32_t b, uint32_t c, int64_t time_ns, uint32_t thread);
/** @return the largest sum whose first key is `a` and whose last is `c`, or NULL */
const tm__tally_item *tm__tally_top(const tm__tally *tally, uint32_t a, uint32_t c);
void tm__tally_free(tm__tally *tally, tm__memory *memory);

/* Detectors. @return TM_OK or TM_ENOMEM */
int tm__find_standstill(tm__findings *findings);
int tm__find_deadlocks(tm__findings *findings);
int tm__find_inversions(tm__findings *findings);
int tm__find_joins(tm__findings *findings);
int tm__find_path_sleeps(tm__findings *findings);
int tm__find_locks(tm__findings *findings);
int tm__find_resources(tm__findings *findings);
int tm__find_io(tm__findings *findings);
int tm__find_waits(tm__findings *findings);
int tm__find_notifies(tm__findings *findings);
int tm__find_samples(tm__findings *findings);
int tm__find_in_dumps(tm__findings *findings);
int tm__find_parks(tm__findings *findings);
int tm__find_class_work(tm__findings *findings);
int tm__find_workers(tm__findings *findings);
int tm__find_pinned(tm__findings *findings);
int tm__find_event_loops(tm__findings *findings);
int tm__find_stragglers(tm__findings *findings);
int tm__find_processors(tm__findings *findings);

#endif
