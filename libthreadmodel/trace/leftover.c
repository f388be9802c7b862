/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rings of a killed producer: some dozen, with what its last round of writing had
 * not got to. It may have been killed anywhere in a round, so what the trace has of
 * it is known only by count and time: a round writes events by rising time, and those
 * that are in the trace beyond the last full round are the first of these, but for the
 * producer's own, which are in no ring.
 *
 *      tail                                head
 *       │ in the trace already │ not yet    │      of each ring, merged by time
 *       └─ trace events since ─┘
 *
 * Nothing is believed without its check. A number that a thread was just writing is
 * no damage; a record whose check fails is passed over in search of the next.
 */
#include "trace/leftover.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/system.h"
#include "trace/leftover_stacks.h"
#include "trace/ring_record.h"
#include "trace/ring_layout.h"

enum { PATH_BYTES = 4200 };

/* The header's state of the round that was in work. */
typedef struct round {
    int is_advancing;
    uint64_t events; ///< in the trace before it
    int64_t horizon_ns;
} round_state;

static int mark_get(uint64_t *value, const tm__ring_mark *mark)
{
    *value = atomic_load_explicit(&mark->value, memory_order_relaxed);
    return *value == ~atomic_load_explicit(&mark->complement, memory_order_relaxed);
}

/* Keep a whole record. */
static int keep(tm__leftover *leftover, const tm__record *record, int64_t *latest_ns)
{
    size_t place = leftover->records.length;
    int rc = tm__bytes_append(&leftover->records, record, record->bytes);

    if (rc < 0 || !tm__record_is_event(record))
        return rc;
    if (tm__reserve(leftover->memory, &leftover->order, &leftover->order_capacity,
                    (size_t)leftover->count + 1, sizeof(*leftover->order)) < 0)
        return tm__failure();
    /* A record waits for those before it in its ring. */
    if (record->event.fact.time_ns > *latest_ns)
        *latest_ns = record->event.fact.time_ns;
    leftover->order[leftover->count++] =
        (tm__sortable){*latest_ns, (uint32_t)(place / 8)};
    return TM_OK;
}

/* An event that says what a thread lost and had no room to say itself. */
static int keep_loss(tm__leftover *leftover, const tm__ring *ring, int64_t *latest_ns)
{
    tm__record record = {.bytes = sizeof(record), .kind = TM_EVENT_LOST};
    uint64_t lost;
    int64_t first_ns;

    /* One off: the thread was counting on. Else it was just reporting them. */
    if (!mark_get(&lost, &ring->lost) &&
        lost != ~atomic_load_explicit(&ring->lost.complement, memory_order_relaxed) + 1)
        return TM_OK;
    if (lost == 0)
        return TM_OK;
    leftover->lost += lost;
    first_ns = atomic_load_explicit(&ring->lost_first_ns, memory_order_relaxed);
    record.event.fact = (tm_event){
        .time_ns = *latest_ns > INT64_MIN ? *latest_ns : first_ns,
        .thread = atomic_load_explicit(&ring->thread, memory_order_relaxed),
        .object = (uint64_t)first_ns,
        .value = (int64_t)lost,
        .kind = TM_EVENT_LOST,
    };
    return keep(leftover, &record, latest_ns);
}

/* Take a ring's records from `start` on; `held` bytes of them are in the file. */
static int walk(tm__leftover *leftover, const tm__ring *ring, const uint8_t *base,
                size_t held, uint64_t start)
{
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    uint64_t skip_from = atomic_load_explicit(&ring->skip_from, memory_order_relaxed);
    uint64_t skip_to = atomic_load_explicit(&ring->skip_to, memory_order_relaxed);
    uint64_t lap = ring->capacity - 1;
    uint64_t at = start, end = start + ring->capacity;
    int64_t latest_ns = INT64_MIN;
    int rc = TM_OK;

    while (rc == TM_OK && at < end) {
        size_t offset = (size_t)(at & lap);
        size_t room = held > offset ? held - offset : 0;
        const tm__record *record = (const tm__record *)(base + offset);

        if (at == skip_from && skip_to == (at | lap) + 1) {
            end += skip_to - at;
            at = skip_to;
            skip_from = UINT64_MAX;
            continue;
        }
        if (room > end - at)
            room = (size_t)(end - at);
        if (room > 0 && tm__record_is_whole(record, room, at)) {
            int is_pad = record->kind == TM__RECORD_PAD;

            rc = is_pad ? TM_OK : keep(leftover, record, &latest_ns);
            at = is_pad ? (at | lap) + 1 : at + record->bytes;
        } else if (at < head) {
            leftover->damaged_bytes += 8;
            at += 8;
        } else {
            break;
        }
    }
    return rc < 0 ? rc : keep_loss(leftover, ring, &latest_ns);
}

