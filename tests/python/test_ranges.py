# SPDX-License-Identifier: Apache-2.0
"""A part of a run on the command line: every question takes one, and states it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import threadmodel
from threadmodel import Selection, cli, page
from threadmodel.cli.ranges import options_of

ROOT = Path(__file__).resolve().parents[2]
DEMO = str(ROOT / "docs/examples/demo/demo.tmt")
SHOP = str(ROOT / "docs/examples/shop/slow.tmt")
MS = 1_000_000
TIMES = ("--from", "100ms", "--to", "200ms")
RANGE = {"--from", "--to", "--skip-start"}
# Commands that ask no question about the threads of a recording.
NO_QUESTIONS = {
    *("convert", "info", "mcp"),
    *(
        "attach",
        "collect",
        "completion",
        "control",
        "dump",
        "listen",
        "ps",
        "record",
        "skill",
        "top",
    ),
    *("fleet report", "fleet sql", "fleet summarize"),
}
NEEDS = {"whatif": ("--class", "Till")}


def commands(
    group: click.Group = cli.cli, before: tuple[str, ...] = ()
) -> Iterator[tuple[str, click.Command]]:
    """Walk the tree of commands."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, (*before, name))
        else:
            yield " ".join((*before, name)), command


def options(command: click.Command) -> set[str]:
    return {option for parameter in command.params for option in parameter.opts}


QUESTIONS = [name for name, _ in commands() if name not in NO_QUESTIONS]
# Commands that write a page or a file of another tool, or judge runs.
NO_TEXT = {"open", "check", "diff", "export"}


def call(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "threadmodel", *arguments],
        check=True,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    return done.stdout


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_question_takes_a_part_of_the_run(name: str) -> None:
    assert options(dict(commands())[name]) >= RANGE, name


@pytest.mark.parametrize("name", [name for name in QUESTIONS if name not in NO_TEXT])
def test_the_first_line_states_the_part(name: str) -> None:
    given = (name, DEMO, *NEEDS.get(name, ()))
    assert call(*given, *TIMES).startswith("From 100 ms to 200 ms: ")
    assert not call(*given).startswith("From ")


def test_the_verdict_and_the_commands_of_a_report_are_of_the_part() -> None:
    model = threadmodel.open(SHOP)
    part = Selection(window=(1000 * MS, 2000 * MS))
    (verdict,) = model.verdict(part)
    shown = call("report", SHOP, "--from", "1s", "--to", "2s")
    words = " ".join(shown.split())
    assert words.startswith(f"From 1.00 s to 2.00 s: {verdict['title']} ")
    assert "slow.tmt --from 1s --to 2s --class 'Shop$Prices'" in shown
    assert "slow.tmt --from 1s --to 2s --all" in shown


def test_tables_of_a_part_are_those_of_the_model() -> None:
    model = threadmodel.open(DEMO)
    part = Selection(window=(100 * MS, 200 * MS))
    edges = {"from_ns": 100 * MS, "to_ns": 200 * MS}
    expected = {
        ("path",): model.critical_path(**edges),
        ("path", "--by", "method"): model.path_rollup("method", **edges),
        ("why",): model.causes(part, main=True),
        ("units",): model.unit_kinds(part),
        ("units", "--parts"): model.unit_parts(part),
        ("whatif",): model.whatif_rank(window=part.window),
        ("findings",): model.findings(part),
    }
    for (name, *more), table in expected.items():
        found = json.loads(call(name, DEMO, *more, *TIMES, "--json"))
        assert found == list(table), name
    report = json.loads(call("report", DEMO, "--json", "--tables", "all", *TIMES))
    assert report["verdict"] == list(model.verdict(part))
    assert report["critical_path"] == list(model.critical_path(**edges))
    assert report["whatif"] == list(model.whatif_rank(window=part.window))
    assert report["deadlocks"] == list(model.deadlocks())


def test_a_deadlock_is_of_the_parts_in_which_it_stands() -> None:
    assert json.loads(call("deadlocks", DEMO, "--to", "40ms", "--json")) == []
    assert json.loads(call("deadlocks", DEMO, "--from", "1ms", "--json"))
    assert "none found" in call("deadlocks", DEMO, "--to", "40ms")


def test_the_wait_that_is_explained_lies_in_the_part() -> None:
    for more in ((), ("--thread", "waiter-2")):
        steps = json.loads(call("explain", DEMO, *more, *TIMES, "--json"))
        assert 100 * MS <= steps[0]["at_ns"] <= 200 * MS


