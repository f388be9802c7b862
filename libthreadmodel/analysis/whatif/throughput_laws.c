/* SPDX-License-Identifier: Apache-2.0 */
/*
 * N requests in flight and X requests a second take R = N / X each (Little). W of R is
 * queued for what the change is about, S is its use:
 *
 *     without the queue      X' = N / (R - W)
 *     with k servers         X' <= k / S
 *     in between             mean value analysis of the closed network
 *
 * What one thread does for many requests, or keeps them all from, is no such queue: a
 * writer that locks readers out, a sender that lets a batch grow. Requests go on during
 * a gap G between two such stalls of length L, and for a time O of each stall, until
 * they meet it:
 *
 *     L ════════════        ════════════        ══       of f L, they meet as much of
 *     O ====        ========----        ========         it as before, or all of it
 *               G               G           G
 *
 *     R ~ (L + G) / (G + O), and R' ~ (f L + G) / (G + min(O, f L))
 */
#include "analysis/whatif/throughput_laws.h"

#include <stdint.h>

#include "analysis/whatif/asked_delays.h"

enum { MOST_CUSTOMERS = 100000, BISECTIONS = 24 };

/* Where nothing is left to do a rate has no bound. */
#define NO_TIME 1e-12

double tm__closed_rate(double customers, double delay, double service, double servers,
                       double variance)
{
    double most = customers / (delay + service > 0 ? delay + service : 1e-12);
    double each = servers > 0 ? service / servers : 0, queue = 0, rate = most;
    double still = delay + service - each;
    uint32_t count =
        customers < MOST_CUSTOMERS ? (uint32_t)(customers + 0.5) : MOST_CUSTOMERS;

    if (each <= 0)
        return most;
    if (most > 1 / each)
        most = 1 / each;
    for (uint32_t n = 1; n <= count; n++) {
        double response = each * (1 + queue);

        rate = n / (still + response);
        queue = rate * response;
    }
    if (rate > most || !count)
        rate = most;
    if (variance > 1)
        variance = 1;
    return rate * variance + most * (1 - variance);
}

static double at_least(double value, double least)
{
    return value > least ? value : least;
}

static double at_most(double value, double most)
{
    return value < most ? value : most;
}

/* ---- stalls ---- */

/* How much longer a request takes for stalls of this length. It goes on for a part of
 * each. */
static double stretch(double stall, double gap, double overlap)
{
    return (stall + gap) / at_least(gap + overlap, NO_TIME);
}

/* A stall that is about as long as what requests do meanwhile no longer keeps them in
 * step. Whether they meet it as likely or as at worst is as good as chance. */
static double out_of_step(double overlap, double stall)
{
    double ratio = overlap / at_least(stall, NO_TIME);

    return at_most(at_least(2 * ratio - 1, 0), 1) / 2;
}

/* `own` is what the request itself has less to do, and it waits `stalled` of `length`.
 * At worst it meets a shorter stall as often as before. */
static tm__rates by_stalls(double n, double length, double own, double stalled,
                           double f, const tm__unit_demand *it)
{
    double cycle = it->stall + it->gap, stall = it->stall * f, others = length - own;
    double waited = at_most(stalled * cycle / at_least(length, NO_TIME), it->stall);
    double overlap = it->stall - waited, now = stretch(it->stall, it->gap, overlap);
    double likely = at_most(overlap, stall), worst = at_most(overlap * f, likely);
    double best = at_least(stall - (stall - likely) * f, likely);
    double scale = others / at_least(now, NO_TIME);
    double least = own * f + scale * stretch(stall, it->gap, best);
    double middle = own * f + scale * stretch(stall, it->gap, likely);
    double most = own * f + scale * stretch(stall, it->gap, worst);

    middle += (most - middle) * out_of_step(overlap, stall);
    return (tm__rates){.low = n / at_least(most, NO_TIME),
                       .middle = n / at_least(middle, NO_TIME),
                       .high = n / at_least(least, NO_TIME)};
}

/* ---- a station ---- */

/* The overhead of a use, as the time until the next owner is awake: with it the network
 * without a change has the rate that was measured. */
static double overhead(double n, double rate, double rest, double used, double servers,
                       double variance)
{
    double low = 0, high = n / rate;

    if (tm__closed_rate(n, rest, used, servers, variance) <= rate)
        return 0;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = (low + high) / 2;

        if (tm__closed_rate(n, rest, used + middle, servers, variance) > rate)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* A request needs the station for `used`, which becomes `after` with so many servers.
 */
static tm__rates by_station(double n, double rate, double rest, double used,
                            double after, double servers, double servers_after,
                            double variance, int are_apart)
{
    double now = are_apart && servers > 1 ? 1 : variance, more;
    double then = are_apart && servers_after > 1 ? 1 : variance;
    tm__rates out;

    rest = at_least(rest, 0);
    more = overhead(n, rate, rest, used, servers, now);
    /* Nobody is woken where nobody waits. */
    more *= at_most(tm__closed_rate(n, rest, after + more, servers_after, then) *
                        (after + more) / at_least(servers_after, NO_TIME),
                    1);
    out = (tm__rates){.low = tm__closed_rate(n, rest, after + more, servers_after, 1),
                      .middle =
                          tm__closed_rate(n, rest, after + more, servers_after, then),
                      .high = tm__closed_rate(n, rest, after, servers_after, 0)};
    /* More servers, or shorter uses, serve no fewer. */
    if (servers_after >= servers && after <= used) {
        out.middle = at_least(out.middle, rate);
        out.high = at_least(out.high, out.middle);
    }
    return out;
}

tm__rates tm__rates_by_laws(double in_flight, double rate,
                            const tm_whatif_options *options, const tm__unit_demand *it)
{
    double n = in_flight, r = n / rate;
    double f = options->change == TM_WHATIF_PERMITS ? 1 : options->factor;

    if (it->stall > 0) {
        /* Whom more permits let in is not stopped by others any more. */
        if (options->change == TM_WHATIF_PERMITS)
            f = 0;
        return by_stalls(n, r, it->saved, it->queued + it->others, f, it);
    }
    if (!tm__is_of_delays(options->change))
        return by_station(
            n, rate, r - it->queued - it->used, it->used, it->used * f, it->servers,
            it->servers + (options->change == TM_WHATIF_PERMITS ? options->permits : 0),
            it->variance, it->are_apart);
    if (it->servers > 0)
        return by_station(n, rate, r - it->saved - it->others, it->used, it->used * f,
                          it->servers, it->servers, it->variance, 0);
    r = n / at_least(r - it->saved * (1 - f), NO_TIME);
    return (tm__rates){r, r, r};
}
