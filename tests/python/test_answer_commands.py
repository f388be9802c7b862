# SPDX-License-Identifier: Apache-2.0
"""``stats``, ``deadlocks``, ``info`` and ``completion`` from the outside."""

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import runs
import threadmodel
from conftest import Cli, one_line
from threadmodel import Selection

# A run at whose end no thread was blocked.
PRESS = Path(__file__).parents[2] / "docs/examples/press/slow.tmt"


def test_stats_are_those_of_the_model(
    cli: Cli, trace: Path, model: threadmodel.Model
) -> None:
    rows = json.loads(cli("stats", trace, "--json").stdout)
    assert rows == list(model.statistics(("class", "caller", "latency")))
    rows = json.loads(cli("stats", trace, "--by", "thread", "--json").stdout)
    assert rows == list(model.statistics(("thread", "latency")))
    done = cli(
        *("stats", trace, "--by", "class", "--thread", f"#{runs.WORKER}"),
        *("--class", "demo.Account", "--from", "11", "--to", "22", "--json"),
    )
    wanted = model.statistics(
        ("class", "latency"),
        Selection(runs.WORKER, "demo.Account", (11 * runs.MS, 22 * runs.MS)),
    )
    assert json.loads(done.stdout) == list(wanted)
    rows = json.loads(cli("stats", trace, "--by", "none", "--json").stdout)
    assert rows == list(model.total())


def test_stats_are_shown_longest_first(cli: Cli, trace: Path) -> None:
    done = cli("stats", trace, "--by", "class", "--state", "blocked")
    assert (done.returncode, done.stderr) == (0, b"")
    lines = done.stdout.decode().splitlines()
    assert lines[1].split()[:4] == ["class", "state", "count", "total"]
    assert [line.split()[0] for line in lines[2:]] == ["demo.Fork", "demo.Account"]
    account = next(line for line in lines if "demo.Account" in line)
    assert "16.0 ms" in account
    shown = cli("stats", trace, "--by", "caller", "--top", "1").stdout.decode()
    assert "more" in shown
    shown = cli("stats", trace, "--class", "demo.Queue", "--state", "blocked").stdout
    assert b"no thread was blocked" in shown


def test_rows_of_stats_are_of_the_states_asked_for(
    cli: Cli, trace: Path, model: threadmodel.Model
) -> None:
    states = ("waiting", "parked")
    asked = [word for state in states for word in ("--state", state)]
    done = cli("stats", trace, "--by", "class", *asked, "--json")
    rows = [
        row
        for row in model.statistics(("class", "latency"))
        if any(row[f"{state}_count"] for state in states)
    ]
    assert 0 < len(rows) < len(model.statistics(("class",)))
    rows.sort(key=lambda row: -sum(row[f"{state}_total_ns"] for state in states))
    assert json.loads(done.stdout) == rows


def test_quick_stats_are_sums_by_class_with_their_caveats(cli: Cli) -> None:
    table = threadmodel.sum_classes(PRESS, ["blocked"])
    of_model = {row["class"]: row for row in threadmodel.open(PRESS).locks()}
    assert [row["class"] for row in table] == ["Press"]
    for row in table:
        assert row["count"] == of_model[row["class"]]["blocked_count"]
        assert row["total_ns"] == of_model[row["class"]]["blocked_total_ns"]
    assert any("Only a part of the file" in caveat for caveat in table.caveats)
    done = cli("stats", PRESS, "--quick", "--state", "blocked", "--json")
    assert json.loads(done.stdout) == list(table)
    shown = cli("stats", PRESS, "--quick", "--by", "class").stdout.decode()
    assert "Only a part of the file was read" in shown
    assert "Press" in shown
    assert "2.66 s" in shown


def test_quick_stats_of_a_cut_file_report_it(cli: Cli, tmp_path: Path) -> None:
    cut = tmp_path / "cut.tmt"
    cut.write_bytes(PRESS.read_bytes()[:-40])
    done = cli("stats", cut, "--quick")
    assert done.returncode == 3
    assert b"only partly read" in done.stderr


