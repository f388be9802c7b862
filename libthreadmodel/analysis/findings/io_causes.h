/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The causes of I/O: an endpoint, from however many methods it is asked; or a place
 * that asks many of one kind, none of them for long: the files of a folder, the names
 * in a list of links.
 */
#ifndef TM_ANALYSIS_FINDINGS_IO_CAUSES_H
#define TM_ANALYSIS_FINDINGS_IO_CAUSES_H

#include "analysis/findings/finding.h"
#include "analysis/findings/tally.h"

/** The kinds of sums, as their last key. */
enum tm__io_sum {
    TM__IO_AT_PLACE, ///< of an endpoint at a place
    TM__IO_IN_UNITS, ///< the same within units of work
    TM__IO_OF_PLACE, ///< of all endpoints of a kind at a place
    TM__IO_OF_ENDPOINT,
    TM__IO_ELSEWHERE ///< of an endpoint, where it is not one of many
};

typedef struct tm__io_waits {
    tm__findings *findings;
    tm__tally tally;  ///< (object, place, AT_PLACE), the same IN_UNITS
    tm__tally causes; ///< (place, kind, OF_PLACE), (object, 0, OF_ENDPOINT), the same
                      ///< ELSEWHERE. The `count` of a place is its endpoints, the one
                      ///< with most time stands for a thread
    int64_t *busy_ns; ///< of each thread, for how long it was not idle
    int has_units;
    int64_t unit_ns;    ///< of all units of the main kind
    uint32_t submitter; ///< threads[] that most often gave a worker one, or TM__NONE
} tm__io_waits;

/** Sum up all I/O that is not idle. @return TM_OK or TM_ENOMEM; close in any case */
int tm__io_waits_open(tm__io_waits *waits, tm__findings *findings);
void tm__io_waits_close(tm__io_waits *waits);

/** Whether one of `causes` is worth a card, and no part of another one. */
int tm__io_is_cause(const tm__io_waits *waits, const tm__tally_item *it);

/** Whether I/O with an endpoint at a place is a part of a cause. */
int tm__io_is_of(const tm__io_waits *waits, const tm__tally_item *cause,
                 uint32_t object, uint32_t place);

/** Sum up the I/O of units of work. @return TM_OK or TM_ENOMEM */
int tm__io_find_units(tm__io_waits *waits);

/** How much of it is in units of work. */
int64_t tm__io_in_units_ns(const tm__io_waits *waits, const tm__tally_item *cause);

/** enum tm_object_kind of an endpoint, which may be TM__NONE */
uint32_t tm__io_kind(const tm_model *model, uint32_t object);

#endif
