/* SPDX-License-Identifier: Apache-2.0 */
/* The units that a run serves, and whether they come from outside of it. */
#ifndef TM_ANALYSIS_WHATIF_THROUGHPUT_LOAD_H
#define TM_ANALYSIS_WHATIF_THROUGHPUT_LOAD_H

#include "analysis/resources/resource_state.h"
#include "analysis/units/unit_state.h"
#include "model/entities/caller_frame.h"

/** The units of a run, opened once for all questions; read alone, by any thread. */
typedef struct tm__load {
    const tm_model *model;
    tm__memory memory;
    uint32_t *callers; ///< frames[] of each stack
    tm__scope scope;
    tm__units units;
    tm__resources resources;   ///< where there are units
    const tm__unit_kind *kind; ///< the main one; NULL: there is none
    uint8_t *serves;           ///< of each thread: units of that kind begin on it
    double seconds;            ///< of the steady time
    double rate;               ///< units a second
    double in_flight;          ///< units at once
    uint32_t customers;        ///< clients with one unit each: as many were at once
    double think;              ///< seconds from a client's unit to its next
    double error;   ///< of the rate, twice its standard error as a share of it
    int is_service; ///< its units come from outside: the run is as long as the load
    int is_timed;   ///< threads make units until a given time, or longer than they are
                    ///< recorded, however many these are
    int is_open;    ///< 0: nothing is to be closed
} tm__load;

/**
 * @param part       of the run: units that end in it; NULL: all of it
 * @param libraries  as for tm__stack_callers()
 * @return TM_OK or TM_ENOMEM; to be closed in either case
 */
int tm__load_open(tm__load *load, const tm_model *model, const tm__scope *part,
                  const tm__libraries *libraries);
/** Close one that was opened, or is 0. */
void tm__load_close(tm__load *load);

/** Whether a unit is of the main kind, and began and ended in the steady time: one that
 * began before is as long as the program's start. */
int tm__load_is_steady(const tm__load *load, const tm__unit *unit);

#endif
