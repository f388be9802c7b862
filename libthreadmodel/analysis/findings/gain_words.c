/* SPDX-License-Identifier: Apache-2.0 */
/* The sentences of cards about gains: of requests, of the run, or what threads lost in
 * all. */
#include "analysis/findings/gain_words.h"

#include "analysis/findings/finding_text.h"

/* A smaller change of the rate is not reported for a run that is not as long as its
 * load. */
#define WORTH_SAYING 1.05

/* So many times as many are not predicted: by then something else is in the way. */
#define MANY_TIMES 10

int tm__gains_requests(const tm__gain_requests *to)
{
    return to->is_known && to->middle >= to->now * WORTH_SAYING;
}

enum { SHORTER, LITTLE, REQUESTS };

/* Nobody waits for a lock or a pool, or sleeps, or I/O, take no time. */
static tm__card_text words_for(const tm__finding *item, int what)
{
    static const tm__card_text of_locks[] = {
        TM__TEXT_GAIN_SHORTER, TM__TEXT_GAIN_LITTLE, TM__TEXT_GAIN_REQUESTS};
    static const tm__card_text of_sleeps[] = {TM__TEXT_GAIN_SHORTER_SLEEPS,
                                              TM__TEXT_GAIN_LITTLE_SLEEPS,
                                              TM__TEXT_GAIN_REQUESTS_SLEEPS};
    static const tm__card_text of_io[] = {
        TM__TEXT_GAIN_SHORTER_IO, TM__TEXT_GAIN_LITTLE_IO, TM__TEXT_GAIN_REQUESTS_IO};

    return item->is_io                        ? of_io[what]
           : item->change == TM_WHATIF_METHOD ? of_sleeps[what]
                                              : of_locks[what];
}

static void write_bound(const tm__findings *findings, tm__finding *item)
{
    tm__facts facts = TM__NO_FACTS;

    if (item->impact_ns <= 0 || item->bound_ns <= 0 || item->stands || item->paces)
        return;
    facts.total_ns = item->impact_ns;
    tm__finding_add(item, findings,
                    item->requests.is_service   ? TM__TEXT_GAIN_UNKNOWN_REQUESTS
                    : findings->is_length_given ? TM__TEXT_GAIN_UNKNOWN_FIXED
                                                : TM__TEXT_GAIN_UNKNOWN,
                    &facts);
}

void tm__gain_words_of_part(tm__findings *findings)
{
    for (uint32_t i = 0; i < findings->items_count; i++) {
        tm__finding *item = &findings->items[i];
        tm__facts facts = TM__NO_FACTS;

        facts.total_ns = item->impact_ns;
        if (item->impact_ns > 0 && item->bound_ns > 0 && !item->stands && !item->paces)
            tm__finding_add(item, findings, TM__TEXT_GAIN_OF_PART, &facts);
    }
}

/* How many units of work there would be, if that is known. */
static void write_requests(const tm__findings *findings, tm__finding *item)
{
    const tm__gain_requests *to = &item->requests;
    tm__facts facts = TM__NO_FACTS;

    facts.share = tm__percent((int64_t)(to->share * 1e6), 1000000);
    facts.other_share = tm__percent((int64_t)(to->lost * 1e6), 1000000);
    facts.average = to->now;
    facts.rate_low = to->low;
    facts.rate_high = to->high;
    facts.low_ns = to->p99_ns;
    facts.high_ns = to->p99_now_ns;
    facts.name = to->is_service ? "requests" : "units of work";
    if (item->is_own_need)
        tm__finding_add(item, findings,
                        item->is_io ? TM__TEXT_GAIN_OWN_IO : TM__TEXT_GAIN_OWN_REQUESTS,
                        &facts);
    else if (item->minor)
        tm__finding_add(item, findings, TM__TEXT_GAIN_LITTLE_REQUESTS, &facts);
    else if (to->middle > to->now * MANY_TIMES)
        tm__finding_add(item, findings, TM__TEXT_GAIN_MANY_REQUESTS, &facts);
    else
        tm__finding_add(item, findings, words_for(item, REQUESTS), &facts);
}

static void write_gain(const tm__findings *findings, tm__finding *item)
{
    tm__facts facts = TM__NO_FACTS;

    facts.total_ns = item->gain_ns;
    facts.low_ns = item->gain_low_ns > 0 ? item->gain_low_ns : 0;
    facts.high_ns = item->gain_high_ns;
    tm__finding_add(item, findings, words_for(item, item->minor ? LITTLE : SHORTER),
                    &facts);
}

void tm__gain_words(tm__findings *findings)
{
    for (uint32_t i = 0; i < findings->items_count; i++) {
        tm__finding *item = &findings->items[i];

        if (item->has_gain && !item->is_of_requests)
            write_gain(findings, item);
        if (item->requests.is_known && (!item->paces || item->is_own_need) &&
            (item->is_of_requests ||
             (!item->minor && tm__gains_requests(&item->requests))))
            write_requests(findings, item);
        else if (!item->has_gain)
            write_bound(findings, item);
    }
}
