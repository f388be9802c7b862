# SPDX-License-Identifier: Apache-2.0
"""``threadmodel diff`` and ``threadmodel check``: two runs, or one and its limits."""

import dataclasses
import json
import signal
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from rich.console import Console

import threadmodel
from threadmodel.cli import terminal
from threadmodel.cli.files import INPUT, OUTPUT, FileCommand
from threadmodel.cli.grid import Column, Grid
from threadmodel.cli.messages import say
from threadmodel.cli.ranges import Moment, from_option
from threadmodel.cli.regressions import (
    broken_at,
    more_deadlocks,
    odds,
    percent,
    place,
    regressions,
)
from threadmodel.cli.report import PARTLY
from threadmodel.cli.verdict import Broken, junit, sarif
from threadmodel.comparison import Comparison, compare, idle_in, lock_share
from threadmodel.errors import DamagedTraceWarning, InvalidArgumentError
from threadmodel.judgement import HUNG, judge
from threadmodel.load import (
    ENOUGH_OF_SEVERAL,
    ENOUGH_UNITS,
    Change,
    behind,
    compare_loads,
    loads,
    measure,
    risen,
)
from threadmodel.model import Model
from threadmodel.selection import Selection
from threadmodel.text import clean, duration

Row = dict[str, Any]

BROKEN: Final = 1
FILE_WIDTH: Final = 120


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


@click.command(cls=FileCommand, short_help="Compare two recorded runs.")
@click.argument("before", metavar="BEFORE", type=INPUT)
@click.argument("after", metavar="AFTER", type=INPUT)
@click.option("--json", "as_json", is_flag=True, help="Print all tables as one object.")
@click.option(
    "--top",
    metavar="N",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Rows of a table to show in a terminal.",
)
@click.option(
    "--before",
    "more_before",
    metavar="FILE",
    type=INPUT,
    multiple=True,
    help="Another run that did the same as BEFORE; may be repeated.",
)
@click.option(
    "--after",
    "more_after",
    metavar="FILE",
    type=INPUT,
    multiple=True,
    help="Another run that did the same as AFTER; may be repeated.",
)
@from_option
@click.pass_context
def diff(
    context: click.Context,
    before: str,
    after: str,
    as_json: bool,
    top: int,
    more_before: tuple[str, ...],
    more_after: tuple[str, ...],
    from_ns: int | None,
) -> None:
    """Show what changed from the run in BEFORE to the run in AFTER.

    Rows are matched by class, method and line, and those that changed most come first.
    Of several runs on each side the medians are shown, and how likely it is that the
    noise of the runs alone makes such a change.

    \b
    threadmodel diff before.tmt after.tmt
    threadmodel diff before.tmt after.tmt --json
    threadmodel diff a1.tmt b1.tmt --before a2.tmt --after b2.tmt --from 2s
    """
    # Whoever stops reading our output, as `head` does, ends us without a word.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sides = (before, *more_before), (after, *more_after)
    models = [_open_all(side) for side in sides]
    found = compare(*models, start_ns=from_ns or 0)
    change = _requests(models[0], models[1], from_ns or 0, None)
    if as_json:
        tables: dict[str, Any] = dict(found.tables())
        if change is not None:
            tables["requests"] = [change.row()]
        click.echo(json.dumps(tables))
    else:
        sections = _sections(found, top)
        if change is not None:
            sections.insert(0, _request_section(change, models[1][0]))
        terminal.show(sections, _console())
    if _name_damaged(sides[0] + sides[1], models[0] + models[1]):
        context.exit(PARTLY)


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
@from_option
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
    runs: tuple[str, ...],
    max_blocked_share: float | None,
    max_p99_ns: int | None,
    no_deadlock: bool,
    no_hang: bool,
    bases: tuple[str, ...],
    tolerance: float | None,
    from_ns: int | None,
    as_json: bool,
    junit_file: str | None,
    sarif_file: str | None,
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
    if asked == (None, None) and not no_deadlock and not no_hang and not bases:
        raise click.UsageError(
            "nothing to check: use --verdict, --max-blocked-share, --max-p99, "
            "--no-deadlock or --no-regression"
        )
    if tolerance is not None and not bases:
        raise click.UsageError("--tolerance is for --no-regression")
    models = _open_all(runs)
    base_models = _open_all(bases)
    start_ns = from_ns or 0
    limits: dict[str, list[Broken]] = {}
    notes: list[str] = []
    change: Change | None = None
    if no_deadlock:
        _check_shows(runs, models, "deadlock", "--no-deadlock")
    if max_blocked_share is not None:
        _check_shows(runs, models, "hot_lock", "--max-blocked-share")
    if no_deadlock:
        limits["no-deadlock"] = [one for model in models for one in _deadlocks(model)]
    if no_hang:
        limits["verdict"] = [
            one
            for path, model in zip(runs, models, strict=True)
            for one in _hung(path, model, notes)
        ]
    if max_blocked_share is not None:
        limits["max-blocked-share"] = [
            one
            for model in models
            for one in _blocked(model, max_blocked_share, start_ns)
        ]
    if max_p99_ns is not None:
        limits["max-p99"] = [
            one
            for path, model in zip(runs, models, strict=True)
            for one in _slow(path, model, max_p99_ns, start_ns)
        ]
    if bases:
        change = _requests(base_models, models, start_ns, tolerance)
        found = compare(base_models, models, start_ns=start_ns)
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
    is_damaged = _name_damaged((*runs, *bases), [*models, *base_models])
    if broken:
        context.exit(BROKEN)
    # What is missing may have broken a limit.
    if is_damaged:
        context.exit(PARTLY)


