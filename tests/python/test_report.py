# SPDX-License-Identifier: Apache-2.0
"""``threadmodel report`` from the outside."""

import csv
import json
import re
from pathlib import Path

import pytest

import runs
import threadmodel
from conftest import Cli, one_line

TABLES = [
    "threads",
    "locks",
    "callers",
    "objects",
    "timeline",
    "interactions",
    "context",
    "context_totals",
    "deadlocks",
    "critical_path",
    "whatif",
    "lock_order",
    "blame",
    "blockers",
    "holds",
    "hold_times",
    "resources",
    "resource_uses",
    "units",
    "unit_kinds",
    "unit_parts",
    "causes",
    "findings",
    "verdict",
    "verdict_members",
    "finding_kinds",
    "modules",
    "diagnostics",
]


# Tables with a row for each interval, hold, use, object or unit; and the ranking.
LONG = {
    *("timeline", "interactions", "context", "critical_path", "objects"),
    *("blame", "holds", "resource_uses", "units", "whatif"),
}


ANSWERS = [name for name in TABLES if name not in LONG]


QUESTIONS = {"whatif": "whatif_rank"}


def test_the_report_has_the_story(cli: Cli, trace: Path) -> None:
    done = cli("report", "--all", trace)
    assert (done.returncode, done.stderr) == (0, b"")
    shown = done.stdout.decode()
    assert "Test VM 1" in shown
    assert "100 ms" in shown
    locks = shown[shown.index("Hottest locks") : shown.index("Longest waits")]
    row = next(line for line in locks.splitlines() if "demo.Account " in line)
    for part in ("demo.Account.transfer:42", " 3 ", "16.0 ms"):
        assert part in row
    waits = shown[shown.index("Longest waits") : shown.index("Threads, ")]
    assert "demo.Queue.take" in waits
    assert "20.0 ms" in waits
    threads = shown[shown.index("Threads, ") : shown.index("Deadlocks")]
    assert threads.index("left") < threads.index("writer") < threads.index("worker")
    assert "and 1 more" in threads
    deadlock = shown[shown.index("Deadlocks") :]
    assert re.search(r"left wants demo\.Fork@2 .*which is held by right", deadlock)
    assert re.search(r"right wants demo\.Fork@1 .*which is held by left", deadlock)
    assert deadlock.count("at demo.Fork.eat (Fork.java:77)") == 2
    assert deadlock.count("at java.lang.Thread.run") == 2
    assert b"\x1b" not in done.stdout


def test_long_tables_report_how_much_more_there_is(cli: Cli, trace: Path) -> None:
    shown = cli("report", "--all", "--top", "2", trace).stdout.decode()
    assert "and 3 more" in shown


def test_json_is_the_object_that_outsiders_rely_on(
    cli: Cli, trace: Path, model: threadmodel.Model
) -> None:
    done = cli("report", trace, "--json", "--tables", "all")
    assert (done.returncode, done.stderr) == (0, b"")
    report = json.loads(done.stdout)
    assert list(report) == ["run", *TABLES]
    run = report["run"]
    assert run["source"] == str(trace)
    assert run["format"] == "tmt"
    assert run["vm"] == "Test VM 1"
    assert run["start"] == "2023-11-14T22:13:20.000000000Z"
    assert run["length_ns"] == 100 * runs.MS
    assert isinstance(run["caveats"], list)
    for table in TABLES:
        assert report[table] == list(getattr(model, QUESTIONS.get(table, table))())
    columns = {
        "threads": "thread_id name group virtual state start_ns end_ns parked_count",
        "locks": "class objects threads blocked_count parked_p99_ns",
        "callers": "class method source line blocked_p50_ns",
        "objects": "object class waiting_mean_ns",
        "timeline": "thread_id thread start_ns end_ns state object class method "
        "provenance",
        "interactions": "kind time_ns from_thread_id from_thread to_thread_id "
        "to_thread object class provenance",
        "deadlocks": "deadlock position thread_id thread object class owner kind "
        "method provenance",
    }
    columns["critical_path"] = "start_ns end_ns thread_id thread state method class via"
    for table, names in columns.items():
        assert set(names.split()) <= set(report[table][0])
    # No lock is on the path of this run.
    assert report["whatif"] == []
    wanted = {"class", "method", "factor", "length_ns", "gain_ns"}
    assert wanted <= set(model.whatif_rank().columns)


def test_json_goes_to_a_file_too(cli: Cli, trace: Path, tmp_path: Path) -> None:
    done = cli("report", trace, "--json", "-o", "r.json")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert list(json.loads((tmp_path / "r.json").read_text())) == ["run", *ANSWERS]
    cli("report", trace, "-o", "r.txt")
    text = (tmp_path / "r.txt").read_text()
    assert "Hottest locks" in text
    assert "\x1b" not in text


