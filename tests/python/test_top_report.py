# SPDX-License-Identifier: Apache-2.0
"""The report that `top` writes at a key: of the last half minute."""

import re
from pathlib import Path

import pytest

import threadmodel
from threadmodel import Event, EventKind
from threadmodel.cli import watching

SECOND = 1_000_000_000


@pytest.mark.parametrize(
    ("seconds", "part"), [(100, "from 70.0 s to 100 s"), (20, None)]
)
def test_a_report_is_of_the_last_half_minute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: int, part: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    model = threadmodel.Model()
    model.define_thread(1, "main")
    model.ingest(
        [
            Event(1, 1, EventKind.THREAD_START),
            Event(1 + seconds * SECOND, 1, EventKind.SLEEP),
        ]
    )
    assert watching._write(model).startswith("written: ")
    (path,) = tmp_path.glob("top-*.html")
    assert path.stat().st_mode & 0o077 == 0
    (title,) = re.findall(r"<title>(.*)</title>", path.read_text())
    assert title == "Threads of a run" + (f", {part}" if part else "")
