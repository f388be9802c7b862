# SPDX-License-Identifier: Apache-2.0
"""Regressions: increases beyond the tolerance and beyond the noise of the runs."""

from typing import Any, Final

from threadmodel.cli.messages import say
from threadmodel.cli.verdict import Broken
from threadmodel.comparison import Comparison
from threadmodel.noise import least_chance
from threadmodel.text import count, duration

Row = dict[str, Any]

# A smaller increase of the time of a lock, as a part of the run's length, is noise.
LEAST_RISE: Final = 0.005
# With one run on each side the noise is unknown; with several it is measured.
TOLERANCE_OF_ONE: Final = 0.25
TOLERANCE_OF_SEVERAL: Final = 0.03
# The probability that a check of equal runs reports any regression.
FALSE_ALARM: Final = 0.01


def percent(share: float) -> str:
    """Write a share in percent."""
    return f"{share:.2%}"


def place(row: Row) -> str:
    """Name the class, and the place in the program."""
    line = f":{row['line']}" if row["line"] else ""
    where = f" in {row['method']}{line}" if row["method"] else ""
    return f"{row['class'] or 'an unknown class'}{where}"


def broken_at(limit: str, text: str, row: Row) -> Broken:
    """Return a broken limit at the place of a row."""
    return Broken(limit, text, row["method"], row["source"], row["line"] or 0)


def regressions(found: Comparison, tolerance: float | None) -> list[Broken]:
    """Return the figures that increased beyond tolerance and noise."""
    (run,) = found.run
    if min(found.runs) > 1:
        broken = _beyond_noise(found, run, tolerance)
    else:
        given = TOLERANCE_OF_ONE if tolerance is None else tolerance
        broken = _beyond_tolerance(found, given)
    return [*broken, *more_deadlocks(found)]


def more_deadlocks(found: Comparison) -> list[Broken]:
    """Return a broken limit if there are more deadlocks than before."""
    (run,) = found.run
    before, after = (run[f"deadlocks_{side}"] for side in ("before", "after"))
    if after <= before:
        return []
    text = f"{before} deadlocks before, {after} now"
    return [Broken("no-regression", text)]


def _beyond_tolerance(found: Comparison, tolerance: float) -> list[Broken]:
    """Compare shares of the run's length: two runs need not do the same work."""
    broken = []
    for row in found.callers:
        old, new = (row[f"queued_share_{side}"] for side in ("before", "after"))
        if new > old * (1 + tolerance) and new - old > LEAST_RISE:
            text = f"{place(row)}: {percent(old)} of the run before, {percent(new)} now"
            broken.append(broken_at("no-regression", text, row))
    return broken


def _beyond_noise(found: Comparison, run: Row, tolerance: float | None) -> list[Broken]:
    """Compare times: all runs did the same work, and their noise is measured.

    If they are too few for that, each run must be slower than each in BASE, by the
    tolerance for single runs.
    """
    least_ns = LEAST_RISE * run["length_ns_before"]
    sides = ("before", "after")
    rows = [
        row
        for row in found.callers
        if max(row[f"queued_ns_{side}"] for side in sides) > least_ns
    ]
    # The more figures are compared, the more often one differs by chance.
    most_chance = FALSE_ALARM / (len(rows) + 1)
    least = least_chance(*found.runs)
    if tolerance is None:
        tolerance = TOLERANCE_OF_ONE if least > most_chance else TOLERANCE_OF_SEVERAL
    if least > most_chance:
        most_chance = least
        say(
            f"{found.runs[0]} and {found.runs[1]} runs are too few to tell "
            f"{count(len(rows) + 1, 'figure')} from their noise: only what is slower "
            f"by {tolerance:.0%} in each run than in each of BASE is a regression"
        )
    broken = []
    for row, name in ((run, "length_ns"), *((row, "queued_ns") for row in rows)):
        old, new = (row[f"{name}_{side}"] for side in sides)
        chance = row[f"{name}_chance"]
        if new <= old * (1 + tolerance) or new - old <= least_ns:
            continue
        if chance > most_chance:
            continue
        times = f"{duration(new)}, {duration(old)} before{odds(chance)}"
        if row is run:
            broken.append(Broken("no-regression", f"the run takes {times}"))
        else:
            text = f"{place(row)}: threads queued for {times}"
            broken.append(broken_at("no-regression", text, row))
    return broken


def odds(chance: float | None) -> str:
    """State the probability of such a difference between equal runs."""
    return "" if chance is None else f" (by chance: {chance:.2%})"
