# SPDX-License-Identifier: Apache-2.0
"""Invalid or cut input, and output that is closed early."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import runs
import threadmodel
from conftest import Cli, one_line
from started import started


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
    with started(
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
        "def reporting(*arguments):\n"
        "    os.write(2, b'waits')\n"
        "    return waits(*arguments)\n"
        "select.select = reporting\n"
        "from threadmodel.cli import main\n"
        "main()"
    )
    with started(
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
