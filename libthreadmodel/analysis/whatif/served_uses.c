/* SPDX-License-Identifier: Apache-2.0 */
/* From a wait that got a permit to its thread's own release: uses of a resource. */
#include "analysis/resources/resource_release.h"
#include "analysis/timeline/wakeup_edge.h"
#include "analysis/whatif/served_uses.h"
#include "base/error.h"
#include "base/saturate.h"
#include "base/search.h"
#include "base/sort.h"
#include "model/entities/caller_frame.h"
#include "model/entities/thread.h"
#include "model/intervals/interaction.h"

/** A release of the resource: a row, at one of the places where waits were ended. */
typedef struct releases {
    tm__triple_map places; ///< (place, 0, 0)
    tm__sortable *order;   ///< rows, by thread and then time
    uint32_t *first;       ///< of each thread in order[]
    uint32_t count;
} releases;

static int note_places(tm__served *served, releases *r)
{
    const tm__resources *all = served->resources;

    for (uint32_t i = 0; i < all->waits_count; i++) {
        const tm__interaction *row = tm__served_row(served, all->waits[i].release);
        uint32_t place, *value;

        if (served->roles[i] != TM__WAIT_PERMIT || !row)
            continue;
        place = tm__resource_place(all, row->from_stack);
        if (place == TM__NONE)
            continue;
        value = tm__triple_map_at(&r->places, served->memory, place, 0, 0);
        if (!value)
            return tm__failure();
        *value = 1;
    }
    return TM_OK;
}

static int is_release(const tm__served *served, const releases *r,
                      const tm__interaction *row)
{
    uint32_t place;

    if (row->from_thread == TM__NONE || row->from_ns == INT64_MIN ||
        row->effect == TM__EFFECT_VOID ||
        (row->kind != TM_INTERACTION_UNPARK && row->kind != TM_INTERACTION_NOTIFY &&
         row->kind != TM_INTERACTION_NOTIFY_ALL && row->kind != TM_INTERACTION_POST))
        return 0;
    place = tm__resource_place(served->resources, row->from_stack);
    return place != TM__NONE && tm__triple_map_find(&r->places, place, 0, 0) != NULL &&
           !tm__is_passed_on(served->resources, row);
}

static int in_order(const void *payload, uint32_t left, uint32_t right)
{
    (void)payload;
    return left < right ? -1 : left > right;
}

static int gather_releases(tm__served *served, releases *r)
{
    const tm_model *model = served->resources->model;
    uint32_t threads = model->entities.threads_count;
    size_t bytes;

    for (uint32_t i = 0; i < model->intervals.interactions_count; i++)
        if (is_release(served, r, &model->intervals.interactions[i]))
            r->first[model->intervals.interactions[i].from_thread]++;
    for (uint32_t i = 0; i <= threads; i++) {
        uint32_t own = r->first[i];

        r->first[i] = r->count;
        r->count += own;
    }
    bytes = ((size_t)r->count + 1) * sizeof(tm__sortable);
    r->order = tm__resize(served->memory, NULL, 0, 2 * bytes);
    if (!r->order)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < model->intervals.interactions_count; i++) {
        const tm__interaction *row = &model->intervals.interactions[i];

        if (is_release(served, r, row))
            r->order[r->first[row->from_thread]++] = (tm__sortable){row->from_ns, i};
    }
    /* Each thread's first has become the next one's. */
    for (uint32_t i = threads; i > 0; i--)
        r->first[i] = r->first[i - 1];
    r->first[0] = 0;
    for (uint32_t i = 0; i < threads; i++)
        tm__sort(r->order + r->first[i], r->order + r->count + 1,
                 r->first[i + 1] - r->first[i], in_order, NULL);
    return TM_OK;
}

/* The first release of a thread after an instant, of order[]. */
static uint32_t release_after(const releases *r, uint32_t thread, int64_t time_ns)
{
    return TM__FIRST_AFTER(r->order, tm__sortable, key, r->first[thread],
                           r->first[thread + 1], time_ns);
}

/* The next wait of the same thread that is asked about; NULL: none. */
static const tm__resource_wait *next_wait(const tm__served *served, uint32_t number)
{
    const tm__resources *all = served->resources;
    uint32_t thread = all->waits[number].thread;

    for (uint32_t i = number + 1;
         i < all->waits_count && all->waits[i].thread == thread; i++)
        if (served->roles[i] != TM__WAIT_OTHER)
            return &all->waits[i];
    return NULL;
}

