/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lock is a station of one server, a pool one of as many as it has permits. Locks
 * that a change of permits is about are one station.
 */
#include "analysis/whatif/request_claims.h"

#include "analysis/resources/resources.h"
#include "analysis/whatif/holds.h"
#include "base/error.h"
#include "base/search.h"
#include "model/entities/object.h"

/* More are never all busy; their holds are time that is spent. */
enum { STATIONS_AT_MOST = 1 << 14 };

typedef struct finder {
    tm__claims *claims;
    tm__requests *to;
    const tm__load *load;
    const tm__candidates *all;
    const tm__candidate *it;
    double *handed_ns; /* of each station, and how often */
    uint32_t *handed;
} finder;

uint32_t tm__wait_at(const tm__resources *all, uint32_t thread, uint32_t interval)
{
    uint32_t low = 0, high = all->waits_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const tm__resource_wait *it = &all->waits[middle];

        if (it->thread < thread || (it->thread == thread && it->interval < interval))
            low = middle + 1;
        else
            high = middle;
    }
    return low < all->waits_count && all->waits[low].thread == thread &&
                   all->waits[low].interval == interval
               ? low
               : TM__NONE;
}

/* ---- stations ---- */

/* @return stations[]; TM__NONE: no memory */
static uint32_t add_station(finder *f, tm__station station)
{
    tm__requests *to = f->to;

    if (tm__reserve(to->memory, &to->stations, &to->stations_capacity,
                    (size_t)to->stations_count + 1, sizeof(*to->stations)) < 0)
        return TM__NONE;
    station.servers_changed = station.servers;
    to->stations[to->stations_count] = station;
    return to->stations_count++;
}

/* @return value of a map for a station that is new, to be set; NULL: no memory */
static uint32_t *value_of(finder *f, tm__triple_map *map, uint32_t key)
{
    return tm__triple_map_at(map, f->to->memory, key, 0, 0);
}

static uint32_t class_of(const tm_model *model, uint32_t object)
{
    uint32_t index = model->entities.objects[object].class_index;

    return index == TM__NONE ? TM__NONE : model->entities.classes[index].name;
}

static int is_asked_lock(const finder *f, const tm__replay_hold *hold)
{
    return tm__is_of_claims(f->all->options->change) &&
           tm__candidate_matches(f->all, f->it, &f->all->holds.places[hold->place]);
}

/* @return 1 and the station of a hold's lock; 0: it has none; TM_ENOMEM */
static int station_of_lock(finder *f, const tm__replay_hold *hold, uint32_t *station)
{
    int is_split =
        f->all->options->change == TM_WHATIF_PERMITS && is_asked_lock(f, hold);
    tm__station lock = {.kind = TM__STATION_LOCK,
                        .class_name = class_of(f->all->model, hold->object),
                        .method = TM__NONE,
                        .servers = 1};
    uint32_t *value = value_of(f, &f->claims->by_lock, hold->object);

    if (!value)
        return tm__failure();
    if (*value) {
        *station = *value - 1;
        return *value != TM__NONE;
    }
    if (is_split && f->claims->asked != TM__NONE) {
        *station = f->claims->asked;
        f->to->stations[*station].servers++;
        f->to->stations[*station].servers_changed++;
        *value = *station + 1;
        return 1;
    }
    if (f->to->stations_count >= STATIONS_AT_MOST) {
        *value = TM__NONE;
        return 0;
    }
    *station = add_station(f, lock);
    if (*station == TM__NONE)
        return tm__failure();
    *value = *station + 1;
    if (is_split)
        f->claims->asked = *station;
    return 1;
}

/* ---- claims ---- */

static int add_claim(finder *f, tm__claim claim)
{
    tm__claims *to = f->claims;

    if (claim.end_ns <= claim.start_ns)
        return TM_OK;
    if (tm__reserve(f->to->memory, &to->items, &to->items_capacity,
                    (size_t)to->items_count + 1, sizeof(*to->items)) < 0)
        return tm__failure();
    to->items[to->items_count++] = claim;
    return TM_OK;
}

static int find_locks(finder *f)
{
    uint32_t change = f->all->options->change;
    int rc = TM_OK;

    for (uint32_t i = 0; rc == TM_OK && i < f->all->holds.items_count; i++) {
        const tm__replay_hold *hold = &f->all->holds.items[i];
        tm__claim claim = {
            .start_ns = hold->start_ns, .end_ns = hold->end_ns, .thread = hold->owner};

        if (hold->is_shared || hold->object == TM__NONE || hold->owner == TM__NONE ||
            !f->load->serves[hold->owner])
            continue;
        rc = station_of_lock(f, hold, &claim.station);
        if (rc <= 0)
            continue;
        claim.is_asked = (uint32_t)is_asked_lock(f, hold);
        claim.is_scaled = claim.is_asked && change == TM_WHATIF_HOLDS;
        rc = add_claim(f, claim);
    }
    return rc;
}

