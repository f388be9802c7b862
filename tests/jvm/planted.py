# SPDX-License-Identifier: Apache-2.0
"""The benchmarks of tests/real/planted as people run them."""

import os
import subprocess
import sys
from pathlib import Path

import rounds
import threadmodel
from jdks import Jdk

ENOUGH_SECONDS = 600


def benchmark(name: str, jdk: Jdk, *arguments: object) -> str:
    """Run one for a JDK to its end, which must be a good one; what it printed."""
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
