# SPDX-License-Identifier: Apache-2.0
"""``threadmodel diff`` and ``threadmodel check``: two runs, or one and its limits."""

import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from rich.console import Console

import threadmodel
from threadmodel.cli import terminal
from threadmodel.cli.asking import conclude
from threadmodel.cli.files import INPUT, OUTPUT, FileCommand
from threadmodel.cli.grid import Column, Grid
from threadmodel.cli.verdict import Broken, junit, sarif
from threadmodel.comparison import Comparison, compare, lock_share
from threadmodel.errors import DamagedTraceWarning
from threadmodel.model import Model
from threadmodel.text import clean, duration

Row = dict[str, Any]

BROKEN: Final = 1
FILE_WIDTH: Final = 120
# What a lock takes more of the run than before, below which it is noise.
LEAST_RISE: Final = 0.005


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
            self.fail(f"{value!r} is no share, such as 5% or 0.05", param, ctx)
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
def diff(before: str, after: str, as_json: bool, top: int) -> None:
    """Show what changed from the run in BEFORE to the run in AFTER.

    Rows are matched by class, method and line, and those that changed most come first.

    \b
    threadmodel diff before.tmt after.tmt
    threadmodel diff before.tmt after.tmt --json
    """
    found = compare(_open(before), _open(after))
    if as_json:
        click.echo(json.dumps(found.tables()))
        return
    terminal.show(_sections(found, top), _console())


@click.command(cls=FileCommand, short_help="Fail when a run breaks limits.")
@click.argument("run", metavar="RUN", type=INPUT)
@click.option(
    "--max-blocked-share",
    type=Share(),
    metavar="SHARE",
    help="Threads may queue for monitors for at most this share of their time: 5%.",
)
@click.option("--no-deadlock", is_flag=True, help="No deadlock may be found.")
@click.option(
    "--no-regression",
    "base",
    metavar="BASE",
    type=INPUT,
    help="No lock may block threads for more of the run than in this one.",
)
@click.option(
    "--tolerance",
    type=Share(),
    default="25%",
    show_default=True,
    metavar="SHARE",
    help="How much more than in BASE is accepted.",
)
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
    run: str,
    max_blocked_share: float | None,
    no_deadlock: bool,
    base: str | None,
    tolerance: float,
    junit_file: str | None,
    sarif_file: str | None,
) -> None:
    """Check the run in RUN against limits; exit with 1 when one is broken.

    Each broken limit is printed, a line each. A lock is a regression when threads are
    blocked by it, at one class, method and line, for a greater part of the run's length
    than in BASE, by more than the tolerance and by half a percent of the length.

    
    threadmodel check run.tmt --max-blocked-share 5% --no-deadlock
    threadmodel check run.tmt --no-regression base.tmt --junit check.xml
    """
    if max_blocked_share is None and not no_deadlock and base is None:
        raise click.UsageError(
            "nothing to check: use --max-blocked-share, --no-deadlock or "
            "--no-regression"
        )
    model = _open(run)
    limits: dict[str, list[Broken]] = {}
    if no_deadlock:
        limits["no-deadlock"] = _deadlocks(model)
    if max_blocked_share is not None:
        limits["max-blocked-share"] = _blocked(model, max_blocked_share)
    if base is not None:
        limits["no-regression"] = _regressions(compare(_open(base), model), tolerance)
    broken = [item for found in limits.values() for item in found]
    if junit_file is not None:
        Path(junit_file).write_bytes(junit(run, limits, broken))
    if sarif_file is not None:
        Path(sarif_file).write_bytes(sarif(run, broken))
    for limit in broken:
        click.echo(clean(f"{limit.limit}: {limit.text}"))
    if broken:
        context.exit(BROKEN)
    # What is missing may have broken a limit.
    conclude(context, model.damage)


def _open(path: str) -> Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DamagedTraceWarning)
        return threadmodel.open(path)


def _console() -> Console:
    console = Console(highlight=False)
    return (
        console if console.is_terminal else Console(width=FILE_WIDTH, highlight=False)
    )


def _percent(share: float) -> str:
    return f"{share:.2%}"


def _place(row: Row) -> str:
    line = f":{row['line']}" if row["line"] else ""
    where = f" in {row['method']}{line}" if row["method"] else ""
    return f"{row['class'] or 'an unknown class'}{where}"


def _deadlocks(model: Model) -> list[Broken]:
    found = [row for row in model.findings() if row["kind"] == "deadlock"]
    return [
        _broken("no-deadlock", f"{row['title']}. {row['text']}", row) for row in found
    ]


def _broken(limit: str, text: str, row: Row) -> Broken:
    """Return what broke a limit, at the place that its row names."""
    return Broken(limit, text, row["method"], row["source"], row["line"] or 0)


def _blocked(model: Model, most: float) -> list[Broken]:
    share = lock_share(model)
    if share <= most:
        return []
    total = f"threads queued for {_percent(share)} of their time, more than "
    broken = [Broken("max-blocked-share", total + _percent(most))]
    for row in model.callers():
        ns = row["blocked_total_ns"] + row["reentering_total_ns"]
        if ns and len(broken) <= 10:
            broken.append(
                _broken("max-blocked-share", f"{duration(ns)} by {_place(row)}", row)
            )
    return broken


def _regressions(found: Comparison, tolerance: float) -> list[Broken]:
    broken = []
    for row in found.callers:
        old, new = (
            row[f"blocked_share_{side}"] + row[f"reentering_share_{side}"]
            for side in ("before", "after")
        )
        if new > old * (1 + tolerance) and new - old > LEAST_RISE:
            text = (
                f"{_place(row)}: {_percent(old)} of the run before, {_percent(new)} now"
            )
            broken.append(_broken("no-regression", text, row))
    before, after = (found.run[0][f"deadlocks_{side}"] for side in ("before", "after"))
    if after > before:
        text = f"{before} deadlocks before, {after} now"
        broken.append(Broken("no-regression", text))
    return broken


def _sections(found: Comparison, top: int) -> list[terminal.Section]:
    run = found.run[0]
    summary = terminal.Section("Runs, before and after")
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
            words = [_percent(value) for value in values]
        else:
            words = [f"{value:,}" for value in values]
        summary.body.append(terminal.Fact(name, " -> ".join(words)))
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
        for state in ("blocked", "reentering", "waiting", "parked")
        if row[f"{state}_total_ns_change"]
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
