/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests played against what they need: a closed network as a discrete-event
 * simulation. See request_play.c.
 */
#ifndef TM_ANALYSIS_WHATIF_REQUEST_PLAY_H
#define TM_ANALYSIS_WHATIF_REQUEST_PLAY_H

#include "base/memory.h"
#include "model/state/array.h"

enum tm__station_kind {
    TM__STATION_LOCK,
    TM__STATION_POOL,
    TM__STATION_PROCESSORS,
    TM__STATION_PLACE ///< a method in which requests sleep or wait: how many at once
                      ///< it admits is not known
};

/** A place that requests queue for. */
typedef struct tm__station {
    uint32_t kind;            ///< enum tm__station_kind
    uint32_t class_name;      ///< strings or TM__NONE
    uint32_t method;          ///< strings or TM__NONE
    uint32_t servers;         ///< requests that may have it at once; 0: any number
    uint32_t servers_changed; ///< the same after the change
    uint32_t seen;            ///< of a place: as many were seen at once
    uint32_t is_apart;        ///< each server of the changed one may have a queue of
                              ///< its own; of one station at most
    double handover_ns;       ///< from a release until the next in the queue goes on
} tm__station;

enum tm__request_action {
    TM__REQUEST_SPENDS,
    TM__REQUEST_ACQUIRES,
    TM__REQUEST_RELEASES
};

/** One step of a request. */
typedef struct tm__request_step {
    double ns;         ///< of SPENDS: how long
    double changed_ns; ///< the same after the change
    uint32_t station;  ///< stations[] of ACQUIRES and RELEASES
    uint32_t action;   ///< enum tm__request_action
} tm__request_step;

/** Requests as they were recorded, and what is known of their clients. */
typedef struct tm__requests {
    tm__memory *memory;
    TM__ARRAY(tm__station, stations);
    TM__ARRAY(tm__request_step, steps);
    TM__ARRAY(uint32_t, first); ///< steps[] of each request
    uint32_t pool;            ///< stations[] that is asked about; TM__NONE: no pool is
    uint32_t permits_at_most; ///< that it may have
    uint32_t customers;       ///< clients that each have one request at a time
    double think_ns; ///< of a client, from an answer to its next request, on average
} tm__requests;

/** The network that is played. */
enum tm__request_network {
    TM__NETWORK_RECORDED,
    TM__NETWORK_CHANGED,
    TM__NETWORK_SEEN ///< changed, places admit no more at once than were seen, and
                     ///< requests choose by chance among the parts of a split lock
};

typedef struct tm__request_outcome {
    int is_known; ///< 0: there is no request, or all of them are stuck
    double rate;  ///< requests a second
    double mean_ns;
    double p99_ns;
    double queued_ns; ///< of a mean request
    double *use_ns;   ///< of each station, a second: how long requests have it in all
} tm__request_outcome;

/**
 * Play a network until its rate is known to about one percent.
 * @param out  to be freed whatever is returned
 * @return TM_OK or TM_ENOMEM
 */
int tm__requests_play(tm__request_outcome *out, const tm__requests *it, int network,
                      tm__memory *memory);

void tm__request_outcome_free(tm__request_outcome *out, const tm__requests *it,
                              tm__memory *memory);

#endif
