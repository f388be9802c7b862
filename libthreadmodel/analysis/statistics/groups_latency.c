/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long nobody had the lock or the permit that a group's threads were blocked by:
 * the shares that blame calls latency, once more, by the keys of the statistics.
 */
#include "analysis/locks/blocks.h"
#include "analysis/locks/shares.h"
#include "analysis/locks/use_shares.h"
#include "analysis/statistics/groups.h"
#include "analysis/statistics/groups_latency.h"
#include "base/saturate.h"

static int add_share(void *payload, const tm__share *share)
{
    tm__groups *groups = payload;
    int state = tm__group_state(share->state);
    uint32_t group;
    int64_t *sum;

    if (share->kind != TM__SHARE_LATENCY || state < 0)
        return TM_OK;
    group = tm__group_of(groups, share->thread, share->object, share->stack);
    if (group == TM__NONE)
        return TM_OK;
    sum = &groups->latencies_ns[(size_t)group * TM__GROUP_STATES + (size_t)state];
    *sum = tm__sum(*sum, share->to_ns - share->from_ns);
    return TM_OK;
}

int tm__groups_add_latencies(tm__groups *groups)
{
    int rc;

    groups->latencies_ns = tm__zalloc(&groups->memory, tm__latencies_bytes(groups));
    if (!groups->latencies_ns)
        return TM_ENOMEM;
    rc = tm__shares_walk(groups->model, groups->scope, add_share, groups, NULL);
    if (rc < 0 || !tm__use_shares_may_be_known(groups->model))
        return rc;
    return tm__use_shares_walk(groups->model, groups->scope, add_share, groups, NULL);
}
