/* SPDX-License-Identifier: Apache-2.0 */
/*
 * As many clients as were seen at once send one request after the other, and think in
 * between. Each takes the next of the recorded requests, step by step: it spends the
 * time that it spent, and queues anew for what others have.
 *
 *     recorded   ── queues ══ has the lock ══ ── asleep ── queues ══ has a permit ══
 *     played     ACQUIRE      SPEND     RELEASE  SPEND     ACQUIRE   SPEND      RELEASE
 *
 * Recorded requests have the variance, the correlation and the nesting of the real
 * ones. A play usually has some thousands of requests of ten steps each.
 */
#include "analysis/whatif/request_play.h"

#include "base/histogram.h"
#include "base/sort.h"
#include "model/state/model.h"

/* Requests that are played, and steps if requests are long. */
enum { PLAYED = 8000, STEPS_AT_MOST = 4000000, WARM_UP_PART = 10, EACH_CLIENT = 20 };

/* More servers than this are as good as any number. */
enum { SERVERS_AT_MOST = 1 << 16 };

#define NS_PER_S 1e9

/** A client, and its request. */
typedef struct client {
    double at_ns; ///< when it goes on
    double began_ns;
    double since_ns; ///< it has queued since then
    double queued_ns;
    uint32_t step;    ///< steps[]
    uint32_t last;    ///< steps[] after its request
    int is_under_way; ///< 0: it thinks
    uint32_t next;    ///< in the queue; TM__NONE: the last
    uint32_t chosen;  ///< lines[] of the station whose servers are apart
} client;

/** A server's queue, or that of several which share one. */
typedef struct line {
    uint32_t free;
    uint32_t head, tail; ///< clients[] or TM__NONE
} line;

typedef struct play {
    const tm__requests *it;
    tm__memory *memory;
    int network;
    client *clients;
    uint32_t *heap; ///< clients[] that will go on, the first one at its root
    uint32_t heap_count;
    uint32_t *line_first; ///< lines[] of each station
    line *lines;
    uint32_t lines_count;
    double *taken_ns; ///< of each station, in all
    double *use_at;   ///< of each station: when the number of its users last changed
    uint32_t *users;
    tm__sortable *lengths;
    uint32_t done, wanted, warm, cursor;
    double now_ns, warm_ns, queued_ns, total_ns;
    uint64_t steps, random;
} play;

/* ---- chance ---- */

static double chance(play *p)
{
    p->random = p->random * 6364136223846793005u + 1442695040888963407u;
    return ((double)(p->random >> 11) + 0.5) / 9007199254740992.0;
}

/* ---- who goes on next ---- */

static int is_before(const play *p, uint32_t left, uint32_t right)
{
    double l = p->clients[left].at_ns, r = p->clients[right].at_ns;

    return l != r ? l < r : left < right;
}

static void swap(uint32_t *left, uint32_t *right)
{
    uint32_t spare = *left;

    *left = *right;
    *right = spare;
}