def test_a_histogram_has_a_bar_for_each_bucket(
    cli: Cli, trace: Path, model: threadmodel.Model
) -> None:
    arguments = ("stats", trace, "--by", "none", "--histogram", "--state", "blocked")
    lines = cli(*arguments).stdout.decode().splitlines()
    assert len(lines) - 2 == len(model.histogram("blocked"))
    assert all("█" in line for line in lines[2:])
    rows = json.loads(cli(*arguments, "--json").stdout)
    assert rows == list(model.histogram("blocked"))
    two = cli(*arguments, "--state", "waiting")
    assert two.returncode == 2
    assert "one --state" in two.stderr.decode()


def test_rows_go_into_files_by_their_names(
    cli: Cli, trace: Path, tmp_path: Path, model: threadmodel.Model
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    for name in ("rows.json", "rows.csv", "rows.parquet", "rows.txt"):
        done = cli("stats", trace, "--by", "class", "-o", tmp_path / name)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    wanted = list(model.statistics(("class", "latency")))
    assert json.loads((tmp_path / "rows.json").read_text()) == wanted
    rows = csv.DictReader(io.StringIO((tmp_path / "rows.csv").read_text()))
    assert [row["class"] for row in rows] == [row["class"] for row in wanted]
    assert parquet.read_table(tmp_path / "rows.parquet").to_pylist() == wanted
    assert "How threads were blocked" in (tmp_path / "rows.txt").read_text()
    both = cli("stats", trace, "--json", "--csv")
    assert both.returncode == 2


def test_a_report_is_a_folder_of_parquet_files(
    cli: Cli, trace: Path, tmp_path: Path, model: threadmodel.Model
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    done = cli("report", trace, "--parquet", tmp_path / "tables")
    assert done.returncode == 0
    names = {file.stem for file in (tmp_path / "tables").iterdir()}
    assert {"threads", "timeline", "findings", "stacks"} <= names
    threads = parquet.read_table(tmp_path / "tables" / "threads.parquet")
    assert threads.to_pylist() == list(model.threads())


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--thread", "nobody"], "nobody"),
        (["--class", "no.Such"], "no.Such"),
        (["--from", "20", "--to", "10"], "window"),
        (["--from", "-1"], "'-1' is not within 0 and 292 years"),
        (["--from", "nan"], "'nan' is not within 0 and 292 years"),
        (["--by", "colour"], "colour"),
        (["--by", "none", "--by", "class"], "none"),
        (["--dialect", "wait"], "dialect"),
        (["--quick", "--by", "caller"], "by class alone"),
        (["--quick", "--by", "none"], "by class alone"),
        (["--quick", "--thread", "x"], "does not combine with --thread"),
        (["--quick", "--from", "0"], "does not combine with --from"),
        (["--quick", "--state", "reentering"], "needs the model"),
        (["--quick", "--dialect", "wait"], "dialect"),
    ],
)
def test_what_cannot_be_asked_is_reported_in_one_line(
    cli: Cli, trace: Path, arguments: list[str], text: str
) -> None:
    done = cli("stats", trace, *arguments)
    assert done.returncode == 2
    assert text in done.stderr.decode()
    assert b"Traceback" not in done.stderr


def test_deadlocks_are_reported_with_the_stacks_of_their_members(
    cli: Cli, trace: Path, model: threadmodel.Model
) -> None:
    shown = cli("deadlocks", trace).stdout.decode()
    assert "left wants demo.Fork@2" in shown
    assert shown.count("at demo.Fork.eat (Fork.java:77)") == 2
    rows = json.loads(cli("deadlocks", trace, "--json").stdout)
    assert rows == list(model.deadlocks())


