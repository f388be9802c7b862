/* SPDX-License-Identifier: Apache-2.0 */
/* Whether those who end waits work for them, one after the other, and for how long. */
#include "analysis/resources/resource_release.h"
#include "analysis/whatif/served_servers.h"
#include "base/error.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "model/entities/thread.h"
#include "model/intervals/interaction.h"

/* How far back a server's last wait for work is looked for. */
enum { LOOK_BACK = 16 };

/* When the thread that released last stopped waiting itself. */
static int64_t busy_since_ns(const tm_model *model, uint32_t thread, int64_t from_ns,
                             int64_t time_ns)
{
    const tm__thread *it = &model->entities.threads[thread];
    uint32_t low = tm__intervals_until(it, time_ns);

    for (int i = 0; i < LOOK_BACK && low-- > 0; i++) {
        int64_t end_ns = tm__interval_end_ns(model, it, low);

        if (end_ns <= from_ns)
            break;
        if (end_ns <= time_ns && tm__is_resource_wait(model, &it->intervals[low]))
            return end_ns;
    }
    return from_ns;
}

static int by_row(const void *payload, uint32_t left, uint32_t right)
{
    const tm__resources *all = payload;
    uint32_t l = all->waits[left].release, r = all->waits[right].release;

    return l != r ? (l < r ? -1 : 1) : left < right ? -1 : left > right;
}

/* Find what was done for each wait by who ended it, by rising time of the release.
 * @return 1: who ends them works for them, one after the other; 0, or TM_ENOMEM */
static int find_services(tm__served *served, tm__sortable *order, uint32_t count,
                         int64_t *last_ns)
{
    const tm__resources *all = served->resources;
    int64_t busy_ns = 0, all_ns = 0;
    uint32_t same = 0;

    for (uint32_t i = 0; i < all->model->entities.threads_count; i++)
        last_ns[i] = INT64_MIN;
    for (uint32_t i = 0; i < count; i++) {
        const tm__resource_wait *it = &all->waits[order[i].number];
        uint32_t thread = tm__served_row(served, it->release)->from_thread;
        int64_t since_ns = it->start_ns, start_ns, release_ns = order[i].key;

        if (i > 0 && all->waits[order[i - 1].number].release == it->release)
            same++;
        if (last_ns[thread] > since_ns)
            since_ns = last_ns[thread];
        if (since_ns > release_ns)
            since_ns = release_ns;
        start_ns = busy_since_ns(all->model, thread, since_ns, release_ns);
        served->service_ns[order[i].number] = release_ns - start_ns;
        busy_ns = tm__sum(busy_ns, release_ns - start_ns);
        all_ns = tm__sum(all_ns, release_ns - since_ns);
        served->servers += last_ns[thread] == INT64_MIN;
        last_ns[thread] = release_ns;
        if (tm__served_add_span(
                served, (tm__span){start_ns, release_ns, thread, TM__NONE, 0}) < 0)
            return tm__failure();
    }
    return count > 0 && busy_ns >= all_ns / 2 && same <= count / 10;
}

int tm__served_find_servers(tm__served *served)
{
    const tm__resources *all = served->resources;
    size_t bytes = ((size_t)all->waits_count + 1) * sizeof(tm__sortable);
    size_t threads = ((size_t)all->model->entities.threads_count + 1) * sizeof(int64_t);
    tm__sortable *order = tm__resize(served->memory, NULL, 0, 2 * bytes);
    int64_t *last_ns = tm__resize(served->memory, NULL, 0, threads);
    uint32_t count = 0;
    int rc = TM_ENOMEM;

    for (uint32_t i = 0; order && i < all->waits_count; i++) {
        const tm__interaction *row = tm__served_row(served, all->waits[i].release);

        if (served->roles[i] == TM__WAIT_PERMIT && row && row->from_ns != INT64_MIN)
            order[count++] = (tm__sortable){row->from_ns, i};
    }
    if (order && last_ns) {
        tm__sort(order, order + all->waits_count + 1, count, by_row, all);
        rc = find_services(served, order, count, last_ns);
    }
    for (uint32_t i = 0; rc == 1 && i < count; i++)
        served->roles[order[i].number] = TM__WAIT_SERVED;
    if (rc == 0)
        served->spans_count = served->servers = 0;
    tm__free(served->memory, order, 2 * bytes);
    tm__free(served->memory, last_ns, threads);
    return rc < 0 ? rc : TM_OK;
}
