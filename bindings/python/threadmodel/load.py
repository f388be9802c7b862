# SPDX-License-Identifier: Apache-2.0
"""Comparison of two runs by the rate and latency of their requests, if both have any.

The run of a service is as long as its load, and threads of a faster one may queue for a
greater part of it. So if a run has a main kind of unit, or several of one group of
threads, their rate and duration decide. Both are measured while the rate is steady:
start-up does not count.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from threadmodel import tables
from threadmodel.selection import ALL, Selection
from threadmodel.text import clean, duration

if TYPE_CHECKING:
    from threadmodel.model import Model

Row = dict[str, Any]
Place = tuple[str | None, str | None, str | None]

# With fewer units, the rates of two runs differ by chance.
ENOUGH_UNITS: Final = 30
# The least number of units if there are several runs on both sides: then the noise of
# lock times is known, and they show smaller changes than the rate of few units.
ENOUGH_OF_SEVERAL: Final = 100
# The steady time must be this part of the time since the first request; otherwise the
# requests do not measure the program. The time before the first one does not count.
PART_OF_TIME: Final = 0.3
SLICES: Final = 10
# Rates of runs of one program on a busy machine differ by less than this.
RATE_TOLERANCE: Final = 0.1
LATENCY_TOLERANCE: Final = 0.25
# Smaller changes, as a part of the mean latency, are not listed.
SMALL_PART: Final = 0.02
ERRORS: Final = 3.0
NAME_LENGTH: Final = 200
NO_KINDS: Final[frozenset[str | None]] = frozenset()


@dataclass(frozen=True)
class Load:
    """The load of a run while its rate was steady."""

    kinds: frozenset[str | None]
    name: str
    provenance: str
    rate: float
    rate_error: float
    mean_ns: float
    mean_error_ns: float
    p99_ns: int
    parts: dict[Place, float]
    from_ns: int
    to_ns: int


@dataclass(frozen=True)
class Change:
    """The change of the requests from one side to the other."""

    verdict: str
    before: Load
    after: Load

    def sentence(self) -> str:
        """Return the numbers as text."""
        before, after = self.before, self.after
        return (
            f"requests are {self.verdict}: {before.rate:,.1f} a second before, "
            f"{after.rate:,.1f} now; mean latency {duration(round(before.mean_ns))} "
            f"before, {duration(round(after.mean_ns))} now; 99th percentile "
            f"{duration(before.p99_ns)} before, {duration(after.p99_ns)} now"
        )

    def row(self) -> Row:
        """Return the numbers, for JSON."""
        row: Row = {"verdict": self.verdict}
        for side, load in (("before", self.before), ("after", self.after)):
            row[f"kind_{side}"] = load.name
            row[f"throughput_{side}"] = load.rate
            row[f"latency_ns_{side}"] = round(load.mean_ns)
            row[f"latency_p99_ns_{side}"] = load.p99_ns
            row[f"steady_from_ns_{side}"] = load.from_ns
            row[f"steady_to_ns_{side}"] = load.to_ns
        return row

    def basis(self) -> str:
        """Name the requests that the numbers are about."""
        sides = []
        for load in (self.before, self.after):
            name = clean(load.name, NAME_LENGTH)
            sides.append(
                f"{name}, {load.provenance}, from {duration(load.from_ns)} to "
                f"{duration(load.to_ns)}"
            )
        return "requests: " + "; then ".join(sides)


def loads(
    models: Sequence["Model"],
    parts: Sequence[Selection] = (),
    enough: int = ENOUGH_UNITS,
    kinds: frozenset[str | None] = NO_KINDS,
) -> list[Load] | None:
    """Measure the load of each run; None: one has no requests, or too few.

    Args:
        models: asked
        parts: of each of them; empty: all
        enough: requests
        kinds: of the requests, in runs that have them; empty: the main ones of the
            first
    """
    found: list[Load] = []
    for model, part in zip(models, parts or [ALL] * len(models), strict=True):
        wanted = found[0].kinds if found else kinds
        load = measure(model, part, enough, wanted)
        if load is None:
            return None
        found.append(load)
    return found or None


def measure(
    model: "Model",
    part: Selection = ALL,
    enough: int = ENOUGH_UNITS,
    wanted: frozenset[str | None] = NO_KINDS,
) -> Load | None:
    """Measure the load of one run, or of a part of it.

    Two runs are compared by the same kinds of requests, `wanted`, even if one of them
    has other main ones.
    """
    start_ns, last_ns = tables.bounds(model, part)
    if start_ns >= last_ns:
        return None
    every_kind = list(model.unit_kinds(part))
    kinds = [row for row in every_kind if row["kind"] in wanted]
    if not any(row["rate"] is not None for row in kinds):
        kinds = [row for row in every_kind if row["main"]]
    steady = [row for row in kinds if row["rate"] is not None]
    if not steady:
        return None
    low, high = steady[0]["steady_from_ns"], steady[0]["steady_to_ns"]
    of_kinds = {(row["kind"], row["provenance"]) for row in kinds}
    every = [
        row
        for row in model.units(part)
        if row["finished"] and (row["kind"], row["provenance"]) in of_kinds
    ]
    units = [
        (row["end_ns"], row["duration_ns"])
        for row in every
        if low < row["end_ns"] <= high
    ]
    if len(units) < enough:
        return None
    first_ns = min(row["end_ns"] for row in every)
    if high - low < PART_OF_TIME * (last_ns - first_ns):
        return None
    slices: list[list[int]] = [[] for _ in range(SLICES)]
    for end_ns, length_ns in units:
        at = (end_ns - low) * SLICES // (high - low)
        slices[min(at, SLICES - 1)].append(length_ns)
    rates = [len(one) * SLICES / (high - low) * 1e9 for one in slices]
    means = [statistics.fmean(one) for one in slices if one]
    lengths = sorted(length_ns for _, length_ns in units)
    return Load(
        kinds=frozenset(row["kind"] for row in kinds),
        name=_name(kinds),
        provenance=steady[0]["provenance"],
        rate=len(units) / (high - low) * 1e9,
        rate_error=statistics.stdev(rates) / SLICES**0.5,
        mean_ns=statistics.fmean(lengths),
        mean_error_ns=statistics.stdev(means) / len(means) ** 0.5
        if len(means) > 1
        else 0.0,
        p99_ns=lengths[min(len(lengths) * 99 // 100, len(lengths) - 1)],
        parts=_parts(model, part, kinds),
        from_ns=low,
        to_ns=high,
    )


def _name(kinds: Sequence[Row]) -> str:
    """Return the name of the largest kind, and how many others there are."""
    name = kinds[0]["kind"] or "units without a name"
    others = len(kinds) - 1
    if not others:
        return str(name)
    return f"{name} and {others} other kind{'s' if others > 1 else ''}"


def _parts(model: "Model", part: Selection, kinds: Sequence[Row]) -> dict[Place, float]:
    """Return the time of an average unit by state, class and method."""
    counts = {(row["kind"], row["thread_id"]): row["count"] for row in kinds}
    units = sum(counts.values())
    parts: dict[Place, float] = {}
    for row in model.unit_parts(part):
        count = counts.get((row["kind"], row["thread_id"]), 0)
        if count:
            place = (row["state"], row["class"], row["method"])
            parts[place] = parts.get(place, 0.0) + row["mean_ns"] * count / units
    return parts


def middle(side: Sequence[Load]) -> Load:
    """Return the run with the median rate."""
    return sorted(side, key=lambda load: load.rate)[len(side) // 2]


def compare_loads(
    before: Sequence[Load], after: Sequence[Load], tolerance: float | None = None
) -> Change:
    """Say whether requests are served better, worse, or as before.

    The rate decides; if it is equal, the mean latency does. A difference counts if it
    exceeds the tolerance and the noise, within each run and between runs.
    """
    old, new = middle(before), middle(after)
    least = RATE_TOLERANCE if tolerance is None else tolerance
    noise = ERRORS * max(
        _noise([load.rate for load in before], old.rate_error, old.rate),
        _noise([load.rate for load in after], new.rate_error, new.rate),
    )
    bound = 1 + max(least, noise)
    if new.rate > old.rate * bound:
        return Change("better", old, new)
    if new.rate * bound < old.rate:
        return Change("worse", old, new)
    noise = ERRORS * max(
        _noise([load.mean_ns for load in before], old.mean_error_ns, old.mean_ns),
        _noise([load.mean_ns for load in after], new.mean_error_ns, new.mean_ns),
    )
    least = LATENCY_TOLERANCE if tolerance is None else tolerance
    bound = 1 + max(least, noise)
    if new.mean_ns * bound < old.mean_ns:
        return Change("better", old, new)
    if new.mean_ns > old.mean_ns * bound:
        return Change("worse", old, new)
    return Change("equal", old, new)


def _noise(values: Sequence[float], error: float, middle_value: float) -> float:
    """Return the relative error of a figure: the larger of within and between runs."""
    if not middle_value:
        return 0.0
    between = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return max(error, between) / middle_value


def moved(change: Change, count: int = 3) -> list[tuple[Place, float, float]]:
    """Return where the time of requests changed, the largest change first.

    If requests are served better, only places where they spend less time are returned,
    else only those where they spend more.
    """
    before, after = change.before.parts, change.after.parts
    sign = 1 if change.verdict == "better" else -1
    rows = [
        (place, before.get(place, 0.0), after.get(place, 0.0))
        for place in before.keys() | after.keys()
    ]
    least_ns = SMALL_PART * max(change.before.mean_ns, change.after.mean_ns)
    rows = [row for row in rows if sign * (row[1] - row[2]) > least_ns]
    rows.sort(key=lambda row: (-abs(row[1] - row[2]), str(row[0])))
    return rows[:count]


def behind(model: "Model", place: Place) -> str:
    """Say what ended the waits at a place, and which thread did, if it is known."""
    state, _, method = place
    if method is None or state not in ("parked", "waiting"):
        return ""
    words = []
    rows = [row for row in model.resources() if row["waiting_method"] == method]
    if rows and rows[0]["releasing_method"] is not None:
        by = clean(rows[0]["releasing_method"], NAME_LENGTH)
        words.append(f"ended by {by}")
        if rows[0]["releaser"] is not None:
            words.append(f"of {clean(rows[0]['releaser'], NAME_LENGTH)}")
    return f" ({' '.join(words)})" if words else ""