def test_json_has_no_row_an_interval_unless_its_table_is_named(
    cli: Cli, trace: Path, tmp_path: Path
) -> None:
    answers = json.loads(cli("report", trace, "--json").stdout)
    assert {"verdict", "findings", "locks", "threads", "deadlocks"} < set(answers)
    assert not {"timeline", "holds", "interactions", "objects"} & set(answers)
    named = cli("report", trace, "--json", "--tables", "holds,stacks,holds")
    report = json.loads(named.stdout)
    assert list(report) == ["run", "holds", "stacks"]
    assert report["holds"]
    done = cli("report", trace, "--csv", "d", "--tables", "holds")
    assert done.stderr == b"threadmodel: 1 table in d\n"
    assert [path.name for path in (tmp_path / "d").iterdir()] == ["holds.csv"]


def test_a_range_drives_the_tables_that_have_parts(
    cli: Cli, trace: Path, model: threadmodel.Model, tmp_path: Path
) -> None:
    chosen = threadmodel.Selection(window=(20 * runs.MS, 50 * runs.MS))
    times = ("--from", "20ms", "--to", "50ms")
    report = json.loads(cli("report", trace, "--json", *times).stdout)
    assert report["run"]["range_ns"] == [20 * runs.MS, 50 * runs.MS]
    assert report["locks"] == list(model.locks(chosen))
    assert report["locks"] != list(model.locks())
    assert report["threads"] == list(model.threads(chosen))
    assert report["findings"] == list(model.findings(chosen))
    assert report["verdict"] == list(model.verdict(chosen))
    assert "lock_order" not in report
    shown = cli("report", trace, "--all", *times).stdout.decode()
    assert shown.startswith("From 20.0 ms to 50.0 ms")
    assert shown.index("What is worth looking at") < shown.index("Hottest locks")
    assert json.loads(cli("findings", trace, "--json", *times).stdout) == list(
        model.findings(chosen)
    )
    found = cli("findings", trace, *times).stdout.decode()
    assert found.startswith("From 20.0 ms to 50.0 ms")
    assert "Hottest locks" in shown
    assert json.loads(cli("threads", trace, "--json", *times).stdout) == list(
        model.threads(chosen)
    )
    cli("report", trace, "--csv", "d", "--tables", "timeline", *times)
    with open(tmp_path / "d" / "timeline.csv", newline="") as file:
        assert len(list(csv.DictReader(file))) == len(model.timeline(chosen))


def test_the_start_of_a_run_is_skipped_where_requests_show_it(
    cli: Cli, trace: Path
) -> None:
    shop = Path(__file__).parents[2] / "docs/examples/shop/slow.tmt"
    (main,) = [row for row in threadmodel.open(shop).unit_kinds() if row["main"]]
    asked = ("report", shop, "--json", "--tables", "locks")
    skipped = json.loads(cli(*asked, "--skip-start").stdout)
    assert skipped["run"]["range_ns"][0] == main["steady_from_ns"]
    start = f"{main['steady_from_ns']}ns"
    assert skipped == json.loads(cli(*asked, "--from", start).stdout)
    for wrong, said in (
        (("report", trace, "--skip-start"), "--skip-start: no requests"),
        (("report", shop, "--skip-start", "--from", "1s"), "exclude each other"),
        (("threads", shop, "--from", "1m"), "is after the end of the run, 4.00 s"),
        (
            ("report", shop, "--from", "1s", "--json", "--tables", "lock_order"),
            "table lock_order is of the whole run",
        ),
        (("stats", shop, "--quick", "--skip-start"), "does not combine"),
    ):
        done = cli(*wrong)
        assert done.returncode == 2
        assert said in one_line(done.stderr)


def test_csv_is_a_file_a_table(cli: Cli, trace: Path, tmp_path: Path) -> None:
    done = cli("report", trace, "--csv", "deep/er")
    assert done.returncode == 0
    one_line(done.stderr)
    files = {path.stem for path in (tmp_path / "deep" / "er").iterdir()}
    assert files == {*TABLES, "stacks"}
    with open(tmp_path / "deep" / "er" / "threads.csv", newline="") as file:
        names = [line["name"] for line in csv.DictReader(file)]
    assert names == ["main", "worker", "writer", "left", "right"]


def test_hostile_names_survive_json(cli: Cli, hostile_trace: Path) -> None:
    report = json.loads(cli("report", "--json", hostile_trace).stdout)
    names = [row["name"] for row in report["threads"]]
    assert names == list(runs.HOSTILE_NAMES.values())


def test_a_run_without_events_has_a_report(cli: Cli, tmp_path: Path) -> None:
    threadmodel.Writer(tmp_path / "empty.tmt").close()
    done = cli("report", "--all", "empty.tmt")
    assert done.returncode == 2
    assert done.stderr.endswith(b"empty.tmt: no event of threads or locks was found\n")
    report = json.loads(cli("report", "--json", "empty.tmt").stdout)
    assert report["threads"] == []


