/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JFR names the peer of a connection by its address and port, and does not state who
 * opened the connection. Each connection of a client has a port of its own, from the
 * range that systems choose from; a service has one port for all connections, so that
 * several threads read from it at the same time. So an address with two or more ports
 * of that range, none of them read by two threads at once, is that of clients: a read
 * of what they send next is idle, and they are one endpoint. That is inferred.
 */
#include "formats/jfr/jfr_io.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "formats/jfr/actors.h"
#include "formats/jfr/code.h"
#include "formats/jfr/jfr_clock.h"
#include "formats/jfr/program.h"

enum {
    CHOSEN_PORT = 32768,  ///< systems choose ports from here on
    CLIENTS_AT_LEAST = 2, ///< ports of one address
    PEERS_AT_MOST = 1 << 16,
    NAME_BYTES = 512
};

/* A peer is named by its address, or by its host where it has none. */
static int read_address(tm__jfr_events *events, const uint64_t *values, uint32_t *text)
{
    const char *read;
    int rc = tm__jfr_optional_text(events->entities, values[TM__JFR_SLOT_TEXT], text);

    read = tm__strings_get(&events->entities->texts, *text);
    if (rc == TM_OK && (!read || !*read))
        rc = tm__jfr_optional_text(events->entities, values[TM__JFR_SLOT_HOST], text);
    return rc;
}

/* ---- who is a client ---- */

/* The peers[] of a port of an address, by port 0 of the address itself. TM__NONE: there
 * are too many. @return TM_OK or TM_ENOMEM */
static int find_peer(tm__jfr_events *events, uint32_t address, uint32_t port,
                     uint32_t *peer)
{
    uint32_t *found = tm__triple_map_at(&events->peer_map, events->memory, address,
                                        port, events->entities->jvm);

    if (!found)
        return tm__failure();
    if (!*found && events->peer_count < PEERS_AT_MOST) {
        if (tm__reserve(events->memory, &events->peers, &events->peer_capacity,
                        (size_t)events->peer_count + 1, sizeof(*events->peers)) < 0)
            return tm__failure();
        events->peers[events->peer_count++] = (tm__jfr_peer){.address = TM__NONE};
        *found = events->peer_count;
    }
    *peer = *found ? *found - 1 : TM__NONE;
    return TM_OK;
}

/** One read from a port that a system chose. */
typedef struct port_read {
    uint32_t peer;
    int64_t start_ns, end_ns;
} port_read;

typedef struct port_reads {
    port_read *items;
    uint32_t count, capacity;
} port_reads;

static int note_read(tm__jfr_events *events, const tm__jfr_event_kind *kind,
                     port_reads *reads)
{
    uint64_t port = kind->values[TM__JFR_SLOT_PORT];
    port_read it = {.start_ns = tm__jfr_instant_ns(&events->clock,
                                                   kind->values[TM__JFR_SLOT_START])};
    uint32_t address, all;
    int rc;

    if (port < CHOSEN_PORT || port > UINT16_MAX)
        return TM_OK;
    it.end_ns = tm__jfr_end_ns(events, kind, it.start_ns);
    rc = read_address(events, kind->values, &address);
    if (rc < 0 || address == TM__NONE)
        return rc;
    rc = find_peer(events, address, 0, &all);
    if (rc == TM_OK)
        rc = find_peer(events, address, (uint32_t)port, &it.peer);
    if (rc < 0 || all == TM__NONE || it.peer == TM__NONE)
        return rc;
    if (events->peers[it.peer].address == TM__NONE) {
        events->peers[it.peer].address = all;
        events->peers[all].ports++;
    }
    rc = tm__reserve(events->memory, &reads->items, &reads->capacity,
                     (size_t)reads->count + 1, sizeof(*reads->items));
    if (rc == TM_OK)
        reads->items[reads->count++] = it;
    return rc;
}

static int by_peer_and_time(const void *left, const void *right)
{
    const port_read *a = left, *b = right;

    if (a->peer != b->peer)
        return a->peer < b->peer ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return a->end_ns < b->end_ns ? -1 : a->end_ns > b->end_ns;
}

/* A thread reads one thing at a time: reads of a port that overlap are of several. */
static void find_shared(tm__jfr_events *events, port_reads *reads)
{
    if (reads->count)
        qsort(reads->items, reads->count, sizeof(*reads->items), by_peer_and_time);
    for (uint32_t i = 1; i < reads->count; i++) {
        const port_read *before = &reads->items[i - 1], *it = &reads->items[i];
        tm__jfr_peer *peer = &events->peers[it->peer];

        if (it->peer != before->peer || it->start_ns >= before->end_ns ||
            peer->is_shared)
            continue;
        peer->is_shared = 1;
        events->peers[peer->address].ports--;
    }
}