def test_a_run_without_deadlocks_reports_it(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "calm.tmt"
    with threadmodel.Writer(path) as writer:
        runs.define(writer)
        writer.ingest(runs.events()[:8])
    shown = cli("deadlocks", path).stdout.decode()
    assert "none found" in shown
    assert "none observed" in shown


def test_a_path_has_one_row_for_a_time_with_preemptions(
    cli: Cli, tmp_path: Path
) -> None:
    path = tmp_path / "run.tmt"
    kind = threadmodel.EventKind
    steps = [(0, kind.THREAD_START), (90, kind.THREAD_END)]
    for begin in (10, 40):
        steps += [(begin, kind.OFF_CPU), (begin + 5, kind.ON_CPU)]
    with threadmodel.Writer(path) as writer:
        writer.define_thread(1, "busy")
        for time_ms, what in sorted(steps):
            writer.ingest([threadmodel.Event(time_ms * runs.MS, 1, what)])
    lines = cli("path", path).stdout.decode().splitlines()
    (line,) = (line for line in lines if "busy" in line)
    assert " ".join(line.split()) == "0 ns 90.0 ms busy running, runnable for 10.0 ms"
    assert len(json.loads(cli("path", path, "--json").stdout)) == 5


def test_info_reports_what_a_file_is(
    cli: Cli, trace: Path, model: threadmodel.Model
) -> None:
    shown = cli("info", trace).stdout.decode()
    for part in ("tmt", "tests", "Test VM 1", "demo.Main", "4711", "waited"):
        assert part in shown
    facts = json.loads(cli("info", trace, "--json").stdout)
    assert facts["format"] == "tmt"
    assert facts["events"] == model.event_count
    assert facts["threads"] == len(model.threads())
    assert facts["caveats"] == list(model.caveats)
    assert "contended_enter" in facts["kinds"]
    assert facts["cost"] is None


def test_what_recording_cost_is_a_fact_and_a_sentence(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "run.tmt"
    with threadmodel.Writer(path) as writer:
        runs.define(writer)
        for part in (1, 2):
            writer.define_run(
                threadmodel.Run(
                    end_ns=1_000_000,
                    cost_events=1_000_000 * part,
                    cost_dropped=3,
                    cost_bytes=2_000_000,
                    cost_threads_ns=100_000_000 * part,
                    cost_stacks_ns=50_000_000,
                    cost_recorder_ns=20_000_000,
                )
            )
    facts = json.loads(cli("info", path, "--json").stdout)
    assert facts["cost"] == {
        "events": 2_000_000,
        "dropped": 3,
        "bytes": 2_000_000,
        "threads_ns": 200_000_000,
        "stacks_ns": 50_000_000,
        "recorder_ns": 20_000_000,
    }
    assert (
        "Recording 2,000,000 events (3 dropped) took 0.200 s of the "
        "program's threads (estimated; 25 % of it for stacks) and 0.020 s of the "
        "recorder's own, for 2,000,000 bytes."
    ) in facts["caveats"]
    report = json.loads(cli("report", path, "--json").stdout)
    assert report["run"]["cost"] == facts["cost"]


@pytest.mark.parametrize("command", ["stats", "deadlocks", "info", "path", "whatif"])
def test_every_question_reads_stdin_and_damaged_files(
    cli: Cli, trace: Path, tmp_path: Path, command: str
) -> None:
    data = trace.read_bytes()
    whole = cli(command, "-", input=data)
    assert (whole.returncode, whole.stderr) == (0, b"")
    assert whole.stdout
    cut = tmp_path / "cut.tmt"
    cut.write_bytes(data[: len(data) - 40])
    done = cli(command, cut)
    assert done.returncode == 3
    assert "only partly read" in one_line(done.stderr)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_get_a_script_that_completes(cli: Cli, shell: str) -> None:
    done = cli("completion", shell)
    assert done.returncode == 0
    assert b"_THREADMODEL_COMPLETE" in done.stdout
    words = {**os.environ, "_THREADMODEL_COMPLETE": f"{shell}_complete"}
    words |= {"COMP_WORDS": "threadmodel dead", "COMP_CWORD": "1"}
    if shell == "fish":
        words |= {"COMP_WORDS": "threadmodel dead", "COMP_CWORD": "dead"}
    answer = subprocess.run(
        [sys.executable, "-m", "threadmodel"],
        env=words,
        stdout=subprocess.PIPE,
        check=False,
        timeout=60,
    )
    assert b"deadlocks" in answer.stdout


def lanes(shown: str) -> dict[str, str]:
    """Return the letters of each lane by the thread's name."""
    lines = shown.splitlines()[1:]
    drawn = lines[: next(i for i, line in enumerate(lines) if line.lstrip()[:1] == "0")]
    return {line.split()[0]: line.split(maxsplit=1)[1] for line in drawn}


def test_a_timeline_is_drawn_in_letters(cli: Cli, trace: Path) -> None:
    done = cli("timeline", trace, "--width", "110")
    assert (done.returncode, done.stderr) == (0, b"")
    shown = done.stdout.decode()
    drawn = lanes(shown)
    assert set(drawn) == {"main", "worker", "writer", "left", "right"}
    # 100 ms in 100 letters: blocked at 10, 20 and 30, waiting from 50 to 70.
    assert len(drawn["main"]) == 100
    assert drawn["worker"].count("░") == 20
    assert drawn["writer"].count("█") == 10
    assert drawn["worker"].count("█") == 6
    assert drawn["left"].rstrip().endswith("X" * 19)
    assert "100 ms" in shown
    assert "██ blocked" in shown


def test_a_timeline_may_be_of_some_threads_and_times(
    cli: Cli, trace: Path, model: threadmodel.Model
) -> None:
    window = ("--from", "30", "--to", "40", "--width", "60")
    shown = cli("timeline", trace, "--thread", "writer", *window).stdout.decode()
    assert "30.0 ms" in shown
    assert "40.0 ms" in shown
    writer = shown.splitlines()[1].split()[1]
    assert set(writer) == {"█"}
    shown = cli("timeline", trace, "--top", "2").stdout.decode()
    assert "and 3 more threads" in shown
    rows = json.loads(cli("timeline", trace, "--json").stdout)
    assert rows == list(model.timeline())


def test_a_timeline_of_nothing_reports_it(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "empty.tmt"
    with threadmodel.Writer(path):
        pass
    assert "nothing happened" in cli("timeline", path).stdout.decode()
    assert "none: the run has no length" in cli("path", path).stdout.decode()


def test_a_timeline_of_one_instant_reports_states(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "instant.tmt"
    with threadmodel.Writer(path) as writer:
        writer.define_run(threadmodel.Run(start_ns=1))
        for thread, (name, value) in enumerate((("one", 3), ("two", 8)), 1):
            writer.define_thread(thread, name)
            writer.ingest(
                [
                    threadmodel.Event(
                        1, thread, threadmodel.EventKind.SNAPSHOT, object=7, value=value
                    )
                ]
            )
    lines = cli("timeline", path).stdout.decode().split("\n")
    rows = list(threadmodel.open(path).threads())
    assert [line.split()[0::2] for line in lines[1:3]] == [
        [row["name"], row["state"]] for row in rows
    ]
    assert "all at one instant" in lines[3]


def test_no_part_of_a_name_is_a_formula_where_semicolons_separate_columns(
    cli: Cli, tmp_path: Path
) -> None:
    names = {
        "a;=1+1;b": '"a;\'=1+1;b"',
        "a\t@b": '"a\t\'@b"',
        "\uff1d1+1": '"\'\uff1d1+1"',
        "a;b": "a;b",
    }
    trace = tmp_path / "run.tmt"
    with threadmodel.Writer(trace) as writer:
        for number, name in enumerate(names, 1):
            writer.define_thread(number, name)
    done = cli("report", trace, "--csv", tmp_path / "tables", "--sheet")
    assert b"no event of threads or locks was found" in done.stderr
    shown = (tmp_path / "tables" / "threads.csv").read_text().splitlines()
    place = shown[0].split(",").index("name")
    assert [line.split(",")[place] for line in shown[1:]] == list(names.values())


def test_a_sheet_has_no_formulas(cli: Cli, tmp_path: Path) -> None:
    kind = threadmodel.EventKind
    trace = tmp_path / "run.tmt"
    with threadmodel.Writer(trace) as writer:
        writer.define_thread(1, '=HYPERLINK("http://x","y")')
        writer.ingest(
            [
                threadmodel.Event(1, 1, kind.CONTENDED_ENTER, object=1),
                threadmodel.Event(9, 1, kind.CONTENDED_ENTERED, object=1),
            ]
        )
    plain = cli("stats", trace, "--by", "thread", "--csv").stdout
    assert b'\r\n"=HYPERLINK(' in plain.replace(b"1,", b"")
    sheet = cli("stats", trace, "--by", "thread", "--csv", "--sheet").stdout
    assert sheet == plain.replace(b'"=HYPERLINK(', b"\"'=HYPERLINK(")
    done = cli("report", trace, "--csv", tmp_path / "tables", "--sheet")
    assert done.returncode == 0
    assert b"\"'=HYPERLINK(" in (tmp_path / "tables" / "threads.csv").read_bytes()
    for wrong in (("stats", trace), ("stats", trace, "--json"), ("report", trace)):
        done = cli(*wrong, "--sheet")
        assert done.returncode == 2
        assert "--sheet is for" in one_line(done.stderr)
