# SPDX-License-Identifier: Apache-2.0
"""Invalid questions, in Python and on the command line; and runs without events."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import threadmodel
from conftest import Cli, one_line
from threadmodel import Model, Selection, Table
from threadmodel.errors import InvalidArgumentError, NotFoundError

Ask = Callable[..., Table]

SELECTING: dict[str, Ask] = {
    "timeline": Model.timeline,
    "interactions": Model.interactions,
    "threads": Model.threads,
    "locks": Model.locks,
    "callers": Model.callers,
    "objects": Model.objects,
    "statistics": Model.statistics,
    "total": Model.total,
    "histogram": Model.histogram,
    "blame": Model.blame,
    "blockers": Model.blockers,
    "holds": Model.holds,
    "resources": Model.resources,
    "resource_uses": Model.resource_uses,
}
PLAIN: dict[str, Ask] = {
    "critical_path": Model.critical_path,
    "path_rollup": Model.path_rollup,
    "whatif_rank": Model.whatif_rank,
    "deadlocks": Model.deadlocks,
    "lock_order": Model.lock_order,
    "lock_edges": Model.lock_edges,
    "findings": Model.findings,
    "verdict_members": Model.verdict_members,
    "stacks": Model.stacks,
    "modules": Model.modules,
    "diagnostics": Model.diagnostics,
}
MISSING: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"threads": [9999]}, NotFoundError, "no thread 9999"),
    ({"threads": ["nobody"]}, NotFoundError, "nobody"),
    ({"classes": ["no.Such"]}, NotFoundError, r"no class no\.Such"),
    ({"window": (10**15, None)}, InvalidArgumentError, "the run ends at"),
]
IMPOSSIBLE: list[tuple[dict[str, Any], str]] = [
    ({"window": (10, 10)}, "window"),
    ({"window": (20, 10)}, "window"),
    ({"window": (-5, 10)}, "window"),
    ({"window": 5}, "window"),
    ({"window": (0, 1.5)}, "window"),
    ({"threads": [-1]}, "thread id"),
    ({"threads": [1.5]}, "thread id"),
    ({"classes": [7]}, "class name"),
    ({"classes": ["a\0b"]}, "class name"),
    ({"columns": ["a\0b"]}, "column"),
]
FACTORS = (-0.5, math.nan, math.inf, 1e9, "much", None)


@pytest.mark.parametrize("name", SELECTING)
def test_what_a_run_does_not_have_is_named(model: Model, name: str) -> None:
    for choice, failure, words in MISSING:
        with pytest.raises(failure, match=words):
            SELECTING[name](model, selection=Selection(**choice))


@pytest.mark.parametrize("name", SELECTING)
def test_what_no_run_can_have_is_named(model: Model, name: str) -> None:
    for choice, words in IMPOSSIBLE:
        for run in (model, Model()):
            with pytest.raises(InvalidArgumentError, match=words):
                SELECTING[name](run, selection=Selection(**choice))


def test_keys_that_are_none_are_named(model: Model) -> None:
    for question in (model.statistics, model.blame, model.path_rollup):
        for by in ("colour", ("class", "colour"), (7,)):
            with pytest.raises(InvalidArgumentError, match=r"no such key: .*there are"):
                question(by)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="no such key"):
        model.histogram("blocked", ("colour",))
    with pytest.raises(InvalidArgumentError, match="no such state: 'colour'"):
        model.histogram("colour")
    with pytest.raises(InvalidArgumentError, match="no such state: 'colour'"):
        model.blame(states=("colour",))
    with pytest.raises(InvalidArgumentError, match="no such kind: 'colour'"):
        model.blame(of="colour")
    with pytest.raises(InvalidArgumentError, match="only waiting and parked"):
        model.blame(of="resources", states="blocked")
    with pytest.raises(InvalidArgumentError, match="have an owner"):
        model.blame(states="waiting")


@pytest.mark.parametrize("factor", FACTORS)
def test_factors_that_are_none_are_named(model: Model, factor: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="factor"):
        model.whatif("demo.Account", factor=factor)
    with pytest.raises(InvalidArgumentError, match="factor"):
        model.whatif_rank(factor=factor)


@pytest.mark.parametrize("name", [*SELECTING, *PLAIN])
def test_a_run_without_events_has_answers_without_rows(name: str) -> None:
    question = {**SELECTING, **PLAIN}[name]
    table = question(Model())
    assert len(table) == 0
    assert table.columns
    if name in SELECTING:
        for choice, _, _ in MISSING:
            assert len(question(Model(), selection=Selection(**choice))) == 0


def test_a_path_and_predictions_of_nothing_are_nothing() -> None:
    model = Model()
    assert len(model.critical_path(thread="nobody", to_ns=5)) == 0
    assert len(model.path_rollup(thread=77)) == 0
    assert len(model.whatif("no.Such", method="no.such", object="no@1")) == 0
    found = threadmodel.compare(model, model)
    assert (found.callers, found.locks, found.findings) == ([], [], [])


@pytest.fixture
def nothing(tmp_path: Path) -> Path:
    """A trace of a run without events."""
    path = tmp_path / "nothing.tmt"
    with threadmodel.Writer(path):
        pass
    return path


@pytest.mark.parametrize(
    "arguments",
    [
        ["report", "FILE"],
        ["report", "--json", "FILE"],
        ["report", "--csv", "folder", "FILE"],
        ["path", "FILE"],
        ["path", "--thread", "nobody", "FILE"],
        ["path", "--by", "class", "--by", "method", "FILE"],
        ["path", "--json", "FILE"],
        ["whatif", "FILE"],
        ["whatif", "--class", "no.Such", "FILE"],
        ["whatif", "--json", "FILE"],
        ["diff", "FILE", "FILE"],
        ["diff", "--json", "FILE", "FILE"],
        [
            *("check", "FILE", "--no-deadlock", "--max-blocked-share", "0"),
            *("--no-regression", "FILE"),
        ],
        ["convert", "FILE", "-o", "again.tmt"],
        ["convert", "FILE", "-o", "again.orca"],
        ["convert", "FILE", "-o", "again.xml"],
        ["report", "FILE", "-o", "page.html"],
        ["stats", "FILE"],
        ["stats", "--json", "FILE"],
        ["stats", "--quick", "FILE"],
        ["stats", "--by", "thread", "--thread", "nobody", "--from", "5", "FILE"],
        ["stats", "--by", "none", "--histogram", "--state", "waiting", "FILE"],
        ["timeline", "FILE"],
        ["timeline", "--csv", "FILE"],
        ["timeline", "--class", "no.Such", "--to", "5", "FILE"],
        ["deadlocks", "FILE"],
        ["deadlocks", "--json", "FILE"],
        ["info", "FILE"],
        ["info", "--json", "FILE"],
        ["export", "FILE", "-o", "again.pftrace"],
        ["export", "FILE", "-o", "again.json"],
        ["export", "FILE", "-o", "again.collapsed"],
        ["export", "FILE", "-o", "again.dot"],
    ],
    ids=" ".join,
)
def test_every_command_takes_a_run_without_events(
    cli: Cli, nothing: Path, arguments: list[str]
) -> None:
    done = cli(*(str(nothing) if word == "FILE" else word for word in arguments))
    # No answer follows from it, but it can be described and converted.
    is_trace = arguments[-1].endswith((".tmt", ".pftrace", ".json", ".dot", "FILE"))
    can_be_done = arguments[0] == "info" or (arguments[0] == "convert" and not is_trace)
    expected = 0 if can_be_done else 2
    assert done.returncode == expected, done.stderr.decode()
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["stats", "timeline", "deadlocks"])
def test_a_run_without_events_has_no_rows_to_print(
    cli: Cli, nothing: Path, command: str
) -> None:
    assert json.loads(cli(command, "--json", nothing).stdout) == []
    header, *rows = cli(command, "--csv", nothing).stdout.decode().splitlines()
    assert "thread" in header
    assert not rows


NOWHERE = "no-such-folder/out"
NO_PROCESS = "999999999"

WRONG_USES: list[tuple[list[str], str]] = [
    (["path", "FILE", "--thread", "nobody"], "nobody"),
    (["path", "FILE", "--thread", "#9999"], "9999"),
    (["path", "FILE", "--to", "1e9"], "ends after the run"),
    (["path", "FILE", "--to", "-1"], "'-1'"),
    (["path", "FILE", "--to", "nan"], "nan"),
    (["path", "FILE", "--to", "inf"], "inf"),
    (["path", "FILE", "--by", "colour"], "colour"),
    (["whatif", "FILE", "--class", "no.Such"], "no.Such"),
    (["whatif", "FILE", "--method", "no.such"], "no.such"),
    (["whatif", "FILE", "--object", "no@1"], "no@1"),
    (["whatif", "FILE", "--factor", "-1"], "factor -1"),
    (["whatif", "FILE", "--factor", "nan"], "factor nan"),
    (["whatif", "FILE", "--factor", "inf"], "factor inf"),
    (["whatif", "FILE", "--factor", "much"], "much"),
    (["whatif", "FILE", "--top", "0"], "0"),
    (["diff", "FILE", "no-such-file"], "no-such-file"),
    (["diff", "FILE"], "AFTER"),
    (["check", "FILE"], "nothing to check"),
    (["check", "FILE", "--max-blocked-share", "-1%"], "-1%"),
    (["check", "FILE", "--max-blocked-share", "much"], "much"),
    (["check", "FILE", "--no-regression", "no-such-file"], "no-such-file"),
    (["check", "FILE", "--tolerance", "nan", "--no-deadlock"], "nan"),
    *(
        ([command, "FILE", *choice], words)
        for command in ("stats", "timeline")
        for choice, words in (
            (["--thread", "nobody"], "nobody"),
            (["--thread", "#9999"], "9999"),
            (["--class", "no.Such"], "no.Such"),
            (["--from", "5", "--to", "5"], "window"),
            (["--from", "6", "--to", "5"], "window"),
            (["--from", "1e9"], "is after the end of the run"),
            (["--from", "-1"], "'-1'"),
            (["--to", "nan"], "nan"),
            (["--top", "0"], "0"),
            (["-o", f"{NOWHERE}.csv"], NOWHERE),
        )
    ),
    (["stats", "FILE", "--by", "colour"], "colour"),
    (["stats", "FILE", "--state", "colour"], "colour"),
    (["stats", "FILE", "--quick", "--by", "thread"], "--quick"),
    (["stats", "FILE", "--quick", "--thread", "main"], "--quick"),
    (["timeline", "FILE", "--width", "3"], "3"),
    (["export", "FILE", "-o", "out.colour"], "out.colour"),
    (["export", "FILE", "-o", f"{NOWHERE}.json"], NOWHERE),
    (["export", "FILE", "--format", "colour", "-o", "out"], "colour"),
    (["export", "FILE", "--state", "blocked", "-o", "out.dot"], "--state"),
    (["convert", "FILE", "-o", f"{NOWHERE}.tmt"], NOWHERE),
    (["report", "FILE", "--top", "0"], "0"),
    *(
        ([command, "no-such-file", *choice], "no-such-file")
        for command, choice in (
            ("report", []),
            ("stats", []),
            ("timeline", []),
            ("deadlocks", []),
            ("info", []),
            ("export", ["-o", "out.json"]),
            ("convert", ["-o", "out.tmt"]),
        )
    ),
    *(
        ([command, process, *choice], process)
        for command, choice in (
            ("control", ["stop"]),
            ("attach", []),
            ("dump", []),
        )
        for process in (NO_PROCESS, "colour")
    ),
    (["control", NO_PROCESS, "dance"], "dance"),
    (["attach", NO_PROCESS, "--for", "soon"], "soon"),
    (["attach", NO_PROCESS, "--depth", "999"], "999"),
    (["listen", "nowhere"], "nowhere"),
    (["listen", "127.0.0.1:99999"], "99999"),
    (["listen", f"unix:{NOWHERE}"], NOWHERE),
    (["top", f"unix:{NOWHERE}"], NOWHERE),
    (["top", "127.0.0.1:99999"], "99999"),
    (["top", "4194305"], "there is no process 4194305"),
    (["collect", "127.0.0.1:0"], "--folder"),
    (["collect", "nowhere", "--forward", "127.0.0.1:1"], "nowhere"),
    (["record", "-o", "out.tmt"], "record what?"),
    (["completion", "csh"], "csh"),
]


@pytest.mark.parametrize(
    ("arguments", "words"),
    WRONG_USES,
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_wrong_use_of_a_command_is_reported_in_one_line(
    cli: Cli, trace: Path, arguments: list[str], words: str
) -> None:
    done = cli(*(str(trace) if word == "FILE" else word for word in arguments))
    assert done.returncode == 2
    assert words in one_line(done.stderr)
    assert done.stdout == b""