static void push(play *p, uint32_t number)
{
    uint32_t at = p->heap_count++;

    p->heap[at] = number;
    while (at && is_before(p, p->heap[at], p->heap[(at - 1) / 2])) {
        swap(&p->heap[at], &p->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
}

static uint32_t pop(play *p)
{
    uint32_t first = p->heap[0], at = 0;

    p->heap[0] = p->heap[--p->heap_count];
    for (;;) {
        uint32_t least = at, left = 2 * at + 1;

        if (left < p->heap_count && is_before(p, p->heap[left], p->heap[least]))
            least = left;
        if (left + 1 < p->heap_count && is_before(p, p->heap[left + 1], p->heap[least]))
            least = left + 1;
        if (least == at)
            return first;
        swap(&p->heap[at], &p->heap[least]);
        at = least;
    }
}

/* ---- stations ---- */

/* 0: nobody queues for it. */
static uint32_t servers_of(const play *p, const tm__station *station)
{
    uint32_t servers = p->network == TM__NETWORK_RECORDED ? station->servers
                                                          : station->servers_changed;

    if (station->kind == TM__STATION_PLACE && p->network == TM__NETWORK_SEEN)
        servers = station->seen;
    return servers >= p->it->customers || servers > SERVERS_AT_MOST ? 0 : servers;
}

static int is_apart(const play *p, const tm__station *station)
{
    return station->is_apart && p->network == TM__NETWORK_SEEN;
}

static void note_use(play *p, uint32_t station)
{
    p->taken_ns[station] += p->users[station] * (p->now_ns - p->use_at[station]);
    p->use_at[station] = p->now_ns;
}

static void use(play *p, uint32_t station, int more)
{
    note_use(p, station);
    p->users[station] += (uint32_t)more;
}

/* @return 1: it has it; 0: it queues */
static int take(play *p, uint32_t number, uint32_t station)
{
    uint32_t first = p->line_first[station], many = p->line_first[station + 1] - first;
    client *it = &p->clients[number];
    line *of;

    if (!many) {
        use(p, station, 1);
        return 1;
    }
    if (many > 1) {
        first += (uint32_t)(chance(p) * many);
        it->chosen = first;
    }
    of = &p->lines[first];
    if (of->free) {
        of->free--;
        use(p, station, 1);
        return 1;
    }
    it->since_ns = p->now_ns;
    it->next = TM__NONE;
    if (of->head == TM__NONE)
        of->head = number;
    else
        p->clients[of->tail].next = number;
    of->tail = number;
    return 0;
}

static void give(play *p, uint32_t number, uint32_t station)
{
    uint32_t first = p->line_first[station], many = p->line_first[station + 1] - first;
    line *of = &p->lines[first];

    if (many > 1)
        of = &p->lines[p->clients[number].chosen];
    if (!many || of->head == TM__NONE) {
        use(p, station, -1);
        if (many)
            of->free++;
        return;
    }
    number = of->head;
    of->head = p->clients[number].next;
    p->clients[number].at_ns = p->now_ns + p->it->stations[station].handover_ns;
    p->clients[number].queued_ns +=
        p->clients[number].at_ns - p->clients[number].since_ns;
    push(p, number);
}

/* ---- requests ---- */

static void begin(play *p, client *it)
{
    uint32_t count = p->it->first_count - 1;
    uint32_t request = p->cursor++ % count;

    it->step = p->it->first[request];
    it->last = p->it->first[request + 1];
    it->began_ns = p->now_ns;
    it->queued_ns = 0;
    it->is_under_way = 1;
}

static void warm_up(play *p)
{
    p->warm_ns = p->now_ns;
    for (uint32_t s = 0; s < p->it->stations_count; s++) {
        note_use(p, s);
        p->taken_ns[s] = 0;
    }
}

static void end(play *p, uint32_t number)
{
    client *it = &p->clients[number];
    double ns = p->now_ns - it->began_ns;

    if (p->done >= p->warm) {
        p->lengths[p->done - p->warm] = (tm__sortable){(int64_t)ns, number};
        p->queued_ns += it->queued_ns;
        p->total_ns += ns;
    }
    if (++p->done == p->warm)
        warm_up(p);
    it->is_under_way = 0;
    it->at_ns = p->now_ns + 2 * p->it->think_ns * chance(p);
    push(p, number);
}

/* Let a client go on until it spends time, or queues. */
static void go_on(play *p, uint32_t number)
{
    client *it = &p->clients[number];

    if (!it->is_under_way)
        begin(p, it);
    while (it->step < it->last) {
        const tm__request_step *step = &p->it->steps[it->step++];

        p->steps++;
        if (step->action == TM__REQUEST_SPENDS) {
            it->at_ns =
                p->now_ns +
                (p->network == TM__NETWORK_RECORDED ? step->ns : step->changed_ns);
            push(p, number);
            return;
        }
        if (step->action == TM__REQUEST_RELEASES)
            give(p, number, step->station);
        else if (!take(p, number, step->station))
            return;
    }
    end(p, number);
}

/* ---- a play ---- */

static int open_lines(play *p)
{
    uint32_t stations = p->it->stations_count, most = 0;

    for (uint32_t s = 0; s < stations; s++) {
        const tm__station *station = &p->it->stations[s];
        uint32_t servers = servers_of(p, station);

        p->line_first[s] = most;
        most += !servers ? 0 : is_apart(p, station) ? servers : 1;
    }
    p->line_first[stations] = p->lines_count = most;
    p->lines = tm__zalloc(p->memory, ((size_t)most + 1) * sizeof(*p->lines));
    if (!p->lines)
        return TM_ENOMEM;
    for (uint32_t s = 0; s < stations; s++)
        for (uint32_t i = p->line_first[s]; i < p->line_first[s + 1]; i++) {
            const tm__station *station = &p->it->stations[s];

            p->lines[i] = (line){is_apart(p, station) ? 1 : servers_of(p, station),
                                 TM__NONE, TM__NONE};
        }
    return TM_OK;
}

static int open_play(play *p)
{
    size_t stations = (size_t)p->it->stations_count + 1, clients = p->it->customers;

    p->clients = tm__zalloc(p->memory, clients * sizeof(*p->clients));
    p->heap = tm__zalloc(p->memory, clients * sizeof(*p->heap));
    p->line_first = tm__zalloc(p->memory, stations * sizeof(*p->line_first));
    p->taken_ns = tm__zalloc(p->memory, stations * sizeof(*p->taken_ns));
    p->use_at = tm__zalloc(p->memory, stations * sizeof(*p->use_at));
    p->users = tm__zalloc(p->memory, stations * sizeof(*p->users));
    p->lengths = tm__zalloc(p->memory, 2 * (size_t)p->wanted * sizeof(*p->lengths));
    if (!p->clients || !p->heap || !p->line_first || !p->taken_ns || !p->use_at ||
        !p->users || !p->lengths)
        return TM_ENOMEM;
    return open_lines(p);
}

static void close_play(play *p)
{
    size_t stations = (size_t)p->it->stations_count + 1, clients = p->it->customers;

    tm__free(p->memory, p->clients, clients * sizeof(*p->clients));
    tm__free(p->memory, p->heap, clients * sizeof(*p->heap));
    tm__free(p->memory, p->line_first, stations * sizeof(*p->line_first));
    tm__free(p->memory, p->use_at, stations * sizeof(*p->use_at));
    tm__free(p->memory, p->users, stations * sizeof(*p->users));
    tm__free(p->memory, p->lengths, 2 * (size_t)p->wanted * sizeof(*p->lengths));
    tm__free(p->memory, p->lines, ((size_t)p->lines_count + 1) * sizeof(*p->lines));
}

/* Clients begin at times of their own. */
static void run(play *p)
{
    double usual_ns = p->it->think_ns;

    for (uint32_t i = p->it->first[0]; i < p->it->first[1]; i++)
        usual_ns += p->it->steps[i].ns;
    for (uint32_t i = 0; i < p->it->customers; i++) {
        p->clients[i].at_ns = usual_ns * chance(p);
        push(p, i);
    }
    while (p->heap_count && p->done < p->wanted && p->steps < STEPS_AT_MOST) {
        uint32_t number = pop(p);

        p->now_ns = p->clients[number].at_ns;
        go_on(p, number);
    }
}

static void put(tm__request_outcome *out, play *p)
{
    uint32_t count = p->done > p->warm ? p->done - p->warm : 0;
    double ns = p->now_ns - p->warm_ns;

    /* Stuck: nobody goes on, or nothing takes any time. */
    if (!count || ns <= 0 || !p->heap_count)
        return;
    out->is_known = 1;
    out->rate = count / ns * NS_PER_S;
    out->mean_ns = p->total_ns / count;
    out->queued_ns = p->queued_ns / count;
    tm__sort(p->lengths, p->lengths + p->wanted, count, NULL, NULL);
    out->p99_ns = (double)p->lengths[tm__quantile_rank(count, 0.99) - 1].key;
    for (uint32_t s = 0; s < p->it->stations_count; s++) {
        note_use(p, s);
        out->use_ns[s] = p->taken_ns[s] / ns * NS_PER_S;
    }
}

int tm__requests_play(tm__request_outcome *out, const tm__requests *it, int network,
                      tm__memory *memory)
{
    play p = {.it = it,
              .memory = memory,
              .network = network,
              .random = 1,
              .wanted = PLAYED + EACH_CLIENT * it->customers};
    int rc;

    *out = (tm__request_outcome){0};
    if (it->first_count < 2 || !it->customers)
        return TM_OK;
    p.warm = p.wanted / WARM_UP_PART;
    rc = open_play(&p);
    if (rc == TM_OK) {
        run(&p);
        out->use_ns = p.taken_ns;
        put(out, &p);
    } else {
        tm__free(memory, p.taken_ns,
                 ((size_t)it->stations_count + 1) * sizeof(*p.taken_ns));
    }
    close_play(&p);
    return rc;
}

void tm__request_outcome_free(tm__request_outcome *out, const tm__requests *it,
                              tm__memory *memory)
{
    tm__free(memory, out->use_ns,
             ((size_t)it->stations_count + 1) * sizeof(*out->use_ns));
    out->use_ns = NULL;
}