def test_help_names_the_exit_codes(cli: Cli) -> None:
    for arguments in ([], ["--help"], ["-h"]):
        done = cli(*arguments)
        assert done.returncode == 0
        shown = done.stdout.decode()
        for part in ("Exit status", "127", "128+n", "record", "report"):
            assert part in shown
    assert cli("--version").stdout.decode().split()[1] == threadmodel.__version__


@pytest.mark.parametrize("width", [60, 80, 132])
def test_threads_in_every_state_fit(tmp_path: Path, cli: Cli, width: int) -> None:
    kind = threadmodel.EventKind
    pairs = (
        (kind.CONTENDED_ENTER, kind.CONTENDED_ENTERED),
        (kind.WAIT, kind.WAITED),
        (kind.JOIN, kind.JOINED),
        (kind.SLEEP, kind.SLEPT),
        (kind.PARK, kind.UNPARKED),
    )
    with threadmodel.Writer(tmp_path / "all.tmt") as writer:
        writer.define_thread(1, "a thread with quite a long name, to be cut")
        for number, (begin, end) in enumerate(pairs):
            time_ns = number * runs.MS
            # An object without an owner, that threads park for, is not a lock.
            named = {"object": 1, "peer": 2} if begin != kind.PARK else {"object": 3}
            writer.ingest(
                [
                    threadmodel.Event(time_ns, 1, begin, **named),
                    threadmodel.Event(time_ns + 123_456, 1, end, **named),
                ]
            )
    shown = cli(
        "report", "--all", "all.tmt", env={"COLUMNS": str(width)}
    ).stdout.decode()
    threads = shown[shown.index("Threads, ") :].splitlines()
    for by in ("locks", "waiting", "joining", "sleeping", "parked"):
        assert by in threads[1]
    assert threads[2].count("123 us") == 5
    assert all(len(line) <= width for line in threads[1:4])


def test_what_sound_programs_do_to_a_report_is_explained(
    cli: Cli, tmp_path: Path
) -> None:
    path = tmp_path / "run.tmt"
    with threadmodel.Writer(path) as writer:
        files = " ".join(f"File{i}.java" for i in range(1000))
        writer.define_run(threadmodel.Run(command=f"javac {files}"))
        writer.define_class(1, "int[]")
        writer.define_object(10, 1)
        kind = threadmodel.EventKind
        writer.ingest(
            [
                threadmodel.Event(1, 5, kind.CONTENDED_ENTER, object=10),
                threadmodel.Event(2, 5, kind.CONTENDED_ENTERED, object=10),
                threadmodel.Event(
                    3,
                    5,
                    kind.WAITED,
                    object=10,
                    flags=threadmodel.EventFlag.INITIALISATION,
                ),
            ]
        )
    said = cli("report", "--all", path).stdout.decode()
    assert "File20.java" in said
    assert "File40.java" not in said
    assert "int[]: on HotSpot, the lock of a class" in said
    assert "initialisation wait: the VM reports only the end of a wait" in said


def test_threads_of_one_state_among_several_are_an_upper_bound(
    cli: Cli, tmp_path: Path
) -> None:
    path = tmp_path / "run.tmt"
    kind = threadmodel.EventKind
    with threadmodel.Writer(path) as writer:
        for number, name in ((1, "demo.Both"), (2, "demo.Blocked")):
            writer.define_class(number, name)
            writer.define_object(10 * number, number)
        writer.ingest(
            threadmodel.Event(time_ns, thread, what, object=thing)
            for time_ns, thread, what, thing in (
                (1, 5, kind.CONTENDED_ENTER, 10),
                (2, 5, kind.CONTENDED_ENTERED, 10),
                (3, 5, kind.CONTENDED_ENTER, 10),
                (4, 5, kind.CONTENDED_ENTERED, 10),
                (5, 6, kind.WAIT, 10),
                (6, 6, kind.WAITED, 10),
                (7, 7, kind.CONTENDED_ENTER, 20),
                (8, 7, kind.CONTENDED_ENTERED, 20),
            )
        )
    said = cli("report", "--all", path).stdout.decode()
    threads = {
        (line.split()[0], "blocked" in line): line.rstrip().rsplit("  ", 1)[1].strip()
        for line in said[said.index("Hottest") : said.index("Threads, ")].splitlines()
        if line.startswith("  demo.")
    }
    # One thread was blocked, twice: the row knows of two in all.
    assert threads["demo.Both", True] == "<= 2"
    assert threads["demo.Both", False] == "1"
    assert threads["demo.Blocked", True] == "1"


def test_a_card_states_what_would_be_gained_where_the_screen_has_room(cli: Cli) -> None:
    shop = Path(__file__).parents[2] / "docs/examples/shop/slow.tmt"
    shown = cli("report", shop, env={"COLUMNS": "120"}).stdout.decode()
    (row,) = [row for row in threadmodel.open(shop).findings() if not row["minor"]]
    assert "units of work a second instead of 47.6" in row["gain"]
    assert row["gain"] in " ".join(shown.split())
    assert len(shown.splitlines()) <= 24
