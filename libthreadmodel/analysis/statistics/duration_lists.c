/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ten million durations of one group or of a million: a pile is a list of blocks, the
 * first of a cache line, later ones of more, so that little is left empty of a small
 * pile and a large one is read from front to back.
 *
 *     pile ──first──▶ next | words ...  ──▶ next | words ...  ◀──last── pile
 *
 * A duration is a word, behind one that tells its object where that is asked for.
 * What does not fit a word, some seconds and more, lies apart, and so do hold-ups that
 * were folded into a histogram: ELSEWHERE and a number stand for those.
 */
#include "analysis/statistics/duration_lists.h"

#include "base/prefetch.h"
#include "base/saturate.h"

enum { LINES_AT_MOST = 16 };

static const uint32_t ELSEWHERE = UINT32_MAX;

typedef struct tm__pile_block {
    struct tm__pile_block *next; ///< undefined in the last
    uint32_t words[];
} block;

/* Of the block that has so many before it. */
static size_t bytes_of_block(uint32_t before)
{
    uint32_t lines = 1 + before / 2;

    return (size_t)(lines < LINES_AT_MOST ? lines : LINES_AT_MOST) * TM__LINE_BYTES;
}

static uint32_t words_of_block(uint32_t before)
{
    return (uint32_t)((bytes_of_block(before) - sizeof(block)) / sizeof(uint32_t));
}

static int add_block(tm__piles *piles, tm__pile *pile)
{
    block *added =
        tm__arena_take(&piles->blocks, piles->memory, bytes_of_block(pile->blocks));

    if (!added)
        return TM_ENOMEM;
    if (pile->last)
        pile->last->next = added;
    else
        pile->first = added;
    pile->last = added;
    pile->left = words_of_block(pile->blocks++);
    return TM_OK;
}

static int push(tm__piles *piles, tm__pile *pile, uint32_t word)
{
    if (!pile->left && add_block(piles, pile) < 0)
        return TM_ENOMEM;
    pile->last->words[words_of_block(pile->blocks - 1) - pile->left--] = word;
    return TM_OK;
}

static int push_apart(tm__piles *piles, tm__pile *pile, tm__apart apart)
{
    if (tm__reserve(piles->memory, &piles->aparts, &piles->aparts_capacity,
                    (size_t)piles->aparts_count + 1, sizeof(apart)) < 0 ||
        push(piles, pile, ELSEWHERE) < 0 || push(piles, pile, piles->aparts_count) < 0)
        return TM_ENOMEM;
    piles->aparts[piles->aparts_count++] = apart;
    return TM_OK;
}

int tm__pile_add(tm__piles *piles, tm__pile *pile, uint32_t object, int64_t duration_ns)
{
    if (piles->with_objects && push(piles, pile, object) < 0)
        return TM_ENOMEM;
    if (duration_ns < 0)
        duration_ns = 0;
    pile->total_ns = tm__sum(pile->total_ns, duration_ns);
    return duration_ns < ELSEWHERE
               ? push(piles, pile, (uint32_t)duration_ns)
               : push_apart(piles, pile, (tm__apart){.duration_ns = duration_ns});
}

int tm__pile_add_fold(tm__piles *piles, tm__pile *pile, uint32_t object,
                      const tm__histogram *folded)
{
    if (piles->with_objects && push(piles, pile, object) < 0)
        return TM_ENOMEM;
    pile->total_ns = tm__sum(pile->total_ns, folded->total);
    return push_apart(piles, pile, (tm__apart){.folded = folded});
}

/** A place in a pile. */
typedef struct reader {
    const tm__pile *pile;
    const block *block;
    uint32_t before; ///< blocks before this one
    uint32_t at;
    uint32_t end; ///< words of the block
} reader;

static void enter_block(reader *r, const block *entered, uint32_t before)
{
    r->block = entered;
    r->before = before;
    r->at = 0;
    r->end = words_of_block(before);
    if (entered == r->pile->last)
        r->end -= r->pile->left;
    else
        tm__ask_for(entered->next);
}

/* There is a word left. */
static uint32_t next_word(reader *r)
{
    if (r->at == r->end)
        enter_block(r, r->block->next, r->before + 1);
    return r->block->words[r->at++];
}

static int is_at_end(const reader *r)
{
    return r->at == r->end && r->block == r->pile->last;
}

static void count_object(tm__distinct *objects, uint32_t object)
{
    if (object == TM__NONE || objects->marks[object] == objects->mark)
        return;
    objects->marks[object] = objects->mark;
    objects->count++;
}

void tm__pile_count(const tm__piles *piles, const tm__pile *pile, tm__spread *spread,
                    tm__distinct *objects)
{
    reader r = {.pile = pile};

    if (!pile->first)
        return;
    for (enter_block(&r, pile->first, 0); !is_at_end(&r);) {
        const tm__apart *apart;
        uint32_t word;

        if (piles->with_objects)
            count_object(objects, next_word(&r));
        word = next_word(&r);
        if (word != ELSEWHERE) {
            tm__spread_add(spread, word);
            continue;
        }
        apart = &piles->aparts[next_word(&r)];
        if (apart->folded)
            tm__spread_merge(spread, apart->folded);
        else
            tm__spread_add(spread, apart->duration_ns);
    }
}

void tm__pile_ask_for_last(const tm__pile *pile)
{
    if (pile->blocks)
        tm__ask_for(&pile->last->words[words_of_block(pile->blocks - 1) - pile->left]);
}

void tm__pile_ask_for_first(const tm__pile *pile)
{
    tm__ask_for(pile->first);
}

void tm__piles_free(tm__piles *piles)
{
    tm__arena_free(&piles->blocks, piles->memory);
    tm__free(piles->memory, piles->aparts,
             piles->aparts_capacity * sizeof(*piles->aparts));
}
