/* SPDX-License-Identifier: Apache-2.0 */
/* From three replays to the interval that is given. */
#include "analysis/whatif/gain.h"

#include "base/saturate.h"

/* In three of four programs that were really changed, the gain differed from the stated
 * one by no more than this share; docs/whatif.md has the table. */
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
                                 tm__is_replayed(all) && it->unlinked_ns == 0 &&
                                 !it->forced &&
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
    /* A change that takes time away can still cost some, but nothing shows that. */
    if (middle_ns >= 0 && gain.low_ns < 0)
        gain.low_ns =
            least(0, least(gains_ns[TM__HOLDS_SHORT], gains_ns[TM__HOLDS_LONG]));
    return gain;
}
