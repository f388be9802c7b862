/* SPDX-License-Identifier: Apache-2.0 */
/* A resource that is replayed: its spans, as uses or as the work of servers. */
#ifndef TM_ANALYSIS_WHATIF_SERVED_STATE_H
#define TM_ANALYSIS_WHATIF_SERVED_STATE_H

#include "analysis/resources/resource_state.h"

/** The role of a wait for the resource that is asked about. */
enum tm__wait_role {
    TM__WAIT_OTHER,  ///< of another resource
    TM__WAIT_PERMIT, ///< ended by a permit that another thread gave
    TM__WAIT_LOST,   ///< woken with others who were quicker: it waits again at once
    TM__WAIT_SERVED, ///< ended by a thread that worked for it
};

/** A stretch of a thread's time. */
typedef struct tm__span {
    int64_t start_ns;
    int64_t end_ns;
    uint32_t thread;
    uint32_t wait;  ///< of a use, the wait with whose end it begins; TM__NONE: nobody
                    ///< saw it begin
    int is_guessed; ///< the release of a use was not seen
} tm__span;

typedef struct tm__served {
    const tm__resources *resources;
    tm__memory *memory;
    uint8_t *roles;      ///< enum tm__wait_role of each of resources->waits
    int64_t *service_ns; ///< of each that is SERVED
    uint32_t servers;    ///< threads that serve; 0: permits go round
    uint32_t permits;    ///< uses at once while others wait; 0: no use is known
    uint32_t at_once;    ///< the same, also where the replay does not need it
    uint32_t waits;      ///< in the part that is asked about, in one of the roles
    int64_t wait_ns;
    TM__ARRAY(tm__span, spans); ///< uses; or what servers did for those who waited
} tm__served;

/** A row of a number that counts from the run's begin. @return NULL: it is gone */
const tm__interaction *tm__served_row(const tm__served *served, uint32_t number);

/** @return TM_OK or TM_ENOMEM */
int tm__served_add_span(tm__served *served, tm__span span);

#endif
