# SPDX-License-Identifier: Apache-2.0
"""The benchmarks of tests/real/planted as people run them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import rounds
import threadmodel
from jdks import JDKS, Jdk

ENOUGH_SECONDS = 600


def need_compiler(jdk: Jdk) -> None:
    if jdk not in JDKS:
        pytest.skip(f"{jdk} is a runtime, and programs are compiled")


def benchmark(name: str, jdk: Jdk, *arguments: object) -> str:
    """Run one for a JDK, which must succeed, and return its output."""
    need_compiler(jdk)
    script = rounds.HERE / f"bench_{name}.py"
    package = str(Path(threadmodel.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, script, "--jdk", str(jdk.release), *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": package},
        capture_output=True,
        text=True,
        timeout=ENOUGH_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
