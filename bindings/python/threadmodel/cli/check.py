# SPDX-License-Identifier: Apache-2.0
"""``threadmodel check``: a run and its limits."""

import dataclasses
import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from threadmodel.cli.files import INPUT, OUTPUT, FileCommand
from threadmodel.cli.ranges import Moment, part_of, range_options
from threadmodel.cli.regressions import (
    broken_at,
    more_deadlocks,
    percent,
    place,
    regressions,
)
from threadmodel.cli.report import NOTHING, PARTLY
from threadmodel.cli.sides import (
    moved_lines,
    name_damaged,
    name_empty,
    open_all,
    parts_of,
    requests,
)
from threadmodel.cli.verdict import Broken, junit, sarif
from threadmodel.comparison import compare, lock_share
from threadmodel.errors import InvalidArgumentError
from threadmodel.judgement import HUNG, judge
from threadmodel.load import Change, measure
from threadmodel.model import Model
from threadmodel.selection import Selection
from threadmodel.text import clean, duration

Row = dict[str, Any]

BROKEN: Final = 1


# Generic since click 8.2, and to a type checker alone.
if TYPE_CHECKING:
    _ParamType = click.ParamType[float]
else:
    _ParamType = click.ParamType


class Share(_ParamType):
    """A part of a whole: ``5%`` or ``0.05``."""

    name = "share"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return it as a number from 0 on."""
        if isinstance(value, float):
            return value
        try:
            text = value.strip()
            number = float(text[:-1]) / 100 if text.endswith("%") else float(text)
        except ValueError:
            self.fail(f"{value!r} is not a share such as 5% or 0.05", param, ctx)
        if not 0 <= number < float("inf"):
            self.fail(f"{value!r} is out of range", param, ctx)
        return number


@click.command(cls=FileCommand, short_help="Fail when a run breaks limits.")
@click.argument("runs", metavar="RUN...", type=INPUT, nargs=-1, required=True)
@click.option(
    "--max-blocked-share",
    type=Share(),
    metavar="SHARE",
    help="Threads may queue for locks for at most this share of their time: 5%.",
)
@click.option(
    "--max-p99",
    "max_p99_ns",
    type=Moment(),
    metavar="TIME",
    help="99 of 100 requests may take at most this long: 50ms; without a unit ms.",
)
@click.option("--no-deadlock", is_flag=True, help="No deadlock may be found.")
@click.option(
    "--no-lock-inversion",
    is_flag=True,
    help="No locks may be acquired in two orders that can deadlock; what is only "
    "suspected does not fail.",
)
@click.option(
    "--verdict",
    "no_hang",
    is_flag=True,
    help="Print the verdict; no thread may be deadlocked, stuck or starved.",
)
@click.option(
    "--no-regression",
    "bases",
    metavar="BASE",
    type=INPUT,
    multiple=True,
    help="Requests may not be served worse than in this run; without requests, neither "
    "locks nor the run may take longer; may be repeated.",
)
@click.option(
    "--tolerance",
    type=Share(),
    metavar="SHARE",
    help="By how much more than BASE a run may take; 25%, of several runs 3%.",
)
@range_options
@click.option("--json", "as_json", is_flag=True, help="Print the result as one object.")
@click.option(
    "--junit",
    "junit_file",
    metavar="FILE",
    type=OUTPUT,
    help="Write JUnit XML there, too.",
)
@click.option(
    "--sarif", "sarif_file", metavar="FILE", type=OUTPUT, help="Write SARIF there, too."
)
@click.pass_context
def check(
    context: click.Context,
    /,
    runs: tuple[str, ...],
    max_blocked_share: float | None,
    max_p99_ns: int | None,
    no_deadlock: bool,
    no_lock_inversion: bool,
    no_hang: bool,
    bases: tuple[str, ...],
    tolerance: float | None,
    as_json: bool,
    junit_file: str | None,
    sarif_file: str | None,
    **_: object,
) -> None:
    """Check the run in RUN against limits; exit with 1 when one is broken.

    Each broken limit is printed, a line each. Where all runs have requests, stated or
    inferred, their rate and latency decide, while the rate is steady: start-up does not
    count, and a service that is faster does not fail because it queues for more.

    Without requests, a lock is a regression when threads are
    blocked by it, at one class, method and line, for a greater part of the run's length
    than in BASE, by more than the tolerance and by half a percent of the length.

    With several RUN and several BASE, each the same program doing the same work, their
    medians are compared, of times and of the length too, and a difference counts only
    if the noise of the runs does not explain it: equal runs fail in one of a hundred
    checks at most.

    \b
    threadmodel check run.tmt --verdict --json
    threadmodel check run.tmt --max-blocked-share 5% --no-deadlock
    threadmodel check run.tmt --no-regression base.tmt --junit check.xml
    threadmodel check new-*.tmt --no-regression b1.tmt --no-regression b2.tmt
    """
    asked = (max_blocked_share, max_p99_ns)
    flags = (no_deadlock, no_lock_inversion, no_hang, bases)
    if asked == (None, None) and not any(flags):
        raise click.UsageError(
            "nothing to check: use --verdict, --max-blocked-share, --max-p99, "
            "--no-deadlock, --no-lock-inversion or --no-regression"
        )
    if tolerance is not None and not bases:
        raise click.UsageError("--tolerance is for --no-regression")
    models = open_all(runs)
    base_models = open_all(bases)
    parts = parts_of(models, context.params)
    base_parts = parts_of(base_models, context.params)
    limits: dict[str, list[Broken]] = {}
    notes: list[str] = []
    change: Change | None = None
    if no_deadlock:
        _check_shows(runs, models, "deadlock", "--no-deadlock")
    if no_lock_inversion:
        _check_shows(runs, models, "lock_inversion", "--no-lock-inversion")
    if max_blocked_share is not None:
        _check_shows(runs, models, "hot_lock", "--max-blocked-share")
    if no_deadlock:
        limits["no-deadlock"] = [
            one
            for model, part in zip(models, parts, strict=True)
            for one in _deadlocks(model, part)
        ]
    if no_lock_inversion:
        limits["no-lock-inversion"] = [
            one for model in models for one in _inversions(model)
        ]
    if no_hang:
        limits["verdict"] = [
            one
            for path, model, part in zip(runs, models, parts, strict=True)
            for one in _hung(path, model, part, notes)
        ]
    if max_blocked_share is not None:
        limits["max-blocked-share"] = [
            one
            for model, part in zip(models, parts, strict=True)
            for one in _blocked(model, max_blocked_share, part)
        ]
    if max_p99_ns is not None:
        limits["max-p99"] = [
            one
            for path, model, part in zip(runs, models, parts, strict=True)
            for one in _slow(path, model, max_p99_ns, part)
        ]
    if bases:
        change = requests(base_models, models, (base_parts, parts), tolerance)
        found = compare(
            base_models, models, part=lambda model: part_of(model, context.params)
        )
        if change is None:
            limits["no-regression"] = regressions(found, tolerance)
        else:
            notes.append(change.basis())
            if change.verdict != "worse":
                notes.append(change.sentence())
            limits["no-regression"] = [
                *_worse_requests(change, models[0]),
                *more_deadlocks(found),
            ]
    broken = [item for found in limits.values() for item in found]
    if junit_file is not None:
        Path(junit_file).write_bytes(junit(runs[0], limits, broken))
    if sarif_file is not None:
        Path(sarif_file).write_bytes(sarif(runs[0], broken))
    if as_json:
        click.echo(json.dumps(_as_object(limits, change, notes)))
    else:
        lines = [*notes, *(f"{limit.limit}: {limit.text}" for limit in broken)]
        for line in lines:
            click.echo(clean(line))
    named = (*runs, *bases), [*models, *base_models]
    is_damaged = name_damaged(*named)
    if broken:
        context.exit(BROKEN)
    # A run without data cannot show that a limit is kept.
    if name_empty(*named):
        context.exit(NOTHING)
    # The missing part of a run may have exceeded a limit.
    if is_damaged:
        context.exit(PARTLY)


def _as_object(
    limits: dict[str, list[Broken]], change: Change | None, notes: list[str]
) -> Row:
    """Return the result of a check: the limits, what broke them, and notes."""
    return {
        "passed": not any(limits.values()),
        "limits": [
            {
                "limit": name,
                "passed": not found,
                "broken": [dataclasses.asdict(one) for one in found],
            }
            for name, found in limits.items()
        ],
        "requests": None if change is None else change.row(),
        "notes": notes,
    }


def _worse_requests(change: Change, model: Model) -> list[Broken]:
    if change.verdict != "worse":
        return []
    broken = [Broken("no-regression", change.sentence())]
    broken += [Broken("no-regression", line) for line in moved_lines(change, model)]
    return broken


def _slow(path: str, model: Model, most_ns: int, part: Selection) -> list[Broken]:
    load = measure(model, part)
    if load is None:
        raise InvalidArgumentError(
            f"--max-p99 of {path}: the run has no requests, or too few"
        )
    if load.p99_ns <= most_ns:
        return []
    text = (
        f"the 99th percentile of {load.name} is "
        f"{duration(load.p99_ns)}, more than {duration(most_ns)}"
    )
    return [Broken("max-p99", text)]


def _check_shows(
    paths: Iterable[str], models: Iterable[Model], kind: str, option: str
) -> None:
    """Refuse runs without the data for a check, which would pass."""
    for path, model in zip(paths, models, strict=True):
        for row in model.finding_kinds():
            if row["kind"] == kind and not row["looked_for"]:
                raise InvalidArgumentError(f"{option} of {path}: {row['why']}")


def _deadlocks(model: Model, part: Selection) -> list[Broken]:
    found = [row for row in model.findings(part) if row["kind"] == "deadlock"]
    return [
        broken_at("no-deadlock", f"{row['title']}. {row['text']}", row) for row in found
    ]


def _inversions(model: Model) -> list[Broken]:
    # Findings of lock order are only of the whole run.
    found = [row for row in model.findings() if row["kind"] == "lock_inversion"]
    return [
        broken_at("no-lock-inversion", f"{row['title']}. {row['text']}", row)
        for row in found
        if not row["suspected"]
    ]


def _hung(path: str, model: Model, part: Selection, notes: list[str]) -> list[Broken]:
    row = judge(model, part)
    if row["kind"] == "cannot_tell":
        raise InvalidArgumentError(f"--verdict of {path}: {row['title']}")
    if row["kind"] in HUNG:
        return [broken_at("verdict", f"{row['title']} {row['text']}", row)]
    notes.append(f"{path}: {row['title']}")
    return []


def _blocked(model: Model, most: float, part: Selection) -> list[Broken]:
    share = lock_share(model, part)
    if share <= most:
        return []
    total = f"threads queued for {percent(share)} of their time, more than "
    broken = [Broken("max-blocked-share", total + percent(most))]
    places = model.blame(("class", "caller"), part)
    for row in list(places)[:10]:
        text = f"{duration(row['total_ns'])} by {place(row)}"
        broken.append(broken_at("max-blocked-share", text, row))
    return broken
