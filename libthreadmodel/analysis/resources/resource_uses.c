/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Uses of resources: from the end of a thread's wait to its own release. All begins and
 * ends of waits and all releases are gone through once by time.
 *
 *     queue       ──2───3───2───3──2──        never empty from ( to ): no release of
 *     thread  wwww(────────────────)release   this thread can have gone unseen
 */
#include "analysis/resources/resource_release.h"
#include "analysis/resources/resource_steps.h"
#include "analysis/resources/resource_uses.h"
#include "analysis/resources/use_sums.h"
#include "base/error.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"

/* A release is followed through so many helpers that had nothing else to do. */
enum { HELPERS = 3 };

/* A thread that was released and waits again before it released another has acquired
 * nothing: the wait that it was released from goes on. */
static void revoke_use(tm__use_sweep *s, uint32_t number)
{
    const tm__use_turn *it = &s->turns[number];

    if (!it->use || s->all->waits[number].is_used)
        return;
    s->all->uses[it->use - 1].resource = TM__NONE;
    s->all->waits[it->wait].is_used = 0;
}

static void on_begin(tm__use_sweep *s, uint32_t number)
{
    const tm__resource_wait *it = &s->all->waits[number];
    uint32_t *latest = &s->latest[it->member];

    if (*latest)
        revoke_use(s, *latest - 1);
    *latest = number + 1;
    s->queues[it->queue].waiting++;
}

static int add_use(tm__use_sweep *s, tm__resource_wait *wait, uint32_t object,
                   int64_t end_ns)
{
    tm__resources *all = s->all;

    if (wait->is_used)
        return TM_OK;
    if (tm__reserve(all->memory, &all->uses, &all->uses_capacity,
                    (size_t)all->uses_count + 1, sizeof(*all->uses)) < 0)
        return tm__failure();
    wait->is_used = 1;
    all->uses[all->uses_count++] =
        (tm__resource_use){.start_ns = wait->got_ns,
                           .end_ns = end_ns,
                           .thread = wait->thread,
                           .object = object,
                           .resource = wait->resource,
                           .wait = (uint32_t)(wait - all->waits)};
    return TM_OK;
}

/* Whether threads of a queue release one another, each waiting at an object of its own:
 * transactions, say. In a pipeline the last stage releases nobody. */
static int goes_around(const tm__use_queue *line)
{
    return line->threads >= 3 && line->releasers >= line->threads - line->threads / 4;
}

/* The thread that ended the last wait of a thread before a time; TM__NONE: not known,
 * or it waited for the same object, which a helper never does. */
static uint32_t waker_of(const tm_model *model, uint32_t thread, uint32_t object,
                         int64_t *time_ns)
{
    const tm__thread *it = &model->entities.threads[thread];
    uint32_t low = tm__intervals_until(it, *time_ns);

    for (; low > 1; low--) {
        uint32_t cause = it->intervals[low - 1].cause;
        const tm__interaction *row;

        if (!tm__is_resource_wait(model, &it->intervals[low - 2]))
            continue;
        if (it->intervals[low - 2].object == object || cause == TM__NONE ||
            cause < model->intervals.interactions_first)
            return TM__NONE;
        row = tm__row(model, cause);
        if (row->from_ns == INT64_MIN || row->from_ns > *time_ns)
            return TM__NONE;
        *time_ns = row->from_ns;
        return row->from_thread;
    }
    return TM__NONE;
}

/*
 *     A  wwwwww(──────use──────)wakes helper
 *     helper      wwwwwwwwwwwwwww───releases B
 *     B              wwwwwwwwwwwwwwwwwwwwwwwww
 *
 * A thread that lets the next one go, itself or by a helper that it woke for that, had
 * waited in the same queue before: since then it used what B gets now. As above, an
 * unpark in between could have gone unseen if nobody waited.
 */
static int end_turn(tm__use_sweep *s, uint32_t number)
{
    const tm_model *model = s->all->model;
    const tm__resource_wait *next = &s->all->waits[number];
    const tm__use_queue *line = &s->queues[next->queue];
    uint32_t thread = next->releaser;
    int64_t time_ns = next->released_ns;

    for (int i = 0; i <= HELPERS && thread != TM__NONE; i++) {
        uint32_t member = tm__use_member(s, next->queue, thread);
        uint32_t latest = member == TM__NONE ? 0 : s->latest[member];
        tm__resource_wait *wait = latest ? &s->all->waits[latest - 1] : NULL;

        if (wait && thread != next->thread && !wait->is_open &&
            wait->got_ns <= time_ns &&
            (next->is_always_seen ||
             (wait->is_queued && wait->emptied == line->emptied)) &&
            (wait->object == next->object || goes_around(line))) {
            if (wait->object == next->object || wait->is_used)
                return add_use(s, wait, wait->object, time_ns);
            s->turns[number] = (tm__use_turn){s->all->uses_count + 1, latest - 1};
            return add_use(s, wait, TM__NONE, time_ns);
        }
        if (wait)
            return TM_OK;
        thread = waker_of(model, thread, next->object, &time_ns);
    }
    return TM_OK;
}