int tm__jfr_peers_note(tm__jfr_events *events, const uint8_t *base)
{
    port_reads reads = {NULL, 0, 0};
    int rc = TM_OK;

    for (uint32_t i = 0; rc == TM_OK && i < events->index.entry_count; i++) {
        const tm__jfr_entry *entry = &events->index.entries[i];
        tm__jfr_event_kind *kind = &events->kinds[entry->what];
        tm__jfr_cursor cursor = {.at = base + entry->body,
                                 .limit = base + events->chunk.bytes};

        if (entry->what != TM__JFR_SOCKET_READ)
            continue;
        tm__jfr_run(events->metadata, kind->program, &cursor, base, kind->values);
        if (!cursor.is_broken && cursor.at <= base + entry->end)
            rc = note_read(events, kind, &reads);
    }
    find_shared(events, &reads);
    tm__free(events->memory, reads.items, reads.capacity * sizeof(*reads.items));
    return rc;
}

static int is_client(const tm__jfr_events *events, uint32_t address, uint64_t port)
{
    uint32_t jvm = events->entities->jvm;
    const uint32_t *one, *all;

    if (port < CHOSEN_PORT || port > UINT16_MAX || address == TM__NONE)
        return 0;
    one = tm__triple_map_find(&events->peer_map, address, (uint32_t)port, jvm);
    all = tm__triple_map_find(&events->peer_map, address, 0, jvm);
    return one && all && *one && *all && !events->peers[*one - 1].is_shared &&
           events->peers[*all - 1].ports >= CLIENTS_AT_LEAST;
}

/* ---- endpoints ---- */

static int object_of(tm__jfr_events *events, int kind, const char *name,
                     uint64_t *object)
{
    uint32_t text;
    int rc = tm__strings_intern(&events->entities->texts, &text, name);

    return rc < 0 ? rc
                  : tm__jfr_object_id(events->entities, kind, (uint64_t)text + 1, 0,
                                      object);
}

static int read_socket(tm__jfr_events *events, const uint64_t *values, int reads,
                       tm__jfr_fact *fact)
{
    uint64_t port = values[TM__JFR_SLOT_PORT];
    char name[NAME_BYTES];
    const char *text;
    uint32_t address;
    int rc = read_address(events, values, &address);

    if (rc < 0)
        return rc;
    text = tm__strings_get(&events->entities->texts, address);
    if (!text || !*text) {
        snprintf(name, sizeof(name), "a socket");
    } else if (is_client(events, address, port)) {
        snprintf(name, sizeof(name), "clients at %.400s", text);
        if (reads)
            fact->flags |= TM_EVENT_IDLE;
    } else {
        snprintf(name, sizeof(name), strchr(text, ':') ? "[%.400s]:%u" : "%.400s:%u",
                 text, (unsigned)(port & UINT16_MAX));
    }
    return object_of(events, TM__JFR_OBJECT_SOCKET, name, &fact->object);
}

/* As the recorders name a file without its path: by 32 bits of FNV-1a. */
static unsigned short_hash(const char *path)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    while (*path)
        hash = (hash ^ (unsigned char)*path++) * UINT64_C(0x100000001b3);
    return (unsigned)(hash ^ hash >> 29);
}

static int read_file(tm__jfr_events *events, const uint64_t *values, tm__jfr_fact *fact)
{
    char hashed[32];
    const char *path;
    uint32_t text;
    int rc = tm__jfr_optional_text(events->entities, values[TM__JFR_SLOT_TEXT], &text);

    if (rc < 0)
        return rc;
    path = tm__strings_get(&events->entities->texts, text);
    if (!path || !*path)
        return object_of(events, TM__JFR_OBJECT_FILE, "a file", &fact->object);
    snprintf(hashed, sizeof(hashed), "file %08x", short_hash(path));
    if (!events->shows_paths)
        return object_of(events, TM__JFR_OBJECT_FILE, hashed, &fact->object);
    return tm__jfr_object_id(events->entities, TM__JFR_OBJECT_FILE, (uint64_t)text + 1,
                             0, &fact->object);
}

int tm__jfr_io_read(tm__jfr_events *events, int what, tm__jfr_fact *fact)
{
    const uint64_t *values = events->kinds[what].values;

    if (what == TM__JFR_SOCKET_READ || what == TM__JFR_SOCKET_WRITE)
        return read_socket(events, values, what == TM__JFR_SOCKET_READ, fact);
    return read_file(events, values, fact);
}
