# SPDX-License-Identifier: Apache-2.0
"""Whether two groups of runs differ by more than their own noise: by resampling.

If the runs of both groups were alike, any division into two groups would be as good as
the actual one. So the runs are divided anew, in all ways if those are few, else in many
ways at random. The answer is how often the new groups differ by at least as much as the
actual ones. The difference is that of mean ranks and not of means: times have outliers,
and a single one would hide a difference that all other runs show.
"""

import functools
import itertools
import math
import random
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final

DEALS: Final = 20_000


def chance(before: Sequence[float], after: Sequence[float]) -> float | None:
    """Return how likely it is that the groups lie so far apart by chance alone.

    Args:
        before: a figure of each run of one group
        after: the same of the other

    Returns:
        0 to 1; None: there are not two runs in each group, which shows no noise
    """
    if len(before) < 2 or len(after) < 2:
        return None
    ranks = _ranks([*before, *after])
    runs, size = len(ranks), len(after)

    def distance(part: int) -> int:
        # Of the mean ranks, times what makes it a whole number.
        return abs(part * runs - sum(ranks) * size)

    least = distance(sum(ranks[len(before) :]))
    deals = _deals(runs, size)
    hits = sum(distance(sum([ranks[i] for i in deal])) >= least for deal in deals)
    return max(hits, 1) / len(deals)


def _ranks(values: Sequence[float]) -> list[int]:
    """Return twice the rank of each; equal ones share theirs."""
    order = sorted(values)
    return [bisect_left(order, value) + bisect_right(order, value) for value in values]


@functools.cache
def _deals(runs: int, size: int) -> list[tuple[int, ...]]:
    """Return ways to choose some of the runs, always the same ones."""
    if math.comb(runs, size) <= DEALS:
        return list(itertools.combinations(range(runs), size))
    dealer = random.Random(1)
    return [tuple(dealer.sample(range(runs), size)) for _ in range(DEALS)]


def least_chance(before: int, after: int) -> float:
    """Return the least that `chance` can say of groups of so many runs."""
    # The group with all high ranks, and its mirror image with all low ones.
    return max(2 / math.comb(before + after, after), 1 / DEALS)
