# SPDX-License-Identifier: Apache-2.0
"""A file from which no answer follows is an error of every command, never silence."""

import gzip
import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import threadmodel
import threadmodel.cli
from threadmodel import Event, EventKind, Writer
from threadmodel.cli.mcp import Runs
from threadmodel.fleet import summarize_url


def no_event(path: Path) -> None:
    with Writer(path):
        pass


def samples(path: Path) -> None:
    with Writer(path) as writer:
        writer.define_thread(1, "main")
        writer.ingest([Event(at, 1, EventKind.CPU_SAMPLE) for at in (1_000, 2_000)])


def pauses(path: Path) -> None:
    with Writer(path) as writer:
        writer.ingest([Event(1_000, 0, EventKind.GC_PAUSE, value=500)])


# The content of a file, the message on it, and whether it can be opened.
FILES: dict[str, tuple[Callable[[Path], object], str]] = {
    "empty": (lambda path: path.touch(), "empty file"),
    "empty and packed": (
        lambda path: path.write_bytes(gzip.compress(b"")),
        "empty file",
    ),
    "a text": (lambda path: path.write_text("hello\n"), "no thread dump begins"),
    "a head without threads": (
        lambda path: path.write_text("Full thread dump OpenJDK (17):\n\n"),
        "no thread of it can be read",
    ),
    "a folder": (lambda path: path.mkdir(), "a folder without recordings"),
    "a dump without threads": (
        lambda path: path.write_text('{"threadDump":{"threadContainers":[]}}'),
        "no event of threads or locks was found",
    ),
    "a trace without events": (no_event, "no event of threads or locks was found"),
    "samples": (samples, "no duration was found, only 2 samples"),
    "pauses of the collector": (pauses, "no duration was found, only 1 single event"),
}
COMMANDS = {
    "report": ("report", "FILE"),
    "report as JSON": ("report", "FILE", "--json"),
    "report as a page": ("report", "FILE", "-o", "out.html"),
    "report as CSV": ("report", "FILE", "--csv", "folder"),
    "stats": ("stats", "FILE"),
    "stats of a part": ("stats", "FILE", "--json"),
    "quick stats": ("stats", "FILE", "--quick"),
    "check of the verdict": ("check", "FILE", "--verdict"),
    "check of deadlocks": ("check", "FILE", "--no-deadlock"),
    "check of a share": ("check", "FILE", "--max-blocked-share", "5%"),
    "check of a regression": ("check", "FILE", "--no-regression", "FILE"),
    "diff": ("diff", "FILE", "FILE"),
    "export": ("export", "FILE", "-o", "out.pftrace"),
    "fleet": ("fleet", "summarize", "FILE", "-o", "dataset"),
    **{
        name: (name, "FILE")
        for name in (
            *("deadlocks", "findings", "explain", "timeline", "path", "threads"),
            *("units", "why", "whatif"),
        )
    },
}


def run(words: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    """Run a command in this process: a new one for each would take minutes."""
    monkeypatch.setattr(sys, "argv", ["threadmodel", *words])
    # A closed reader ends a command by this signal.
    before = signal.getsignal(signal.SIGPIPE)
    try:
        return threadmodel.cli._run()
    finally:
        signal.signal(signal.SIGPIPE, before)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_reports_that_nothing_was_found(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for at, (make, text) in enumerate(FILES.values()):
        path = tmp_path / f"file-{at}"
        make(path)
        words = [str(path) if word == "FILE" else word for word in COMMANDS[command]]
        if words[-1] in ("folder", "dataset"):
            words[-1] += str(at)
        assert run(words, monkeypatch) == 2, words
        said = capfd.readouterr().err
        # A check names the limit that it cannot judge, a fleet has a table of errors.
        assert text in said or command.startswith(("check", "fleet")), words


def test_what_cannot_be_converted_is_named(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    for at, (make, text) in enumerate(FILES.values()):
        # Converted samples are useful to other tools.
        if make in (samples, pauses):
            continue
        path = tmp_path / f"file-{at}"
        make(path)
        words = ["convert", str(path), "-o", str(tmp_path / "out.tmt")]
        assert run(words, monkeypatch) == 2, path
        assert text in capfd.readouterr().err


def test_a_fleet_lists_such_a_file_with_its_reason(tmp_path: Path) -> None:
    for at, (make, text) in enumerate(FILES.values()):
        path = tmp_path / f"file-{at}"
        make(path)
        if path.is_file():
            assert text in summarize_url(str(path)).error


def test_an_assistant_gets_the_reason_from_every_tool(tmp_path: Path) -> None:
    path = tmp_path / "run.tmt"
    samples(path)
    runs = Runs([str(path)])
    (row,) = json.loads(runs.runs())["rows"]
    assert "no duration was found" in row["error"]
    for ask in (runs.why, runs.findings, runs.explain, runs.path):
        with pytest.raises(threadmodel.FormatError, match="no duration was found"):
            ask()


def test_a_dump_is_no_such_file(monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path(__file__).parents[1] / "data/dumps/jdk21.txt"
    for command in ("stats", "findings", "explain", "timeline"):
        assert run([command, str(path)], monkeypatch) == 0
