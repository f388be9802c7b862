/* SPDX-License-Identifier: Apache-2.0 */
/* Events of a chunk, decoded, and given back as events of the model by time. */
#ifndef TM_FORMATS_JFR_EVENTS_H
#define TM_FORMATS_JFR_EVENTS_H

#include <threadmodel/event.h>

#include "formats/jfr/order.h"
#include "formats/jfr/settings.h"
#include "formats/jfr/walk.h"

/** Fields of events, whatever their names are in the type. */
enum tm__jfr_event_slot {
    TM__JFR_SLOT_START,
    TM__JFR_SLOT_DURATION,
    TM__JFR_SLOT_THREAD,
    TM__JFR_SLOT_STACK,
    TM__JFR_SLOT_CLASS,
    TM__JFR_SLOT_ADDRESS,
    TM__JFR_SLOT_PEER,      ///< previous owner, notifier, parent
    TM__JFR_SLOT_TIMEOUT,   ///< of a wait, park or sleep
    TM__JFR_SLOT_TIMED_OUT, ///< of a wait
    TM__JFR_SLOT_UNTIL,     ///< of a park
    TM__JFR_SLOT_NOTIFIED,  ///< how many
    TM__JFR_EVENT_SLOTS
};

/** How events of one type are read in this chunk. */
typedef struct tm__jfr_event_kind {
    tm__jfr_program program;
    uint64_t has; ///< bit n: the type has slot n
    uint8_t units[TM__JFR_EVENT_SLOTS];
    uint64_t values[TM__JFR_EVENT_SLOTS]; ///< of the last one; 0 where it has none
} tm__jfr_event_kind;

/** A hold-up with both its ends, or what has one end only; 56 bytes. */
typedef struct tm__jfr_fact {
    int64_t start_ns;
    int64_t end_ns;
    uint64_t thread;
    uint64_t object;
    uint64_t peer;
    int64_t value;
    uint32_t stack;
    uint8_t start_kind;
    uint8_t end_kind; ///< 0: none
    uint16_t flags;   ///< of the end, where it has one
} tm__jfr_fact;

/** Which instant a number of ticks is. */
typedef struct tm__jfr_clock {
    int64_t start_ns;
    int64_t start_ticks;
    int64_t ticks_per_second;
    double ticks_per_ns;
    uint32_t jvm; ///< whose clock it is
} tm__jfr_clock;

typedef struct tm__jfr_events {
    tm__memory *memory;
    tm__jfr_metadata *metadata;
    tm__jfr_entities *entities;
    tm__jfr_settings *settings;
    tm__notes *notes;
    tm__jfr_chunk chunk;
    tm__jfr_clock clock;
    tm__jfr_event_kind kinds[TM__JFR_WHAT_COUNT];
    tm__jfr_fact *facts;
    uint32_t fact_count;
    uint32_t fact_capacity;
    tm__jfr_instant *instants; ///< and room to sort them behind
    uint32_t instant_count;
    uint32_t instant_capacity;
    tm__jfr_instant *sorted; ///< within `instants`
    uint32_t poured;
    int64_t last_ns; ///< the latest end of all chunks
} tm__jfr_events;

/** Compile what reads the chunk's types. @return TM_OK or TM_ENOMEM */
int tm__jfr_events_start(tm__jfr_events *events, const tm__jfr_chunk *chunk);

/**
 * Read what the chunk says of its recording: settings, JVM, losses. Counts, too.
 * @param walk  at the chunk's begin
 * @return TM_OK or TM_ENOMEM
 */
int tm__jfr_events_scan(tm__jfr_events *events, tm__jfr_walk walk);

/** @return enum tm__jfr_what of a type of events; -1: the chunk has no such type */
int tm__jfr_events_what(const tm__jfr_events *events, uint64_t type);

/** Note that the event where a walk stands is wrong. @return TM_OK or TM_ENOMEM */
int tm__jfr_events_complain(tm__jfr_events *events, const tm__jfr_walk *walk,
                            const char *what);

/** Decode all events of the chunk and sort them. @return TM_OK or TM_ENOMEM */
int tm__jfr_events_decode(tm__jfr_events *events, tm__jfr_walk walk);

/**
 * Hand some of them to a sink.
 * @return TM_MORE: there are more; TM_OK: that was all; or what the sink said
 */
int tm__jfr_events_pour(tm__jfr_events *events, const tm_sink *sink, uint32_t at_most);

void tm__jfr_events_free(tm__jfr_events *events);

#endif
