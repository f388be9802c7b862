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
    """Return the probability that the groups differ so much by chance alone.

    Args:
        before: a figure of each run of one group
        after: the same of the other

    Returns:
        0 to 1; None: a group has fewer than two runs, so the noise is unknown
    """
    if len(before) < 2 or len(after) < 2:
        return None
    ranks = _ranks([*before, *after])
    runs, size = len(ranks), len(after)

    def distance(part: int) -> int:
        # The distance of the mean ranks, scaled to a whole number.
        return abs(part * runs - sum(ranks) * size)

    least = distance(sum(ranks[len(before) :]))
    deals = _deals(runs, size)
    hits = sum(distance(sum([ranks[i] for i in deal])) >= least for deal in deals)
    return max(hits, 1) / len(deals)


def _ranks(values: Sequence[float]) -> list[int]:
    """Return twice the rank of each value; equal values have the same rank."""
    order = sorted(values)
    return [bisect_left(order, value) + bisect_right(order, value) for value in values]


@functools.cache
def _deals(runs: int, size: int) -> list[tuple[int, ...]]:
    """Return ways to choose some of the runs; the same ones at every call."""
    if math.comb(runs, size) <= DEALS:
        return list(itertools.combinations(range(runs), size))
    dealer = random.Random(1)
    return [tuple(dealer.sample(range(runs), size)) for _ in range(DEALS)]


def least_chance(before: int, after: int) -> float:
    """Return the least value of `chance` for groups of these sizes."""
    # Two divisions differ most: one group has all high ranks, or all low ones.
    return max(2 / math.comb(before + after, after), 1 / DEALS)
