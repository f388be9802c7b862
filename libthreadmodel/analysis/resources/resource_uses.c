/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Uses of resources: from the end of a thread's wait to its own release. All begins and
 * ends of waits and all releases are gone through once by time.
 *
 *     queue       ──2───3───2───3──2──        never empty from ( to ): no release of
 *     thread  wwww(────────────────)release   this thread can have gone unseen
 */
#include "analysis/resources/resources.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "model/methods.h"
#include "model/object.h"

/** A release by a thread, as it called it. */
typedef struct release {
    int64_t time_ns;
    uint32_t thread;
    uint32_t object;
    uint32_t class_name;
    uint32_t place; ///< strings
    uint8_t is_always_seen;
} release;

/* At one instant: a wait begins, a release, a wait ends. */
enum { BEGINS, RELEASES, ENDS, STEPS };

typedef struct queue {
    uint32_t waiting;
    uint32_t emptied;
} queue;

/** When an object was waited for and released. */
typedef struct life {
    int64_t released_ns; ///< first
    int64_t last_ns;     ///< last wait begun or release
} life;

typedef struct sweep {
    tm__resources *all;
    queue *queues;
    life *lives;            ///< of each object
    tm__triple_map pending; ///< (thread, class, releasing): waits[] + 1
    tm__triple_map latest;  ///< (thread, queue, 0): waits[] + 1
    TM__ARRAY(release, releases);
    TM__ARRAY(tm__sortable, steps); ///< waits[] or releases[], times STEPS, + which
} sweep;

/* ---- gather ---- */

static int gather_release(sweep *s, uint32_t number)
{
    const tm_model *model = s->all->model;
    const tm__interaction *row = tm__row(model, number);
    uint32_t class_index, object;
    release it = {.time_ns = row->from_ns,
                  .thread = row->from_thread,
                  .place = tm__resource_place(s->all, row->from_stack),
                  .class_name = TM__NONE,
                  .is_always_seen = row->kind != TM_INTERACTION_UNPARK};

    if (row->effect == TM__EFFECT_VOID || row->from_ns == INT64_MIN ||
        row->from_thread == TM__NONE || it.place == TM__NONE ||
        (row->kind != TM_INTERACTION_UNPARK && row->kind != TM_INTERACTION_NOTIFY &&
         row->kind != TM_INTERACTION_NOTIFY_ALL && row->kind != TM_INTERACTION_POST))
        return TM_OK;
    object = it.object = tm__release_object(model, row);
    class_index = object == TM__NONE ? TM__NONE : model->objects[object].class_index;
    if (class_index != TM__NONE)
        it.class_name = model->classes[class_index].name;
    if (object != TM__NONE) {
        if (it.time_ns < s->lives[object].released_ns)
            s->lives[object].released_ns = it.time_ns;
        if (it.time_ns > s->lives[object].last_ns)
            s->lives[object].last_ns = it.time_ns;
    }
    if (tm__reserve(s->all->memory, &s->releases, &s->releases_capacity,
                    (size_t)s->releases_count + 1, sizeof(it)) < 0)
        return TM_ENOMEM;
    s->releases[s->releases_count++] = it;
    return TM_OK;
}

static int add_step(sweep *s, int64_t time_ns, uint32_t number, uint32_t what)
{
    if (tm__reserve(s->all->memory, &s->steps, &s->steps_capacity,
                    (size_t)s->steps_count + 1, sizeof(*s->steps)) < 0)
        return TM_ENOMEM;
    if (number >= UINT32_MAX / STEPS)
        return TM_ENOMEM;
    s->steps[s->steps_count++] = (tm__sortable){time_ns, number * STEPS + what};
    return TM_OK;
}

static int gather(sweep *s)
{
    const tm_model *model = s->all->model;
    int rc = TM_OK;

    for (uint32_t i = 0; i < model->objects_count; i++)
        s->lives[i] = (life){INT64_MAX, INT64_MIN};
    for (uint32_t i = 0; rc == TM_OK && i < model->interactions_count; i++)
        rc = gather_release(s, model->interactions_first + i);
    for (uint32_t i = 0; rc == TM_OK && i < s->releases_count; i++)
        rc = add_step(s, s->releases[i].time_ns, i, RELEASES);
    for (uint32_t i = 0; rc == TM_OK && i < s->all->waits_count; i++) {
        const tm__resource_wait *it = &s->all->waits[i];

        if (it->object != TM__NONE && it->start_ns > s->lives[it->object].last_ns)
            s->lives[it->object].last_ns = it->start_ns;
        rc = add_step(s, it->start_ns, i, BEGINS);
        if (rc == TM_OK && !it->is_open)
            rc = add_step(s, it->end_ns, i, ENDS);
    }
    return rc;
}

