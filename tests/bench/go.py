# SPDX-License-Identifier: Apache-2.0
"""How fast an execution trace of Go is read.

usage: go.py BENCH_JFR [TURNS]

Records tests/go/relay, goroutines that do nothing but block, and reads the trace into a
sink that only counts and into a model.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 3


def main() -> int:
    bench = Path(sys.argv[1]).resolve()
    turns = sys.argv[2] if len(sys.argv) > 2 else "300000"
    if shutil.which("go") is None:
        print("no go")
        return 0
    with tempfile.TemporaryDirectory() as name:
        trace = Path(name) / "relay.trace"
        subprocess.run(
            ["go", "run", ".", "-turns", turns, trace],
            cwd=ROOT / "tests/go/relay",
            check=True,
        )
        print(f"{trace.stat().st_size / 1e6:.0f} MB", flush=True)
        for _ in range(ROUNDS):
            subprocess.run([bench, trace], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
