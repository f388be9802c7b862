/* SPDX-License-Identifier: Apache-2.0 */
/* A what-if question while it is answered: its candidates, and what they are tried on.
 */
#ifndef TM_ANALYSIS_WHATIF_CANDIDATES_H
#define TM_ANALYSIS_WHATIF_CANDIDATES_H

#include <threadmodel/whatif.h>

#include "analysis/whatif/asked_delays.h"
#include "analysis/whatif/replay_facts.h"
#include "analysis/whatif/simulation_state.h"

/** One change: of what matches, TM__NONE for any. */
typedef struct tm__candidate {
    uint32_t class_name; ///< strings
    uint32_t method;     ///< strings
    uint32_t group;      ///< of the objects that are asked about
    int64_t scaled;      ///< how many holds, uses, waits or sleeps it changes
    int64_t scaled_ns;
    int64_t gains_ns[TM__HOLDS_BOUND_END];
    int64_t unlinked_ns; ///< what a thread saves that nothing links to the end; 0
    int64_t hidden_ns;   ///< what one saves that must be over for the run to be; 0
    int64_t absorbed_ns; ///< by which threads wait longer for what is not recorded
    uint64_t forced;     ///< threads that its replays had to continue
    int is_settled;      ///< it is not reported: no more replays
} tm__candidate;

struct tm__gain;

/** The replays that a question needs; without it, all are needed. */
typedef struct tm__replays_needed {
    const void *context;
    /** Whether anything is reported where the unchanged replay differs from the run by
     * off_ns, and had to wake `forced` threads itself. */
    int (*of_run)(const void *context, int64_t off_ns, uint64_t forced);
    /** Whether a candidate with this gain is reported. Its bounds have not been
     * replayed yet. */
    int (*of_item)(const void *context, uint32_t item, const struct tm__gain *gain);
} tm__replays_needed;

typedef struct tm__candidates {
    const tm_model *model;
    const tm_whatif_options *options;
    tm__memory memory;
    tm__path path;
    tm__holds holds;
    tm__run_slice slice;
    tm__holds slice_holds;
    tm__holds *played; ///< holds of the replay: all of them, or the slice's
    int is_alone;      ///< no other thread asks the model meanwhile
    tm__replay_facts facts;
    tm__signals signals;  ///< of the facts, but for the rows that a resource changes
    uint8_t *served_rows; ///< these, or NULL: it changes none
    tm__scope whole;      ///< the run
    tm__scope part;       ///< of it, in which things change
    int is_part;          ///< it is not all of the run
    tm__resources resources;
    tm__served served;
    tm__method_samples samples;
    tm__asked_delays delays;
    uint32_t *callers;      ///< frames[] of each stack
    uint8_t *idle;          ///< a stack is where threads wait for work
    const uint32_t *groups; ///< an object: the group asked about that it is in, or
                            ///< TM__NONE; NULL: no object is asked about
    uint32_t *own_groups;   ///< the same, to be freed; NULL: they are lent
    uint8_t *stacks;        ///< a stack is in the method asked about
    uint8_t *ends;          ///< a thread has to be over for the path to be
    int64_t off_ns;         ///< the replay with nothing changed less the recording
    uint64_t forced;        ///< threads that the unchanged replays had to continue
    int is_too_long;        ///< the run has too many steps
    int is_put_off;         ///< it is replayed once a prediction needs it
    const tm__replays_needed *needed; ///< NULL: all
    tm__triple_map seen; ///< classes on the path; (class, method) that are candidates
    TM__ARRAY(tm__candidate, items);
} tm__candidates;

/** Begin without any; nothing can fail. To be closed. */
void tm__candidates_open(tm__candidates *all, const tm_model *model,
                         const tm_whatif_options *options);

/** Walk the path, and find where threads were. @return TM_OK or TM_ENOMEM */
int tm__candidates_open_model(tm__candidates *all);

/** The change is of a method. @return TM_OK or TM_ENOMEM */
int tm__candidates_choose_method(tm__candidates *all, uint32_t method);
/** The same of what a method itself asks for, and not of all that it calls. */
int tm__candidates_choose_caller(tm__candidates *all, uint32_t method);

/** The change is of the endpoint of I/O that objects were chosen as, once the model is
 * open. */
void tm__candidates_choose_endpoint(tm__candidates *all);

/** The change is of what threads wait for in it, once that is chosen.
 * @return TM_OK or TM_ENOMEM */
int tm__candidates_choose_waits(tm__candidates *all, uint32_t class_name);

/** The change is of the locks for which threads are blocked in it, or anywhere where no
 * method is chosen. @return TM_OK or TM_ENOMEM */
int tm__candidates_choose_locks(tm__candidates *all, uint32_t class_name);

/** Gather the holds, if that was not done. A question about delays leaves that to the
 * functions that need them.
 * @return TM_OK or TM_ENOMEM */
int tm__candidates_gather(tm__candidates *all);

/** The same where they are needed, after replays too. @return TM_OK or TM_ENOMEM */
int tm__candidates_gather_likely(tm__candidates *all);

/** Ask about objects: of each a 0, or TM__NONE as it is at first.
 * @return NULL: there is no memory */
uint32_t *tm__candidates_choose_objects(tm__candidates *all);

/** Add one by name, of a group of objects or any. @return TM_OK or TM_ENOMEM */
int tm__candidates_add(tm__candidates *all, uint32_t class_name, uint32_t method,
                       uint32_t group);

/** Permits and processors that come and go with a part of the run are not replayed. */
static inline int tm__is_replayed(const tm__candidates *all)
{
    return !all->is_part || (!tm__is_of_more(all->options->change) &&
                             all->options->change != TM_WHATIF_USES);
}

/** Whether a change is of the holds of a place. */
int tm__candidate_matches(const tm__candidates *all, const tm__candidate *it,
                          const tm__place *place);

/** Count the holds that each changes. */
void tm__candidates_count_holds(tm__candidates *all);

void tm__candidates_close(tm__candidates *all);

#endif
