/* SPDX-License-Identifier: Apache-2.0 */
/* The statements of the VM, or of a later snapshot, on a deadlock that was found. */
#include "base/error.h"
#include "model/deadlocks/deadlock_confirm.h"
#include "model/deadlocks/deadlock_search.h"
#include "model/entities/fact.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"
#include "model/state/model.h"

static void confirm(tm_model *model, tm__deadlock *it)
{
    it->confirmed = 1;
    for (uint32_t i = 0; i < it->member_count; i++) {
        tm__deadlock_member *m = &model->deadlocks.members[it->member_first + i];

        m->provenance = TM_PROVENANCE_REPORTED;
        tm__now(&model->entities.threads[m->thread])->provenance =
            TM_PROVENANCE_REPORTED;
    }
}

void tm__deadlock_seen_again(tm_model *model, const tm__fact *snapshot)
{
    uint32_t index = model->entities.threads[snapshot->thread].deadlock, seen = 0;
    tm__deadlock *it;

    if (index == TM__NONE || !tm__model_is_of_dumps(model))
        return;
    it = &model->deadlocks.cycles[index];
    if (snapshot->time_ns <= it->time_ns)
        return;
    for (uint32_t i = 0; i < it->member_count; i++) {
        tm__deadlock_member *m = &model->deadlocks.members[it->member_first + i];

        if (m->thread == snapshot->thread)
            m->seen_again = 1;
        seen += m->seen_again;
    }
    if (seen == it->member_count && !it->confirmed)
        confirm(model, it);
}

int tm_deadlock_confirm(tm_model *model, int32_t deadlock, int stands)
{
    tm__deadlock *it;

    TM__CHECK(model);
    if (deadlock < 0 || (uint32_t)deadlock >= model->deadlocks.cycles_count ||
        model->deadlocks.cycles[deadlock].withdrawn)
        return tm__fail(TM_ENOTFOUND, "unknown deadlock %d", deadlock);
    it = &model->deadlocks.cycles[deadlock];
    if (it->resolved_ns != INT64_MIN)
        return TM_OK;
    tm__kept_drop(model->kept);
    if (!stands) {
        model->diagnostics[TM_DIAGNOSTIC_STALE_OWNER]++;
        tm__deadlock_withdraw(model, (uint32_t)deadlock);
        return TM_OK;
    }
    confirm(model, it);
    return TM_OK;
}

void tm_deadlock_watch(tm_model *model, tm_deadlock_fn found, void *payload)
{
    model->deadlocks.watch = found;
    model->deadlocks.watch_payload = payload;
}