/* Whether it waits again before it has released or done anything else. */
static int is_lost(const tm__served *served, const releases *r, uint32_t number)
{
    const tm__resource_wait *it = &served->resources->waits[number];
    const tm__resource_wait *next = next_wait(served, number);
    const tm__thread *thread = &served->resources->model->entities.threads[it->thread];
    const tm__interaction *row = tm__served_row(served, it->row);
    uint32_t release = release_after(r, it->thread, it->end_ns);
    int releases_any = r->first[it->thread] < r->first[it->thread + 1];

    if (!next || !row || (!releases_any && row->kind != TM_INTERACTION_NOTIFY_ALL) ||
        (release < r->first[it->thread + 1] && r->order[release].key <= next->start_ns))
        return 0;
    for (uint32_t i = it->interval + 1; i < next->interval; i++) {
        int state = thread->intervals[i].state;

        if (tm__is_inert(state) && state != TM_STATE_BLOCKED &&
            state != TM_STATE_REENTERING &&
            !(thread->intervals[i].flags & TM__INTERVAL_CONTINUES))
            return 0;
    }
    return 1;
}

/* A thread that waits for work has given back what it used. */
static int is_idle_between(const tm__served *served, uint32_t number, int64_t from_ns,
                           int64_t to_ns)
{
    const tm_model *model = served->resources->model;
    const tm__thread *thread = &model->entities.threads[number];

    for (uint32_t i = tm__intervals_until(thread, to_ns); i-- > 0;) {
        const tm__interval *it = &thread->intervals[i];

        if (it->start_ns < from_ns)
            return 0;
        if (it->start_ns < to_ns && it->stack != TM__NONE &&
            tm__frame_is_idle(model, served->resources->callers[it->stack]))
            return 1;
    }
    return 0;
}

/* From a wait to the thread's own release, before it waits again. */
static int find_use(tm__served *served, const releases *r, uint32_t number,
                    uint8_t *ends)
{
    const tm__resource_wait *it = &served->resources->waits[number];
    const tm__resource_wait *next = next_wait(served, number);
    uint32_t release = release_after(r, it->thread, it->got_ns);
    tm__span span = {it->got_ns, 0, it->thread, number, 0};

    if (release == r->first[it->thread + 1] ||
        (next && r->order[release].key > next->start_ns) ||
        is_idle_between(served, it->thread, it->got_ns, r->order[release].key))
        return 0;
    span.end_ns = r->order[release].key;
    ends[release] = 1;
    return tm__served_add_span(served, span) < 0 ? tm__failure() : 1;
}

/* A thread that is stopped begins and releases nothing: it did before or after that,
 * whichever is nearer. */
static int64_t awake_ns(const tm_model *model, uint32_t number, int64_t time_ns)
{
    const tm__thread *thread = &model->entities.threads[number];
    uint32_t at = tm__interval_at(thread, time_ns);
    int64_t start_ns, end_ns;

    if (at == TM__NONE || !tm__is_inert(thread->intervals[at].state))
        return time_ns;
    start_ns = thread->intervals[at].start_ns;
    end_ns = tm__interval_end_ns(model, thread, at);
    return end_ns - time_ns < time_ns - start_ns ? end_ns : start_ns;
}

/* Uses with one end that was not seen, since no thread had to wait then, are as long as
 * the rest. */
static int guess_use(tm__served *served, uint32_t number, int64_t usual_ns)
{
    const tm__resource_wait *it = &served->resources->waits[number];
    const tm__resource_wait *next = next_wait(served, number);
    tm__span span = {it->got_ns, it->got_ns + usual_ns, it->thread, number, 1};

    span.end_ns = awake_ns(served->resources->model, it->thread, span.end_ns);
    if (next && span.end_ns > next->start_ns)
        span.end_ns = next->start_ns;
    if (span.end_ns > span.start_ns)
        return tm__served_add_span(served, span);
    served->roles[number] = TM__WAIT_LOST;
    return TM_OK;
}

static int guess_begun(tm__served *served, const releases *r, uint32_t thread,
                       const uint8_t *ends, int64_t usual_ns)
{
    int rc = TM_OK;

    for (uint32_t i = r->first[thread]; rc == TM_OK && i < r->first[thread + 1]; i++) {
        tm__span span = {r->order[i].key - usual_ns, r->order[i].key, thread, TM__NONE,
                         1};

        if (ends[i])
            continue;
        span.start_ns = awake_ns(served->resources->model, thread, span.start_ns);
        if (i > r->first[thread] && span.start_ns < r->order[i - 1].key)
            span.start_ns = r->order[i - 1].key;
        if (span.end_ns > span.start_ns)
            rc = tm__served_add_span(served, span);
    }
    return rc;
}

static int guess_uses(tm__served *served, const releases *r, const uint8_t *seen,
                      const uint8_t *ends, int64_t usual_ns)
{
    const tm__resources *all = served->resources;
    int rc = TM_OK;

    for (uint32_t i = 0; rc == TM_OK && i < all->waits_count; i++)
        if (served->roles[i] == TM__WAIT_PERMIT && !seen[i])
            rc = guess_use(served, i, usual_ns);
    for (uint32_t i = 0; rc == TM_OK && i < all->model->entities.threads_count; i++)
        rc = guess_begun(served, r, i, ends, usual_ns);
    return rc;
}

