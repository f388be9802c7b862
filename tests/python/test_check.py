# SPDX-License-Identifier: Apache-2.0
"""``threadmodel diff`` and ``check``, and the comparison behind them."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

import runs
import threadmodel
from conftest import Cli, one_line
from threadmodel import Event, EventFlag, EventKind, Frame, Model, Run, Sink

MS = 1_000_000


def emit(sink: Sink, blocks: list[float], *, line: int = 42, method: int = 1) -> None:
    """Two threads of 1 s each; the second is blocked for the given ms each time."""
    kind = EventKind
    sink.define_run(Run(start_ns=1))
    sink.define_class(1, "demo.Account", "Account.java")
    sink.define_method(1, 1, "transfer")
    sink.define_method(2, 1, "audit")
    sink.define_stack(1, [Frame(method, line=line)])
    sink.define_object(100, 1)
    sink.define_thread(1, "main")
    sink.define_thread(2, "worker")
    events = [Event(1, 1, kind.THREAD_START), Event(1, 2, kind.THREAD_START)]
    now = 10 * MS
    for ms in blocks:
        events.append(Event(now, 2, kind.CONTENDED_ENTER, object=100, stack=1))
        now += round(ms * MS)
        events.append(Event(now, 2, kind.CONTENDED_ENTERED, object=100))
        now += MS
    end = 1 + 1000 * MS
    events += [Event(end, 1, kind.THREAD_END), Event(end, 2, kind.THREAD_END)]
    sink.ingest(events)


def model_of(blocks: list[float], **choices: int) -> Model:
    model = Model()
    emit(model, blocks, **choices)
    return model


def write(path: Path, blocks: list[float], **choices: int) -> Path:
    with threadmodel.Writer(path) as writer:
        emit(writer, blocks, **choices)
    return path


def test_rows_are_matched_by_class_method_and_line() -> None:
    (row,) = threadmodel.compare(model_of([10, 20]), model_of([5])).callers
    assert (row["class"], row["method"], row["line"]) == (
        "demo.Account",
        "demo.Account.transfer",
        42,
    )
    assert [row[f"blocked_count_{s}"] for s in ("before", "after", "change")] == [
        2,
        1,
        -1,
    ]
    assert row["blocked_total_ns_change"] == -25 * MS


def test_a_method_whose_line_moved_is_the_same() -> None:
    (row,) = threadmodel.compare(model_of([10]), model_of([10], line=50)).callers
    assert (row["line"], row["blocked_total_ns_change"]) == (50, 0)


def test_what_one_run_lacks_is_nothing_there() -> None:
    rows = threadmodel.compare(model_of([10]), model_of([30], method=2)).callers
    assert [row["method"] for row in rows] == [
        "demo.Account.audit",
        "demo.Account.transfer",
    ]
    assert rows[0]["blocked_total_ns_before"] == 0
    assert rows[0]["blocked_p99_ns_before"] is None
    assert rows[1]["blocked_total_ns_after"] == 0


def test_a_run_does_not_differ_from_itself() -> None:
    model = Model()
    runs.fill(model)
    for rows in threadmodel.compare(model, model).tables().values():
        for row in rows:
            for name, value in row.items():
                assert not name.endswith("_change") or value in (0, None)


def test_empty_runs_compare() -> None:
    found = threadmodel.compare(Model(), Model())
    assert (found.callers, found.locks, found.findings) == ([], [], [])


def test_diff_prints_what_changed_most(cli: Cli, tmp_path: Path) -> None:
    before, after = write(tmp_path / "a", [10, 20]), write(tmp_path / "b", [5])
    done = cli("diff", before, after)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"demo.Account  demo.Account.transfer:42  blocked" in done.stdout
    assert b"30.0 ms  5.00 ms  -25.0 ms" in done.stdout
    tables = json.loads(cli("diff", "--json", before, after).stdout)
    assert list(tables) == ["run", "locks", "callers", "findings"]


def test_a_run_within_its_limits_passes_in_silence(cli: Cli, tmp_path: Path) -> None:
    base, run = write(tmp_path / "base", [10]), write(tmp_path / "run", [11])
    done = cli(
        "check",
        run,
        "--max-blocked-share",
        "5%",
        "--no-deadlock",
        "--no-regression",
        base,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_too_much_blocking_fails_with_its_rows(cli: Cli, tmp_path: Path) -> None:
    run = write(tmp_path / "run", [200])
    done = cli("check", run, "--max-blocked-share", "5%")
    assert done.returncode == 1
    assert done.stdout.decode().splitlines() == [
        "max-blocked-share: threads queued for 10.00% of their time, more than 5.00%",
        "max-blocked-share: 200 ms by demo.Account in demo.Account.transfer:42",
    ]
    assert cli("check", run, "--max-blocked-share", "0.1").returncode == 0


def test_a_deadlock_fails(cli: Cli, trace: Path) -> None:
    done = cli("check", trace, "--no-deadlock")
    assert done.returncode == 1
    assert b"deadlock of 2 threads" in done.stdout
    assert cli("check", trace, "--no-regression", trace).returncode == 0


def test_a_lock_that_takes_more_than_before_fails(cli: Cli, tmp_path: Path) -> None:
    base, run = write(tmp_path / "base", [10]), write(tmp_path / "run", [30])
    done = cli("check", run, "--no-regression", base)
    assert (done.returncode, done.stdout.decode()) == (
        1,
        "no-regression: demo.Account in demo.Account.transfer:42: 1.00% of the run "
        "before, 3.00% now\n",
    )
    more = cli("check", run, "--no-regression", base, "--tolerance", "250%")
    assert more.returncode == 0


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--max-blocked-share", "much"],
        ["--max-blocked-share", "-1%"],
        ["--max-blocked-share", "nan"],
        ["--no-regression", "no-such-file"],
    ],
)
def test_wrong_use_is_reported_in_a_line(
    cli: Cli, trace: Path, arguments: list[str]
) -> None:
    done = cli("check", trace, *arguments)
    assert done.returncode == 2
    one_line(done.stderr)


def test_ci_systems_get_their_formats(cli: Cli, tmp_path: Path) -> None:
    base = write(tmp_path / "base.tmt", [1])
    run = write(tmp_path / "run <&.tmt", [100, 200])
    junit, sarif = tmp_path / "check.xml", tmp_path / "check.sarif"
    done = cli(
        *("check", run, "--no-deadlock", "--max-blocked-share", "90%"),
        *("--no-regression", base, "--junit", junit, "--sarif", sarif),
    )
    assert done.returncode == 1
    (line,) = done.stdout.decode().splitlines()
    suite = ElementTree.parse(junit).getroot()
    assert (suite.tag, suite.get("tests"), suite.get("failures")) == (
        "testsuite",
        "3",
        "1",
    )
    assert "run <&.tmt" in (suite.get("name") or "")
    cases = {case.get("name"): case.findtext("failure") for case in suite}
    assert cases.pop("no-regression") == line.removeprefix("no-regression: ")
    assert cases == {"no-deadlock": None, "max-blocked-share": None}

    (log,) = json.loads(sarif.read_text())["runs"]
    (result,) = log["results"]
    rules = [rule["id"] for rule in log["tool"]["driver"]["rules"]]
    assert rules[result["ruleIndex"]] == result["ruleId"] == "no-regression"
    assert result["message"]["text"] == line.removeprefix("no-regression: ")
    (place,) = result["locations"]
    physical = place["physicalLocation"]
    assert physical["artifactLocation"]["uri"] == "demo/Account.java"
    assert physical["region"]["startLine"] == 42
    (logical,) = place["logicalLocations"]
    assert logical["fullyQualifiedName"] == "demo.Account.transfer"


def test_a_check_is_one_object(cli: Cli, tmp_path: Path) -> None:
    run = write(tmp_path / "run.tmt", [100, 200])
    asked = ("check", run, "--max-blocked-share", "1%", "--no-deadlock", "--json")
    done = cli(*asked)
    said = json.loads(done.stdout)
    assert done.returncode == 1
    assert not said["passed"]
    assert [(row["limit"], row["passed"]) for row in said["limits"]] == [
        ("no-deadlock", True),
        ("max-blocked-share", False),
    ]
    (_, blocked) = said["limits"]
    assert "more than 1.00%" in blocked["broken"][0]["text"]
    assert blocked["broken"][1]["method"] == "demo.Account.transfer"
    assert blocked["broken"][1]["line"] == 42
    assert said["requests"] is None
    passed = cli("check", run, "--verdict", "--json")
    assert passed.returncode == 0
    said = json.loads(passed.stdout)
    assert said["passed"]
    assert str(run) in said["notes"][0]


def test_a_kept_limit_is_a_passed_case(cli: Cli, tmp_path: Path) -> None:
    run = write(tmp_path / "run.tmt", [1])
    junit, sarif = tmp_path / "check.xml", tmp_path / "check.sarif"
    done = cli("check", run, "--no-deadlock", "--junit", junit, "--sarif", sarif)
    assert (done.returncode, done.stdout) == (0, b"")
    suite = ElementTree.parse(junit).getroot()
    assert [len(case) for case in suite] == [0]
    assert json.loads(sarif.read_text())["runs"][0]["results"] == []


def test_a_damaged_run_is_not_taken_for_a_good_one(cli: Cli, tmp_path: Path) -> None:
    run = write(tmp_path / "run.tmt", [1])
    run.write_bytes(run.read_bytes()[:-40])
    done = cli("check", run, "--no-deadlock")
    assert done.returncode == 3
    assert "only partly read" in one_line(done.stderr)


def test_a_damaged_run_is_named_wherever_it_stands(cli: Cli, tmp_path: Path) -> None:
    run, cut = (write(tmp_path / name, [1]) for name in ("run.tmt", "cut.tmt"))
    cut.write_bytes(cut.read_bytes()[:-40])
    for command in (
        ("diff", run, cut),
        ("diff", cut, run, "--json"),
        ("check", run, "--no-regression", cut),
    ):
        done = cli(*command)
        assert done.returncode in (1, 3) if "check" in command else 3
        assert b"cut.tmt: only partly read" in done.stderr
        assert b"run.tmt: only" not in done.stderr


@pytest.mark.parametrize("limit", ["--no-deadlock", "--max-blocked-share=5%"])
def test_a_run_that_cannot_show_it_does_not_pass(
    cli: Cli, tmp_path: Path, limit: str
) -> None:
    run = tmp_path / "run.tmt"
    kinds = {EventKind.THREAD_START, EventKind.THREAD_END}
    with threadmodel.Writer(run) as writer:
        writer.define_run(Run(start_ns=1, kinds=kinds))
        writer.ingest(
            [Event(1, 1, EventKind.THREAD_START), Event(9, 1, EventKind.THREAD_END)]
        )
    done = cli("check", run, limit)
    assert done.returncode == 2
    assert "were" in one_line(done.stderr)
    assert "recorded." in one_line(done.stderr)


def of_a_reentrant_lock(sink: Sink, held_ms: int) -> None:
    """A lock that is handed on by unparks: the second thread parks for it."""
    kind = EventKind
    sink.define_run(Run(start_ns=1))
    name = "java.util.concurrent.locks.ReentrantLock$NonfairSync"
    sink.define_class(1, name, "ReentrantLock.java")
    sink.define_class(2, "demo.Account", "Account.java")
    sink.define_method(1, 2, "transfer")
    sink.define_stack(1, [Frame(1, line=42)])
    sink.define_object(100, 1, synchronizer=True)
    named = {"object": 100, "peer": 1, "flags": EventFlag.PEER_REPORTED}
    released = {"object": 100, "peer": 2, "flags": EventFlag.OWNER_READ}
    events = [Event(1, 1, kind.THREAD_START), Event(1, 2, kind.THREAD_START)]
    for turn in range(10):
        now = 1 + 100 * MS * turn
        held = now + held_ms * MS
        events.append(Event(now + 1, 2, kind.PARK, stack=1, **named))
        events.append(Event(held, 1, kind.UNPARK_CALLED, **released))
        events.append(Event(held + 1000, 2, kind.UNPARKED, object=100))
    end = 1 + 1000 * MS
    events += [Event(end, 1, kind.THREAD_END), Event(end, 2, kind.THREAD_END)]
    sink.ingest(events)


def test_a_synchronizer_is_a_lock(cli: Cli, tmp_path: Path) -> None:
    for name, held_ms in (("slow", 80), ("fast", 20)):
        with threadmodel.Writer(tmp_path / f"{name}.tmt") as writer:
            of_a_reentrant_lock(writer, held_ms)
    slow, fast = tmp_path / "slow.tmt", tmp_path / "fast.tmt"
    shown = cli("report", "--all", slow).stdout.decode()
    hottest = shown[shown.index("Hottest locks") : shown.index("Threads, ")]
    assert "Longest waits" not in hottest
    assert "demo.Account.transfer:42" in hottest
    done = cli("check", slow, "--max-blocked-share", "39%")
    assert done.returncode == 1
    assert "40.00% of their time" in done.stdout.decode()
    assert cli("check", slow, "--max-blocked-share", "41%").returncode == 0
    assert cli("check", slow, "--no-regression", fast).returncode == 1
    assert cli("check", fast, "--no-regression", slow).returncode == 0