def test_a_page_of_a_part_is_of_that_part() -> None:
    model = threadmodel.open(DEMO)
    part = Selection(window=(100 * MS, 200 * MS))
    (verdict,) = model.verdict(part)
    html = page.render(model, part=part)
    assert ", from 100 ms to 200 ms</title>" in html
    assert verdict["title"] in html
    facts = page.facts(model, verdict, part)
    assert 0 < facts["locks_ns"] < page.facts(model, verdict)["locks_ns"]


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        ((0, 10**9), " --from 0ns --to 1s"),
        ((None, 1_500_000), " --to 1.5ms"),
        ((44_361_123, None), " --from 44.361123ms"),
        ((61_000_000_001, None), " --from 61.000000001s"),
    ],
)
def test_times_in_commands_are_exact(
    window: tuple[int | None, int | None], expected: str
) -> None:
    assert options_of(Selection(window=window)) == expected


def test_two_runs_are_compared_in_the_same_part_of_each() -> None:
    slow, fixed = (
        str(ROOT / f"docs/examples/press/{name}.tmt") for name in ("slow", "fixed")
    )
    window = (200 * MS, 700 * MS)
    times = ("--from", "200ms", "--to", "700ms")
    found = json.loads(call("diff", slow, fixed, *times, "--json"))
    (run,) = found["run"]
    assert (run["length_ns_before"], run["length_ns_after"]) == (500 * MS, 500 * MS)
    model = threadmodel.open(slow)
    part = Selection(window=window)
    for row in found["callers"]:
        blocked = [
            caller["blocked_total_ns"]
            for caller in model.callers(part)
            if (caller["class"], caller["method"], caller["line"])
            == (row["class"], row["method"], row["line"])
        ]
        assert row["blocked_total_ns_before"] == sum(blocked)
    # Threads lived for at most the part.
    assert 0 < run["lock_share_before"] < 1
    whole = json.loads(call("diff", slow, fixed, "--json"))
    assert whole["run"][0]["lock_share_before"] != run["lock_share_before"]


def test_an_export_of_a_part_has_the_sums_and_the_times_of_the_part(
    tmp_path: Path,
) -> None:
    model = threadmodel.open(DEMO)
    part = Selection(window=(100 * MS, 200 * MS))
    stacks = tmp_path / "run.collapsed"
    call("export", DEMO, "-o", str(stacks), "--state", "blocked", *TIMES)
    (total,) = model.total(part)
    sums = [int(line.rpartition(" ")[2]) for line in stacks.read_text().splitlines()]
    assert sum(sums) == total["blocked_total_ns"] > 0
    trace = tmp_path / "run.json"
    call("export", DEMO, "-o", str(trace), *TIMES)
    events = json.loads(trace.read_text())["traceEvents"]
    slices = [each for each in events if each["ph"] == "X"]
    # Times since the run began, in us.
    assert min(each["ts"] for each in slices) == 100_000
    assert max(each["ts"] + each["dur"] for each in slices) == 200_000
    done = subprocess.run(
        [sys.executable, "-m", "threadmodel", "export", DEMO, "-o", "x.dot", *TIMES],
        check=False,
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 2
    assert done.stderr == ("threadmodel: dot is of the whole run, and has no range\n")


def test_a_limit_is_of_the_part() -> None:
    given = ("check", DEMO, "--no-deadlock", "--json")
    # The threads were deadlocked from 44 ms on.
    assert json.loads(call(*given, "--to", "40ms"))["passed"]
    done = subprocess.run(
        [sys.executable, "-m", "threadmodel", *given, *TIMES],
        check=False,
        capture_output=True,
    )
    assert done.returncode == 1
    verdict = ("check", DEMO, "--verdict", "--json")
    assert json.loads(call(*verdict, "--to", "40ms"))["passed"]


# Commands that act, or serve another program.
NO_ANSWER = {
    *("attach", "completion", "control", "convert", "export", "fleet summarize"),
    *("collect", "listen", "mcp", "open", "record", "skill", "top"),
}
# Several tables make one object.
NO_CSV = {"check", "diff", "dump", "fleet report", "info"}


@pytest.mark.parametrize(
    "name", [name for name, _ in commands() if name not in NO_ANSWER]
)
def test_every_answer_can_be_had_as_data(name: str) -> None:
    usual = {"--json"} if name in NO_CSV else {"--json", "--csv"}
    assert options(dict(commands())[name]) >= usual
