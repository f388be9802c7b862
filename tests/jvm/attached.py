# SPDX-License-Identifier: Apache-2.0
"""Programs that are attached to, for tests."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import threadmodel
from conftest import FLAGS, TIMEOUT_S, Java

PACKAGE = str(Path(threadmodel.__file__).parent.parent)


# Without it JDK 21 and later print a warning on stderr when an agent is loaded.
QUIET = "-XX:+EnableDynamicAgentLoading"


class Program:
    """A program that runs until it gets a line."""

    def __init__(self, java: Java, name: str, *arguments: object, **how: Any) -> None:
        flags = how.get("flags", (QUIET,))
        self.process = subprocess.Popen(
            [
                *how.get("inside", ()),
                java.jdk.tool("java"),
                *FLAGS,
                *flags,
                "-cp",
                str(java.classes),
                name,
                *map(str, arguments),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=java.folder,
            env={**os.environ, **how.get("environment", {})},
        )
        self.pid = self.process.pid

    def hear(self, word: str) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == f"{word}\n"

    def go_on(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def end(self) -> str:
        """Wait for its end, which must be successful, and return its stderr."""
        _, errors = self.process.communicate(timeout=TIMEOUT_S)
        assert self.process.returncode == 0, errors
        return errors


@contextmanager
def running(java: Java, name: str, *arguments: object, **how: Any) -> Iterator[Program]:
    program = Program(java, name, *arguments, **how)
    try:
        yield program
    finally:
        program.process.kill()
        program.process.communicate()


def rows(model: threadmodel.Model, table: str, **equal: Any) -> list[dict[str, Any]]:
    return [
        row
        for row in getattr(model, table)()
        if all(row[column] == value for column, value in equal.items())
    ]


def cli(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "threadmodel", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
        env={**os.environ, "PYTHONPATH": PACKAGE},
    )