def _as_object(
    limits: dict[str, list[Broken]], change: Change | None, notes: list[str]
) -> Row:
    """Return what a check found: each limit, what broke it, and what it rests on."""
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


def _requests(
    before: list[Model], after: list[Model], start_ns: int, tolerance: float | None
) -> Change | None:
    """Compare the requests of two sides; None: one of the runs has none."""
    is_one = len(before) == 1 or len(after) == 1
    enough = ENOUGH_UNITS if is_one else ENOUGH_OF_SEVERAL
    sides = loads(before, start_ns, enough), loads(after, start_ns, enough)
    if sides[0] is None or sides[1] is None:
        return None
    return compare_loads(sides[0], sides[1], tolerance)


def _worse_requests(change: Change, model: Model) -> list[Broken]:
    if change.verdict != "worse":
        return []
    broken = [Broken("no-regression", change.sentence())]
    broken += [Broken("no-regression", line) for line in _risen(change, model)]
    return broken


def _risen(change: Change, model: Model) -> list[str]:
    """Say what a request spends more time in than before."""
    lines = []
    for place_, old, new in risen(change):
        state, class_name, method = place_
        words = [state or "on no known thread"]
        if class_name is not None:
            words.append(f"for {class_name}")
        if method is not None:
            words.append(f"in {method}")
        lines.append(
            f"a request is {' '.join(words)} for {duration(round(new))}, "
            f"{duration(round(old))} before{behind(model, place_)}"
        )
    return lines


def _request_section(change: Change, model: Model) -> terminal.Section:
    section = terminal.Section("Requests, before and after")
    section.line(change.sentence())
    section.line(change.basis())
    for line in _risen(change, model):
        section.line(line)
    return section


def _slow(path: str, model: Model, most_ns: int, start_ns: int) -> list[Broken]:
    load = measure(model, start_ns)
    if load is None:
        raise InvalidArgumentError(
            f"--max-p99 of {path}: the run has no requests, or too few"
        )
    if load.p99_ns <= most_ns:
        return []
    text = (
        f"the 99th percentile of {load.kind['kind'] or 'requests'} is "
        f"{duration(load.p99_ns)}, more than {duration(most_ns)}"
    )
    return [Broken("max-p99", text)]


def _check_shows(
    paths: Iterable[str], models: Iterable[Model], kind: str, option: str
) -> None:
    """Refuse runs that cannot show what is to be checked: they would pass."""
    for path, model in zip(paths, models, strict=True):
        for row in model.finding_kinds():
            if row["kind"] == kind and not row["looked_for"]:
                raise InvalidArgumentError(f"{option} of {path}: {row['why']}")


def _name_damaged(paths: Iterable[str], models: Iterable[Model]) -> bool:
    """Name each file that is damaged or cut. Return whether one is."""
    damaged = [
        (path, model.damage)
        for path, model in zip(paths, models, strict=True)
        if model.damage is not None
    ]
    for path, damage in damaged:
        say(f"{path}: only partly read: {damage}")
    return bool(damaged)


def _open_all(paths: Iterable[str]) -> list[Model]:
    return [_open(path) for path in paths]


