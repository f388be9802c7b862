# SPDX-License-Identifier: Apache-2.0
"""Programs in Go, and stored traces of them."""

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


PROGRAMS = ROOT / "tests/go"


RECORDED = ROOT / "tests/fuzz/corpus/go/go25.trace"


GO = shutil.which("go")


SECONDS = 540


def run(*command: str | Path, folder: Path, **variables: str) -> str:
    done = subprocess.run(
        [str(it) for it in command],
        cwd=folder,
        env={**os.environ, **variables},
        timeout=SECONDS,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout
