/* SPDX-License-Identifier: Apache-2.0 */
/* From three replays to the interval that is told, and the question in one call. */
#include "analysis/whatif/gain.h"

#include "base/saturate.h"

/* By no more the gain of programs that were really changed differed from what was told,
 * in three of four; docs/whatif.md has the table. */
#define ERROR_SHARE 0.15

/* A replay that differs from the run by more than one part in so many predicts nothing.
 */
enum { IMAGE_SHARE = 8 };

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int tm__replay_is_image(int64_t off_ns, uint64_t forced, int64_t run_ns)
{
    return !forced && most(off_ns, -off_ns) <= run_ns / IMAGE_SHARE;
}

tm__gain tm__gain_of(const tm__candidates *all, const tm__candidate *it)
{
    const int64_t *gains_ns = it->gains_ns;
    int64_t middle_ns = gains_ns[TM__HOLDS_LIKELY], error_ns;
    tm__gain gain = {.is_known = it->scaled > 0 && !all->is_too_long &&
                                 it->unlinked_ns == 0 && !it->forced &&
                                 tm__replay_is_image(all->off_ns, all->forced,
                                                     tm_model_length_ns(all->model)),
                     .middle_ns = middle_ns,
                     .absorbed_ns = it->absorbed_ns,
                     .off_ns = all->off_ns,
                     .forced = all->forced + it->forced};

    error_ns = (int64_t)((double)most(middle_ns, -middle_ns) * ERROR_SHARE);
    error_ns = tm__sum(error_ns, most(all->off_ns, -all->off_ns));
    gain.low_ns = -tm__sum(
        -least(gains_ns[TM__HOLDS_SHORT], least(middle_ns, gains_ns[TM__HOLDS_LONG])),
        error_ns);
    gain.high_ns = tm__sum(
        most(gains_ns[TM__HOLDS_SHORT], most(middle_ns, gains_ns[TM__HOLDS_LONG])),
        error_ns);
    gain.high_ns = most(gain.high_ns, it->hidden_ns);
    /* No more can be gained than the run took. */
    gain.middle_ns = least(gain.middle_ns, tm_model_length_ns(all->model));
    gain.high_ns = least(gain.high_ns, tm_model_length_ns(all->model));
    gain.low_ns = least(gain.low_ns, gain.middle_ns);
    /* A change that takes time away can still cost some, but nothing tells that. */
    if (middle_ns >= 0 && gain.low_ns < 0)
        gain.low_ns =
            least(0, least(gains_ns[TM__HOLDS_SHORT], gains_ns[TM__HOLDS_LONG]));
    return gain;
}

static int choose(tm__candidates *all, const tm__gain_question *question)
{
    int rc;

    if (question->change == TM_WHATIF_METHOD)
        return tm__candidates_choose_caller(all, question->method);
    rc = tm__candidates_choose_method(all, question->method);
    return rc == TM_OK ? tm__candidates_choose_waits(all, question->class_name) : rc;
}

static int replay(tm__candidates *all, tm__gain *gains)
{
    int rc = tm__candidates_replay(all);

    for (uint32_t i = 0; rc == TM_OK && i < all->items_count; i++)
        gains[i] = tm__gain_of(all, &all->items[i]);
    return rc;
}

int tm__gain_ask(tm__gain *gain, const tm_model *model,
                 const tm__gain_question *question, const tm__replays_needed *needed)
{
    tm_whatif_options options = TM_WHATIF_OPTIONS_INIT;
    tm__candidates all;
    int rc;

    options.change = question->change;
    options.permits = model->entities.threads_count;
    tm__candidates_open(&all, model, &options);
    all.needed = needed;
    rc = tm__candidates_open_model(&all);
    if (rc == TM_OK)
        rc = choose(&all, question);
    if (rc == TM_OK)
        rc = tm__candidates_gather(&all);
    if (rc == TM_OK)
        rc = tm__candidates_add(&all, TM__NONE, TM__NONE, 0);
    if (rc == TM_OK)
        rc = replay(&all, gain);
    tm__candidates_close(&all);
    return rc;
}

int tm__gain_ask_locks(tm__gain *gains, const tm_model *model,
                       const uint32_t *of_object, const uint32_t *groups,
                       uint32_t count, const tm__replays_needed *needed)
{
    tm_whatif_options options = TM_WHATIF_OPTIONS_INIT;
    tm__candidates all;
    int rc;

    options.change = TM_WHATIF_PERMITS;
    options.permits = model->entities.threads_count;
    tm__candidates_open(&all, model, &options);
    all.groups = of_object;
    all.needed = needed;
    rc = tm__candidates_open_model(&all);
    if (rc == TM_OK)
        rc = tm__candidates_gather(&all);
    for (uint32_t i = 0; rc == TM_OK && i < count; i++)
        rc = tm__candidates_add(&all, TM__NONE, TM__NONE, groups[i]);
    if (rc == TM_OK)
        rc = replay(&all, gains);
    tm__candidates_close(&all);
    return rc;
}
