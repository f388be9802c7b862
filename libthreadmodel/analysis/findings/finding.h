/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings that are being made: their parts, and the sums by which detectors find
 * them.
 */
#ifndef TM_ANALYSIS_FINDINGS_FINDING_H
#define TM_ANALYSIS_FINDINGS_FINDING_H

#include <threadmodel/findings.h>
#include <threadmodel/whatif.h>

#include "analysis/grouping/callers.h"
#include "analysis/listing/selection.h"
#include "analysis/waits/unended.h"
#include "analysis/whatif/gain.h"
#include "base/printf.h"
#include "base/triple_map.h"
#include "model/entities/entity_names.h"
#include "model/state/model.h"

enum { TM__PART_BYTES = 700, TM__WHERE_BYTES = 800, TM__FINDINGS_A_KIND = 5 };

/** The parts of a card, each a sentence or two. */
enum tm__part {
    TM__TITLE,  ///< at most twelve words
    TM__WAITS,  ///< the threads that wait, where, for how long, how often
    TM__HOLDS,  ///< the threads that hold or use it, where, for how long
    TM__GAIN,   ///< by how much shorter the run would be without it
    TM__ADVICE, ///< the advice
    TM__CAVEAT, ///< the facts that the data does not show
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
    uint32_t inner_method;  ///< strings: in which the time was spent
    uint32_t lock_group;    ///< of lock_group_of[], or TM__NONE
    uint32_t change;        ///< enum tm_whatif_change to ask about; END: none
    uint32_t change_method; ///< strings: the method that the change is of, or TM__NONE
    uint32_t change_object; ///< objects[]: the endpoint that it is of, or TM__NONE
    uint32_t batch_method;  ///< strings: in which one sleep delays several, or TM__NONE
    int is_io;              ///< it is about I/O, however what-if is asked
    int is_asked;           ///< what-if was
    int has_gain;
    int64_t gain_ns;
    int64_t gain_low_ns;
    int64_t gain_high_ns;
    tm__gain_requests requests;
    int is_of_requests; ///< the gain is given for these, and not for the run
    int is_own_need;    ///< units of work need it for themselves
    int has_end;        ///< too little is lost after `until_ns`
    int64_t until_ns;
    int is_saturated; ///< it is about threads that are never idle
    int is_unit_share_known;
    double unit_share; ///< of the time of units of work that goes there
    int suspected;
    int stands;         ///< a deadlock that is not over
    int minor;          ///< nothing is gained from it
    int paces;          ///< it is about sleeps that pace a thread, and nobody waits
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
    tm__scope scope;         ///< the run, or a part of its time
    int is_part;             ///< it is a part
    int64_t run_ns;          ///< how long the run is, or that part
    int is_length_given;     ///< one wait decides how long the run is
    uint32_t unmet;          ///< what the data lacks, see findings_kinds.c
    uint8_t *class_work;     ///< of each stack: enum tm__class_work
    uint8_t *stands_still;   ///< of each thread, whether it cannot go on; NULL: all can
    tm__unended unended;     ///< waits that had not ended
    uint32_t *lock_group_of; ///< of each object, which group of locks it is in; NULL
    TM__ARRAY(tm__finding, items);
} tm__findings;

/** The same of the column `thread_id`: of the threads that are chosen. */
typedef int tm__is_chosen(const void *context, uint32_t thread);

/** The activity that a stack is in. */
enum tm__class_work { TM__NO_CLASS_WORK, TM__CLASS_LOADING, TM__CLASS_INITIALISATION };

/** The name of an object or a class in a text. */
typedef struct tm__object_name {
    char text[256];
} tm__object_name;

/** The few candidates with most impact, so that words are found for those alone. */
typedef struct tm__top {
    int64_t keys[TM__FINDINGS_A_KIND]; ///< the largest first
    uint32_t numbers[TM__FINDINGS_A_KIND];
    uint32_t count;
} tm__top;

/** @return a finding that names nothing yet, its title to be written; NULL: no memory
 */
tm__finding *tm__finding_new(tm__findings *findings, const char *kind,
                             const char *evidence, int64_t impact_ns);

/** Whether a finding tells already of the time spent in a method, strings. */
int tm__is_covered(const tm__findings *findings, uint32_t method);

/** Whether so little was lost that little can be gained: of all threads, or of each. */
int tm__is_minor(const tm__findings *findings, int64_t impact_ns, int64_t bound_ns);

/** A part in percent, rounded; 0 of nothing. */
int tm__percent(int64_t part, int64_t whole);

/** strings of the class of an object, which may be TM__NONE */
uint32_t tm__class_name_of_object(const tm_model *model, uint32_t object);

void tm__top_add(tm__top *top, int64_t key, uint32_t number);

#endif
