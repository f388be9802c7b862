/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorded requests are played as they were, and changed. The first play differs
 * from the recording where queueing does: queues are not in order, a processor is late.
 * The difference stays in proportion to the queueing:
 *
 *     R' = played' + (R - played) * queued' / queued        X' = N / (R' + think)
 *
 * Of a place in which requests sleep or wait it is known how many were seen at once.
 * That it admits more is likely, and not known: the least rate is played with no more.
 */
#include "analysis/whatif/throughput_requests.h"

#include "analysis/whatif/request_script.h"

/* No prediction is better than this, whatever the bounds say. */
#define ERROR_SHARE 0.1
/* A play without a change that differs by more from the recording predicts nothing. */
#define IMAGE_SHARE 0.5
#define NO_IMAGE 1e9
/* So many more permits are tried. */
enum { PERMITS_TRIED = 8, FITS = 5 };
#define NEAR 1.02
/* Time that is nothing. */
#define NO_NS 1.0

static double least(double left, double right)
{
    return left < right ? left : right;
}

static double most(double left, double right)
{
    return left > right ? left : right;
}

/* ---- the next bottleneck ---- */

static uint32_t servers_of(const tm__station *it)
{
    return it->kind == TM__STATION_PLACE ? it->seen : it->servers_changed;
}

/* The station that requests then need most of, beside what there is of it. */
static void find_next(tm__throughput *out, const tm__requests *requests,
                      const tm__request_outcome *play, double times,
                      const tm__candidates *all, const tm__candidate *it)
{
    out->next = (tm__next){.kind = TM__NONE};
    for (uint32_t i = 0; i < requests->stations_count; i++) {
        const tm__station *station = &requests->stations[i];
        double in_use = play->use_ns[i] / 1e9 * times;
        uint32_t servers = servers_of(station);

        if (!servers || in_use <= 0 ||
            (all->options->change == TM_WHATIF_METHOD &&
             station->kind == TM__STATION_PLACE && station->method == it->method))
            continue;
        if (out->next.kind == TM__NONE ||
            in_use / servers > out->next.in_use / out->next.servers)
            out->next = (tm__next){.kind = station->kind,
                                   .class_name = station->class_name,
                                   .method = station->method,
                                   .in_use = in_use,
                                   .servers = servers};
    }
}

int tm__throughput_limit(tm__throughput *out, const tm__load *load,
                         const tm__candidates *all, const tm__candidate *it)
{
    tm__memory memory = {.hook = load->memory.hook};
    tm__requests requests;
    tm__request_outcome now = {0};
    int rc = tm__requests_open(&requests, load, all, it, &memory);

    if (rc == TM_OK)
        rc = tm__requests_play(&now, &requests, TM__NETWORK_RECORDED, &memory);
    for (uint32_t i = 0; rc == TM_OK && now.is_known && i < requests.stations_count;
         i++) {
        const tm__station *station = &requests.stations[i];
        double each = now.use_ns[i] / 1e9 / now.rate;

        if (station->kind == TM__STATION_PLACE || !station->servers_changed ||
            each * load->rate >= station->servers_changed)
            continue;
        out->middle = least(out->middle, station->servers_changed / each);
        out->high = least(out->high, station->servers_changed / each);
        out->low = least(out->low, out->middle);
    }
    if (rc == TM_OK && now.is_known)
        find_next(out, &requests, &now, out->middle / now.rate, all, it);
    tm__request_outcome_free(&now, &requests, &memory);
    tm__requests_close(&requests);
    return rc;
}

/* ---- a prediction ---- */

typedef struct plays {
    tm__requests requests;
    tm__request_outcome now, then, seen;
} plays;

/* How far the play is from the recording, at least 1. */
static double off_by(const tm__request_outcome *now, const tm__load *load)
{
    if (!now->is_known)
        return NO_IMAGE;
    return now->rate > load->rate ? now->rate / load->rate : load->rate / now->rate;
}

/* Play the recorded network again.
 * @param only_nearer  keep the play before where it is nearer to the recording
 * @return 1: it was kept; 0; TM_ENOMEM */
static int play_again(plays *p, const tm__load *load, tm__memory *memory,
                      int only_nearer)
{
    tm__request_outcome next;
    int rc = tm__requests_play(&next, &p->requests, TM__NETWORK_RECORDED, memory);

    if (rc < 0 || (only_nearer && off_by(&next, load) >= off_by(&p->now, load))) {
        tm__request_outcome_free(&next, &p->requests, memory);
        return rc;
    }
    tm__request_outcome_free(&p->now, &p->requests, memory);
    p->now = next;
    return 1;
}

/* A permit that is on its way to the next in the queue may be taken by another thread
 * meanwhile. So its handover is as long as brings the play to the recording. */
static int fit_handover(plays *p, const tm__load *load, tm__memory *memory,
                        tm__station *pool, double measured_ns)
{
    double low_ns = 0, high_ns = 2 * measured_ns;
    int rc = TM_OK;

    for (int i = 0; rc >= 0 && i < FITS && off_by(&p->now, load) > NEAR; i++) {
        pool->handover_ns = (low_ns + high_ns) / 2;
        rc = play_again(p, load, memory, 0);
        if (p->now.rate > load->rate)
            low_ns = pool->handover_ns;
        else
            high_ns = pool->handover_ns;
    }
    return rc < 0 ? rc : TM_OK;
}

/* Play the recorded network, in which the pool has as many permits as bring the play
 * nearest to the recording. */
static int play_now(plays *p, const tm__load *load, tm__memory *memory)
{
    tm__station *pool =
        p->requests.pool == TM__NONE ? NULL : &p->requests.stations[p->requests.pool];
    uint32_t more = pool ? pool->servers_changed - pool->servers : 0;
    double measured_ns = pool ? pool->handover_ns : 0;
    int rc;

    if (pool)
        pool->handover_ns = 0;
    rc = tm__requests_play(&p->now, &p->requests, TM__NETWORK_RECORDED, memory);
    for (int i = 0; pool && rc >= 0 && i < PERMITS_TRIED &&
                    pool->servers < p->requests.permits_at_most;
         i++) {
        pool->servers++;
        rc = play_again(p, load, memory, 1);
        if (rc == 1)
            continue;
        pool->servers--;
        break;
    }
    if (pool)
        pool->servers_changed = pool->servers + more;
    if (pool && rc >= 0 && p->now.rate > load->rate)
        rc = fit_handover(p, load, memory, pool, measured_ns);
    return rc < 0 ? rc : TM_OK;
}

static int play_all(plays *p, const tm__load *load, const tm__candidates *all,
                    const tm__candidate *it, tm__memory *memory)
{
    int rc = tm__requests_open(&p->requests, load, all, it, memory);

    if (rc == TM_OK)
        rc = play_now(p, load, memory);
    if (rc == TM_OK)
        rc = tm__requests_play(&p->then, &p->requests, TM__NETWORK_CHANGED, memory);
    if (rc == TM_OK)
        rc = tm__requests_play(&p->seen, &p->requests, TM__NETWORK_SEEN, memory);
    return rc;
}

static void close_plays(plays *p, tm__memory *memory)
{
    tm__request_outcome_free(&p->now, &p->requests, memory);
    tm__request_outcome_free(&p->then, &p->requests, memory);
    tm__request_outcome_free(&p->seen, &p->requests, memory);
    tm__requests_close(&p->requests);
}

/* The remaining part of the queueing. */
static double queued_share(const plays *p, const tm__request_outcome *then)
{
    if (p->now.queued_ns < NO_NS)
        return 1;
    return least(then->queued_ns / p->now.queued_ns, 1);
}

static double mean_ns_of(const plays *p, const tm__load *load,
                         const tm__request_outcome *then)
{
    double now_ns = load->in_flight / load->rate * 1e9;
    double beside_ns = now_ns - p->now.mean_ns;

    return most(then->mean_ns + beside_ns * queued_share(p, then), NO_NS);
}

static double rate_of(const plays *p, const tm__load *load,
                      const tm__request_outcome *then, double think)
{
    return load->customers / (mean_ns_of(p, load, then) / 1e9 + think);
}

static void put(tm__throughput *out, const plays *p, const tm__load *load,
                const tm__candidates *all, const tm__candidate *it)
{
    const tm_whatif_options *options = all->options;
    double off =
        p->now.rate > load->rate ? p->now.rate / load->rate : load->rate / p->now.rate;
    double error = least(ERROR_SHARE + load->error + off - 1, 0.9);
    double beside_ns = (double)out->p99_now_ns - p->now.p99_ns;

    out->middle = rate_of(p, load, &p->then, load->think);
    out->low =
        least(out->middle, rate_of(p, load, &p->seen, load->think)) * (1 - error);
    /* A part of the time between two requests is the server's own, and may be less. */
    out->high = rate_of(p, load, &p->then, load->think / 2) * (1 + error);
    /* More servers, or shorter uses, serve no fewer. */
    if (tm__is_of_more(options->change) || options->factor <= 1) {
        out->middle = most(out->middle, load->rate);
        out->high = most(out->high, out->middle);
    }
    out->p99_ns = (int64_t)most(p->then.p99_ns + beside_ns * queued_share(p, &p->then),
                                p->then.mean_ns);
    find_next(out, &p->requests, &p->then, out->middle / p->then.rate, all, it);
}

int tm__throughput_play(tm__throughput *out, const tm__load *load,
                        const tm__candidates *all, const tm__candidate *it)
{
    tm__memory memory = {.hook = load->memory.hook};
    plays p = {0};
    int rc = play_all(&p, load, all, it, &memory), is_known;

    is_known = rc == TM_OK && p.now.is_known && p.then.is_known && p.seen.is_known &&
               off_by(&p.now, load) < 1 + IMAGE_SHARE;
    if (is_known)
        put(out, &p, load, all, it);
    close_plays(&p, &memory);
    return rc < 0 ? rc : is_known;
}
