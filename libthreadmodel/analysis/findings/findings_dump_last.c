/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/findings/findings_dump_last.h"

#include <string.h>

#include "analysis/findings/finding.h"
#include "analysis/findings/finding_text.h"
#include "base/search.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

const tm__interval *tm__dump_last(const tm_model *model, uint32_t thread)
{
    const tm__interval *it = tm__now(&model->entities.threads[thread]);

    return it && it->state != TM_STATE_DEAD ? it : NULL;
}

uint32_t tm__dumps_of(const tm_model *model, const tm__interval *it)
{
    return model->replay.dumps_count - tm__search(model->replay.dumps, sizeof(int64_t),
                                                  0, 0, model->replay.dumps_count,
                                                  it->start_ns, 0);
}

const char *tm__io_name(const tm__findings *f, const tm__interval *it)
{
    const char *name =
        it->object == TM__NONE
            ? NULL
            : tm__strings_get(&f->model->entities.strings,
                              f->model->entities.details[it->object].name);

    return name ? name : tm__card_text_of(TM__TEXT_ANY_IO);
}

void tm__finding_add_doing(tm__finding *finding, const tm__findings *f, uint32_t thread)
{
    static const tm__card_text doing[TM_STATE_END] = {
        [TM_STATE_RUNNING] = TM__TEXT_DID_RUN,
        [TM_STATE_BLOCKED] = TM__TEXT_DID_BLOCK,
        [TM_STATE_WAITING] = TM__TEXT_DID_WAIT,
        [TM_STATE_REENTERING] = TM__TEXT_DID_BLOCK,
        [TM_STATE_JOINING] = TM__TEXT_DID_JOIN,
        [TM_STATE_SLEEPING] = TM__TEXT_DID_SLEEP,
        [TM_STATE_PARKED] = TM__TEXT_DID_PARK,
        [TM_STATE_DEADLOCKED] = TM__TEXT_DID_DEADLOCK,
        [TM_STATE_RUNNABLE] = TM__TEXT_DID_WANT_CPU,
        [TM_STATE_IO] = TM__TEXT_DID_IO,
        [TM_STATE_NATIVE] = TM__TEXT_DID_NATIVE};
    const tm__interval *it = tm__dump_last(f->model, thread);
    tm__facts facts = TM__NO_FACTS;

    facts.thread = thread;
    if (it && doing[it->state]) {
        facts.state = tm__card_text_of(doing[it->state]);
        facts.name = it->state == TM_STATE_IO ? tm__io_name(f, it) : NULL;
        if (it->stack != TM__NONE)
            facts.place = tm__caller_of(&f->places, it->stack);
    }
    tm__finding_add(finding, f, facts.state ? TM__TEXT_DOING : TM__TEXT_DOING_UNKNOWN,
                    &facts);
}
