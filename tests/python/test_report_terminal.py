# SPDX-License-Identifier: Apache-2.0
"""The report in a terminal: progress, pager, colours, and what fits a screen."""

import errno
import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import threadmodel
from conftest import Cli
from started import started

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

    ``watch`` is called with all output so far, whenever there is more.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    usual = {"TERM": "xterm-256color", "PAGER": "cat"}
    environment = {**os.environ, **usual, **(env or {})}
    environment.pop("COLUMNS", None)
    with started(
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


def test_an_ascii_terminal_gets_a_report(cli: Cli, hostile_trace: Path) -> None:
    done = cli("report", "--all", hostile_trace, env={"PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()


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
