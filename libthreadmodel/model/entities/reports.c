/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of events that a producer reports, as far as it states them, and since
 * when.
 */
#include "model/entities/reports.h"

#include "model/state/model.h"

int tm__model_reports(const tm_model *model, int kind)
{
    if (model->run.kinds)
        return (int)(model->run.kinds >> kind & 1);
    return model->kind_counts[kind] != 0;
}

int tm__model_is_of_dumps(const tm_model *model)
{
    return model->run.kinds >> TM_EVENT_SNAPSHOT & 1 &&
           !(model->run.kinds >> TM_EVENT_CONTENDED_ENTER & 1);
}

int tm__owners_are_reported(const tm_model *model)
{
    return model->run.kinds >> TM_EVENT_ACQUIRED &
           model->run.kinds >> TM_EVENT_RELEASED & 1;
}

int tm__policy(const tm_model *model)
{
    return model->forced_policy ? model->forced_policy : model->run.policy;
}

int tm__sees_waits(const tm_model *model)
{
    static const uint64_t waits = UINT64_C(1) << TM_EVENT_WAIT | UINT64_C(1)
                                                                     << TM_EVENT_WAITED;

    return tm__policy(model) == TM_POLICY_HOTSPOT &&
           (model->run.kinds & waits) == waits;
}

int tm__sees_notifies(const tm_model *model)
{
    static const uint64_t notifies =
        UINT64_C(1) << TM_EVENT_NOTIFY | UINT64_C(1) << TM_EVENT_NOTIFY_ALL;

    return tm__sees_waits(model) && (model->run.kinds & notifies) == notifies;
}

int64_t tm__model_origin_ns(const tm_model *model)
{
    if (model->run.start_ns)
        return model->run.start_ns;
    return model->first_ns == INT64_MIN ? 0 : model->first_ns;
}

int64_t tm_model_length_ns(const tm_model *model)
{
    int64_t origin = tm__model_origin_ns(model);

    return model->last_ns > origin ? model->last_ns - origin : 0;
}
