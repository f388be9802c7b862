# SPDX-License-Identifier: Apache-2.0
"""``threadmodel report`` from the outside."""

import csv
import errno
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Sequence
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
# A row an interval, hold, use, object or unit; and the ranking, which takes long.
LONG = {
    *("timeline", "interactions", "context", "critical_path", "objects"),
    *("blame", "holds", "resource_uses", "units", "whatif"),
}
ANSWERS = [name for name in TABLES if name not in LONG]
QUESTIONS = {"whatif": "whatif_rank"}
ESCAPE = re.compile(rb"\x1b\[[0-9;?]*[a-zA-Z]")


THREADMODEL = (sys.executable, "-m", "threadmodel")


def in_terminal(
    arguments: list[str],
    env: dict[str, str] | None = None,
    columns: int = 80,
    command: Sequence[str] = THREADMODEL,
    watch: Callable[[bytes], object] = len,
) -> tuple[bytes, int]:
    """Run the command line with all of its streams on a terminal of its own.

    ``watch`` is called with all that was shown, whenever that has grown.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    usual = {"TERM": "xterm-256color", "PAGER": "cat"}
    environment = {**os.environ, **usual, **(env or {})}
    environment.pop("COLUMNS", None)
    with subprocess.Popen(
        [*command, *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment,
        start_new_session=True,
    ) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError as failure:
                assert failure.errno == errno.EIO
                break
            if not part:
                break
            shown += part
            watch(shown)
        os.close(ours)
    return shown, process.returncode


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


def test_work_that_takes_long_shows_progress(trace: Path, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    # Both ends, so that neither the program nor the test waits for the other's.
    end = os.open(fifo, os.O_RDWR)

    def feed(shown: bytes) -> None:
        nonlocal end
        if end >= 0 and b"reading" in shown:
            os.write(end, trace.read_bytes())
            os.close(end)
            end = -1

    assert trace.stat().st_size < select.PIPE_BUF * 8
    shown, status = in_terminal(["report", str(fifo)], watch=feed)
    assert status == 0
    assert b"All tables" in shown


def test_work_that_is_soon_done_shows_no_progress(trace: Path) -> None:
    script = (
        "from threadmodel.cli import main, progress\n"
        "progress.DELAY_SECONDS = 3600\n"
        "main()"
    )
    shown, _ = in_terminal(
        ["report", str(trace)], command=[sys.executable, "-c", script]
    )
    assert b"All tables" in shown
    assert b"reading" not in shown


@pytest.mark.parametrize("variable", ["PAGER", "THREADMODEL_PAGER"])
def test_what_is_longer_than_the_terminal_goes_through_a_pager(
    trace: Path, variable: str
) -> None:
    pager = {"PAGER": "cat", variable: "sed 's/^/paged: /'"}
    long, status = in_terminal(["report", "--all", str(trace)], pager)
    assert status == 0
    lines = long.splitlines()
    assert len(lines) > 40
    assert all(line.startswith(b"paged: ") for line in lines)
    short, _ = in_terminal(["report", str(trace)], pager)
    assert b"paged: " not in short
    for nobody in ("", "cat", "no-such-pager-command"):
        shown, _ = in_terminal(["report", "--all", str(trace)], {variable: nobody})
        assert b"All tables" in shown or b"Hottest locks" in shown
        assert b"paged: " not in shown


def test_a_pager_that_leaves_early_is_no_failure(trace: Path) -> None:
    shown, status = in_terminal(["report", "--all", str(trace)], {"PAGER": "true"})
    assert (shown, status) == (b"", 0)


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


def test_a_dash_reads_stdin(cli: Cli, trace: Path) -> None:
    done = cli("report", "-", "--json", input=trace.read_bytes())
    assert done.returncode == 0
    assert len(json.loads(done.stdout)["threads"]) == 5
    with trace.open("rb") as file:
        assert cli("report", "-", stdin=file).returncode == 0


@pytest.mark.parametrize("length", [0.5, 0.95])
def test_a_cut_file_is_reported_with_status_3(
    cli: Cli, tmp_path: Path, length: float
) -> None:
    path = tmp_path / "cut.tmt"
    with threadmodel.Writer(path, block_events=2) as writer:
        runs.fill(writer)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * length)])
    done = cli("report", "--all", path)
    assert done.returncode == 3
    assert "cut.tmt" in one_line(done.stderr)
    assert b"Threads" in done.stdout
    done = cli("report", path, "--json")
    assert done.returncode == 3
    one_line(done.stderr)
    report = json.loads(done.stdout)
    assert report["run"]["caveats"]


@pytest.mark.parametrize(
    "content", [b"", b"hello\n", b"\0" * 4096, bytes(range(256)) * 16]
)
def test_foreign_files_yield_one_line(cli: Cli, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "foreign").write_bytes(content)
    done = cli("report", "foreign")
    assert (done.returncode, done.stdout) == (2, b"")
    assert "foreign" in one_line(done.stderr)
    done = cli("report", "-", input=content)
    assert (done.returncode, done.stdout) == (2, b"")
    one_line(done.stderr)


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["report", "nowhere.tmt"], "nowhere.tmt"),
        (["report", "."], "."),
        (["report"], "FILE"),
        (["report", "--colour", "x"], "--colour"),
        (["report", "TRACE", "TRACE"], "read one at a time"),
        (["report", "--top", "0", "x"], "--top"),
        (["report", "--json", "--csv", "d", "x"], "exclude"),
        (["report", "--tables", "holds", "x"], "--tables is for --json"),
        (["report", "--json", "--tables", "hold", "x"], "did you mean holds?"),
        (["repport"], "repport"),
        (["report", "a\x1b[2Jb\nc"], "\\x1b[2Jb"),
        (["report", "--json", "-o", "no/such/r.json", "TRACE"], "no/such/r.json"),
        (["report", "-o", "/dev/full", "TRACE"], "No space left"),
        (["report", "--csv", "TRACE", "TRACE"], "run.tmt"),
        (["report", "--csv", "/dev/null/x", "TRACE"], "Not a directory"),
    ],
)
def test_bad_input_yields_one_line_and_status_2(
    cli: Cli, trace: Path, arguments: list[str], part: str
) -> None:
    done = cli(*(str(trace) if a == "TRACE" else a for a in arguments))
    assert (done.returncode, done.stdout) == (2, b"")
    line = one_line(done.stderr)
    assert part in line
    assert "Traceback" not in line


def test_a_full_disk_on_stdout_yields_one_line(trace: Path) -> None:
    for more in ([], ["--json"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [sys.executable, "-m", "threadmodel", "report", str(trace), *more],
                stdout=full,
                stderr=subprocess.PIPE,
                check=False,
            )
        assert done.returncode == 2
        assert "No space left" in one_line(done.stderr)


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_reader_that_leaves_early_hears_nothing(
    trace: Path, more: list[str], tmp_path: Path
) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "threadmodel", "report", str(trace), *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == -signal.SIGPIPE


def test_ctrl_c_ends_a_report_that_waits_for_input() -> None:
    script = (
        "import os, select\n"
        "waits = select.select\n"
        "def told(*arguments):\n"
        "    os.write(2, b'waits')\n"
        "    return waits(*arguments)\n"
        "select.select = told\n"
        "from threadmodel.cli import main\n"
        "main()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, "report", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout
        assert process.stderr
        assert process.stderr.read(5) == b"waits"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert (process.stdout.read() + process.stderr.read()).strip() == b""


def test_a_closed_stdout_is_no_traceback(cli: Cli, trace: Path) -> None:
    done = cli("report", trace, preexec_fn=lambda: os.close(1))
    assert b"Traceback" not in done.stderr


def test_colour_is_for_terminals(trace: Path) -> None:
    shown, status = in_terminal(["report", "--all", str(trace)])
    assert status == 0
    assert b"\x1b[1;36m" in shown
    shown, status = in_terminal(["report", "--all", str(trace)], {"NO_COLOR": "1"})
    assert status == 0
    assert not re.search(rb"\x1b\[[0-9;]*3[0-7]m", shown)


@pytest.mark.parametrize("columns", [80, 120, 40])
def test_the_report_fits_the_terminal(
    hostile_trace: Path, trace: Path, columns: int
) -> None:
    from rich.cells import cell_len

    for path in (trace, hostile_trace):
        shown, status = in_terminal(["report", "--all", str(path)], columns=columns)
        assert status == 0
        if columns < 80:
            continue
        lines = ESCAPE.sub(b"", shown).decode().splitlines()
        start = lines.index("Hottest locks")
        for line in lines[start:]:
            if line.startswith("  ") and " wants " not in line:
                assert cell_len(line) <= columns, line


def test_hostile_names_do_not_reach_the_terminal_raw(
    cli: Cli, hostile_trace: Path
) -> None:
    shown, status = in_terminal(
        ["report", "--all", str(hostile_trace)], {"NO_COLOR": "1"}
    )
    assert status == 0
    text = ESCAPE.sub(b"", shown).decode()
    assert not set(text) & set("\x1b\x9b\x07\u2028\u202e\u2066")
    assert b"\x1b[31mred" not in shown
    plain = cli("report", "--all", hostile_trace).stdout.decode()
    assert "\\x1b[0m" in plain
    assert "[/] :smile:" in plain
    assert "one\\x0atwo" in plain
    assert len(plain.splitlines()) < 60


def test_hostile_names_survive_json(cli: Cli, hostile_trace: Path) -> None:
    report = json.loads(cli("report", "--json", hostile_trace).stdout)
    names = [row["name"] for row in report["threads"]]
    assert names == list(runs.HOSTILE_NAMES.values())


def test_an_ascii_terminal_gets_a_report(cli: Cli, hostile_trace: Path) -> None:
    done = cli("report", "--all", hostile_trace, env={"PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()


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
            # What nobody owns is parked for without being a lock.
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


@pytest.mark.parametrize("example", ["demo/demo", "press/slow", "shop/slow"])
@pytest.mark.parametrize("width", [80, 120])
def test_a_report_fits_a_screen_and_begins_with_the_verdict(
    cli: Cli, example: str, width: int
) -> None:
    trace = Path(__file__).parents[2] / f"docs/examples/{example}.tmt"
    model = threadmodel.open(trace)
    (verdict,) = model.verdict()
    done = cli("report", trace, env={"COLUMNS": str(width)})
    shown = done.stdout.decode().splitlines()
    assert len(shown) <= 24
    assert verdict["title"].startswith(shown[0])
    assert "--all" in shown[-1]
    # A command is not wrapped, so that it can be copied.
    assert all(len(line) <= width for line in shown if "threadmodel " not in line)
    first = next(
        row
        for row in model.findings()
        if row["kind"] != "deadlock" and not row["minor"]
    )
    text = " ".join(done.stdout.decode().split())
    assert first["title"] in text
    assert first["advice"] in text


def test_a_text_of_the_screen_is_never_cut_within_a_sentence(cli: Cli) -> None:
    trace = Path(__file__).parents[2] / "docs/examples/demo/demo.tmt"
    rows = list(threadmodel.open(trace).findings())
    for width in (40, 60, 80, 200):
        done = cli("report", trace, env={"COLUMNS": str(width)})
        text = " ".join(done.stdout.decode().split())
        for row in rows[1:2]:
            begin = text.index(row["waits"].split(". ")[0])
            assert text[begin:].startswith(row["waits"].split(". ")[0])