def _open(path: str) -> Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DamagedTraceWarning)
        return threadmodel.open(path)


def _console() -> Console:
    console = Console(highlight=False)
    return (
        console if console.is_terminal else Console(width=FILE_WIDTH, highlight=False)
    )


def _deadlocks(model: Model) -> list[Broken]:
    found = [row for row in model.findings() if row["kind"] == "deadlock"]
    return [
        broken_at("no-deadlock", f"{row['title']}. {row['text']}", row) for row in found
    ]


def _hung(path: str, model: Model, notes: list[str]) -> list[Broken]:
    row = judge(model)
    if row["kind"] == "cannot_tell":
        raise InvalidArgumentError(f"--verdict of {path}: {row['title']}")
    if row["kind"] in HUNG:
        return [broken_at("verdict", f"{row['title']} {row['text']}", row)]
    notes.append(f"{path}: {row['title']}")
    return []


def _blocked(model: Model, most: float, start_ns: int) -> list[Broken]:
    share = lock_share(model, start_ns)
    if share <= most:
        return []
    total = f"threads queued for {percent(share)} of their time, more than "
    broken = [Broken("max-blocked-share", total + percent(most))]
    places = model.blame(("class", "caller"), Selection(window=(start_ns, None)))
    for row in list(places)[:10]:
        text = f"{duration(row['total_ns'])} by {place(row)}"
        broken.append(broken_at("max-blocked-share", text, row))
    return broken


def _sections(found: Comparison, top: int) -> list[terminal.Section]:
    run = found.run[0]
    summary = terminal.Section("Runs, before and after")
    if max(found.runs) > 1:
        summary.body.append(terminal.Fact("runs", "{} -> {}".format(*found.runs)))
    for name, show in (
        ("length", "length_ns"),
        ("threads", "threads"),
        ("deadlocks", "deadlocks"),
        ("queueing", "lock_share"),
    ):
        values = [run[f"{show}_before"], run[f"{show}_after"]]
        if show == "length_ns":
            words = [duration(value) for value in values]
        elif show == "lock_share":
            words = [percent(value) for value in values]
        else:
            words = [f"{value:,}" for value in values]
        text = " -> ".join(words) + odds(run.get(f"{show}_chance"))
        summary.body.append(terminal.Fact(name, text))
    return [
        summary,
        _changes(found.callers, top),
        _finding_changes(found.findings, top),
    ]


def _changes(callers: list[Row], top: int) -> terminal.Section:
    section = terminal.Section("Locks and waits that changed most")
    changed = [
        (row, state)
        for row in callers
        for state in ("blocked", "reentering", "waiting", "parked", "io")
        if row[f"{state}_total_ns_change"] and not idle_in(row, state)
    ]
    changed.sort(key=lambda item: -abs(item[0][f"{item[1]}_total_ns_change"]))
    if not changed:
        section.line("nothing changed")
        return section
    columns = [
        Column("class", name=True, style="bold"),
        Column("called from", name=True),
        Column("state", label=True),
        *(Column(title) for title in ("before", "after", "change")),
    ]
    rows = []
    for row, state in changed[:top]:
        figures = [row[f"{state}_total_ns_{side}"] for side in ("before", "after")]
        change = row[f"{state}_total_ns_change"]
        line = f":{row['line']}" if row["line"] else ""
        rows.append(
            [
                clean(row["class"] or "?", 1000),
                clean((row["method"] or "?") + line, 1000),
                state,
                *(duration(figure) for figure in figures),
                ("+" if change > 0 else "-") + duration(abs(change)),
            ]
        )
    section.body.append(Grid(columns, rows))
    return section


def _finding_changes(findings: list[Row], top: int) -> terminal.Section:
    section = terminal.Section("Findings")
    columns = [
        Column("kind", label=True),
        Column("class", name=True, style="bold"),
        Column("method", name=True),
        *(Column(title) for title in ("before", "after")),
    ]
    rows = [
        [
            clean(row["kind"].replace("_", " ")),
            clean(row["class"] or "?", 1000),
            clean(row["method"] or "?", 1000),
            *(duration(row[f"impact_ns_{side}"]) for side in ("before", "after")),
        ]
        for row in findings[:top]
    ]
    if rows:
        section.body.append(Grid(columns, rows))
    else:
        section.line("none in either run")
    return section
