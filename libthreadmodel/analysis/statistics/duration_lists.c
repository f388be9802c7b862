/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ten million durations of one group or of a million: a list is a list of blocks, the
 * first of a cache line, later ones of more, so that little is left empty of a small
 * list and a large one is read from front to back.
 *
 *     list ──first──▶ next | words ...  ──▶ next | words ...  ◀──last── list
 *
 * A duration is a word; where objects are asked for, a word before it names the object.
 * A duration that does not fit a word, some seconds and more, lies apart, and so do
 * blocking intervals that were evicted into a histogram: ELSEWHERE and a number stand
 * for those.
 */
#include "analysis/statistics/duration_lists.h"

#include "base/error.h"
#include "base/prefetch.h"
#include "base/saturate.h"

enum { LINES_AT_MOST = 16 };

static const uint32_t ELSEWHERE = UINT32_MAX;

typedef struct tm__duration_block {
    struct tm__duration_block *next; ///< undefined in the last
    uint32_t words[];
} block;

/* The size of the block that has so many before it. */
static size_t bytes_of_block(uint32_t before)
{
    uint32_t lines = 1 + before / 2;

    return (size_t)(lines < LINES_AT_MOST ? lines : LINES_AT_MOST) * TM__LINE_BYTES;
}

static uint32_t words_of_block(uint32_t before)
{
    return (uint32_t)((bytes_of_block(before) - sizeof(block)) / sizeof(uint32_t));
}

static int add_block(tm__duration_lists *lists, tm__duration_list *durations)
{
    block *added = tm__arena_allocate(&lists->blocks, lists->memory,
                                      bytes_of_block(durations->blocks));

    if (!added)
        return tm__failure();
    if (durations->last)
        durations->last->next = added;
    else
        durations->first = added;
    durations->last = added;
    durations->left = words_of_block(durations->blocks++);
    return TM_OK;
}

static int push(tm__duration_lists *lists, tm__duration_list *durations, uint32_t word)
{
    if (!durations->left && add_block(lists, durations) < 0)
        return tm__failure();
    durations->last->words[words_of_block(durations->blocks - 1) - durations->left--] =
        word;
    return TM_OK;
}

static int push_apart(tm__duration_lists *lists, tm__duration_list *durations,
                      tm__apart apart)
{
    uint32_t number;

    if (__builtin_mul_overflow(lists->aparts_count, lists->parts, &number) ||
        __builtin_add_overflow(number, lists->part, &number))
        return tm__fail(TM_ELIMIT, "more than %u long durations", lists->aparts_count);
    if (tm__reserve(lists->memory, &lists->aparts, &lists->aparts_capacity,
                    (size_t)lists->aparts_count + 1, sizeof(apart)) < 0 ||
        push(lists, durations, ELSEWHERE) < 0 || push(lists, durations, number) < 0)
        return tm__failure();
    lists->aparts[lists->aparts_count++] = apart;
    return TM_OK;
}

int tm__duration_list_add(tm__duration_lists *lists, tm__duration_list *durations,
                          uint32_t object, int64_t duration_ns)
{
    if (lists->with_objects && push(lists, durations, object) < 0)
        return tm__failure();
    if (duration_ns < 0)
        duration_ns = 0;
    durations->total_ns = tm__sum(durations->total_ns, duration_ns);
    return duration_ns < ELSEWHERE
               ? push(lists, durations, (uint32_t)duration_ns)
               : push_apart(lists, durations, (tm__apart){.duration_ns = duration_ns});
}

int tm__duration_list_add_histogram(tm__duration_lists *lists,
                                    tm__duration_list *durations, uint32_t object,
                                    const tm__histogram *histogram)
{
    if (lists->with_objects && push(lists, durations, object) < 0)
        return tm__failure();
    durations->total_ns = tm__sum(durations->total_ns, histogram->total);
    return push_apart(lists, durations, (tm__apart){.histogram = histogram});
}

/** A place in a list. */
typedef struct reader {
    const tm__duration_list *durations;
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
    if (entered == r->durations->last)
        r->end -= r->durations->left;
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
    return r->at == r->end && r->block == r->durations->last;
}

static void count_object(tm__distinct *objects, uint32_t object)
{
    if (object == TM__NONE || objects->marks[object] == objects->mark)
        return;
    objects->marks[object] = objects->mark;
    objects->count++;
}

void tm__duration_list_count(const tm__duration_lists *lists,
                             const tm__duration_list *durations,
                             tm__dense_histogram *dense, tm__distinct *objects)
{
    reader r = {.durations = durations};

    if (!durations->first)
        return;
    for (enter_block(&r, durations->first, 0); !is_at_end(&r);) {
        const tm__apart *apart;
        uint32_t word, number;

        if (lists->with_objects)
            count_object(objects, next_word(&r));
        word = next_word(&r);
        if (word != ELSEWHERE) {
            tm__dense_histogram_add(dense, word);
            continue;
        }
        number = next_word(&r);
        apart = &lists[number % lists->parts].aparts[number / lists->parts];
        if (apart->histogram)
            tm__dense_histogram_merge(dense, apart->histogram);
        else
            tm__dense_histogram_add(dense, apart->duration_ns);
    }
}

void tm__duration_list_ask_for_last(const tm__duration_list *durations)
{
    if (durations->blocks)
        tm__ask_for(&durations->last->words[words_of_block(durations->blocks - 1) -
                                            durations->left]);
}

void tm__duration_list_ask_for_first(const tm__duration_list *durations)
{
    tm__ask_for(durations->first);
}

void tm__duration_lists_free(tm__duration_lists *lists)
{
    tm__arena_free(&lists->blocks, lists->memory);
    tm__free(lists->memory, lists->aparts,
             lists->aparts_capacity * sizeof(*lists->aparts));
}
