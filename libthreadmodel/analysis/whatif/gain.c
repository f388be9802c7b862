/* SPDX-License-Identifier: Apache-2.0 */
/* From three replays to the interval that is told, and the question in one call. */
#include "analysis/whatif/gain.h"

#include <string.h>

#include "base/saturate.h"

/* By no more the gain of programs that were really changed differed from what was told,
 * in three of four; docs/whatif.md has the table. */
#define ERROR_SHARE 0.15

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

tm__gain tm__gain_of(const tm__candidates *all, const tm__candidate *it)
{
    const int64_t *gains_ns = it->gains_ns;
    int64_t middle_ns = gains_ns[TM__HOLDS_LIKELY], error_ns;
    tm__gain gain = {.is_known =
                         it->scaled > 0 && !all->is_too_long && it->unlinked_ns == 0,
                     .middle_ns = middle_ns,
                     .absorbed_ns = it->absorbed_ns,
                     .off_ns = all->off_ns,
                     .forced = all->forced};

    error_ns = (int64_t)((double)most(middle_ns, -middle_ns) * ERROR_SHARE);
    error_ns = tm__sum(error_ns, most(all->off_ns, -all->off_ns));
    gain.low_ns = -tm__sum(
        -least(gains_ns[TM__HOLDS_SHORT], least(middle_ns, gains_ns[TM__HOLDS_LONG])),
        error_ns);
    gain.high_ns = tm__sum(
        most(gains_ns[TM__HOLDS_SHORT], most(middle_ns, gains_ns[TM__HOLDS_LONG])),
        error_ns);
    gain.high_ns = most(gain.high_ns, it->hidden_ns);
    /* A change that takes time away can still cost some, but nothing tells that. */
    if (middle_ns >= 0 && gain.low_ns < 0)
        gain.low_ns =
            least(0, least(gains_ns[TM__HOLDS_SHORT], gains_ns[TM__HOLDS_LONG]));
    return gain;
}

static int choose(tm__candidates *all, const tm__gain_question *question)
{
    size_t objects = (size_t)all->model->objects_count;
    int rc;

    if (question->objects) {
        all->chosen = tm__zalloc(&all->memory, objects + 1);
        if (!all->chosen)
            return TM_ENOMEM;
        memcpy(all->chosen, question->objects, objects);
        return TM_OK;
    }
    if (question->change == TM_WHATIF_METHOD)
        return tm__candidates_choose_caller(all, question->method);
    rc = tm__candidates_choose_method(all, question->method);
    return rc == TM_OK ? tm__candidates_choose_waits(all, question->class_name) : rc;
}

int tm__gain_ask(tm__gain *gain, const tm_model *model,
                 const tm__gain_question *question)
{
    tm_whatif_options options = TM_WHATIF_OPTIONS_INIT;
    tm__candidates all;
    int rc;

    *gain = (tm__gain){.is_known = 0};
    options.change = question->change;
    options.permits = model->threads_count;
    tm__candidates_open(&all, model, &options);
    rc = tm__candidates_open_model(&all);
    if (rc == TM_OK)
        rc = choose(&all, question);
    if (rc == TM_OK)
        rc = tm__candidates_gather(&all);
    if (rc == TM_OK)
        rc = tm__candidates_add(&all, TM__NONE, TM__NONE);
    if (rc == TM_OK)
        rc = tm__candidates_replay(&all);
    if (rc == TM_OK)
        *gain = tm__gain_of(&all, &all.items[0]);
    tm__candidates_close(&all);
    return rc;
}