/* What happens at one instant goes on in the order of its kinds. */
static int by_kind(const void *payload, uint32_t left, uint32_t right)
{
    (void)payload;
    if (left % STEPS != right % STEPS)
        return left % STEPS < right % STEPS ? -1 : 1;
    return left < right ? -1 : left > right;
}

static int sort_steps(sweep *s)
{
    size_t bytes = s->steps_count * sizeof(tm__sortable);
    tm__sortable *spare;

    if (!bytes)
        return TM_OK;
    spare = tm__resize(s->all->memory, NULL, 0, bytes);
    if (!spare)
        return TM_ENOMEM;
    tm__sort(s->steps, spare, s->steps_count, by_kind, NULL);
    tm__free(s->all->memory, spare, bytes);
    return TM_OK;
}

/* ---- the sweep ---- */

static int on_begin(sweep *s, uint32_t number)
{
    const tm__resource_wait *it = &s->all->waits[number];
    uint32_t *latest =
        tm__triple_map_at(&s->latest, s->all->memory, it->thread, it->queue, 0);

    if (!latest)
        return TM_ENOMEM;
    *latest = number + 1;
    s->queues[it->queue].waiting++;
    return TM_OK;
}

static int on_end(sweep *s, uint32_t number)
{
    tm__resource_wait *it = &s->all->waits[number];
    const tm__resource *resource = &s->all->items[it->resource];
    queue *line = &s->queues[it->queue];
    uint32_t *pending;

    line->waiting--;
    line->emptied += line->waiting == 0;
    it->is_queued = line->waiting > 0;
    it->emptied = line->emptied;
    if (resource->releasing == TM__NONE)
        return TM_OK;
    pending = tm__triple_map_at(&s->pending, s->all->memory, it->thread,
                                resource->class_name, resource->releasing);
    if (!pending)
        return TM_ENOMEM;
    *pending = number + 1;
    return TM_OK;
}

/* An object that was released to this wait first, and never waited for later, stood for
 * this one use: a transaction, the lock of a row. Any other is another resource of the
 * class. */
static int is_of(const sweep *s, const tm__resource_wait *wait, const release *it)
{
    const life *had;

    if (wait->object == it->object)
        return 1;
    if (wait->object == TM__NONE)
        return 0;
    had = &s->lives[wait->object];
    return had->released_ns >= wait->start_ns && had->last_ns <= wait->got_ns;
}

static int on_release(sweep *s, const release *it)
{
    tm__resources *all = s->all;
    uint32_t *pending =
        tm__triple_map_find(&s->pending, it->thread, it->class_name, it->place);
    const uint32_t *latest;
    const tm__resource_wait *wait;
    const queue *line;

    if (!pending || *pending == UINT32_MAX)
        return TM_OK;
    wait = &all->waits[*pending - 1];
    if (it->time_ns < wait->got_ns || !is_of(s, wait, it))
        return TM_OK;
    line = &s->queues[wait->queue];
    latest = tm__triple_map_find(&s->latest, wait->thread, wait->queue, 0);
    if (*latest == *pending &&
        (it->is_always_seen ||
         (wait->is_queued && line->waiting > 0 && line->emptied == wait->emptied))) {
        if (tm__reserve(all->memory, &all->uses, &all->uses_capacity,
                        (size_t)all->uses_count + 1, sizeof(*all->uses)) < 0)
            return TM_ENOMEM;
        all->uses[all->uses_count++] = (tm__resource_use){.start_ns = wait->got_ns,
                                                          .end_ns = it->time_ns,
                                                          .thread = wait->thread,
                                                          .object = wait->object,
                                                          .resource = wait->resource};
    }
    *pending = UINT32_MAX; /* it is over; 0 would be a free slot */
    return TM_OK;
}

static int step(sweep *s, uint32_t number)
{
    switch (number % STEPS) {
    case BEGINS: return on_begin(s, number / STEPS);
    case ENDS: return on_end(s, number / STEPS);
    default: return on_release(s, &s->releases[number / STEPS]);
    }
}

/* ---- what uses are like ---- */