/* As many permits as uses were seen at once by either way to count them. A play shows
 * which is right. */
static void count_permits(const finder *f, tm__station *pool, uint32_t *most)
{
    const tm__served *served = &f->all->served;
    const tm__resources *all = &f->all->resources;
    uint32_t other = 0;

    *most = served->servers ? served->servers : served->at_once;
    for (uint32_t i = 0; i < all->waits_count; i++) {
        const tm__resource *of = &all->items[all->waits[i].resource];

        if (served->roles[i] == TM__WAIT_OTHER)
            continue;
        if (pool->method == TM__NONE) {
            pool->class_name = of->class_name;
            pool->method = of->waiting;
        }
        if (of->permits > other)
            other = of->permits;
    }
    *most = *most ? *most : 1;
    if (!other || served->servers)
        other = *most;
    pool->servers = other < *most ? other : *most;
    *most = other > *most ? other : *most;
}

static int find_asked_uses(finder *f)
{
    const tm__served *served = &f->all->served;
    tm__station pool = {
        .kind = TM__STATION_POOL, .class_name = TM__NONE, .method = TM__NONE};
    int rc = TM_OK;

    if (!served->spans_count)
        return TM_OK;
    count_permits(f, &pool, &f->to->permits_at_most);
    f->claims->asked = f->to->pool = add_station(f, pool);
    if (f->claims->asked == TM__NONE)
        return tm__failure();
    /* Servers work for those who wait, who have no use of their own. */
    for (uint32_t i = 0; !served->servers && rc == TM_OK && i < served->spans_count;
         i++)
        rc = add_claim(
            f, (tm__claim){.start_ns = served->spans[i].start_ns,
                           .end_ns = served->spans[i].end_ns,
                           .thread = served->spans[i].thread,
                           .station = f->claims->asked,
                           .is_asked = 1,
                           .is_scaled = f->all->options->change == TM_WHATIF_USES});
    return rc;
}

static int is_asked_wait(const finder *f, const tm__resource_wait *wait)
{
    uint32_t at;

    if (!f->all->served.roles)
        return 0;
    at = tm__wait_at(&f->all->resources, wait->thread, wait->interval);
    return at != TM__NONE && f->all->served.roles[at] != TM__WAIT_OTHER;
}

/* Pools that requests waited for beside the one that is asked about. */
static int find_pools(finder *f)
{
    const tm__resources *all = &f->load->resources;
    int rc = TM_OK;

    for (uint32_t i = 0; rc == TM_OK && i < all->uses_count; i++) {
        const tm__resource_use *use = &all->uses[i];
        const tm__resource_wait *wait = &all->waits[use->wait];
        const tm__resource *of = &all->items[use->resource];
        tm__station pool = {.kind = TM__STATION_POOL,
                            .class_name = of->class_name,
                            .method = of->waiting,
                            .servers = of->permits};
        uint32_t *value, station;

        if (of->is_idle || !of->permits || use->end_ns <= use->start_ns ||
            !f->load->serves[use->thread] || is_asked_wait(f, wait))
            continue;
        value = value_of(f, &f->claims->by_queue, wait->queue);
        if (!value)
            return tm__failure();
        station = *value ? *value - 1 : add_station(f, pool);
        if (station == TM__NONE)
            return tm__failure();
        *value = station + 1;
        if (f->to->stations[station].servers < of->permits)
            f->to->stations[station].servers =
                f->to->stations[station].servers_changed = of->permits;
        rc = add_claim(f, (tm__claim){.start_ns = use->start_ns,
                                      .end_ns = use->end_ns,
                                      .thread = use->thread,
                                      .station = station});
    }
    return rc;
}

/* ---- order ---- */

static int64_t start_of(const void *payload, uint32_t number)
{
    const tm__claims *claims = payload;

    return claims->items[number].start_ns;
}

/* Earlier the longer one, which the other lies in. */
static int by_thread(const void *payload, uint32_t left, uint32_t right)
{
    const tm__claims *claims = payload;
    int64_t l = claims->items[left].end_ns, r = claims->items[right].end_ns;

    return l != r ? (l > r ? -1 : 1) : left < right ? -1 : left > right;
}

