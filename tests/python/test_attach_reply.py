# SPDX-License-Identifier: Apache-2.0
"""Messages of the agent to the command that attached it, at any time."""

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from threadmodel import attach, hotspot
from threadmodel.cli import cli as program
from threadmodel.errors import AttachError

# Moves the cursor, renames the window, reverses the text; longer than our messages.
HOSTILE = f"\x1b[2J\x1b]0;own\x07\u202e\t \x9b {'n' * 3000}"
SHOWN = f"\\x1b[2J\\x1b]0;own\\x07\\u202e\\x09 \\x9b {'n' * 3000}"
DEADLOCK = "threadmodel: deadlock of 2 threads, found at once"


@pytest.fixture
def jvm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A JVM whose agent writes ``jvm.lines`` before the call of it returns."""
    (tmp_path / "tmp").mkdir()
    it = SimpleNamespace(
        pid=os.getpid(),
        inner_pid=os.getpid(),
        root=tmp_path,
        shares_files=True,
        lines=[],
        is_running=lambda: False,
    )

    def load(jvm: Any, library: str, options: str) -> None:
        reply = options.partition(",")[0].removeprefix("reply=/")
        (jvm.root / reply).write_text("".join(f"{line}\n" for line in it.lines))

    monkeypatch.setattr(hotspot, "find", lambda pid: it)
    monkeypatch.setattr(attach, "_library", lambda jvm: ("agent.so", False))
    monkeypatch.setattr(attach, "_load", load)
    return it


@pytest.mark.parametrize("at", [0, 1])
def test_a_message_beside_the_answer_is_a_notice(
    jvm: Any, tmp_path: Path, at: int
) -> None:
    jvm.lines = ["=ok run.tmt"]
    jvm.lines.insert(at, DEADLOCK)
    recording = attach.record(jvm.pid, tmp_path / "run.tmt")
    assert recording.notices() == [DEADLOCK]
    assert recording.notices() == []


@pytest.mark.parametrize("separator", ["\x85", "\u2028", "\x1d"])
def test_a_name_ends_no_recording_and_is_no_answer(
    jvm: Any, tmp_path: Path, separator: str
) -> None:
    named = f"{DEADLOCK}: {separator}=no way{separator}=end reported{separator}"
    jvm.lines = [named, "=ok run.tmt"]
    jvm.is_running = lambda: True
    recording = attach.record(jvm.pid, tmp_path / "run.tmt")
    assert recording.notices() == [named]
    assert recording.is_going_on()


@pytest.mark.parametrize(
    ("lines", "cause"),
    [
        (["=no it is being recorded already"], "it is being recorded already"),
        (["threadmodel: no room", "=no"], "no room"),
        ([], "the agent gave no answer"),
    ],
)
def test_a_refusal_is_an_error_with_its_cause(
    jvm: Any, tmp_path: Path, lines: list[str], cause: str
) -> None:
    jvm.lines = lines
    with pytest.raises(AttachError, match=f": {cause}$"):
        attach.record(jvm.pid, tmp_path / "run.tmt")
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize("is_running", [False, True])
def test_messages_of_the_agent_do_a_terminal_no_harm(
    jvm: Any, tmp_path: Path, is_running: bool
) -> None:
    jvm.lines = ["=ok run.tmt", DEADLOCK, HOSTILE]
    jvm.libraries = lambda name: []
    # The messages are shown during the recording, or at its end.
    turns = iter([is_running])
    jvm.is_running = lambda: next(turns, False)
    done = CliRunner().invoke(program, ["attach", "1", "-o", str(tmp_path / "run.tmt")])
    assert done.exit_code == 0, done.stderr
    assert done.stderr.splitlines()[1:3] == [DEADLOCK, SHOWN]
