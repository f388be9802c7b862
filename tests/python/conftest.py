# SPDX-License-Identifier: Apache-2.0
"""Fixtures: a model and a trace of the run in runs.py, and the command line.

The package tested is that of the build folder (pyproject.toml); that of an installed
wheel with `pytest -o pythonpath=tests/python`.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import runs
import threadmodel

# A shell that runs the tests in its background has the interrupt ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
# The programs that the tests start use the same package.
os.environ["PYTHONPATH"] = str(Path(threadmodel.__file__).parents[1])
# The tests do not depend on the width of the terminal.
os.environ.pop("COLUMNS", None)

Cli = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture
def model() -> threadmodel.Model:
    model = threadmodel.Model()
    runs.fill(model)
    return model


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "run.tmt"
    with threadmodel.Writer(path) as writer:
        runs.fill(writer)
    return path


@pytest.fixture
def hostile() -> threadmodel.Model:
    """A model with hostile names of threads and classes."""
    model = threadmodel.Model()
    fill_hostile(model)
    return model


@pytest.fixture
def hostile_trace(tmp_path: Path) -> Path:
    path = tmp_path / "hostile.tmt"
    with threadmodel.Writer(path) as writer:
        fill_hostile(writer)
    return path


def fill_hostile(sink: threadmodel.Sink) -> None:
    kind = threadmodel.EventKind
    for number, name in enumerate(runs.HOSTILE_NAMES.values(), 1):
        sink.define_thread(number, name, name)
        sink.define_class(number, name, name)
        sink.define_method(number, number, name)
        sink.define_stack(number, [threadmodel.Frame(number)])
        sink.define_object(number, number)
        sink.ingest(
            [
                threadmodel.Event(
                    number, number, kind.CONTENDED_ENTER, object=number, stack=number
                ),
                threadmodel.Event(
                    number + 50, number, kind.CONTENDED_ENTERED, object=number
                ),
            ]
        )


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    def run(
        *arguments: str | os.PathLike[str],
        env: dict[str, str] | None = None,
        cwd: Path = tmp_path,
        **options: object,
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(  # type: ignore[call-overload, no-any-return]
            [sys.executable, "-m", "threadmodel", *arguments],
            capture_output=True,
            timeout=60,
            cwd=cwd,
            env={**os.environ, **(env or {})},
            **options,
        )

    return run


def one_line(stderr: bytes) -> str:
    """Return the only line of stderr, which is a message and not a traceback."""
    lines = stderr.decode().splitlines()
    assert len(lines) == 1, stderr.decode()
    assert lines[0].startswith("threadmodel: ")
    return lines[0]
