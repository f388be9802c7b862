/* SPDX-License-Identifier: Apache-2.0 */
/* The states that are gathered. */
#ifndef TM_ANALYSIS_STATISTICS_GROUP_STATES_H
#define TM_ANALYSIS_STATISTICS_GROUP_STATES_H

/** The states that are gathered, in the order of the answer's columns. */
enum {
    TM__GROUP_BLOCKED,
    TM__GROUP_WAITING,
    TM__GROUP_REENTERING,
    TM__GROUP_JOINING,
    TM__GROUP_PARKED,
    TM__GROUP_IO,
    TM__GROUP_STATES
};

/** @return the place of an enum tm_state among these; -1: it is not gathered */
int tm__group_state(int state);

#endif
