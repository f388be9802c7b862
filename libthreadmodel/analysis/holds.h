/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who held which monitor from when to when, as far as others' waiting shows it.
 *
 *     A  ─────[══════]────       got it: the end of A's own wait for it, or the
 *     B  ───···········[═        beginning of B's when A is known to have it then;
 *                                gave it up: B got it, or A waits on it
 */
#ifndef TM_ANALYSIS_HOLDS_H
#define TM_ANALYSIS_HOLDS_H

#include "analysis/link.h"
#include "analysis/march.h"

/** What holds are chosen by: holds of one place are scaled together. */
typedef struct tm__place {
    uint32_t class_name; ///< strings; TM__NONE: not known
    uint32_t method;     ///< strings, of the caller that got it; TM__NONE: not known
    uint32_t is_chosen;  ///< the object is the one asked about
    uint32_t holds;
    int64_t hold_ns;
} tm__place;

typedef struct tm__hold {
    int64_t start_ns;
    int64_t end_ns; ///< INT64_MIN: nothing shows when it ended
    uint32_t place; ///< places[]
    uint32_t next;  ///< of the same thread, beginning later or at once; TM__NONE
} tm__hold;

/** Who is thought to hold an object while the march goes on. */
typedef struct tm__holder {
    uint32_t thread; ///< threads[] or TM__NONE
    uint32_t hold;   ///< holds[] while they are gathered, or TM__NONE
    int64_t got_ns;  ///< INT64_MIN: it had it already when that was first said
} tm__holder;

enum { TM__HOLD_CHUNK = 1024 };

typedef struct tm__holds {
    const tm_model *model;
    tm__memory *memory;
    const uint8_t *chosen;         ///< an object: asked about; NULL: none is
    uint32_t *callers;             ///< frames[] a stack
    tm__triples by_place;          ///< (class name, method, chosen): places[] + 1
    uint32_t *first, *last;        ///< holds[] a thread, or TM__NONE
    tm__holder *holders;           ///< an object
    TM__ARRAY(tm__hold *, chunks); ///< of TM__HOLD_CHUNK each: a hold never moves
    uint32_t count;
    TM__ARRAY(tm__place, places);
} tm__holds;

/**
 * Gather the holds of a run.
 * @param march   open; used from its beginning to its end
 * @param chosen  a byte an object, lent for the call; NULL: none
 * @return TM_OK or TM_ENOMEM; to be freed whatever is returned
 */
int tm__holds_gather(tm__holds *holds, const tm_model *model, tm__memory *memory,
                     tm__march *march, const uint8_t *chosen,
                     const tm__libraries *libraries);

static inline tm__hold *tm__hold_at(const tm__holds *holds, uint32_t hold)
{
    return &holds->chunks[hold / TM__HOLD_CHUNK][hold % TM__HOLD_CHUNK];
}

/** What the beginning of an interval says of one monitor. */
typedef struct tm__change {
    uint32_t object;   ///< objects[]; TM__NONE: it says nothing
    uint32_t released; ///< threads[]: whose hold ended; TM__NONE: not known, nobody's
    uint32_t hold;     ///< which of that thread's, where holds are gathered
    uint32_t gained;   ///< threads[]: whose hold is known from now; TM__NONE
    uint32_t stack;    ///< stacks[] where that one asked for it, or TM__NONE
} tm__change;

/** Follow who holds what over the beginning of an interval. */
tm__change tm__holders_follow(tm__holder *holders, const tm_model *model,
                              uint32_t thread, uint32_t interval, const tm__link *link);

/** Who let the thread go on at an instant of which only the thread's own time is known,
 * so that what it does at that instant is to be taken first. @return threads[] */
uint32_t tm__holders_awaited(const tm__holder *holders, const tm_model *model,
                             uint32_t thread, uint32_t interval, const tm__link *link);

void tm__holds_free(tm__holds *holds);

#endif
