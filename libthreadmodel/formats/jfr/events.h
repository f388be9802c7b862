/* SPDX-License-Identifier: Apache-2.0 */
/* Events of a chunk, decoded, and given back as events of the model by time. */
#ifndef TM_FORMATS_JFR_EVENTS_H
#define TM_FORMATS_JFR_EVENTS_H

#include <threadmodel/event.h>

#include "formats/jfr/event_index.h"
#include "formats/jfr/witness.h"

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
    TM__JFR_SLOT_CAUSE,     ///< of an inflation
    TM__JFR_SLOT_STATE,     ///< of a sampled thread
    TM__JFR_SLOT_JAVA_ID,   ///< of a thread that was refused
    TM__JFR_SLOT_PAUSES,    ///< of a collection, in all
    TM__JFR_SLOT_TEXT,      ///< of a thread dump; a unit's kind; a path
    TM__JFR_SLOT_LABEL,     ///< of a unit
    TM__JFR_SLOT_ID,        ///< of a unit
    TM__JFR_SLOT_PARENT,    ///< of a unit: the id of another one
    TM__JFR_SLOT_RESUMED,   ///< of a unit's move: 0: it leaves
    TM__JFR_SLOT_HOST,      ///< of a connection; its address is TEXT
    TM__JFR_SLOT_PORT,      ///< the same
    TM__JFR_EVENT_SLOTS
};

/** How events of one type are read in this chunk. */
typedef struct tm__jfr_event_kind {
    tm__jfr_program program;
    uint64_t has; ///< bit n: the type has slot n
    uint8_t units[TM__JFR_EVENT_SLOTS];
    uint64_t values[TM__JFR_EVENT_SLOTS]; ///< of the last one; 0 where it has none
} tm__jfr_event_kind;

/** The instant of a number of ticks. */
typedef struct tm__jfr_clock {
    int64_t start_ns;
    int64_t start_ticks;
    int64_t ticks_per_second;
    double ticks_per_ns;
    uint32_t jvm; ///< whose clock it is
} tm__jfr_clock;

/** A port of an address, as the other end of connections; or the address itself. */
typedef struct tm__jfr_peer {
    uint32_t address; ///< of a port: peers[] of its address
    uint32_t ports;   ///< of an address: that one thread at a time reads from
    int is_shared;    ///< of a port: several threads read from it at the same time
} tm__jfr_peer;

/** The oldest writer is forgotten if a file has more. */
enum { TM__JFR_CLOCKS = 16 };

typedef struct tm__jfr_events {
    tm__memory *memory;
    tm__jfr_metadata *metadata;
    tm__jfr_entities *entities;
    tm__jfr_settings *settings;
    tm__notes *notes;
    tm__jfr_chunk chunk;
    tm__jfr_clock clock;                  ///< of the chunk
    tm__jfr_clock clocks[TM__JFR_CLOCKS]; ///< of all writers, the latest first
    uint32_t clock_count;
    tm__jfr_event_kind kinds[TM__JFR_WHAT_COUNT];
    tm__jfr_index index;
    uint32_t decoded;       ///< entries of the index
    uint64_t sleeps_before; ///< the chunk, in all before it
    int is_by_thread;       ///< only each thread's own events need be in order
    int is_last;            ///< no chunk follows
    tm__jfr_fact *facts;
    uint32_t fact_count;
    uint32_t fact_capacity;
    tm__jfr_witness witness;
    tm__jfr_order order;
    uint32_t carried;        ///< facts[] of chunks before this one
    uint32_t emitted;        ///< instants, or facts where their order does not matter
    uint32_t limit;          ///< instants that may be emitted now
    int64_t last_ns;         ///< the latest end of all chunks
    tm__triple_map peer_map; ///< (texts, port, JVM): peers[] + 1
    tm__jfr_peer *peers;
    uint32_t peer_count, peer_capacity;
    int shows_paths; ///< files appear by their paths
} tm__jfr_events;

/** Compile what reads the chunk's types. @return TM_OK or TM_ENOMEM */
int tm__jfr_events_start(tm__jfr_events *events, const tm__jfr_chunk *chunk);

/**
 * Read what the chunk says of its recording: settings, JVM, losses.
 * @param base  of the chunk
 * @return TM_OK or TM_ENOMEM
 */
int tm__jfr_events_about(tm__jfr_events *events, const uint8_t *base);

/** Note that an event is wrong. @return TM_OK or TM_ENOMEM */
int tm__jfr_events_complain(tm__jfr_events *events, const tm__jfr_entry *entry,
                            const char *what);

/** Keep the fact that was written at the end of facts[], for which there was room. */
static inline void tm__jfr_fact_keep(tm__jfr_events *events)
{
    const tm__jfr_fact *fact = &events->facts[events->fact_count++];
    int64_t last_ns = fact->end_kind ? fact->end_ns : fact->start_ns;

    if (last_ns > events->last_ns)
        events->last_ns = last_ns;
}

/** Whether some of the chunk's events are not decoded yet. */
static inline int tm__jfr_events_are_left(const tm__jfr_events *events)
{
    return events->decoded < events->index.entry_count;
}

void tm__jfr_events_free(tm__jfr_events *events);

#endif