static int on_end(tm__use_sweep *s, uint32_t number)
{
    tm__resource_wait *it = &s->all->waits[number];
    const tm__resource *resource = &s->all->items[it->resource];
    tm__use_queue *line = &s->queues[it->queue];
    uint32_t *pending;

    if (end_turn(s, number) < 0)
        return tm__failure();
    line->waiting--;
    line->emptied += line->waiting == 0;
    it->is_queued = line->waiting > 0;
    it->emptied = line->emptied;
    if (resource->releasing == TM__NONE)
        return TM_OK;
    pending = tm__triple_map_at(&s->pending, s->all->memory, it->thread,
                                resource->class_name, resource->releasing);
    if (!pending)
        return tm__failure();
    *pending = number + 1;
    return TM_OK;
}

/* An object that was released to this wait first, and never waited for later, stood for
 * this one use: a transaction, the lock of a row. Any other is another resource of the
 * class. */
static int is_of(const tm__use_sweep *s, const tm__resource_wait *wait,
                 const tm__release *it)
{
    const tm__object_life *had;

    if (wait->object == it->object)
        return 1;
    if (wait->object == TM__NONE)
        return 0;
    had = &s->lives[wait->object];
    return had->released_ns >= wait->start_ns && had->last_ns <= wait->got_ns;
}

static int on_release(tm__use_sweep *s, const tm__release *it)
{
    tm__resources *all = s->all;
    uint32_t *pending =
        tm__triple_map_find(&s->pending, it->thread, it->class_name, it->place);
    tm__resource_wait *wait;
    const tm__use_queue *line;

    if (!pending || *pending == UINT32_MAX)
        return TM_OK;
    wait = &all->waits[*pending - 1];
    if (it->time_ns < wait->got_ns || !is_of(s, wait, it))
        return TM_OK;
    line = &s->queues[wait->queue];
    if (s->latest[wait->member] == *pending &&
        (it->is_always_seen ||
         (wait->is_queued && line->waiting > 0 && line->emptied == wait->emptied))) {
        if (add_use(s, wait, wait->object, it->time_ns) < 0)
            return tm__failure();
    }
    *pending = UINT32_MAX; /* it is over; 0 would be a free slot */
    return TM_OK;
}

static int step(tm__use_sweep *s, uint32_t number)
{
    switch (number % TM__USE_STEPS) {
    case TM__USE_BEGINS: on_begin(s, number / TM__USE_STEPS); return TM_OK;
    case TM__USE_ENDS: return on_end(s, number / TM__USE_STEPS);
    default: return on_release(s, &s->releases[number / TM__USE_STEPS]);
    }
}

static void drop_revoked(tm__resources *all)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < all->uses_count; i++)
        if (all->uses[i].resource != TM__NONE)
            all->uses[kept++] = all->uses[i];
    all->uses_count = kept;
}

/* A use ends with a release whose place is known: without one there is no use. */
static int is_any_released(const tm__resources *all)
{
    for (uint32_t i = 0; i < all->items_count; i++)
        if (all->items[i].releasing != TM__NONE)
            return 1;
    return 0;
}

static int find_uses(tm__resources *all)
{
    tm__memory *memory = all->memory;
    size_t queues = ((size_t)all->queues_count + 1) * sizeof(tm__use_queue);
    size_t members = ((size_t)all->members + 1) * sizeof(uint32_t);
    size_t objects =
        ((size_t)all->model->entities.objects_count + 1) * sizeof(tm__object_life);
    size_t turns = ((size_t)all->waits_count + 1) * sizeof(tm__use_turn);
    tm__use_sweep s = {.all = all,
                       .queues = tm__zalloc(memory, queues),
                       .lives = tm__resize(memory, NULL, 0, objects),
                       .latest = tm__zalloc(memory, members),
                       .turns = tm__zalloc(memory, turns)};
    int rc = s.queues && s.lives && s.latest && s.turns ? tm__use_steps_gather(&s)
                                                        : TM_ENOMEM;

    for (uint32_t i = 0; rc == TM_OK && i < s.steps_count; i++)
        rc = step(&s, s.steps[i].number);
    if (rc == TM_OK)
        drop_revoked(all);
    if (rc == TM_OK)
        rc = tm__resource_uses_sum_up(all);
    tm__free(memory, s.queues, queues);
    tm__free(memory, s.lives, objects);
    tm__free(memory, s.latest, members);
    tm__free(memory, s.turns, turns);
    tm__free(memory, s.releases, s.releases_capacity * sizeof(*s.releases));
    tm__free(memory, s.steps, s.steps_capacity * sizeof(*s.steps));
    tm__triple_map_free(&s.pending, memory);
    tm__triple_map_free(&s.members, memory);
    return rc;
}

int tm__resources_find_uses(tm__resources *all)
{
    return is_any_released(all) ? find_uses(all) : TM_OK;
}