/* Read the slot at `offset`. @param[out] bytes  of it; 0: there is none */
static int read_slot(tm__leftover *leftover, tm__input *input, uint64_t offset,
                     const round_state *round, uint64_t *bytes)
{
    const uint8_t *view;
    size_t available;
    uint64_t start;
    tm__ring ring;
    int rc = tm__input_view(input, offset, TM__RING_PAGE_BYTES, &view, &available);

    *bytes = 0;
    if (rc < 0 || available < TM__RING_PAGE_BYTES)
        return rc;
    memcpy(&ring, view, sizeof(ring));
    if (!tm__ring_is_whole(&ring, offset))
        return TM_OK;
    offset += TM__RING_PAGE_BYTES;
    *bytes = TM__RING_PAGE_BYTES + ring.capacity;
    if (!mark_get(&start, round->is_advancing ? &ring.next : &ring.tail) ||
        start % 8 != 0) {
        leftover->damaged_rings++;
        return TM_OK;
    }
    available = 0;
    if (input->length > offset)
        available = input->length - offset < ring.capacity
                        ? (size_t)(input->length - offset)
                        : (size_t)ring.capacity;
    if (available > 0)
        rc = tm__input_view(input, offset, available, &view, &available);
    return rc < 0 ? rc : walk(leftover, &ring, view, available, start);
}

/* @return TM_OK, and `state` says whether rings are to be read */
static int read_header(tm__leftover *leftover, tm__input *input, uint64_t run_id,
                       round_state *round)
{
    tm__rings_header header;
    uint64_t advancing, horizon;
    const uint8_t *view;
    size_t available;
    int rc = tm__input_view(input, 0, sizeof(header), &view, &available);

    leftover->state = TM__LEFTOVER_DAMAGED;
    if (rc < 0 || available < sizeof(header))
        return rc;
    memcpy(&header, view, sizeof(header));
    if (header.magic == __builtin_bswap64(TM__RINGS_MAGIC))
        leftover->state = TM__LEFTOVER_REVERSED;
    if (!tm__rings_header_is_whole(&header))
        return TM_OK;
    if (header.version == 0 || header.version > TM__RINGS_VERSION)
        leftover->state = TM__LEFTOVER_NEWER;
    else if (header.run_id != run_id)
        leftover->state = TM__LEFTOVER_FOREIGN;
    else if (mark_get(&advancing, &header.is_advancing) && advancing <= 1 &&
             (mark_get(&round->events, &header.events) || advancing) &&
             (mark_get(&horizon, &header.horizon) || advancing)) {
        round->is_advancing = advancing == 1;
        round->horizon_ns = (int64_t)horizon;
        leftover->state = TM__LEFTOVER_RECOVERED;
    }
    return TM_OK;
}

static int same_place(const void *payload, uint32_t left, uint32_t right)
{
    (void)payload;
    return left < right ? -1 : left > right;
}

/* Put events into the order in which a round writes them, and pass over those that
 * the round in work had written. A producer writes events of its own between those of
 * rings: they count, and so no event later than the last is passed over. */
static int sort(tm__leftover *leftover, const round_state *round, uint32_t events,
                int64_t last_ns)
{
    size_t bytes = leftover->count * sizeof(tm__sortable);
    tm__sortable *spare;
    int32_t written;

    leftover->missing = 0;
    if (leftover->count > 0) {
        spare = tm__resize(leftover->memory, NULL, 0, bytes);
        if (!spare)
            return TM_ENOMEM;
        tm__sort(leftover->order, spare, leftover->count, same_place, NULL);
        tm__free(leftover->memory, spare, bytes);
    }
    if (round->is_advancing)
        return TM_OK;
    written = (int32_t)(events - (uint32_t)round->events);
    if (written < 0)
        leftover->missing = -(int64_t)written;
    while (written-- > 0 && leftover->next < leftover->count &&
           leftover->order[leftover->next].key < round->horizon_ns &&
           leftover->order[leftover->next].key <= last_ns)
        leftover->next++;
    return TM_OK;
}

