# SPDX-License-Identifier: Apache-2.0
"""Processes that end with their tests."""

import contextlib
import subprocess
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def started(command: Any, **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """Start a process and wait for its end; kill it if the test fails before.

    Popen alone waits: a test that failed would hang with a process that waits for it.
    """
    with subprocess.Popen(command, **options) as process:
        try:
            yield process
        except BaseException:
            process.kill()
            raise
