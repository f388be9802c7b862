# SPDX-License-Identifier: Apache-2.0
"""Names on the command line: commands, files, threads, classes, times, processes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from started import started
from threadmodel import hotspot
from threadmodel.cli.names import fitting, one, short
from threadmodel.errors import NotFoundError

ROOT = Path(__file__).resolve().parents[2]
DEMO = str(ROOT / "docs/examples/demo/demo.tmt")


def call(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "threadmodel", *arguments],
        check=False,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )


def test_a_file_in_place_of_a_command_is_reported_on() -> None:
    assert call(DEMO).stdout == call("report", DEMO).stdout != ""


def test_a_mistyped_command_gets_the_nearest_one() -> None:
    done = call("reprot", DEMO)
    assert done.returncode == 2
    assert done.stderr == (
        "threadmodel: there is no command and no file 'reprot'; did you mean "
        "'report'?\n"
    )


def test_a_whole_name_stands_for_itself_alone() -> None:
    assert fitting("pool", ["pool", "pool-1"], "thread") == ["pool"]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("pool-*", ["pool-1", "pool-2"]),
        ("*-?", ["pool-1", "pool-2"]),
        ("POOL", ["pool-1", "pool-2"]),
        ("ain", ["main"]),
        ("int[]", ["int[]"]),
    ],
)
def test_patterns_and_parts_stand_for_what_they_fit(
    wanted: str, found: list[str]
) -> None:
    assert fitting(wanted, ["pool-1", "pool-2", "main", "int[]"], "name") == found


def test_a_name_that_fits_nothing_gets_the_nearest() -> None:
    with pytest.raises(NotFoundError, match="no thread fits 'wroker-1'; the nearest"):
        fitting("wroker-1", ["worker-1", "main"], "thread")


def test_one_name_is_asked_for_where_several_fit() -> None:
    with pytest.raises(NotFoundError, match="fits more than one thread: a1, a2"):
        one("a", ["a1", "a2"], "thread")


def test_statistics_accept_patterns_and_times_with_units() -> None:
    by_pattern = call(
        "stats", DEMO, "--json", "--thread", "waiter*", "--from", "50ms", "--to", "0.2s"
    )
    by_names = call(
        *("stats", DEMO, "--json", "--from", "50", "--to", "200000us"),
        *(f"--thread=waiter-{number}" for number in (1, 2, 3)),
    )
    assert by_pattern.returncode == 0, by_pattern.stderr
    assert by_pattern.stdout == by_names.stdout != "[]\n"


@pytest.mark.parametrize("value", ["soon", "-1s", "1e400s", "nan", "5 apples"])
def test_what_is_not_a_time_is_refused_with_its_value(value: str) -> None:
    done = call("stats", DEMO, f"--from={value}")
    assert done.returncode == 2
    assert value in done.stderr


def test_findings_and_threads_have_commands_and_rows() -> None:
    assert "Deadlock of 2 threads" in call("findings", DEMO).stdout
    assert '"kind":"deadlock"' in call("findings", DEMO, "--json").stdout
    assert call("threads", DEMO, "--csv").stdout.startswith("thread_id,")


def test_open_writes_a_private_page_and_names_it(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path), "BROWSER": "true"}
    done = subprocess.run(
        [sys.executable, "-m", "threadmodel", "open", DEMO],
        check=False,
        capture_output=True,
        text=True,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    (page,) = tmp_path.glob("threadmodel-*/demo.tmt.html")
    assert str(page) in done.stderr
    assert page.stat().st_mode & 0o777 == 0o600
    assert b"<html" in page.read_bytes()[:1000]


def test_a_name_of_no_process_is_refused_in_one_line() -> None:
    done = call("attach", "no such program")
    assert done.returncode == 2
    assert "'no such program' is neither a process id nor a part" in done.stderr


def test_the_program_of_a_command_line_is_its_main_class_or_jar() -> None:
    program = hotspot._program
    assert program(["java", "-Xmx1g", "-cp", "a:b", "app.Main", "x"]) == "app.Main x"
    assert program(["java", "-jar", "app.jar", "--port", "1"]) == "app.jar --port 1"
    assert program(["/opt/launcher"]) == "/opt/launcher"
    assert program([]) == ""


@pytest.mark.skipif(shutil.which("java") is None, reason="no java is installed")
def test_ps_lists_a_running_jvm_and_its_name_is_taken(tmp_path: Path) -> None:
    source = tmp_path / "QuietProgram.java"
    source.write_text(
        "class QuietProgram { public static void main(String[] a) throws Exception"
        " { System.out.println(1); System.in.read(); } }"
    )
    with started(
        ["java", str(source), "unusual-argument"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as program:
        assert program.stdout
        assert program.stdin
        program.stdout.readline()
        listed = call("ps").stdout
        dump = call("control", "unusual-argument", "dump")
        program.stdin.close()
    assert str(program.pid) in listed
    assert "unusual-argument" in listed
    assert f"process {program.pid}: nothing is being recorded" in dump.stderr


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("com.zaxxer.hikari.Pool.borrow", "Pool.borrow"),
        ("Pool.borrow", "Pool.borrow"),
        ("libruby-3.1.so.3.1.0x20f773", "libruby-3.1.so.3.1.0x20f773"),
        ("libc.so.read", "libc.so.read"),
        ("python3.11.take_gil", "python3.11.take_gil"),
        ("redis-server.main", "redis-server.main"),
    ],
)
def test_a_method_is_named_in_a_command_as_its_card_prints_it(
    name: str, printed: str
) -> None:
    assert short(name) == printed
    assert fitting(printed, [name, "other.So.on"], "method") == [name]