/* Where a use spent the time in which it did not run. */
static int add_places(tm__resources *all, const tm__resource_use *use)
{
    const tm_model *model = all->model;
    const tm__thread *thread = &model->threads[use->thread];
    tm__resource *resource = &all->items[use->resource];
    uint32_t low = 0, high = thread->interval_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (thread->intervals[middle].start_ns < use->start_ns)
            low = middle + 1;
        else
            high = middle;
    }
    for (;
         low < thread->interval_count && thread->intervals[low].start_ns < use->end_ns;
         low++) {
        const tm__interval *it = &thread->intervals[low];
        uint32_t method = tm__resource_place(all, it->stack);
        int64_t end_ns = tm__interval_end_ns(model, thread, low), total_ns;

        if (it->state == TM_STATE_RUNNING || method == TM__NONE)
            continue;
        if (end_ns > use->end_ns)
            end_ns = use->end_ns;
        if (tm__resource_add(all, use->resource, method, TM__SUM_METHOD,
                             end_ns - it->start_ns, &total_ns) < 0)
            return TM_ENOMEM;
        if (total_ns > resource->use_method_ns) {
            resource->use_method_ns = total_ns;
            resource->use_method = method;
        }
    }
    return TM_OK;
}

/* Uses end before others begin at the same instant. */
static int ends_first(const void *payload, uint32_t left, uint32_t right)
{
    (void)payload;
    if (left % 2 != right % 2)
        return left % 2 ? -1 : 1;
    return left < right ? -1 : left > right;
}

/* The most uses of one object at once. */
static int count_permits(sweep *s)
{
    tm__resources *all = s->all;
    tm__triple_map at_once = {0};
    int rc = TM_OK;

    s->steps_count = 0;
    for (uint32_t i = 0; rc == TM_OK && i < all->uses_count; i++) {
        const tm__resource_use *it = &all->uses[i];

        if (it->start_ns == it->end_ns)
            continue;
        rc = tm__reserve(all->memory, &s->steps, &s->steps_capacity,
                         (size_t)s->steps_count + 2, sizeof(*s->steps));
        if (rc < 0)
            break;
        s->steps[s->steps_count++] = (tm__sortable){it->start_ns, 2 * i};
        s->steps[s->steps_count++] = (tm__sortable){it->end_ns, 2 * i + 1};
    }
    if (rc == TM_OK && s->steps_count) {
        size_t bytes = s->steps_count * sizeof(tm__sortable);
        tm__sortable *spare = tm__resize(all->memory, NULL, 0, bytes);

        if (!spare)
            return TM_ENOMEM;
        tm__sort(s->steps, spare, s->steps_count, ends_first, NULL);
        tm__free(all->memory, spare, bytes);
    }
    for (uint32_t i = 0; rc == TM_OK && i < s->steps_count; i++) {
        const tm__resource_use *it = &all->uses[s->steps[i].number / 2];
        uint32_t *count =
            tm__triple_map_at(&at_once, all->memory, it->resource, it->object, 0);

        if (!count) {
            rc = TM_ENOMEM;
            break;
        }
        if (*count == 0)
            *count = 1; /* none at once */
        *count = s->steps[i].number % 2 ? *count - 1 : *count + 1;
        if (*count - 1 > all->items[it->resource].permits)
            all->items[it->resource].permits = *count - 1;
    }
    tm__triple_map_free(&at_once, all->memory);
    return rc;
}

static int describe_uses(sweep *s)
{
    tm__resources *all = s->all;
    int rc = TM_OK;

    for (uint32_t i = 0; rc == TM_OK && i < all->uses_count; i++) {
        const tm__resource_use *it = &all->uses[i];

        rc = tm__histogram_add(&all->items[it->resource].uses, all->memory,
                               it->end_ns - it->start_ns);
        if (rc == TM_OK)
            rc = add_places(all, it);
    }
    return rc == TM_OK ? count_permits(s) : rc;
}

int tm__resources_find_uses(tm__resources *all)
{
    tm__memory *memory = all->memory;
    size_t queues = ((size_t)all->queues.count + 1) * sizeof(queue);
    size_t objects = ((size_t)all->model->objects_count + 1) * sizeof(life);
    sweep s = {.all = all,
               .queues = tm__zalloc(memory, queues),
               .lives = tm__resize(memory, NULL, 0, objects)};
    int rc = s.queues && s.lives ? gather(&s) : TM_ENOMEM;

    if (rc == TM_OK)
        rc = sort_steps(&s);
    for (uint32_t i = 0; rc == TM_OK && i < s.steps_count; i++)
        rc = step(&s, s.steps[i].number);
    if (rc == TM_OK)
        rc = describe_uses(&s);
    tm__free(memory, s.queues, queues);
    tm__free(memory, s.lives, objects);
    tm__free(memory, s.releases, s.releases_capacity * sizeof(*s.releases));
    tm__free(memory, s.steps, s.steps_capacity * sizeof(*s.steps));
    tm__triple_map_free(&s.pending, memory);
    tm__triple_map_free(&s.latest, memory);
    return rc;
}