static int find_uses(tm__served *served, const releases *r)
{
    const tm__resources *all = served->resources;
    uint8_t *seen = tm__zalloc(served->memory, (size_t)all->waits_count + 1);
    uint8_t *ends = tm__zalloc(served->memory, (size_t)r->count + 1);
    int64_t sum_ns = 0;
    int rc = seen && ends ? TM_OK : TM_ENOMEM;

    for (uint32_t i = 0; rc >= 0 && i < all->waits_count; i++)
        if (served->roles[i] == TM__WAIT_PERMIT && is_lost(served, r, i))
            served->roles[i] = TM__WAIT_LOST;
    for (uint32_t i = 0; rc >= 0 && i < all->waits_count; i++) {
        if (served->roles[i] != TM__WAIT_PERMIT)
            continue;
        rc = find_use(served, r, i, ends);
        seen[i] = rc == 1;
        if (rc == 1)
            sum_ns =
                tm__sum(sum_ns, served->spans[served->spans_count - 1].end_ns -
                                    served->spans[served->spans_count - 1].start_ns);
    }
    if (rc >= 0)
        rc = served->spans_count
                 ? guess_uses(served, r, seen, ends, sum_ns / served->spans_count)
                 : TM_OK;
    tm__free(served->memory, seen, (size_t)all->waits_count + 1);
    tm__free(served->memory, ends, (size_t)r->count + 1);
    return rc;
}

/* ---- permits ---- */

enum { WAIT_ENDS, USE_ENDS, USE_BEGINS, WAIT_BEGINS, TURNS };

/** Begins and ends of uses and of waits, by time. */
typedef struct turns {
    tm__sortable *order;
    uint32_t count;
} turns;

static void add_turn(turns *t, int64_t time_ns, uint32_t kind)
{
    t->order[t->count++] = (tm__sortable){time_ns, kind};
}

/* How many uses there were for the longest time while threads waited. */
static uint32_t usual_at_once(const turns *t, int64_t *times_ns, uint32_t most)
{
    uint32_t at_once = 0, waiting = 0, usual = 1;

    for (uint32_t i = 0; i < t->count; i++) {
        if (i > 0 && waiting > 0 && at_once < most)
            times_ns[at_once] += t->order[i].key - t->order[i - 1].key;
        switch (t->order[i].number) {
        case WAIT_ENDS: waiting--; break;
        case USE_ENDS: at_once--; break;
        case USE_BEGINS: at_once++; break;
        default: waiting++; break;
        }
    }
    for (uint32_t i = 1; i < most; i++)
        if (times_ns[i] > times_ns[usual])
            usual = i;
    return usual;
}

/* While a thread waits all permits are in use: so many there are. */
static int find_permits(tm__served *served)
{
    const tm__resources *all = served->resources;
    uint32_t most = all->model->entities.threads_count + 2;
    size_t count = 2 * ((size_t)served->spans_count + all->waits_count) + 1;
    size_t bytes = 2 * count * sizeof(tm__sortable);
    int64_t *times_ns = tm__zalloc(served->memory, most * sizeof(*times_ns));
    turns t = {.order = tm__resize(served->memory, NULL, 0, bytes)};
    int rc = times_ns && t.order ? TM_OK : TM_ENOMEM;

    for (uint32_t i = 0; rc == TM_OK && i < served->spans_count; i++) {
        add_turn(&t, served->spans[i].start_ns, USE_BEGINS);
        add_turn(&t, served->spans[i].end_ns, USE_ENDS);
    }
    for (uint32_t i = 0; rc == TM_OK && i < all->waits_count; i++)
        if (served->roles[i] == TM__WAIT_PERMIT) {
            add_turn(&t, all->waits[i].start_ns, WAIT_BEGINS);
            add_turn(&t, all->waits[i].end_ns, WAIT_ENDS);
        }
    if (rc == TM_OK) {
        tm__sort(t.order, t.order + count, t.count, NULL, NULL);
        served->permits = served->at_once = usual_at_once(&t, times_ns, most);
    }
    tm__free(served->memory, times_ns, most * sizeof(*times_ns));
    tm__free(served->memory, t.order, bytes);
    return rc;
}

int tm__served_find_uses(tm__served *served)
{
    size_t threads = (size_t)served->resources->model->entities.threads_count + 1;
    releases r = {.first = tm__zalloc(served->memory, threads * sizeof(uint32_t))};
    int rc = r.first ? note_places(served, &r) : TM_ENOMEM;

    if (rc == TM_OK)
        rc = gather_releases(served, &r);
    if (rc == TM_OK)
        rc = find_uses(served, &r);
    if (rc == TM_OK && served->spans_count)
        rc = find_permits(served);
    tm__triple_map_free(&r.places, served->memory);
    tm__free(served->memory, r.order, 2 * ((size_t)r.count + 1) * sizeof(tm__sortable));
    tm__free(served->memory, r.first, threads * sizeof(uint32_t));
    return rc;
}