static int read_all(tm__leftover *leftover, tm__input *input, uint64_t run_id,
                    uint32_t events, int64_t last_ns)
{
    round_state round = {0};
    uint64_t offset = TM__RING_PAGE_BYTES;
    int was_ring = 1;
    int rc = read_header(leftover, input, run_id, &round);

    if (rc < 0 || leftover->state != TM__LEFTOVER_RECOVERED)
        return rc;
    while (rc == TM_OK && offset < input->length) {
        uint64_t bytes;

        rc = read_slot(leftover, input, offset, &round, &bytes);
        /* Behind a bad control page the next good one is looked for. */
        if (bytes == 0 && was_ring)
            leftover->damaged_rings++;
        was_ring = bytes > 0;
        offset += bytes > 0 ? bytes : TM__RING_PAGE_BYTES;
    }
    return rc < 0 ? rc : sort(leftover, &round, events, last_ns);
}

int tm__leftover_open(tm__leftover *leftover, tm__memory *memory, const char *path,
                      uint64_t run_id, uint32_t events, int64_t last_ns)
{
    char rings_path[PATH_BYTES];
    struct stat status;
    tm__input input;
    int length = snprintf(rings_path, sizeof(rings_path), "%s" TM__RINGS_SUFFIX, path);
    int rc;

    *leftover = (tm__leftover){.memory = memory, .records = {.memory = memory}};
    tm__map_init(&leftover->stacks, memory);
    /* Opening anything but a regular file might block for ever. */
    if (length < 0 || (size_t)length >= sizeof(rings_path) ||
        stat(rings_path, &status) < 0 || !S_ISREG(status.st_mode))
        return TM_OK;
    leftover->state = TM__LEFTOVER_DAMAGED;
    rc = tm__input_open(&input, memory, rings_path);
    if (rc < 0)
        return rc;
    if (tm__is_locked(input.descriptor))
        leftover->state = TM__LEFTOVER_RUNNING;
    else
        rc = read_all(leftover, &input, run_id, events, last_ns);
    tm__input_close(&input);
    return rc;
}

uint64_t tm__leftover_events(const tm__leftover *leftover)
{
    return leftover->count - leftover->next;
}

static int emit_event(tm__leftover *leftover, size_t place, const tm_sink *sink)
{
    const tm__record *record = tm__leftover_record(leftover, place);
    tm_event event = record->event.fact;
    int rc = TM_OK;

    event.kind = record->kind;
    event.stack = 0;
    if (record->event.frame_count > 0)
        rc = tm__leftover_find_stack(leftover, record, place, sink, &event.stack);
    return rc < 0 ? rc : sink->events(sink->payload, &event, 1);
}

int tm__leftover_emit(tm__leftover *leftover, const tm_sink *sink, uint32_t most)
{
    int rc = TM_OK;

    /* An object may have been defined by another thread than the one that met it. */
    while (rc >= 0 && leftover->defined < leftover->records.length) {
        const tm__record *record = tm__leftover_record(leftover, leftover->defined);

        rc = tm__record_define(record, sink);
        if (rc >= 0)
            leftover->defined += record->bytes;
    }
    while (rc >= 0 && leftover->next < leftover->count && most-- > 0) {
        rc = emit_event(leftover, (size_t)leftover->order[leftover->next].number * 8,
                        sink);
        if (rc >= 0)
            leftover->next++;
    }
    if (rc < 0)
        return rc;
    return leftover->next < leftover->count ? TM_MORE : TM_OK;
}

void tm__leftover_free(tm__leftover *leftover)
{
    if (!leftover->memory)
        return;
    tm__bytes_free(&leftover->records);
    tm__free(leftover->memory, leftover->order,
             leftover->order_capacity * sizeof(*leftover->order));
    tm__map_clear(&leftover->stacks);
    *leftover = (tm__leftover){0};
}