static int put_in_order(finder *f)
{
    tm__claims *all = f->claims;
    uint32_t threads = f->load->model->entities.threads_count, count = all->items_count;
    tm__memory *memory = f->to->memory;
    tm__sortable *order = tm__sorted_new(memory, count, start_of, by_thread, all);
    tm__claim *sorted =
        tm__resize(memory, NULL, 0, ((size_t)count + 1) * sizeof(*sorted));

    all->first = tm__zalloc(memory, ((size_t)threads + 2) * sizeof(*all->first));
    if (order && sorted && all->first) {
        for (uint32_t i = 0; i < count; i++)
            all->first[all->items[i].thread + 2]++;
        for (uint32_t i = 2; i < threads + 2; i++)
            all->first[i] += all->first[i - 1];
        for (uint32_t i = 0; i < count; i++)
            sorted[all->first[all->items[order[i].number].thread + 1]++] =
                all->items[order[i].number];
        for (uint32_t i = 0; i < count; i++)
            all->items[i] = sorted[i];
    }
    tm__free(memory, sorted, ((size_t)count + 1) * sizeof(*sorted));
    tm__sorted_free(memory, order, count);
    return order && sorted && all->first ? TM_OK : TM_ENOMEM;
}

/* ---- handovers ---- */

static void note_handover(finder *f, uint32_t station, double ns)
{
    f->handed_ns[station] += ns;
    f->handed[station]++;
}

static void find_handovers(finder *f)
{
    const tm__resources *resources = &f->load->resources;

    for (uint32_t i = 0; i < f->all->holds.items_count; i++) {
        const tm__replay_hold *hold = &f->all->holds.items[i];
        uint32_t *value =
            hold->object == TM__NONE
                ? NULL
                : tm__triple_map_find(&f->claims->by_lock, hold->object, 0, 0);

        if (value && *value <= f->to->stations_count && hold->latency_ns &&
            !hold->is_shared && !hold->hidden_ns)
            note_handover(f, *value - 1, hold->latency_ns);
    }
    for (uint32_t i = 0; i < resources->waits_count; i++) {
        const tm__resource_wait *wait = &resources->waits[i];
        uint32_t *value = tm__triple_map_find(&f->claims->by_queue, wait->queue, 0, 0);
        uint32_t station = value ? *value - 1 : TM__NONE;

        if (f->all->served.roles && !f->all->served.servers && is_asked_wait(f, wait))
            station = f->claims->asked;
        if (station != TM__NONE && wait->is_used &&
            wait->released_ns > wait->start_ns && wait->got_ns >= wait->released_ns)
            note_handover(f, station, (double)(wait->got_ns - wait->released_ns));
    }
    for (uint32_t i = 0; i < f->to->stations_count; i++)
        if (f->handed[i])
            f->to->stations[i].handover_ns = f->handed_ns[i] / f->handed[i];
}

/* More of what is asked about. */
static void change_stations(finder *f)
{
    tm__station *asked;

    if (f->all->options->change != TM_WHATIF_PERMITS || f->claims->asked == TM__NONE)
        return;
    asked = &f->to->stations[f->claims->asked];
    asked->servers_changed = asked->servers + f->all->options->permits;
    asked->is_apart = asked->kind == TM__STATION_LOCK;
}

int tm__claims_find(tm__claims *claims, tm__requests *to, const tm__load *load,
                    const tm__candidates *all, const tm__candidate *it)
{
    finder f = {.claims = claims, .to = to, .load = load, .all = all, .it = it};
    size_t stations;
    int rc;

    *claims = (tm__claims){.asked = TM__NONE};
    rc = find_asked_uses(&f);
    if (rc == TM_OK)
        rc = find_locks(&f);
    if (rc == TM_OK)
        rc = find_pools(&f);
    if (rc == TM_OK)
        rc = put_in_order(&f);
    if (rc < 0)
        return rc;
    stations = (size_t)to->stations_count + 1;
    f.handed_ns = tm__zalloc(to->memory, stations * sizeof(*f.handed_ns));
    f.handed = tm__zalloc(to->memory, stations * sizeof(*f.handed));
    if (f.handed_ns && f.handed) {
        find_handovers(&f);
        change_stations(&f);
    } else {
        rc = TM_ENOMEM;
    }
    tm__free(to->memory, f.handed_ns, stations * sizeof(*f.handed_ns));
    tm__free(to->memory, f.handed, stations * sizeof(*f.handed));
    return rc;
}

void tm__claims_free(tm__claims *claims, const tm__load *load, tm__memory *memory)
{
    tm__free(memory, claims->items, claims->items_capacity * sizeof(*claims->items));
    tm__free(memory, claims->first,
             ((size_t)load->model->entities.threads_count + 2) *
                 sizeof(*claims->first));
    tm__triple_map_free(&claims->by_lock, memory);
    tm__triple_map_free(&claims->by_queue, memory);
}
