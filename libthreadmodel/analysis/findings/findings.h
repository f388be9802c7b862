/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What detectors share: a place to put findings, words for them, and sums to find
 * them by. A detector is one function, listed in findings.c.
 */
#ifndef TM_ANALYSIS_FINDINGS_FINDINGS_H
#define TM_ANALYSIS_FINDINGS_FINDINGS_H

#include <threadmodel/findings.h>

#include "analysis/grouping/callers.h"
#include "base/triple_map.h"
#include "model/entity_names.h"
#include "model/model.h"
#include "model/selection.h"

enum { TM__FINDING_BYTES = 1000, TM__WHERE_BYTES = 800, TM__FINDINGS_A_KIND = 5 };

typedef struct tm__finding {
    const char *kind; ///< constant
    const char *evidence;
    int64_t impact_ns;
    uint32_t class_name;   ///< strings or TM__NONE
    uint32_t place;        ///< places or TM__NONE
    uint32_t thread;       ///< threads[] or TM__NONE
    uint32_t inner_method; ///< strings: in which the time was spent, told within it
    int suspected;
    int stands; ///< a deadlock that is not over
    size_t length;
    char text[TM__FINDING_BYTES];
    size_t where_length;
    char where[TM__WHERE_BYTES]; ///< which rows of `evidence` it rests on
} tm__finding;

typedef struct tm__findings {
    const tm_model *model;
    tm__memory memory;
    tm__callers places;
    tm__labels labels;
    tm__scope whole; ///< the whole run
    int64_t run_ns;
    TM__ARRAY(tm__finding, items);
} tm__findings;

/** @return a finding that names nothing yet; NULL: no memory */
tm__finding *tm__finding_new(tm__findings *findings, const char *kind,
                             const char *evidence, int64_t impact_ns);

/** Add words, cut where there is no more room. */
void tm__finding_write(tm__finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/** "12.3 ms" */
void tm__finding_write_duration(tm__finding *finding, int64_t time_ns);
/** "demo.Account.transfer:42"; "an unknown method" */
void tm__finding_write_caller(tm__finding *finding, const tm__findings *findings,
                              uint32_t place);
/** "thread worker-1"; "thread #12" for one without a name */
void tm__finding_write_thread(tm__finding *finding, const tm_model *model,
                              uint32_t thread);
/** The text of a string, or "an unknown class". */
void tm__finding_write_class(tm__finding *finding, const tm_model *model,
                             uint32_t class_name);

/* Conditions on the rows of the evidence, all of which hold: column = value, in SQL.
 * Too long a text makes the condition empty, which is all of the table. */
void tm__where_text(tm__finding *finding, const char *column, const char *text);
void tm__where_number(tm__finding *finding, const char *column, int64_t number);
void tm__where_thread(tm__finding *finding, const char *column, const tm_model *model,
                      uint32_t thread);
/** The column `method`, by another name perhaps; and `line` where by_line is 1. */
void tm__where_caller(tm__finding *finding, const tm__findings *findings,
                      const char *column, uint32_t place, int by_line);
/** The column `class`. */
void tm__where_class(tm__finding *finding, const tm_model *model, uint32_t class_name);

/** A part in percent, rounded; 0 of nothing. */
int tm__percent(int64_t part, int64_t whole);

/** strings of the class of an object, which may be TM__NONE */
uint32_t tm__class_name_of_object(const tm_model *model, uint32_t object);

/** The few candidates with the largest impact, so that words are found for those alone.
 */
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
int tm__find_deadlocks(tm__findings *findings);
int tm__find_inversions(tm__findings *findings);
int tm__find_joins(tm__findings *findings);
int tm__find_path_sleeps(tm__findings *findings);
int tm__find_locks(tm__findings *findings);
int tm__find_resources(tm__findings *findings);
int tm__find_waits(tm__findings *findings);
int tm__find_notifies(tm__findings *findings);
int tm__find_samples(tm__findings *findings);

#endif
